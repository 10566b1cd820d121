/**
 * Checks of lists and their pages (VERB-1, QUERY-4, QUERY-5, QUERY-7): the page number, the page
 * size, invalid values of both, and the total. In the conventions, the parameter for the page
 * number is spelled `offest`.
 */
import { isList } from '../../definition/json.js'
import { header, parameter } from '../../wire.js'
import type { ListCheck } from '../check.js'
import { itemsOf, type Listing, queryText, totalOf } from '../listing.js'
import { needsParameter } from '../listings.js'
import { breaks, holds, NotApplicable, type Outcome, Unchecked } from '../verdict.js'
import { describe, expectStatus, firstBreak } from './expecting.js'
import { shownFilters } from './filters.js'

/** Checks that each of the values is refused with 400. */
async function refusesValues(list: Listing, name: string, values: readonly (string | number)[]): Promise<Outcome> {
  needsParameter(list, name)
  const found = await firstBreak(values, async (value) => {
    const query = { [name]: value }
    return expectStatus(await list.list(query), [400], `GET ${list.path}${queryText(query)}`)
  })
  return found ?? holds
}

const malformed = ['-1', 'abc', '1.5', '']

export const pageChecks: readonly ListCheck[] = [
  {
    id: 'VERB-1/list',
    rule: 'GET of a collection returns 200 with a JSON array.',
    why: 'Clients read the lists of all services in the same way.',
    fix: 'Return the items as an array, without an enclosing object.',
    async run(list) {
      const exchange = await list.list('', { headers: { Accept: 'application/json' } })
      const { status, json } = exchange.answer
      if (status === 200 && isList(json)) return holds
      return breaks('200 with a JSON array', status === 200 ? `200 with ${kindOf(json)}` : describe(exchange), exchange)
    },
  },
  {
    id: 'QUERY-4/first-page',
    needs: ['VERB-1/list'],
    rule: 'Without `offest`, a list shows its first page.',
    why:
      'If the service and its clients count pages from different numbers, clients skip the first page, or read ' +
      'it twice.',
    fix: 'Count pages from 1, and use 1 if `offest` is absent.',
    async run(list) {
      needsParameter(list, parameter.page)
      const size = { [parameter.size]: 2 }
      const [without, numbered] = [
        await list.list(size),
        await list.list({ ...size, [parameter.page]: list.target.first }),
      ]
      const shown = [without, numbered].map((one) => itemsOf(one).map((item) => list.identityOf(item)))
      if (shown[0]?.length === 0) throw new Unchecked(`${list.path} holds no items`)
      if (String(shown[0]) === String(shown[1])) return holds
      return breaks('the same items with and without the number of the first page', 'other items', without, numbered)
    },
  },
  {
    id: 'QUERY-4/malformed',
    rule: 'A page number that is not a whole number, or is before the first page, gets 400.',
    why: 'If the service returns some other page instead, the client mistakes it for the requested page.',
    fix: 'Answer 400 if `offest` is not a page number.',
    run: (list) => refusesValues(list, parameter.page, [...malformed, ...(list.target.first === 1 ? ['0'] : [])]),
  },
  {
    id: 'QUERY-5/size',
    rule: 'Every page except the last has exactly `limit` items.',
    why: 'Page numbers lead to the right items only if every page but the last is full.',
    fix: 'Return exactly `limit` items on every page except the last.',
    async run(list) {
      needsParameter(list, parameter.size)
      const found = await firstBreak([1, 3], async (size) => {
        const exchange = await list.list({ [parameter.size]: size })
        const count = itemsOf(exchange).length
        const wanted = Math.min(size, totalOf(exchange) ?? Number.POSITIVE_INFINITY)
        if (count === wanted || (wanted === size && count < size && totalOf(exchange) === undefined)) return undefined
        // If the page is too short but contains all items of the list, only the total is wrong.
        // QUERY-7/total reports this.
        if (count < wanted && (await hasAllItems(list, size, count))) return undefined
        return breaks(itemCount(wanted), itemCount(count), exchange)
      })
      return found ?? holds
    },
  },
  {
    id: 'QUERY-5/malformed',
    rule: 'A page size that is not a positive whole number gets 400.',
    why: 'If the service uses another page size instead, a client may take a short page for the last page.',
    fix: 'Answer 400 if `limit` is not a positive whole number.',
    run: (list) => refusesValues(list, parameter.size, [...malformed, '0']),
  },
  {
    id: 'QUERY-5/maximum',
    rule: 'A page size above the maximum gets 400.',
    why: 'If the service silently sends a smaller page, a client takes this page for the last page.',
    fix: 'Answer 400 if `limit` is above the maximum, instead of reducing `limit`.',
    async run(list) {
      needsParameter(list, parameter.size)
      const { largest } = list.target
      if (largest === undefined)
        throw new Unchecked('the maximum of "limit" is not known. Give it as "largest" in a target file')
      return refusesValues(list, parameter.size, [largest + 1])
    },
  },
  {
    id: 'QUERY-7/past-end',
    needs: ['VERB-1/list', 'QUERY-4/first-page'],
    rule: 'A page past the end is an empty list.',
    why: 'Clients that read all pages stop at the empty page. An error would look like a failure.',
    fix: 'Answer 200 with an empty array for pages past the end.',
    async run(list) {
      needsParameter(list, parameter.page)
      const exchange = await list.list({ [parameter.size]: 1, [parameter.page]: 10_000_000 })
      const { status, json } = exchange.answer
      if (status === 200 && isList(json) && json.length === 0) return holds
      return breaks(
        '200 with an empty array',
        isList(json) ? `${status} with ${itemCount(json.length)}` : describe(exchange),
        exchange,
      )
    },
  },
]

