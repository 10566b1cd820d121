/**
 * Checks that values with a format (docs/resources.md) are stored exactly, and are compared as
 * numbers, date-times and UUIDs, and not as strings.
 */
import type { Scalar } from '../../adapters/contract.js'
import { valueFormat } from '../../definition/value-formats.js'
import type { Check } from '../check.js'
import { expectEqual, expectThat } from '../contract-error.js'
import { memberAt } from '../model.js'
import type { ListParts } from '../requests.js'
import type { Row } from '../row.js'
import type { Stage } from '../stage.js'
import { expectMatches, valuesOf } from './matches.js'

const nullable = ['taken', 'amount', 'total', 'source'] as const
const members = ['device', 'counter', ...nullable] as const
/** The members that hold numbers or date-times. */
const ordered = ['counter', 'taken', 'amount', 'total'] as const

/**
 * Returns a negative number if `a` is smaller than `b`, zero if they are equal, and a positive
 * number if `a` is larger. Null is the largest value.
 */
function compareMembers(stage: Stage, field: string, a: Scalar | null, b: Scalar | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  const compare =
    valueFormat(stage.definition.shape.at([field]))?.compare ?? ((x: string, y: string) => (x < y ? -1 : x > y ? 1 : 0))
  return compare(a as string, b as string)
}

/** The keys of all records in the order of a member. The key breaks ties, in the same direction. */
function inOrder(stage: Stage, field: string, descending: boolean): readonly string[] {
  const terms = [field, 'device', 'counter']
  const sorted = [...stage.held].sort((a, b) => {
    for (const term of terms) {
      const difference = compareMembers(stage, term, memberAt(a, term), memberAt(b, term))
      if (difference !== 0) return difference
    }
    return 0
  })
  return (descending ? sorted.reverse() : sorted).map((record) => stage.keyText(record))
}

/** Values that a store may refuse but must not change. */
const odd: readonly Row[] = [
  { amount: '0.1' },
  { amount: '-0.000000000000000001' },
  { amount: '99999999999999999999.99' },
  { amount: `1${'0'.repeat(100)}` },
  { amount: `0.${'0'.repeat(99)}1` },
  { total: '9007199254740993' },
  { total: '-9007199254740993' },
  { total: '9223372036854775807' },
  { total: '-9223372036854775808' },
  { taken: '0001-01-01T00:00:00.000Z' },
  { taken: '9999-12-31T23:59:59.999999Z' },
  { taken: '2024-02-29T23:59:59.999Z' },
  { taken: '2026-03-29T01:30:00.000Z' },
  { taken: '2026-11-20T22:00:00.123456789Z' },
  { source: '00000000-0000-0000-0000-000000000000' },
]

