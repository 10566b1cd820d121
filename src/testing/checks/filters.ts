/** Checks of the conditions of a list. */
import type { Scalar } from '../../adapters/contract.js'
import { type Check, upTo } from '../check.js'
import { expectEqual } from '../contract-error.js'
import { memberAt } from '../model.js'
import type { Where } from '../requests.js'
import type { Row } from '../row.js'
import { expectMatches, valuesOf } from './matches.js'

/** Members whose values compare in the same way in every store: numbers and date-times. */
const ordered = ['pieces', 'weight', 'collected', 'address.postcode'] as const
const exact = [...ordered, 'code', 'label', 'note', 'urgent', 'address.street'] as const

const comparison = (
  op: 'gt' | 'gte' | 'lt' | 'lte',
  title: string,
  holds: (member: Scalar, value: Scalar) => boolean,
): Check => ({
  id: `filters/${op}`,
  title,
  on: 'parcels',
  async run(stage) {
    for (const field of ordered) {
      for (const value of valuesOf(stage, field)) {
        await expectMatches(stage, [{ field, op, value }], (record) => {
          const member = memberAt(record, field)
          return member !== null && holds(member, value)
        })
      }
    }
  },
})

export const filters: readonly Check[] = [
  {
    id: 'filters/eq',
    title:
      '"eq" matches exactly the records whose member has the value, for strings, numbers, booleans, date-times and ' +
      'nested members.',
    on: 'parcels',
    async run(stage) {
      for (const field of exact) {
        for (const value of valuesOf(stage, field)) {
          await expectMatches(stage, [{ field, op: 'eq', value }], (record) => memberAt(record, field) === value)
        }
      }
    },
  },
  {
    id: 'filters/literal',
    title: 'Text is compared literally: case and spaces count, and %, _ and * are not wildcards.',
    on: 'parcels',
    async run(stage) {
      for (const value of ['ASH', 'ash ', 'a%', '%', '_sh', 'a*', 'ash_', "ash' or '1'='1", 'null', '']) {
        await expectMatches(stage, [{ field: 'label', op: 'eq', value }], (record) => record.label === value)
      }
    },
  },
  {
    id: 'filters/no-match',
    title: 'A value that occurs in no record matches nothing, however large, small or long it is.',
    on: 'parcels',
    async run(stage) {
      for (const value of [Number.MIN_SAFE_INTEGER, 77_777])
        await expectMatches(stage, [{ field: 'pieces', op: 'eq', value }], () => false)
      for (const value of [1e308, 5e-324])
        await expectMatches(stage, [{ field: 'weight', op: 'eq', value }], () => false)
      await expectMatches(stage, [{ field: 'collected', op: 'eq', value: '9999-12-31T23:59:59.9999999' }], () => false)
      const long = 'Ash \u{1F4E6}'.repeat(20_000)
      for (const field of ['code', 'label', 'note'] as const) {
        await expectMatches(stage, [{ field, op: 'eq', value: long }], () => false)
        const one = memberAt(stage.record(1), field) as Scalar
        await expectMatches(
          stage,
          [{ field, op: 'in', value: [long, one] }],
          (record) => memberAt(record, field) === one,
        )
      }
    },
  },
  comparison('gt', '"gt" matches larger values, not equal ones.', (member, value) => member > value),
  comparison('gte', '"gte" matches larger and equal values.', (member, value) => member >= value),
  comparison('lt', '"lt" matches smaller values, not equal ones.', (member, value) => member < value),
  comparison('lte', '"lte" matches smaller and equal values.', (member, value) => member <= value),
  {
    id: 'filters/text-ranges',
    title: '"gt", "gte", "lt" and "lte" on a string agree with the order of a list that is sorted by the same member.',
    on: 'parcels',
    async run(stage) {
      const inOrder = [...new Set((await stage.all({ sort: 'label' })).map(({ value }) => value.label as string))]
      for (const [place, value] of inOrder.entries()) {
        const rank = (record: Row) => inOrder.indexOf(record.label as string)
        await expectMatches(stage, [{ field: 'label', op: 'gt', value }], (record) => rank(record) > place)
        await expectMatches(stage, [{ field: 'label', op: 'gte', value }], (record) => rank(record) >= place)
        await expectMatches(stage, [{ field: 'label', op: 'lt', value }], (record) => rank(record) < place)
        await expectMatches(stage, [{ field: 'label', op: 'lte', value }], (record) => rank(record) <= place)
      }
    },
  },
  {
    id: 'filters/in',
    title: '"in" matches the records whose member has any of the given values.',
    on: 'parcels',
    async run(stage) {
      for (const field of ['code', 'label', 'note', 'pieces', 'weight', 'collected', 'address.postcode'] as const) {
        const all = valuesOf(stage, field)
        for (const value of [
          all.slice(0, 2),
          all.slice(-3),
          [all[0], all[0]],
          [all[1], 'code' === field ? 'none' : all[2]],
        ]) {
          const wanted = value as readonly Scalar[]
          await expectMatches(stage, [{ field, op: 'in', value: wanted }], (record) =>
            wanted.includes(memberAt(record, field) as Scalar),
          )
        }
      }
    },
  },
  {
    id: 'filters/in-few',
    title: '"in" with one value is the same as "eq". "in" with an empty list matches no record.',
    on: 'parcels',
    async run(stage) {
      for (const field of ['code', 'label', 'pieces', 'collected', 'address.postcode'] as const) {
        await expectMatches(stage, [{ field, op: 'in', value: [] }], () => false)
        const [value] = valuesOf(stage, field) as [Scalar]
        await expectMatches(stage, [{ field, op: 'in', value: [value] }], (record) => memberAt(record, field) === value)
      }
    },
  },
  {
    id: 'filters/in-many',
    title: '"in" can have more than 2,000 values, and matches each of them.',
    on: 'parcels',
    async run(stage) {
      const far: Readonly<Record<string, (i: number) => Scalar>> = {
        code: (i) => `none ${i}`,
        label: (i) => `none ${i}`,
        pieces: (i) => 1000 + i,
        weight: (i) => 1000.5 + i,
        collected: (i) => `2001-01-01T00:00:00.${String(i).padStart(7, '0')}`,
        'address.postcode': (i) => -1 - i,
      }
      for (const [field, made] of Object.entries(far)) {
        const [first, ...others] = valuesOf(stage, field)
        for (const count of [9, 31, 2200]) {
          const wanted = [first as Scalar, ...upTo(count).map(made), ...others.slice(-2)]
          await expectMatches(stage, [{ field, op: 'in', value: wanted }], (record) =>
            wanted.includes(memberAt(record, field) as Scalar),
          )
        }
      }
    },
  },
  {
    id: 'filters/contains',
    title: '"contains" matches the records whose array has the value as an item.',
    on: 'parcels',
    async run(stage) {
      for (const value of [
        'red',
        're',
        'r,ed',
        '{x}',
        'blue',
        'Red',
        '',
        'r%',
        ',',
        '"',
        '\\',
        'x"red',
        '"red',
        'back\\slash',
        'slash',
        'é',
        'e',
      ]) {
        await expectMatches(stage, [{ field: 'tags', op: 'contains', value }], ({ tags }) =>
          (tags as string[]).includes(value),
        )
      }
    },
  },
  {
    id: 'filters/null',
    title:
      '"null: true" matches null and absent members, and members of a null object. "null: false" matches all others.',
    on: 'parcels',
    async run(stage) {
      for (const field of ['note', 'collected', 'address.postcode'] as const) {
        for (const value of [true, false]) {
          await expectMatches(
            stage,
            [{ field, op: 'null', value }],
            (record) => (memberAt(record, field) === null) === value,
          )
        }
      }
    },
  },
  {
    id: 'filters/null-matches-nothing',
    title: 'A null member matches no condition except "null: true".',
    on: 'parcels',
    async run(stage) {
      const edges: [string, Scalar, Scalar][] = [
        ['note', '', '\u{10FFFF}'],
        ['collected', '0001-01-01T00:00:00.0000000', '9999-12-31T23:59:59.9999999'],
        ['address.postcode', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
      ]
      for (const [field, lowest, highest] of edges) {
        const conditions: Where[] = [
          { field, op: 'gte', value: lowest },
          { field, op: 'gt', value: lowest },
          { field, op: 'lte', value: highest },
          { field, op: 'lt', value: highest },
          { field, op: 'eq', value: lowest },
          { field, op: 'in', value: [lowest, highest] },
        ]
        for (const where of conditions) {
          const nulls = (await stage.all({ where: [where] })).filter(({ value }) => memberAt(value, field) === null)
          expectEqual(nulls, [], `the records with null in ${field} where ${JSON.stringify(where)}`)
        }
      }
    },
  },
  {
    id: 'filters/and',
    title: 'A list contains only records that meet all conditions, even if several conditions are on one member.',
    on: 'parcels',
    async run(stage) {
      const urgent: Where = { field: 'urgent', op: 'eq', value: true }
      await expectMatches(
        stage,
        [urgent, { field: 'tags', op: 'contains', value: 'red' }, { field: 'note', op: 'null', value: false }],
        (record) => record.urgent === true && (record.tags as string[]).includes('red') && record.note !== null,
      )
      await expectMatches(
        stage,
        [{ field: 'pieces', op: 'gte', value: 0 }, { field: 'pieces', op: 'lt', value: 12 }, urgent],
        ({ pieces, urgent }) => (pieces as number) >= 0 && (pieces as number) < 12 && urgent === true,
      )
      await expectMatches(stage, [urgent, { ...urgent, value: false } as Where], () => false)
      const ranges = upTo(40).map((i): Where => ({ field: 'pieces', op: 'lt', value: 40 - i }))
      await expectMatches(stage, [...ranges, urgent], ({ pieces, urgent }) => (pieces as number) < 1 && urgent === true)
      await expectMatches(
        stage,
        [{ field: 'code', op: 'in', value: ['P-3', 'P-4', 'P-6'] }, urgent],
        ({ code }) => code === 'P-3' || code === 'P-6',
      )
      for (const field of ['code', 'label', 'pieces'] as const) {
        const all = valuesOf(stage, field)
        const [first, second] = [all.slice(0, 3), all.slice(1, 5)]
        await expectMatches(
          stage,
          [
            { field, op: 'in', value: first },
            { field, op: 'in', value: second },
          ],
          (record) =>
            first.includes(memberAt(record, field) as Scalar) && second.includes(memberAt(record, field) as Scalar),
        )
      }
    },
  },
  {
    id: 'filters/composite-key',
    title:
      'A list can be filtered by the members of a composite key, for example by the key of the parent that contains ' +
      'the records.',
    on: 'lines',
    async run(stage) {
      await expectMatches(stage, [{ field: 'order', op: 'eq', value: 2 }], ({ order }) => order === 2)
      await expectMatches(
        stage,
        [
          { field: 'order', op: 'eq', value: 1 },
          { field: 'article', op: 'eq', value: 'a' },
        ],
        ({ order, article }) => order === 1 && article === 'a',
      )
    },
  },
]
