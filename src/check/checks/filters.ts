/** Checks of filters (QUERY-1), full-text search (QUERY-3) and unknown parameters (QUERY-8). */
import { canonicalText, isList, isObject, type JsonObject } from '../../definition/json.js'
import { parameter } from '../../wire.js'
import type { ListCheck } from '../check.js'
import type { Exchange } from '../client/exchange.js'
import { itemsOf, type Listing, totalOf } from '../listing.js'
import { needsParameter, valueAt } from '../listings.js'
import type { Filter } from '../target/target.js'
import { breaks, holds, NotApplicable, type Outcome, Unchecked } from '../verdict.js'
import { expectStatus, firstBreak } from './expecting.js'
import { folded } from './order.js'

/** A filter, an item with a member of the same name, and the value of that member. */
interface Shown {
  readonly filter: Filter
  readonly item: JsonObject
  readonly value: string | number | boolean
}

/**
 * Finds the filters whose name is also the name of a member of the items. Each filter is returned
 * with one item and the item's value of that member. Throws `NotApplicable` if the list has no
 * filters.
 */
export async function shownFilters(list: Listing): Promise<readonly Shown[]> {
  if (list.target.filters.length === 0) throw new NotApplicable(`${list.target.template} has no filters`)
  const items = await list.items()
  return list.target.filters.flatMap((filter) => items.flatMap((item) => shownIn(item, [filter])).slice(0, 1))
}

/**
 * Finds two filters and an item that has a value for both of them. The second filter is not
 * boolean, so there is a value of its type that no item has.
 */
async function shownPair(list: Listing): Promise<readonly [Shown, Shown]> {
  if (list.target.filters.length < 2) throw new NotApplicable(`${list.target.template} has fewer than two filters`)
  for (const item of await list.items()) {
    const shown = shownIn(item, list.target.filters)
    const second = shown.find(({ filter }) => filter.type !== 'boolean')
    const first = shown.find((one) => one !== second)
    if (first !== undefined && second !== undefined) return [first, second]
  }
  throw new Unchecked('no item has values for two of the filters')
}

/** The filters for which the item has a value. */
const shownIn = (item: JsonObject, filters: readonly Filter[]): readonly Shown[] =>
  filters.flatMap((filter) => {
    const value = valueAt(item, filter.name)
    return isOfType(value, filter) && value !== '' ? [{ filter, item, value }] : []
  })

/**
 * Whether a value has the type of the filter. Other values, such as links, can't be sent in a query
 * string.
 */
const isOfType = (value: unknown, { type }: Filter): value is string | number | boolean =>
  type === 'integer' ? Number.isInteger(value) : type !== 'other' && typeof value === type

/**
 * Checks the response to a request that filters by values of `item`. Returns a violation if the
 * status is not 200, or if the response contains an item with other values. Also returns a
 * violation if the page contains the whole list, but not `item`. If there is no violation, returns
 * `undefined`.
 */
function wrongItems(
  list: Listing,
  exchange: Exchange,
  wanted: readonly Shown[],
  item: JsonObject,
): Outcome | undefined {
  const refused = expectStatus(exchange, [200], 'a filter by the value of a listed item')
  if (refused !== undefined) return refused
  const found = itemsOf(exchange)
  const stray = found.findIndex((one) =>
    wanted.some(({ filter, value }) => folded(valueAt(one, filter.name)) !== folded(value)),
  )
  const names = wanted.map(({ filter, value }) => `${filter.name} ${JSON.stringify(value)}`).join(' and ')
  if (stray >= 0) return breaks(`only items with ${names}`, `item ${stray + 1} has another value`, exchange)
  const isWhole =
    totalOf(exchange) === found.length || (totalOf(exchange) === undefined && found.length < pageSize(list))
  if (!isWhole || found.some((one) => list.identityOf(one) === list.identityOf(item))) return undefined
  return breaks(
    `the item ${list.identityOf(item).slice(0, 80)}, which has ${names}`,
    `${found.length} items without it`,
    exchange,
  )
}

const pageSize = ({ target }: Listing): number => Math.min(target.largest ?? 25, 100)

const ask = (list: Listing, wanted: readonly Shown[]): Promise<Exchange> =>
  list.list({
    ...Object.fromEntries(wanted.map(({ filter, value }) => [filter.name, String(value)])),
    [parameter.size]: pageSize(list),
  })

