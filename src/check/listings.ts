/** Where collections can be listed: below parents that are there. */
import { get, isList, type JsonObject } from '../definition/json.js'
import { parameter } from '../wire.js'
import { itemsOf, Listing } from './listing.js'
import type { Service } from './service.js'
import type { CollectionTarget } from './target/target.js'
import { NotApplicable, Unchecked } from './verdict.js'

/** Parents that are tried: the one with the most items is taken. */
const mostParents = 5

/** The listing of a collection. Throws `Unchecked` where no parent of it can be found. */
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

/** A sub-collection below a few parents, at least one. Throws `Unchecked` where no parent can be found. */
export async function placesOf(service: Service, target: CollectionTarget): Promise<readonly Place[]> {
  const [, above = '', below = ''] = /^(.*)\/\{[^}]*\}([^{]*)$/.exec(target.template) ?? []
  const parentTarget = service.target.collections.find(({ template }) => template === above)
  if (parentTarget === undefined) throw new Unchecked(`the parents of ${target.template} can not be listed`)
  const parent = await listingOf(service, parentTarget)
  const items = itemsOf(await parent.list({ [parameter.size]: mostParents }))
  if (items.length === 0) throw new Unchecked(`${parent.path} holds no items`)
  return items.map((item) => ({
    parent: item,
    listing: new Listing(service, target, `${parent.pathOf(item)}${below}`),
  }))
}

/** The value of a member, those inside others by dots. */
export const valueAt = (item: unknown, name: string): unknown => get(item, name.split('.'))

/** Throws `NotApplicable` where the list has no such parameter. */
export function needsParameter({ target }: Listing, name: string): void {
  if (!target.parameters.includes(name)) throw new NotApplicable(`${target.template} has no parameter "${name}"`)
}
