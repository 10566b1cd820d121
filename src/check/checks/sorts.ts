/** Checks of sorting: directions, ties, nulls, and the spellings of `+` (QUERY-2, QUERY-8). */
import type { JsonObject } from '../../definition/json.js'
import { parameter } from '../../wire.js'
import type { ListCheck } from '../check.js'
import type { Exchange } from '../client/exchange.js'
import { itemsOf, type Listing } from '../listing.js'
import { needsParameter, valueAt } from '../listings.js'
import { breaks, holds, NotApplicable, Unchecked } from '../verdict.js'
import { expectStatus, firstBreak } from './expecting.js'
import { areReverse, misplaced, scattered, withoutRepeats } from './order.js'
import { disjointness, walkByNumber, walkSize } from './walks.js'

/**
 * The fields that `sort` accepts. Throws `NotApplicable` if there are none, and `Unchecked` if they
 * are not known.
 */
function fieldsOf({ target }: Listing): readonly string[] {
  if (target.sort === undefined)
    throw new Unchecked('the document does not list the fields of "sort". Give "sort" in a target file')
  if (target.sort.length === 0) throw new NotApplicable(`${target.template} cannot be sorted`)
  return target.sort
}

/** Requests a large page in the given order. */
const sorted = (list: Listing, sort: string): Promise<Exchange> =>
  list.list({ [parameter.sort]: sort, [parameter.size]: pageSize(list) })

const pageSize = ({ target }: Listing): number => Math.min(target.largest ?? 25, 100)

/**
 * The fields of `sort` that at least one item contains. Throws `Unchecked` if there are no such
 * fields.
 */
async function shownFields(list: Listing): Promise<readonly string[]> {
  const items = await list.items()
  const shown = fieldsOf(list).filter((field) => items.some((item) => isScalar(valueAt(item, field))))
  if (shown.length === 0) throw new Unchecked('no item contains a field of "sort"')
  return shown
}

const isScalar = (value: unknown): boolean => value === null || ['string', 'number', 'boolean'].includes(typeof value)

/**
 * Whether a page certainly contains all items of the list. If so, the page in the other sort
 * direction must contain the same items in reverse order.
 */
const isAll = (list: Listing, exchange: Exchange): boolean => itemsOf(exchange).length < pageSize(list)

const ordered = (field: string, sign: string) =>
  `the values of "${field}" in ${sign === '-' ? 'descending' : 'ascending'} order`

