/** Checks of the hierarchy of paths, and of filters in paths (PATH-5, PATH-6, PATH-7). */
import type { JsonObject } from '../../definition/json.js'
import { decodeSegments } from '../../http/targets.js'
import { isParameter } from '../../spectral/document.js'
import type { ListCheck } from '../check.js'
import type { Exchange } from '../client/exchange.js'
import { itemsOf, Listing, sampleSize } from '../listing.js'
import { type Place, placesOf, valueAt } from '../listings.js'
import { breaks, breaksBy, holds, NotApplicable, type Outcome, Unchecked } from '../verdict.js'
import { describe } from './expecting.js'
import { needsGet } from './items.js'
import { linksOf } from './links.js'

/**
 * The minimum number of parents that must be read before a violation is reported. With fewer
 * parents, each parent might have only one item by chance.
 */
const minParents = 3

/** A parent, and the response that lists the items below it. */
interface ParentWithItems extends Place {
  readonly exchange: Exchange
  readonly items: readonly JsonObject[]
}

/**
 * Reads the items below a few parents of a sub-collection. Throws `NotApplicable` if the collection
 * is not a sub-collection.
 */
async function familiesOf({ service, target }: Listing): Promise<readonly ParentWithItems[]> {
  if (!target.template.includes('{')) throw new NotApplicable(`${target.template} is not a sub-collection`)
  const families: ParentWithItems[] = []
  for (const place of await placesOf(service, target)) {
    const exchange = await place.listing.sample()
    families.push({ ...place, exchange, items: itemsOf(exchange) })
  }
  if (families.every(({ items }) => items.length === 0)) throw new Unchecked(`no ${target.template} has items`)
  return families
}

export const hierarchyChecks: readonly ListCheck[] = [
  {
    id: 'PATH-5/parent-first',
    needs: ['REP-1/reachable'],
    rule:
      'In the path of a sub-collection, the parent comes first: `/customers/{id}/orders`, not ' +
      '`/orders/{id}/customers`.',
    why: 'Clients look for the items of a parent below its address.',
    fix: 'Put the parent first. Link each item to its parent, and offer the parent by `expand`.',
    run: parentFirst,
  },
  {
    id: 'PATH-6/filter',
    rule: 'A path contains no value that filters the items of a collection.',
    why: 'Filters in paths cannot be combined, and each needs a separate address.',
    fix: 'Offer the value as a query parameter of the list, and remove the path.',
    run: noFilters,
  },
  {
    id: 'PATH-7/parent',
    needs: ['VERB-1/item', 'ERR-1/missing-item'],
    rule: 'If an item of a sub-collection does not belong to the parent in the path, the response is 404.',
    why: 'Otherwise a caller with access to one parent can read the items of all others.',
    fix: 'Look up the item among the items of the parent in the path.',
    async run(list) {
      const families = await familiesOf(list)
      needsGet(list)
      for (const { items } of families)
        for (const other of families) {
          const ids = new Set(other.items.map((one) => list.idOf(one)))
          const stranger = other.items.length < sampleSize && items.find((one) => !ids.has(list.idOf(one)))
          if (!stranger) continue
          const path = other.listing.pathOf(stranger)
          const exchange = await list.send('GET', path)
          if (exchange.answer.status === 404) return holds
          const sign = { kind: 'status', answer: 1, expected: [404] } as const
          const expected = `404 for GET ${path}, which ${other.listing.path} does not list`
          return breaksBy(sign, expected, describe(exchange), other.exchange, exchange)
        }
      throw new Unchecked('no item was found that one parent has and another parent lacks')
    },
  },
]

/**
 * Checks that the parent comes first in the path of a sub-collection. The order is wrong in
 * `/orders/{id}/customers`: the only item below each order is the customer to which the order
 * belongs.
 *
 * The order counts as wrong if there is only one item below each parent, and a link in the parent
 * leads to that item (REP-1). There must be at least `minParents` such parents, and two of them
 * must have the same item. If clients can add items to the sub-collection, the check always passes,
 * because a parent may get several items later.
 */