export const filterChecks: readonly ListCheck[] = [
  {
    id: 'QUERY-1/finds-shown',
    rule: 'A filter by the value of a listed item returns that item, and only items with the same value.',
    why: 'A client that filters by a value from a response must find the item.',
    fix: 'Before the comparison, convert the value to the type of the member: 7, not "7".',
    async run(list) {
      const shown = await shownFilters(list)
      if (shown.length === 0) throw new Unchecked('no filter has the name of a member of the listed items')
      return (
        (await firstBreak(shown, async (one) => wrongItems(list, await ask(list, [one]), [one], one.item))) ?? holds
      )
    },
  },
  {
    id: 'QUERY-1/all-hold',
    needs: ['QUERY-1/finds-shown'],
    rule: 'If a request has several filters, each listed item matches all of them.',
    why: 'A second filter must narrow the result, not widen it.',
    fix: 'Combine the conditions of filters with AND.',
    async run(list) {
      const [first, second] = await shownPair(list)
      const both = [first, second]
      // No item has the value that is sent for the second filter. So the list must be empty,
      // although there are items with the value of the first filter.
      const none = await list.list({ [first.filter.name]: String(first.value), [second.filter.name]: absent(second) })
      const left = none.answer.status === 200 ? itemsOf(none).length : 0
      if (left > 0)
        return breaks(`no items, since none has ${second.filter.name}=${absent(second)}`, `${left} items`, none)
      return wrongItems(list, await ask(list, both), both, first.item) ?? holds
    },
  },
  {
    id: 'QUERY-1/literal',
    needs: ['QUERY-1/finds-shown'],
    rule: 'In the value of a filter, `%`, `_` and `*` are ordinary characters.',
    why: 'A filter by a text with such a character must not match other texts.',
    fix: 'Compare with = and not with LIKE, or escape the value.',
    async run(list) {
      const texts = (await shownFilters(list)).filter(({ value }) => typeof value === 'string')
      if (texts.length === 0)
        throw new NotApplicable(`no filter of ${list.target.template} has the name of a text member of the items`)
      const found = await firstBreak(texts.slice(0, 1), async ({ filter, value }) => {
        const start = String(value).slice(0, 1)
        return firstBreak([`${start}%`, `${start}*`, '_'.repeat(String(value).length)], async (pattern) => {
          const exchange = await list.list({ [filter.name]: pattern })
          // The service may refuse this value with 400.
          if (exchange.answer.status !== 200) return undefined
          const stray = itemsOf(exchange).find((item) => folded(valueAt(item, filter.name)) !== folded(pattern))
          return stray === undefined
            ? undefined
            : breaks(`only items with ${filter.name} "${pattern}"`, 'other items', exchange)
        })
      })
      return found ?? holds
    },
  },
  {
    id: 'QUERY-1/repeated',
    rule: 'A repeated parameter gets 400 if the parameter accepts only one value.',
    why: 'One of the values would be ignored, and the client would not know which.',
    fix: 'Refuse repeated parameters with 400, except filters that take several values.',
    async run(list) {
      const single = list.target.filters.find(({ many }) => !many)?.name
      const names = [parameter.size, ...(single === undefined ? [] : [single])].filter((name) =>
        list.target.parameters.includes(name),
      )
      if (names.length === 0) throw new NotApplicable(`${list.target.template} has no parameter for a single value`)
      const found = await firstBreak(names, async (name) =>
        expectStatus(await list.list(`${name}=1&${name}=2`), [400], `"${name}" twice`),
      )
      return found ?? holds
    },
  },
  {
    id: 'QUERY-8/malformed-value',
    needs: ['QUERY-1/finds-shown'],
    rule: 'A value that does not have the type of its filter gets 400.',
    why: 'An empty list would look like the result of a valid filter.',
    fix: 'Check each value by the type of its member, and refuse other values with 400.',
    async run(list) {
      const typed = list.target.filters.filter(
        ({ type }) => type === 'integer' || type === 'number' || type === 'boolean',
      )
      if (typed.length === 0) throw new NotApplicable(`${list.target.template} has no filter by numbers or booleans`)
      const found = await firstBreak(typed, async ({ name, type }) =>
        expectStatus(await list.list({ [name]: 'x' }), [400], `"x" for "${name}", which has the type ${type}`),
      )
      return found ?? holds
    },
  },
  {
    id: 'QUERY-8/unknown-parameter',
    rule: 'An unknown parameter gets 400, and the response names the parameter.',
    why: 'If a misspelt filter is ignored, the client gets all items instead of a few.',
    fix: 'Refuse unknown parameters with 400, and name them in the answer.',
    async run(list) {
      const exchange = await list.list('noSuchOne=1')
      const refused = expectStatus(exchange, [400], 'an unknown parameter')
      if (refused !== undefined) return refused
      if (exchange.answer.body.includes('noSuchOne')) return holds
      return breaks('an answer that names "noSuchOne"', 'an answer that does not', exchange)
    },
  },
  {
    id: 'QUERY-8/near-miss',
    rule: 'The response to a misspelt parameter names the correct parameter.',
    why: 'The conventions spell the parameter `offest`. Nobody would guess this name, so the answer has to give it.',
    fix: 'In the answer, name the closest parameter or all allowed parameters.',
    async run(list) {
      needsParameter(list, parameter.page)
      const exchange = await list.list('offset=2')
      const refused = expectStatus(exchange, [400], 'the unknown parameter "offset"')
      if (refused !== undefined) return refused
      if (exchange.answer.body.includes(parameter.page)) return holds
      return breaks(`an answer that names "${parameter.page}"`, 'an answer that does not', exchange)
    },
  },
  {
    id: 'QUERY-3/search',
    rule: 'A search with `q` returns a list like any other.',
    why: 'Clients process search results like lists.',
    fix: 'Answer searches with the items, the total and the links of a list.',
    async run(list) {
      needsParameter(list, parameter.search)
      const [item] = await list.items()
      const exchange = await list.list({ [parameter.search]: wordOf(item as JsonObject), [parameter.size]: 5 })
      const refused = expectStatus(exchange, [200], 'a search')
      if (refused !== undefined) return refused
      if (!isList(exchange.answer.json)) return breaks('a JSON array', 'another body', exchange)
      const members = new Set(Object.keys(item as JsonObject))
      const other = itemsOf(exchange).find((one) => Object.keys(one).every((name) => !members.has(name)))
      return other === undefined ? holds : breaks('items as in lists', canonicalText(other).slice(0, 80), exchange)
    },
  },
]

/** A value of the filter's type that no item has. A boolean filter has no such value. */
const absent = ({ filter }: Shown): string => (filter.type === 'string' ? 'no item has this text' : '-987654321')

/**
 * A word of at least three letters from one of the item's strings, or `a` if there is no such word.
 */
function wordOf(item: JsonObject): string {
  for (const value of Object.values(item)) {
    const text = isObject(value) ? wordOf(value) : typeof value === 'string' ? value : ''
    const word = /\p{L}{3,}/u.exec(/^https?:/.test(text) ? '' : text)?.[0]
    if (word !== undefined) return word
  }
  return 'a'
}
