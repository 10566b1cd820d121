/** Checks that stored values only change by writes. */
import { isContainer } from '../../definition/json.js'
import type { Check } from '../check.js'
import { expectEqual, expectThat } from '../contract-error.js'
import type { Item } from '../stage.js'

/** Modifies all parts of a value that can be modified. Frozen parts throw, which is accepted. */
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
      stage.expectValue(await stage.read(key), record, 'what is stored after create()')
      const next = structuredClone(stage.change(record, 1))
      await adapter.replace?.(key, next, undefined, call)
      spoil(next)
      stage.expectValue(await stage.read(key), stage.change(record, 1), 'what is stored after replace()')
    },
  },
  {
    id: 'privacy/handed-out',
    title: 'Modifying a result does not change the stored value.',
    on: 'any',
    async run(stage) {
      const record = stage.record()
      const key = stage.key(record)
      const { version } = await stage.stored(key)
      const expectSame = async (after: string) => {
        stage.expectValue(await stage.read(key), record, `what is stored after ${after}`)
        expectThat(
          (await stage.read(key))?.version === version,
          `the version after ${after} to be "${version}"`,
          await stage.read(key),
        )
      }
      spoil(await stage.stored(key))
      await expectSame('what was read is changed')
      spoil((await stage.all()).find(({ value }) => stage.keyText(value) === stage.keyText(record)))
      await expectSame('what was listed is changed')
      const page = await stage.list()
      const batch = await stage.readAll([key])
      for (const list of [page, page.items, batch]) spoil(list)
      await expectSame('a page and a batch are changed')
      const { length } = (await stage.list()).items
      expectThat(length === stage.held.length, `a page of ${stage.held.length} after another one is changed`, length)
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
      spoil(await stage.created(record))
      stage.expectValue(await stage.read(key), record, 'what is stored after the answer of create() is changed')
      spoil(await stage.replaced(key, stage.change(record, 1)))
      stage.expectValue(
        await stage.read(key),
        stage.change(record, 1),
        'what is stored after the answer of replace() is changed',
      )
    },
  },
  {
    id: 'privacy/kept',
    title: 'Modifying an argument or a result does not change a record that is kept for repeats.',
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
      stage.expectValue(recalled as Item, record, 'what recall() answers')
      spoil(recalled)
      stage.expectValue((await stage.recall(idempotency)) as Item, record, 'what recall() answers again')
      stage.expectValue(await stage.read(stage.key(record)), record, 'what is stored')
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
      const created = await stage.created(record)
      const first = [created, await stage.stored(key), ...(await stage.all()), ...(await stage.readAll([key, key]))]
      const replaced = await stage.replaced(key, stage.change(record, 1))
      const held = [...first, replaced, await stage.stored(key)]
      const before = first.map((item) => JSON.stringify(item))
      const after = held.slice(first.length).map((item) => JSON.stringify(item))
      await stage.replaced(key, stage.change(record, 2))
      await stage.remove(key)
      for (const [i, text] of [...before, ...after].entries())
        expectEqual(held[i], JSON.parse(text), 'a value that was handed out')
      stage.expectValue(created, record, 'what create() answered')
      stage.expectValue(replaced, stage.change(record, 1), 'what replace() answered')
    },
  },
]
