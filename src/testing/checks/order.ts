/** The order of a list. */
import { get } from '../../definition/json.js'
import type { Check } from '../check.js'
import { ContractError, expectEqual, expectThat } from '../contract-error.js'
import type { Subject } from '../fixtures.js'
import { sortTerms } from '../requests.js'
import type { Row } from '../row.js'
import type { Stage } from '../stage.js'

/** What can be sorted by in any store: the declared members, and the key. */
const sortable = ({ definition }: Pick<Subject, 'definition'>): readonly string[] => [
  ...new Set([...definition.sort, ...definition.key.members]),
]

/** Compares records by one member as the store does; equal values compare as 0. */
type Comparison = (a: Row, b: Row) => number

/** Where each value of a member stands in the store's own ascending order. Numbers and date-times must ascend, nulls stand last. */
async function comparisonOf(stage: Stage, field: string): Promise<Comparison> {
  const path = field.split('.')
  const at = (record: Row): unknown => get(record, path) ?? null
  const listed = (await stage.all({ sort: field })).map(({ value }) => at(value))
  const places = new Map<unknown, number>()
  for (const [i, value] of listed.entries()) {
    if (i > 0 && listed[i - 1] === value) continue
    expectThat(!places.has(value), `equal values of "${field}" to stand side by side`, listed)
    places.set(value, places.size)
  }
  const distinct = [...places.keys()]
  if (places.has(null)) expectThat(distinct.at(-1) === null, `null as the largest value of "${field}"`, distinct)
  const shape = stage.definition.shape.at(path)
  const comparable = shape?.format === 'local-date-time' || distinct.some((value) => typeof value === 'number')
  if (comparable) {
    const known = distinct.filter((value) => value !== null) as (string | number)[]
    expectEqual(
      known,
      [...known].sort((a, b) => (a < b ? -1 : 1)),
      `the ascending values of "${field}"`,
    )
  }
  return (a, b) => (places.get(at(a)) ?? Number.NaN) - (places.get(at(b)) ?? Number.NaN)
}

/** Throws where a list of this sort does not come as the orders of its members say. */
async function expectOrder(stage: Stage, sort: string, comparisons: Map<string, Comparison>): Promise<void> {
  const terms = sortTerms(sort, stage.definition.key.members)
  for (const { field } of terms) if (!comparisons.has(field)) comparisons.set(field, await comparisonOf(stage, field))
  const expected = [...stage.held].sort((a, b) => {
    for (const { field, descending } of terms) {
      const difference = (comparisons.get(field) as Comparison)(a, b) * (descending ? -1 : 1)
      if (difference !== 0) return difference
    }
    throw new ContractError(`Expected the key to tell records apart; ${JSON.stringify(a)} and ${JSON.stringify(b)} came with one place.`)
  })
  expectEqual(
    await stage.keys({ sort }),
    expected.map((record) => stage.keyText(record)),
    `the keys in the order "${sort}"`,
  )
}

const sentence = (id: string, title: string, on: Check['on'], sorts: (stage: Stage) => readonly string[]): Check => ({
  id: `order/${id}`,
  title,
  on,
  needs: [],
  async run(stage) {
    const comparisons = new Map<string, Comparison>()
    for (const sort of sorts(stage)) await expectOrder(stage, sort, comparisons)
  },
})

const nullable = (subject: Pick<Subject, 'definition'>, records: readonly Row[]): readonly string[] =>
  subject.definition.sort.filter((field) => records.some((record) => (get(record, field.split('.')) ?? null) === null))

export const order: readonly Check[] = [
  sentence('ascending', 'A list ascends by the member it is sorted by; ties are broken by the key.', 'any', (stage) => sortable(stage)),
  sentence('descending', 'Descending, the key breaks ties in the direction of the last term.', 'any', (stage) =>
    sortable(stage).map((field) => `-${field}`),
  ),
  {
    id: 'order/repeatable',
    title: 'Equal requests give equal orders, whatever the size of the pages.',
    on: 'any',
    needs: [],
    async run(stage) {
      for (const field of sortable(stage)) {
        const keysBy = async (size: number) => (await stage.all({ sort: field }, {}, size)).map(({ value }) => stage.keyText(value))
        const first = await keysBy(100)
        for (const size of [100, 7, 4]) expectEqual(await keysBy(size), first, `the order "${field}" in pages of ${size}`)
      }
    },
  },
  {
    ...sentence('nulls', 'Null is the largest value: last ascending, first descending.', 'any', (stage) =>
      nullable(stage, stage.held).flatMap((field) => [field, `-${field}`]),
    ),
    lacks: (subject) =>
      nullable(subject, subject.records).length > 0 ? undefined : 'no record has null in a member that can be sorted by',
  },
  sentence('mixed', 'Each term has a direction of its own.', 'parcels', () => [
    'pieces,-weight',
    '-pieces,weight',
    'urgent,-collected,label',
    '-note,collected,-weight',
    '-address.postcode,note',
  ]),
  sentence('key-direction', 'Members of the key are terms as any other: each in the direction that the request says.', 'parcels', () => [
    'pieces,-code',
    '-pieces,code',
    'urgent,-code',
  ]),
  sentence('composite', 'All parts of a composite key break ties.', 'lines', () => [
    'quantity',
    '-quantity',
    'order,-article',
    '-article,order',
    'quantity,-order,article',
  ]),
]