export const formats: readonly Check[] = [
  {
    id: 'formats/held',
    title: 'Values of the formats date-time, uuid, decimal and int64 are stored exactly, with every digit.',
    on: 'readings',
    async run(stage) {
      for (const record of stage.held)
        stage.expectValue(await stage.read(stage.key(record)), record, 'an initial record')
      for (const { value } of await stage.all()) {
        const given = stage.held.find((record) => stage.keyText(record) === stage.keyText(value)) as Row
        stage.expectValue({ value, version: '' }, given, 'a record that is listed')
      }
    },
  },
  {
    id: 'formats/survive',
    title: 'The extreme values of a format are stored exactly or refused.',
    on: 'readings',
    needs: ['create'],
    async run(stage) {
      for (const [i, members] of odd.entries()) {
        const record: Row = { ...stage.fresh(), counter: String(1000 + i), ...members }
        const answer = await stage.create(record)
        if ('refused' in answer) {
          expectEqual(await stage.read(stage.key(record)), undefined, 'the record stored after a refused create')
          continue
        }
        expectThat('created' in answer, 'create() to return { created }', answer)
        stage.expectValue(answer.created, record, 'the result of create()')
        stage.expectValue(await stage.read(stage.key(record)), record, 'the record that is read')
      }
    },
  },
  {
    id: 'formats/keys',
    title: 'Keys with a format are compared exactly: int64 numbers that are equal as doubles are different keys.',
    on: 'readings',
    async run(stage) {
      const found = await stage.readAll(stage.held.map((record) => stage.key(record)))
      for (const [i, item] of found.entries()) stage.expectValue(item, stage.held[i] as Row, 'the record that is read')
      const { device } = stage.held[0] as Row
      for (const counter of ['9007199254740994', '9007199254740991', '9223372036854775806'])
        expectEqual(
          await stage.read({ device, counter }),
          undefined,
          `the record read with the counter ${counter}, which no record has`,
        )
    },
  },
  {
    id: 'formats/eq',
    title: '"eq" and "in" match exactly the records whose member has the value: every digit counts.',
    on: 'readings',
    async run(stage) {
      for (const field of members) {
        const values = valuesOf(stage, field)
        for (const value of values)
          await expectMatches(stage, [{ field, op: 'eq', value }], (record) => memberAt(record, field) === value)
        const some = values.slice(0, 2)
        await expectMatches(stage, [{ field, op: 'in', value: some }], (record) =>
          some.includes(memberAt(record, field) as Scalar),
        )
      }
      for (const [field, value] of [
        ['counter', '9007199254740994'],
        ['amount', '12345678901234567.03'],
        ['total', '9223372036854775806'],
        ['taken', '2026-11-20T22:00:00.000002Z'],
        ['source', '6f9619ff-8b86-4d01-b42d-00cf4fc964fe'],
      ] as const)
        await expectMatches(stage, [{ field, op: 'eq', value }], () => false)
    },
  },
  {
    id: 'formats/ranges',
    title: '"gt", "gte", "lt" and "lte" compare numbers and date-times as values, not as strings.',
    on: 'readings',
    async run(stage) {
      for (const field of ordered) {
        // The check also compares with values between and beyond the stored values.
        const others =
          field === 'taken'
            ? ['2026-11-20T22:00:00.0005Z']
            : field === 'amount'
              ? ['9.5', '-9.5', '1000']
              : ['99', '-2']
        for (const value of [...valuesOf(stage, field), ...others]) {
          for (const [op, holds] of [
            ['gt', (difference: number) => difference > 0],
            ['gte', (difference: number) => difference >= 0],
            ['lt', (difference: number) => difference < 0],
            ['lte', (difference: number) => difference <= 0],
          ] as const) {
            await expectMatches(stage, [{ field, op, value }], (record) => {
              const member = memberAt(record, field)
              return member !== null && holds(compareMembers(stage, field, member, value))
            })
          }
        }
      }
    },
  },
  {
    id: 'formats/order',
    title: 'Lists sort numbers and date-times as values, not as strings. This also holds for the keys that break ties.',
    on: 'readings',
    async run(stage) {
      for (const field of [...ordered, 'device', 'source'])
        for (const descending of [false, true]) {
          const sort = `${descending ? '-' : ''}${field}`
          expectEqual(await stage.keys({ sort }), inOrder(stage, field, descending), `the keys in the order "${sort}"`)
        }
    },
  },
  {
    id: 'formats/seek',
    title: 'A seek compares numbers and date-times in its position as values, not as strings.',
    on: 'readings',
    async run(stage) {
      for (const field of [...ordered, 'device', 'source'])
        for (const sort of [field, `-${field}`])
          for (const backwards of [false, true]) await expectSought(stage, { sort, size: 4 }, backwards)
    },
  },
]

/** Seeks from every record, forwards or backwards, and expects the adjacent records. */
async function expectSought(
  stage: Stage,
  parts: ListParts & { readonly sort: string; readonly size: number },
  backwards: boolean,
): Promise<void> {
  if ((await stage.list(parts)).seekable !== true) return
  const expected = inOrder(stage, parts.sort.replace('-', ''), parts.sort.startsWith('-'))
  const records = new Map(stage.held.map((record) => [stage.keyText(record), record]))
  for (const [at, key] of expected.entries()) {
    const seek = { values: stage.seekPosition(records.get(key) as Row, parts.sort), backwards }
    const { items } = await stage.list({ ...parts, seek })
    const beside = backwards
      ? expected.slice(Math.max(0, at - parts.size), at)
      : expected.slice(at + 1, at + 1 + parts.size)
    expectEqual(
      items.map(({ value }) => stage.keyText(value)),
      beside,
      `the keys ${backwards ? 'before' : 'after'} ${key} in the order "${parts.sort}"`,
    )
  }
}
