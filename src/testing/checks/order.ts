/** Checks of the order of a list. */
import { get } from '../../definition/json.js'
import type { Check } from '../check.js'
import { ContractError, expectEqual } from '../contract-error.js'
import type { Subject } from '../fixtures.js'
import { placesOf, type RankOf } from '../learned-order.js'
import { sortTerms } from '../requests.js'
import type { Row } from '../row.js'
import type { Stage } from '../stage.js'

/**
 * The members by which every store can sort: those that the resource declares, and those of the
 * key.
 */
const sortable = ({ definition }: Pick<Subject, 'definition'>): readonly string[] => [
  ...new Set([...definition.sort, ...definition.key.members]),
]

/** Throws if a list is not in the order that `sort` describes. */
async function expectOrder(stage: Stage, sort: string, places: Map<string, RankOf>): Promise<void> {
  const terms = sortTerms(sort, stage.definition.key.members)
  for (const { field } of terms) if (!places.has(field)) places.set(field, await placesOf(stage, field))
  const expected = [...stage.held].sort((a, b) => {
    for (const { field, path, descending } of terms) {
      const placeOf = places.get(field) as RankOf
      const [x, y] = [placeOf(get(a, path)), placeOf(get(b, path))]
      if (x !== y) return (x < y ? -1 : 1) * (descending ? -1 : 1)
    }
    throw new ContractError(
      `Expected every record to have its own place in the order, but ${JSON.stringify(a)} and ` +
        `${JSON.stringify(b)} have the same place.`,
    )
  })
  expectEqual(
    await stage.keys({ sort }),
    expected.map((record) => stage.keyText(record)),
    `the keys in the order "${sort}"`,
  )
}

const orderCheck = (id: string, title: string, on: Check['on'], sorts: (stage: Stage) => readonly string[]): Check => ({
  id: `order/${id}`,
  title,
  on,
  async run(stage) {
    const places = new Map<string, RankOf>()
    for (const sort of sorts(stage)) await expectOrder(stage, sort, places)
  },
})

const nullable = (subject: Pick<Subject, 'definition'>, records: readonly Row[]): readonly string[] =>
  subject.definition.sort.filter((field) => records.some((record) => (get(record, field.split('.')) ?? null) === null))

export const order: readonly Check[] = [
  orderCheck('ascending', 'Without "-", a list is sorted in ascending order; the key breaks ties.', 'any', (stage) =>
    sortable(stage),
  ),
  orderCheck(
    'descending',
    'If the last term of a sort is descending, the key breaks ties in descending order.',
    'any',
    (stage) => sortable(stage).map((field) => `-${field}`),
  ),
  {
    id: 'order/repeatable',
    title: 'Equal requests give the same order, with any page size.',
    on: 'any',
    async run(stage) {
      for (const field of sortable(stage)) {
        const keysBy = async (size: number) =>
          (await stage.all({ sort: field }, {}, size)).map(({ value }) => stage.keyText(value))
        const first = await keysBy(100)
        for (const size of [100, 7, 4])
          expectEqual(await keysBy(size), first, `the keys in the order "${field}", with page size ${size}`)
      }
    },
  },
  {
    ...orderCheck(
      'nulls',
      'Null is the largest value: last in ascending order, first in descending order.',
      'any',
      (stage) => nullable(stage, stage.held).flatMap((field) => [field, `-${field}`]),
    ),
    lacks: (subject) =>
      nullable(subject, subject.records).length > 0 ? undefined : 'no record has null in a sortable member',
  },
  orderCheck('mixed', 'Each term of a sort has its own direction.', 'parcels', () => [
    'pieces,-weight',
    '-pieces,weight',
    'urgent,-collected,label',
    '-note,collected,-weight',
    '-address.postcode,note',
    'urgent,-note,address.postcode,-pieces,collected,-weight,label',
  ]),
  orderCheck('key-direction', 'A sort can name members of the key, each with its own direction.', 'parcels', () => [
    'pieces,-code',
    '-pieces,code',
    'urgent,-code',
  ]),
  orderCheck('composite', 'All members of a composite key break ties.', 'lines', () => [
    'quantity',
    '-quantity',
    'order,-article',
    '-article,order',
    'quantity,-order,article',
  ]),
]