async function parentFirst(list: Listing): Promise<Outcome> {
  const { service, target } = list
  const families = (await familiesOf(list)).filter(({ items }) => items.length > 0)
  const grows = target.methods.includes('POST') || target.itemMethods.includes('PUT')
  if (grows || families.some(({ items }) => items.length > 1)) return holds
  const name = target.template.split('/').at(-1)
  const elsewhere = service.target.collections.find(
    ({ template }) => template !== target.template && !template.includes('{') && template.endsWith(`/${name}`),
  )
  // The items have no URL outside the sub-collection, so they belong to their parent.
  if (elsewhere === undefined) return holds
  const top = new Listing(service, elsewhere, elsewhere.template)
  const found = families.map((family) => {
    const [item = {}] = family.items
    const path = `${service.base}${top.pathOf(item)}`
    const link = linksOf(family.parent).find(({ href }) => service.owns(href) && service.addressOf(href) === path)
    return { family, path, name: link?.name }
  })
  const [first] = found
  if (found.some((one) => one.name === undefined || one.name !== first?.name)) return holds
  const repeated = found.find((one) => one !== first && found.some((other) => other !== one && other.path === one.path))
  const original = found.find((one) => one !== repeated && one.path === repeated?.path)
  if (found.length < minParents || repeated === undefined || original === undefined)
    throw new Unchecked(`too few items were read to tell whether the parent comes first in ${target.template}`)
  return breaks(
    `"${name}" first in the path, because each parent links to the item below it ("${first?.name}")`,
    `${found.length} parents, each with only that item below it, and two of them with the same item`,
    original.family.exchange,
    repeated.family.exchange,
  )
}

/**
 * Reads the URLs below the collection that are not the URL of an item, such as
 * `/orders/by-state/open`. Returns a violation if such a URL lists only items of the collection
 * that have the same value in one member, and this value is the last segment of the path. In this
 * example, `state` is `open` in all items.
 */
async function noFilters(list: Listing): Promise<Outcome> {
  const { below = [], template } = list.target
  if (below.length === 0) throw new NotApplicable(`${template} has no addresses below it except those of items`)
  const items = await list.items()
  let unknown: string | undefined
  for (const text of below) {
    const filled = filledIn(text, items)
    if (filled === undefined) {
      unknown = text
      continue
    }
    const { path, value } = filled
    const exchange = await list.send('GET', path)
    const { status, json } = exchange.answer
    if (status !== 200 || !Array.isArray(json)) continue
    const found = itemsOf(exchange)
    const member = filteringMember(found, items, value)
    if (member !== undefined)
      return breaks(
        `the filter GET ${list.path}?${member}=... instead of a list at ${path}`,
        `${found.length} items of the collection, all with the value of "${member}" that is in the path`,
        exchange,
      )
  }
  if (unknown !== undefined) throw new Unchecked(`no values are known for the parameters of ${unknown}`)
  return holds
}

/**
 * Replaces the parameter at the end of a path with a value from an item. The value is that of the
 * member with the name of the parameter: `/orders/by-state/{state}` becomes
 * `/orders/by-state/open`. Returns the path and the value. If the path has no parameter, the value
 * is the last segment of the path. Returns `undefined` if no item has a value for the parameter, or
 * if the path has another parameter.
 */
function filledIn(
  text: string,
  items: readonly JsonObject[],
): { readonly path: string; readonly value: string } | undefined {
  const [, above = '', last = ''] = /^(.*\/)([^/]*)$/.exec(text) ?? []
  if (above.includes('{')) return undefined
  if (!isParameter(last)) return { path: text, value: decodeSegments(last)?.[0] ?? last }
  const value = items.map((item) => valueAt(item, last.slice(1, -1))).find(isScalar)
  return value === undefined
    ? undefined
    : { path: `${above}${encodeURIComponent(String(value))}`, value: String(value) }
}

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/**
 * The member by which the found items are filtered. In all found items, the member has the given
 * value. In at least one item of the collection, it has another value. `undefined` if there is no
 * such member, or if a found item lacks a member that the first item of the collection has. For a
 * boolean member, the given value may also be the name of the member, which stands for `true`, as
 * in `/orders/paid`.
 */
function filteringMember(
  found: readonly JsonObject[],
  items: readonly JsonObject[],
  value: string,
): string | undefined {
  const [item] = items
  const isOfCollection = (one: JsonObject): boolean => Object.keys(item ?? {}).every((name) => name in one)
  if (found.length === 0 || !found.every(isOfCollection)) return undefined
  const has = (one: JsonObject, name: string): boolean =>
    (one[name] === true && name === value) || (isScalar(one[name]) && String(one[name]) === value)
  return Object.keys(item ?? {}).find(
    (name) => found.every((one) => has(one, name)) && items.some((one) => !has(one, name)),
  )
}