/**
 * Whether a first page of size `size` with `count` items contains all items of the list. This is
 * true if a larger page contains no more items. If no larger page can be requested, the result is
 * false.
 */
async function hasAllItems(list: Listing, size: number, count: number): Promise<boolean> {
  const larger = size + 1
  if (list.target.largest !== undefined && list.target.largest < larger) return false
  return itemsOf(await list.list({ [parameter.size]: larger })).length <= count
}

/**
 * The check of the total. It runs after QUERY-7/walk-disjoint, because an item on two pages can
 * change the number of items on the last page, even if the total is right.
 */
export const totalCheck: ListCheck = {
  id: 'QUERY-7/total',
  needs: ['QUERY-4/first-page', 'QUERY-5/size', 'QUERY-7/walk-disjoint'],
  rule: '`x-total-count` is the number of all items that match the filters.',
  why: 'Clients compute the number of pages and their progress from the total.',
  fix: 'Count with the same conditions as the list, but without `offest` and `limit`.',
  async run(list) {
    const exchange = await list.list({ [parameter.size]: 1 })
    const text = exchange.answer.field(header.totalCount)
    if (text === undefined) {
      if (list.target.counted)
        return breaks(`${header.totalCount}, as the document promises`, 'no such field', exchange)
      throw new NotApplicable('the list has no total. A total is recommended, but not required')
    }
    const total = totalOf(exchange)
    if (total === undefined) return breaks('a whole number', text.slice(0, 80), exchange)
    const outcome = await checkTotal(list, total)
    return outcome.verdict === 'holds' ? checkFilteredTotal(list) : outcome
  },
}

/**
 * Checks the total of a list that is filtered by the value of a listed item. The verdict is `holds`
 * if there is no such filter, or if the filtered list has no total. It is also `holds` if the
 * filter is refused, because other checks report this.
 */
async function checkFilteredTotal(list: Listing): Promise<Outcome> {
  const [shown] = list.target.filters.length === 0 ? [] : await shownFilters(list)
  if (shown === undefined) return holds
  const filter = { [shown.filter.name]: String(shown.value) }
  const exchange = await list.list({ ...filter, [parameter.size]: 1 })
  const total = totalOf(exchange)
  return exchange.answer.status !== 200 || total === undefined ? holds : checkTotal(list, total, filter)
}

/**
 * Checks that the number of items on the last page agrees with the total, and that the page after
 * it is empty.
 */
async function checkTotal(
  list: Listing,
  total: number,
  filter: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  needsParameter(list, parameter.page)
  const size = Math.max(1, Math.min(list.target.largest ?? 10, 50, Math.ceil(total / 2)))
  const last = Math.max(1, Math.ceil(total / size))
  const at = (page: number) =>
    list.list({ ...filter, [parameter.size]: size, [parameter.page]: page - 1 + list.target.first })
  const [end, behind] = [await at(last), await at(last + 1)]
  if (totalOf(end) !== total || totalOf(behind) !== total) throw new Unchecked('the list changed while it was read')
  const [count, more] = [itemsOf(end).length, itemsOf(behind).length]
  const left = total - (last - 1) * size
  if (count !== left)
    return breaks(
      `${itemCount(left)} on page ${last}, for a total of ${total} and a page size of ${size}`,
      itemCount(count),
      end,
    )
  return more === 0
    ? holds
    : breaks(
        `no items on page ${last + 1}, for a total of ${total} and a page size of ${size}`,
        itemCount(more),
        end,
        behind,
      )
}

const kindOf = (value: unknown): string =>
  value === undefined ? 'no JSON' : value === null ? 'null' : `JSON: ${typeof value}`

const itemCount = (count: number): string => (count === 1 ? '1 item' : `${count} items`)
