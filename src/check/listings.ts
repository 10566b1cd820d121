/**
 * Finds URLs at which collections can be listed. A sub-collection is listed below an existing
 * parent.
 */
import { get, isList, type JsonObject } from '../definition/json.js'
import { parameter } from '../wire.js'
import { itemsOf, Listing } from './listing.js'
import type { Service } from './service.js'
import type { CollectionTarget } from './target/target.js'
import { NotApplicable, Unchecked } from './verdict.js'

/**
 * The maximum number of parents that are tried. The parent with the most items below it is used.
 */
const maxParents = 5

/** The listing of a collection. Throws `Unchecked` if no parent can be found. */
export async function listingOf(service: Service, target: CollectionTarget): Promise<Listing> {
  if (!target.template.includes('{')) return new Listing(service, target, target.template)
  let best: { readonly listing: Listing; readonly count: number } | undefined
  for (const { listing } of await placesOf(service, target)) {
    const { json } = (await listing.sample()).answer
    const count = isList(json) ? json.length : 0
    if (best === undefined || count > best.count) best = { listing, count }
  }
  return (best as { readonly listing: Listing }).listing
}

/** A sub-collection below one of its parents. */
export interface Place {
  readonly parent: JsonObject
  readonly listing: Listing
}

/**
 * The sub-collection below each of the first `maxParents` parents. Throws `Unchecked` if no parent
 * can be found.
 */
export async function placesOf(service: Service, target: CollectionTarget): Promise<readonly Place[]> {
  const [, above = '', below = ''] = /^(.*)\/\{[^}]*\}([^{]*)$/.exec(target.template) ?? []
  const parentTarget = service.target.collections.find(({ template }) => template === above)
  if (parentTarget === undefined) throw new Unchecked(`the parents of ${target.template} cannot be listed`)
  const parent = await listingOf(service, parentTarget)
  const items = itemsOf(await parent.list({ [parameter.size]: maxParents }))
  if (items.length === 0) throw new Unchecked(`${parent.path} holds no items`)
  return items.map((item) => ({
    parent: item,
    listing: new Listing(service, target, `${parent.pathOf(item)}${below}`),
  }))
}

/** The value of a member. The name of a nested member has dots: `address.city`. */
export const valueAt = (item: unknown, name: string): unknown => get(item, name.split('.'))

/** Throws `NotApplicable` if the list has no such parameter. */
export function needsParameter({ target }: Listing, name: string): void {
  if (!target.parameters.includes(name)) throw new NotApplicable(`${target.template} has no parameter "${name}"`)
}
