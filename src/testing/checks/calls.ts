/**
 * Checks that calls are isolated: no call gets the scope, the request or the result of another
 * call.
 */
import { type Check, ticks, upTo } from '../check.js'
import { expectEqual, expectSameSet, expectThat, expectTotal } from '../contract-error.js'
import { listRequest } from '../requests.js'
import type { Row } from '../row.js'
import type { Item, Stage } from '../stage.js'

const depots = ['north', 'south'] as const
const within = (stage: Stage, depot: string, urgent?: boolean): readonly string[] =>
  stage.held
    .filter((record) => record.depot === depot && (urgent === undefined || record.urgent === urgent))
    .map(({ code }) => code as string)

export const calls: readonly Check[] = [
  {
    id: 'calls/same-request',
    title:
      'A frozen list request can be used for several calls. Each call returns the records that are in its own scope ' +
      'at the time of the call.',
    on: 'parcels',
    async run(stage) {
      const { adapter } = stage
      const where = [Object.freeze({ field: 'urgent', op: 'eq', value: true } as const)]
      const made = listRequest({ where, size: 50 }, stage.definition.key.members)
      for (const condition of made.where) Object.freeze(Object.freeze(condition).path)
      for (const term of made.sort) Object.freeze(Object.freeze(term).path)
      const request = Object.freeze({ ...made, where: Object.freeze(made.where), sort: Object.freeze(made.sort) })
      const ask = async (depot?: string) => {
        const page = await adapter.list(request, stage.call(depot === undefined ? {} : { scope: { depot } }))
        return page.items.map(({ value }) => (value as Row).code as string).sort()
      }
      const urgent = stage.held.filter((record) => record.urgent).map(({ code }) => code as string)
      for (const _ of upTo(3)) {
        for (const depot of depots)
          expectEqual(await ask(depot), [...within(stage, depot, true)].sort(), `the keys in the scope of ${depot}`)
        expectEqual(await ask(), [...urgent].sort(), 'the keys without a scope')
      }
      if (!stage.offers('remove')) return
      await stage.remove(urgent[0])
      expectEqual(await ask(), urgent.slice(1).sort(), 'the keys after a remove')
    },
  },
  {
    id: 'calls/same-call',
    title: 'A second read with the same call object returns the current record, not the result of the first read.',
    on: 'any',
    needs: ['replace', 'remove'],
    async run(stage) {
      const record = stage.record()
      const key = stage.key(record)
      const by = { call: stage.call() }
      const { adapter } = stage
      const read = async () => (await adapter.read([key], by.call))[0] as Item | undefined
      const before = await read()
      const other = await stage.mustReplace(key, stage.change(record, 1), undefined, { peer: 1 })
      stage.expectValue(
        await read(),
        stage.change(record, 1),
        'the record read with the same call object after a write by another caller',
      )
      const stale = await adapter.replace?.(key, stage.change(record, 2), before?.version, by.call)
      expectEqual(stale, 'stale', 'replace() with the same call object and the version of the first read')
      const next = await adapter.replace?.(key, stage.change(record, 3), other.version, by.call)
      expectThat(
        typeof next === 'object' && 'version' in next,
        'a successful replace() with the same call object and the current version',
        next,
      )
      stage.expectValue(
        await read(),
        stage.change(record, 3),
        'the record read with the same call object after its own write',
      )
      await stage.remove(key, undefined, { peer: 1 })
      expectThat((await read()) === undefined, 'no record after a remove by another caller', await read())
    },
  },
  {
    id: 'calls/beside',
    title: 'Concurrent calls with different scopes and requests each get their own result.',
    on: 'parcels',
    async run(stage) {
      const codes = stage.held.map(({ code }) => code as string)
      await Promise.all(
        upTo(36).map(async (i) => {
          await ticks(i % 5)
          const depot = depots[i % 2] as string
          const by = { call: { scope: { depot } }, peer: i }
          if (i % 3 === 0) {
            const found = await stage.readAll(codes, by)
            const seen = codes.filter((_, at) => found[at] !== undefined)
            return expectEqual(
              seen,
              within(stage, depot),
              `the keys of the records from a concurrent read in the scope of ${depot}`,
            )
          }
          const urgent = i % 3 === 1
          const where = [{ field: 'urgent', op: 'eq', value: urgent }] as const
          const page = await stage.list({ where, sort: urgent ? 'code' : '-weight' }, by)
          const { items } = page
          const expected = within(stage, depot, urgent)
          const what = `of a concurrent list where urgent is ${urgent}, in the scope of ${depot},`
          expectSameSet(
            items.map(({ value }) => value.code),
            expected,
            `the keys ${what}`,
          )
          expectTotal(page, expected.length, `the total ${what}`)
        }),
      )
    },
  },
  {
    id: 'calls/beside-writes',
    title: 'Each of several concurrent writes in different scopes changes only records in its own scope.',
    on: 'parcels',
    needs: ['create', 'replace', 'remove'],
    async run(stage) {
      for (const round of upTo(4)) {
        const answers = await Promise.all(
          upTo(16).map(async (i) => {
            await ticks((i * round) % 5)
            const depot = depots[i % 2] as string
            const { depot: _depot, ...rest }: Row = { ...stage.record(1), code: `B-${round}-${i}` }
            return stage.mustCreate(rest, { call: { scope: { depot } }, peer: i })
          }),
        )
        for (const [i, { value }] of answers.entries())
          expectEqual(value.depot, depots[i % 2], 'the depot that a create took from its scope')
        const others = await Promise.all(
          answers.map(({ value }, i) => {
            const by = { call: { scope: { depot: depots[(i + (i < 8 ? 1 : 0)) % 2] as string } }, peer: i + 1 }
            return i % 4 < 2
              ? stage.replace(value.code, { ...value, label: 'changed' }, undefined, by)
              : stage.remove(value.code, undefined, by)
          }),
        )
        for (const [i, answer] of others.entries()) {
          const isDone = answer !== 'absent'
          expectThat(
            isDone === i >= 8,
            i < 8 ? "'absent' for a write outside of its scope" : 'a successful write in its scope',
            answer,
          )
        }
      }
    },
  },
]
