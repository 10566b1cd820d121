/** Checks of the versions of stored values. */
import { type Check, upTo } from '../check.js'
import { atTime } from '../clock.js'
import { expectEqual, expectThat } from '../contract-error.js'
import type { Item, Stage } from '../stage.js'

/** Throws if the version of an item was used before. */
function expectNew(seen: Set<string>, { version }: Item, when: string): void {
  expectThat(!seen.has(version), `a version that was never used before, ${when}`, version)
  seen.add(version)
}

/** Returns an initial record, its key, and the set `seen`, which contains the record's version. */
async function begin(stage: Stage) {
  const record = stage.record()
  const key = stage.key(record)
  return { record, key, seen: new Set([(await stage.mustRead(key)).version]) }
}

export const versions: readonly Check[] = [
  {
    id: 'versions/text',
    title: 'Every stored value has an opaque version, a string that is not empty.',
    on: 'any',
    async run(stage) {
      const items = [...(await stage.all()), await stage.mustRead(stage.key(stage.record()))]
      for (const { version } of items)
        expectThat(typeof version === 'string' && version !== '', 'a non-empty string as version', version)
    },
  },
  {
    id: 'versions/steady',
    title: 'A version does not change without a write.',
    on: 'any',
    async run(stage) {
      const first = await stage.all()
      for (const _ of upTo(3)) {
        const again = await stage.all()
        expectEqual(
          again.map(({ version }) => version),
          first.map(({ version }) => version),
          'the versions of a later list',
        )
      }
    },
  },
  {
    id: 'versions/answered',
    title:
      'create() and replace() return the version that is stored. read() and list() of every peer return the ' +
      'same version.',
    on: 'any',
    needs: ['create', 'replace'],
    async run(stage) {
      const record = stage.fresh()
      const key = stage.key(record)
      const expectVersion = async (version: string) => {
        for (const peer of upTo(4)) {
          expectEqual((await stage.read(key, { peer }))?.version, version, 'the version that is read')
          const listed = (await stage.all({}, { peer })).find(
            ({ value }) => stage.keyText(value) === stage.keyText(record),
          )
          expectEqual(listed?.version, version, 'the version that is listed')
        }
      }
      await expectVersion((await stage.mustCreate(record)).version)
      await expectVersion((await stage.mustReplace(key, stage.change(record, 1))).version)
    },
  },
  {
    id: 'versions/change',
    title:
      'Every change of a value gives it a new version. No version is used again, even if an old value is restored.',
    on: 'any',
    needs: ['replace'],
    async run(stage) {
      const { record, key, seen } = await begin(stage)
      for (const i of upTo(12)) {
        const next = stage.change(record, i % 2)
        expectNew(seen, await stage.mustReplace(key, next, undefined, { peer: i }), 'after a change')
      }
    },
  },
  {
    id: 'versions/recreated',
    title:
      'A version is never used twice for one key, even after a remove and a create with the same or another value.',
    on: 'any',
    needs: ['create', 'replace', 'remove'],
    async run(stage) {
      const { record, key, seen } = await begin(stage)
      for (const i of upTo(8)) {
        expectEqual(await stage.remove(key, undefined, { peer: i }), 'removed', 'remove()')
        expectNew(seen, await stage.mustCreate(record, { peer: i + 1 }), 'after a re-creation')
        if (i % 2 === 0)
          expectNew(
            seen,
            await stage.mustReplace(key, stage.change(record, i), undefined, { peer: i }),
            'after a change',
          )
      }
    },
  },
  {
    id: 'versions/attached',
    title: 'If a member of the record contains the key of the parent, attaching and detaching change the version.',
    on: 'contracts',
    needs: ['attach', 'detach'],
    async run(stage) {
      const { key, seen } = await begin(stage)
      for (const id of ['ann', 'bob', 'ann']) {
        const parent = { collection: 'clients', key: id, as: 'contracts' }
        await stage.attach(parent, key)
        expectNew(seen, await stage.mustRead(key), 'after attach()')
        await stage.detach(parent, key)
        expectNew(seen, await stage.mustRead(key), 'after detach()')
      }
    },
  },
  {
    id: 'versions/burst',
    title: 'Hundreds of rapid writes get different versions.',
    on: 'any',
    needs: ['replace'],
    async run(stage) {
      const { record, key, seen } = await begin(stage)
      for (const round of upTo(10)) {
        const writes = upTo(30).map((i) =>
          stage.mustReplace(key, stage.change(record, round * 30 + i), undefined, { peer: i }),
        )
        for (const item of await Promise.all(writes)) expectNew(seen, item, 'after one of many fast changes')
      }
    },
  },
  {
    id: 'versions/clock',
    title: 'Versions do not depend on the clock: they differ even if it stops or is set back.',
    on: 'any',
    needs: ['create', 'replace', 'remove'],
    async run(stage) {
      const { record, key, seen } = await begin(stage)
      const hour = 3_600_000
      const start = Date.now()
      for (const time of [start, start - hour, start, start + 1, start - hour]) {
        await atTime(time, async () => {
          for (const i of upTo(4))
            expectNew(seen, await stage.mustReplace(key, stage.change(record, i)), 'with the clock set to another time')
          expectEqual(await stage.remove(key), 'removed', 'remove()')
          expectNew(seen, await stage.mustCreate(record), 'after a re-creation with the clock set to another time')
        })
      }
    },
  },
]
