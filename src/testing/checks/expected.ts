/**
 * Checks that a write compares the expected version with the stored version (compare-and-set). The
 * calls of these checks are not concurrent.
 */
import type { Check } from '../check.js'
import { expectEqual, expectThat } from '../contract-error.js'
import { associations, client } from '../fixtures.js'
import type { Stage } from '../stage.js'

/**
 * Strings that a client could send instead of a version. The checks leave out a string that happens
 * to be equal to the version.
 */
const near = (version: string): readonly string[] => [
  '',
  ' ',
  '0',
  '1',
  '-1',
  '*',
  'null',
  'abc',
  `'; --`,
  '9'.repeat(40),
  '\0',
  '\ud800',
  ` ${version}`,
  `${version} `,
  `0${version}`,
  `+${version}`,
  `${version}0`,
  version.toUpperCase(),
  version.toLowerCase(),
]

/** An initial record, its key and its version. */
async function held(stage: Stage) {
  const record = stage.record()
  const key = stage.key(record)
  const { version } = await stage.mustRead(key)
  return { record, key, version }
}

/**
 * Replaces a record. Returns its key, the previous record and version, and the current record and
 * version.
 */
async function outdated(stage: Stage) {
  const { record, key, version } = await held(stage)
  const current = await stage.mustReplace(key, stage.change(record, 1))
  return { record, key, version, current }
}

