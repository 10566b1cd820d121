/**
 * Checks the parents in a path, and computes the members of a record that hold a parent's key
 * (PATH-5, PATH-7).
 */
import type { Awaitable, Condition, Scalar, Stored } from '../../adapters/contract.js'
import { isObject, type JsonObject } from '../../definition/json.js'
import { type KeyValue, lastKey, membersHolding } from '../../definition/key.js'
import type { Association, Mounted, Route } from '../../plan/routes.js'
import { settled } from '../../promise.js'
import type { Caller, Place } from '../caller.js'
import type { AnswerLinks } from '../shown-links.js'
import { absent, Store } from '../store.js'

/**
 * Throws `absent` (404) if a parent in the path does not exist, or does not belong to the parent
 * before it. The last of `keys` is the key of the nearest parent.
 */
export function checkParents(caller: Caller, nearest: Mounted | undefined, keys: readonly KeyValue[]): Awaitable<void> {
  return nearest === undefined ? undefined : checkAll(caller, nearest, keys)
}

async function checkAll(caller: Caller, nearest: Mounted, keys: readonly KeyValue[]): Promise<void> {
  const read = async (mounted: Mounted, key: KeyValue, above: KeyValue | undefined): Promise<void> => {
    if (!belongs(mounted, await new Store(caller, mounted).one(key), above)) throw absent()
  }
  const reads: Promise<void>[] = []
  let mounted: Mounted | undefined = nearest
  for (let at = keys.length - 1; mounted !== undefined; at -= 1) {
    const key = keys[at]
    if (key === undefined) break
    reads.push(read(mounted, key, keys[at - 1]))
    mounted = mounted.parent?.mounted
  }
  const results = await Promise.allSettled(reads)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/** True if a record belongs to the parent with this key. */
function belongs(mounted: Mounted, { value }: Stored<unknown>, key: KeyValue | undefined): boolean {
  const fixed = Object.entries(fixedByParent(mounted, key))
  return fixed.length === 0 || (isObject(value) && fixed.every(([member, part]) => value[member] === part))
}

/**
 * Returns the members of a record that hold its parent's key, with their values. Returns no members
 * if the resource has no parent, or if `key`, the key of the parent, is `undefined`.
 */
export function fixedByParent({ parent }: Mounted, key: KeyValue | undefined): Readonly<Record<string, Scalar>> {
  return parent === undefined || key === undefined ? {} : membersHolding(parent.mounted.plan.key, key, parent.by)
}

/** Returns the associated sub-collection of a route. Throws if the route has none. */
export function associationOf({ route }: { readonly route: Route }): Association {
  if (route.association === undefined) throw new Error('This route has no association.')
  return route.association
}

/**
 * Returns the members of a record that hold the key of an association's parent, with their values.
 * Returns no members if the record does not store that key. `key` is the key of the parent.
 */
export const fixedByAssociation = ({ parent, by }: Association, key: KeyValue): Readonly<Record<string, Scalar>> =>
  membersHolding(parent.plan.key, key, by ?? [])

/** Converts members and their values to conditions that filter a list. */
export function equalities(members: Readonly<Record<string, Scalar>>): Condition[] {
  return Object.entries(members).map(([field, value]) => ({ field, path: [field], op: 'eq', value }))
}

/**
 * Returns false if the item's own key names a different parent than the path does. The last two of
 * `keys` are the keys of the parent and of the item.
 */
export function lineageHolds(mounted: Mounted, keys: readonly KeyValue[]): boolean {
  if (mounted.parent === undefined) return true
  const { key } = mounted.plan
  const fixed = fixedByParent(mounted, keys.at(-2))
  const parts = key.parts(lastKey(keys))
  return key.members.every((member, i) => !Object.hasOwn(fixed, member) || fixed[member] === parts[i])
}

/**
 * Throws `absent` (404) if a parent in the path does not exist, or if the item's own key names a
 * different parent.
 */
export function checkItemPath(place: Place): Awaitable<void> {
  const { resource, keys } = place
  if (resource.parent === undefined) return
  if (!lineageHolds(resource, keys)) throw absent()
  return checkParents(place, resource.parent.mounted, keys.slice(0, -1))
}

/**
 * Returns the item that the path names, in its current state. The parents in the path must already
 * have been checked. Throws `absent` (404) if the item does not exist or belongs to another parent.
 * `links` contains the links that the response shows.
 */
export function memberOfPath(
  { resource, keys, key }: Place,
  store: Store,
  links?: AnswerLinks,
): Awaitable<Stored<JsonObject>> {
  const found = store.one(key, links)
  if (resource.parent === undefined) return found
  return settled(found, (stored) => {
    if (!belongs(resource, stored, keys.at(-2))) throw absent()
    return stored
  })
}

/**
 * Returns the item that the path names, after checking the parents in the path. Throws `absent`
 * (404) if the item or a parent does not exist, or if the item belongs to another parent. `links`
 * contains the links that the response shows.
 */
export function itemOf(place: Place, links?: AnswerLinks): Awaitable<Stored<JsonObject>> {
  const { resource, key } = place
  if (resource.parent === undefined) return new Store(place, resource).one(key, links)
  return settled(checkItemPath(place), () => memberOfPath(place, new Store(place, resource), links))
}