export const sortChecks: readonly ListCheck[] = [
  {
    id: 'QUERY-2/direction',
    needs: ['QUERY-5/size'],
    rule: '`sort=field` sorts a list in ascending order, and `sort=-field` in descending order.',
    why: 'To find the newest items, for example, clients sort the list and read only its first page.',
    fix: 'Sort by each field of `sort`. If a field has the prefix `-`, sort by it in descending order.',
    async run(list) {
      const found = await firstBreak(await shownFields(list), async (field) => {
        const both = [await sorted(list, field), await sorted(list, `-${field}`)] as const
        const values = both.map((one) => itemsOf(one).map((item) => valueAt(item, field)))
        for (const [at, sign] of ['', '-'].entries()) {
          const wrong = misplaced(values[at] ?? [], sign === '-')
          const exchange = both[at] as Exchange
          if (wrong !== undefined) return breaks(ordered(field, sign), pairAt(values[at] ?? [], wrong), exchange)
          const split = scattered(values[at] ?? [])
          if (split !== undefined)
            return breaks(`equal values of "${field}" together`, `${split} at two places`, exchange)
        }
        // The order of strings depends on the store, but each sort direction must be the reverse of
        // the other.
        if (!both.every((one) => isAll(list, one))) return undefined
        if (areReverse(values[0] ?? [], values[1] ?? [])) return undefined
        return breaks(`the values of sort=-${field} in the reverse order of sort=${field}`, 'another order', ...both)
      })
      return found ?? holds
    },
  },
  {
    id: 'QUERY-2/nulls',
    rule: 'Null counts as the largest value: last in ascending order, first in descending order.',
    why: 'In every service, clients find items without a value at the same end of the list.',
    fix: 'Sort in ascending order with NULLS LAST, and in descending order with NULLS FIRST.',
    async run(list) {
      let seen = false
      const found = await firstBreak(await shownFields(list), async (field) =>
        firstBreak(['', '-'], async (sign) => {
          const exchange = await sorted(list, `${sign}${field}`)
          const nulls = itemsOf(exchange).map((item) => valueAt(item, field) === null)
          seen ||= nulls.includes(true) && nulls.includes(false)
          const wrong = nulls.findIndex((isNull, at) => at > 0 && isNull !== nulls[at - 1] && isNull === (sign === '-'))
          if (wrong < 0) return undefined
          return breaks(
            `null ${sign === '-' ? 'before' : 'after'} all other values of "${field}"`,
            `item ${wrong + 1} is out of order`,
            exchange,
          )
        }),
      )
      if (found === undefined && !seen)
        throw new Unchecked('no field of "sort" has both null and other values on one page')
      return found ?? holds
    },
  },
  {
    id: 'QUERY-2/later-fields',
    rule: 'Later fields of `sort` break the ties of earlier fields.',
    why: 'Clients that group items by one field rely on the order within each group.',
    fix: 'Sort by all fields of `sort`, in their order.',
    async run(list) {
      let tied = false
      const fields = (await shownFields(list)).slice(0, 4)
      const pairs = fields.flatMap((one) =>
        fields.filter((other) => other !== one).map((other) => [one, other] as const),
      )
      const found = await firstBreak(pairs, async ([first, second]) => {
        const exchange = await sorted(list, `${first},-${second}`)
        for (const group of groupsOf(itemsOf(exchange), first)) {
          const values = group.map((item) => valueAt(item, second))
          tied ||= withoutRepeats(values).length > 1
          const wrong = misplaced(values, true)
          if (wrong !== undefined)
            return breaks(`"${second}" descending among equal values of "${first}"`, pairAt(values, wrong), exchange)
        }
        return undefined
      })
      if (found === undefined && !tied)
        throw new Unchecked('no two items are equal in one field of "sort" and different in another')
      return found ?? holds
    },
  },
  {
    id: 'QUERY-2/ties',
    needs: ['QUERY-4/first-page', 'QUERY-5/size', 'QUERY-7/walk-disjoint'],
    rule: 'If a sort order has ties, all pages together still show each item once.',
    why: 'If ties are broken at random, pages repeat some items and omit others.',
    fix: 'Add the key as the last field of every sort.',
    async run(list) {
      if (list.target.key === undefined) throw new Unchecked('items cannot be identified. Give "key" in a target file')
      const size = await walkSize(list)
      const fields = await shownFields(list)
      const found = await firstBreak(fields, async (field) =>
        disjointness(await walkByNumber(list, size, { [parameter.sort]: `-${field}` })),
      )
      return found ?? holds
    },
  },
  {
    id: 'QUERY-2/plus',
    rule: '`sort=+field`, with a literal plus or `%2B`, sorts in ascending order.',
    why: 'Some clients encode the plus, and form decoders turn it into a space.',
    fix: 'Ignore a plus or a space before the name of a field.',
    async run(list) {
      const [field] = await shownFields(list)
      const size = `${parameter.size}=5`
      const plain = await list.list(`${parameter.sort}=${encodeURIComponent(field as string)}&${size}`)
      const found = await firstBreak(['+', '%2B'], async (plus) => {
        const exchange = await list.list(`${parameter.sort}=${plus}${encodeURIComponent(field as string)}&${size}`)
        const refused = expectStatus(exchange, [200], `sort=${plus}${field}`)
        if (refused !== undefined) return refused
        const [wanted, seen] = [plain, exchange].map((one) => itemsOf(one).map((item) => list.identityOf(item)))
        return String(wanted) === String(seen)
          ? undefined
          : breaks(`the order of sort=${field}`, 'another order', plain, exchange)
      })
      return found ?? holds
    },
  },
  {
    id: 'QUERY-8/sort-field',
    rule: 'An unknown field in `sort` gets 400.',
    why: 'Otherwise the client believes that the list is in the requested order.',
    fix: 'Refuse unknown fields of `sort` with 400, and name the allowed ones.',
    async run(list) {
      needsParameter(list, parameter.sort)
      const query = { [parameter.sort]: 'noSuchField' }
      return expectStatus(await list.list(query), [400], 'an unknown field of "sort"') ?? holds
    },
  },
]

/** Groups the items by the value of a field. */
function groupsOf(items: readonly JsonObject[], field: string): readonly (readonly JsonObject[])[] {
  const groups = new Map<string, JsonObject[]>()
  for (const item of items) {
    const value = JSON.stringify(valueAt(item, field))
    groups.set(value, [...(groups.get(value) ?? []), item])
  }
  return [...groups.values()]
}

const pairAt = (values: readonly unknown[], at: number): string =>
  `${JSON.stringify(values[at - 1])} before ${JSON.stringify(values[at])}, as items ${at} and ${at + 1}`
