/**
 * Checks that only writes change stored values, and that the adapter never changes a returned
 * value.
 */
import { isContainer } from '../../definition/json.js'
import type { Check } from '../check.js'
import { expectEqual, expectThat } from '../contract-error.js'
import type { Item } from '../stage.js'

/** Modifies all objects and arrays in a value, except frozen ones. */
function spoil(value: unknown): void {
  if (!isContainer(value)) return
  for (const member of Object.values(value)) spoil(member)
  for (const name of Object.keys(value)) Reflect.set(value, name, 'spoilt')
  if (Array.isArray(value) && !Object.isFrozen(value)) value.push('spoilt')
  Reflect.set(value, 'spoilt', true)
}

export const privacy: readonly Check[] = [
  {
    id: 'privacy/given',
    title: 'Modifying an argument after the call does not change the stored value.',
    on: 'any',
    needs: ['create', 'replace'],
    async run(stage) {
      const record = stage.fresh()
      const key = stage.key(record)
      const { adapter } = stage
      const call = stage.call()
      const given = structuredClone(record)
      await adapter.create?.(given, call)
      spoil(given)
      stage.expectValue(await stage.read(key), record, 'the stored record after create()')
      const next = structuredClone(stage.change(record, 1))
      await adapter.replace?.(key, next, undefined, call)
      spoil(next)
      stage.expectValue(await stage.read(key), stage.change(record, 1), 'the stored record after replace()')
    },
  },
  {
    id: 'privacy/handed-out',
    title: 'Modifying a result does not change the stored value.',
    on: 'any',
    async run(stage) {
      const record = stage.record()
      const key = stage.key(record)
      const { version } = await stage.mustRead(key)
      const expectSame = async (after: string) => {
        stage.expectValue(await stage.read(key), record, `the stored record after ${after}`)
        expectThat(
          (await stage.read(key))?.version === version,
          `the version to be "${version}" after ${after}`,
          await stage.read(key),
        )
      }
      spoil(await stage.mustRead(key))
      await expectSame('the result of read() was modified')
      spoil((await stage.all()).find(({ value }) => stage.keyText(value) === stage.keyText(record)))
      await expectSame('a listed value was modified')
      const page = await stage.list()
      const batch = await stage.readAll([key])
      for (const list of [page, page.items, batch]) spoil(list)
      await expectSame('a page and a batch were modified')
      const { length } = (await stage.list()).items
      expectThat(
        length === stage.held.length,
        `a page of ${stage.held.length} items after another page was modified`,
        length,
      )
    },
  },
  {
    id: 'privacy/answered',
    title: 'Modifying the result of a write does not change the stored value.',
    on: 'any',
    needs: ['create', 'replace'],
    async run(stage) {
      const record = stage.fresh()
      const key = stage.key(record)
      spoil(await stage.mustCreate(record))
      stage.expectValue(await stage.read(key), record, 'the stored record after the result of create() was modified')
      spoil(await stage.mustReplace(key, stage.change(record, 1)))
      stage.expectValue(
        await stage.read(key),
        stage.change(record, 1),
        'the stored record after the result of replace() was modified',
      )
    },
  },
  {
    id: 'privacy/kept',
    title: 'Modifying an argument or a result does not change a record that is kept for repeated creates.',
    on: 'any',
    needs: ['create', 'recall'],
    async run(stage) {
      const record = stage.fresh()
      const idempotency = { id: 'id', fingerprint: 'body' }
      const given = structuredClone(record)
      const call = { ...stage.call(), idempotency }
      spoil(await stage.adapter.create?.(given, call))
      spoil(given)
      spoil(await stage.repeatable(record, idempotency))
      const recalled = await stage.recall(idempotency)
      stage.expectValue(recalled as Item, record, 'the result of recall()')
      spoil(recalled)
      stage.expectValue((await stage.recall(idempotency)) as Item, record, 'the second result of recall()')
      stage.expectValue(await stage.read(stage.key(record)), record, 'the stored record')
    },
  },
  {
    id: 'privacy/steady',
    title: 'A returned value does not change when the record is changed or removed.',
    on: 'any',
    needs: ['create', 'replace', 'remove'],
    async run(stage) {
      const record = stage.fresh()
      const key = stage.key(record)
      const created = await stage.mustCreate(record)
      const first = [created, await stage.mustRead(key), ...(await stage.all()), ...(await stage.readAll([key, key]))]
      const replaced = await stage.mustReplace(key, stage.change(record, 1))
      const held = [...first, replaced, await stage.mustRead(key)]
      const before = first.map((item) => JSON.stringify(item))
      const after = held.slice(first.length).map((item) => JSON.stringify(item))
      await stage.mustReplace(key, stage.change(record, 2))
      await stage.remove(key)
      for (const [i, text] of [...before, ...after].entries())
        expectEqual(held[i], JSON.parse(text), 'a returned value')
      stage.expectValue(created, record, 'the value returned by create()')
      stage.expectValue(replaced, stage.change(record, 1), 'the value returned by replace()')
    },
  },
]