export const expected: readonly Check[] = [
  {
    id: 'expected/replace',
    title: "replace() with an outdated version returns 'stale' and changes nothing; with the current one it writes.",
    on: 'any',
    needs: ['replace'],
    async run(stage) {
      const { record, key, version, current } = await outdated(stage)
      expectEqual(await stage.replace(key, stage.change(record, 2), version), 'stale', 'replace() with an old version')
      stage.expectValue(await stage.read(key), current.value, 'the record after a stale replace')
      expectEqual((await stage.read(key))?.version, current.version, 'the version after a stale replace')
      await stage.mustReplace(key, stage.change(record, 3), current.version)
      stage.expectValue(
        await stage.read(key),
        stage.change(record, 3),
        'the record after a replace with the current version',
      )
    },
  },
  {
    id: 'expected/remove',
    title: "remove() with an outdated version returns 'stale' and removes nothing; with the current one it removes.",
    on: 'any',
    needs: ['replace', 'remove'],
    async run(stage) {
      const { key, version, current } = await outdated(stage)
      expectEqual(await stage.remove(key, version), 'stale', 'remove() with an old version')
      stage.expectValue(await stage.read(key), current.value, 'the record after a stale remove')
      expectEqual(await stage.remove(key, current.version), 'removed', 'remove() with the current version')
      await stage.expectNothing(key, 'no record after the remove')
    },
  },
  {
    id: 'expected/attach',
    title: "attach() with an outdated version returns 'stale' and attaches nothing.",
    on: 'contracts',
    needs: ['attach', 'replace'],
    async run(stage) {
      const { key, version } = await outdated(stage)
      for (const as of associations) {
        expectEqual(await stage.attach(client(as), key, version), 'stale', `attach() as ${as} with an old version`)
        expectEqual(await stage.keys({ parent: client(as) }), [], `the records attached as ${as}`)
        const current = await stage.mustRead(key)
        expectEqual(
          await stage.attach(client(as), key, current.version),
          'attached',
          `attach() as ${as} with the current version`,
        )
      }
    },
  },
  {
    id: 'expected/detach',
    title: "detach() with an outdated version returns 'stale' and detaches nothing.",
    on: 'contracts',
    needs: ['attach', 'detach', 'replace'],
    async run(stage) {
      for (const [round, as] of associations.entries()) {
        const key = stage.key(stage.record())
        await stage.attach(client(as), key)
        const { value, version } = await stage.mustRead(key)
        const { version: current } = await stage.mustReplace(key, { ...value, rank: 77 + round })
        expectEqual(await stage.detach(client(as), key, version), 'stale', `detach() as ${as} with an old version`)
        expectEqual(await stage.keys({ parent: client(as) }), [stage.keyText(value)], `the records attached as ${as}`)
        expectEqual(
          await stage.detach(client(as), key, current),
          'detached',
          `detach() as ${as} with the current version`,
        )
      }
    },
  },
  {
    id: 'expected/equal',
    title: 'A version is compared even if the write would not change the record.',
    on: 'any',
    needs: ['replace'],
    async run(stage) {
      const { key, version, current } = await outdated(stage)
      expectEqual(
        await stage.replace(key, current.value, version),
        'stale',
        'replace() with the stored value and an old version',
      )
      await stage.mustReplace(key, current.value, current.version)
      stage.expectValue(await stage.read(key), current.value, 'the record')
    },
  },
  {
    id: 'expected/others',
    title: 'The version of one record is stale for another record, unless both happen to have the same version.',
    on: 'any',
    needs: ['replace', 'remove'],
    async run(stage) {
      const [record, other] = [stage.record(0), stage.record(1)]
      const [key, otherKey] = [stage.key(record), stage.key(other)]
      const { version } = await stage.mustReplace(otherKey, stage.change(other, 1))
      if ((await stage.mustRead(key)).version === version) return
      expectEqual(
        await stage.replace(key, stage.change(record, 2), version),
        'stale',
        'replace() with the version of another record',
      )
      expectEqual(await stage.remove(key, version), 'stale', 'remove() with the version of another record')
      stage.expectValue(await stage.read(key), record, 'the record')
      stage.expectValue(await stage.read(otherKey), stage.change(other, 1), 'the other record')
    },
  },
  {
    id: 'expected/absent-first',
    title:
      "Without a record under the key, replace() and remove() return 'absent', not 'stale', and replace() creates " +
      'no record.',
    on: 'any',
    needs: ['replace', 'remove'],
    async run(stage) {
      const record = stage.fresh()
      const key = stage.key(record)
      const { version } = await stage.mustRead(stage.key(stage.record()))
      for (const expectedVersion of [undefined, 'other', version]) {
        expectEqual(
          await stage.replace(key, record, expectedVersion),
          'absent',
          'replace() of a record that does not exist',
        )
        expectEqual(await stage.remove(key, expectedVersion), 'absent', 'remove() of a record that does not exist')
      }
      await stage.expectNothing(key, 'no record created')
    },
  },
  {
    id: 'expected/removed',
    title: 'Reads, lists and a second remove do not find a removed record, and replace() does not restore it.',
    on: 'any',
    needs: ['replace', 'remove'],
    async run(stage) {
      const { record, key, version } = await held(stage)
      expectEqual(await stage.remove(key), 'removed', 'remove()')
      for (const expectedVersion of [undefined, version]) {
        expectEqual(await stage.remove(key, expectedVersion), 'absent', 'a second remove()')
        expectEqual(await stage.replace(key, record, expectedVersion), 'absent', 'replace() after remove()')
      }
      await stage.expectNothing(key, 'no record to read')
      expectThat(!(await stage.keys()).includes(stage.keyText(record)), 'no record in the list', stage.keyText(record))
    },
  },
  {
    id: 'expected/recreated',
    title: 'The version of a removed record is stale for a new record with the same key.',
    on: 'any',
    needs: ['create', 'replace', 'remove'],
    async run(stage) {
      const { record, key, version } = await held(stage)
      await stage.remove(key)
      await stage.mustCreate(record)
      expectEqual(await stage.replace(key, stage.change(record, 4), version), 'stale', 'replace() with the old version')
      expectEqual(await stage.remove(key, version), 'stale', 'remove() with the old version')
      stage.expectValue(await stage.read(key), record, 'the record')
    },
  },
  {
    id: 'expected/other-texts',
    title: 'Versions are compared as strings: any string except the current version is stale, never an error.',
    on: 'any',
    needs: ['replace', 'remove'],
    async run(stage) {
      const { record, key, version } = await held(stage)
      for (const other of near(version).filter((text) => text !== version)) {
        const what = `with the version ${JSON.stringify(other)}`
        expectEqual(await stage.replace(key, stage.change(record, 9), other), 'stale', `replace() ${what}`)
        expectEqual(await stage.remove(key, other), 'stale', `remove() ${what}`)
      }
      stage.expectValue(await stage.read(key), record, 'the record')
    },
  },
  {
    id: 'expected/other-attached',
    title: 'attach() and detach() compare versions as strings, as replace() and remove() do.',
    on: 'contracts',
    needs: ['attach', 'detach'],
    async run(stage) {
      for (const as of associations) {
        await stage.attach(client(as), 'C-0')
        for (const code of ['C-0', 'C-1']) {
          const { version } = await stage.mustRead(code)
          for (const other of near(version).filter((text) => text !== version)) {
            const what = `as ${as} with the version ${JSON.stringify(other)}`
            expectEqual(await stage.attach(client(as), code, other), 'stale', `attach() of ${code} ${what}`)
            const answer = code === 'C-0' ? 'stale' : 'absent'
            expectEqual(await stage.detach(client(as), code, other), answer, `detach() of ${code} ${what}`)
          }
        }
        expectEqual(await stage.keys({ parent: client(as) }), ['C-0'], `the records attached as ${as}`)
      }
    },
  },
]
