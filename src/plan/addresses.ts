/** Builds the paths of collections and items below a version (PATH-1, PATH-5). */

import type { Scalar } from '../adapters/contract.js'
import { type KeyValue, segmentOf } from '../definition/key.js'
import type { Mounted } from './routes.js'

/**
 * The path of a collection below the version. `parents` holds the keys of its parents, outermost
 * first.
 */
export function collectionPath(mounted: Mounted, parents: readonly KeyValue[]): string {
  const { parent } = mounted
  return parent === undefined ? mounted.path : `${itemPath(parent.mounted, parents)}${mounted.path}`
}

/**
 * The path of an item below the version. `keys` holds the keys of the item's parents, outermost
 * first, and then the item's own key.
 */
export function itemPath(mounted: Mounted, keys: readonly KeyValue[]): string {
  return `${collectionPath(mounted, keys.slice(0, -1))}/${segmentOf(mounted.plan.key.text(keys.at(-1) as KeyValue))}`
}

/**
 * The keys of an item and its parents, outermost first. The item's key must include the keys of its
 * parents.
 */
export function lineageOf({ parent, plan }: Mounted, key: KeyValue): readonly KeyValue[] {
  if (parent === undefined) return [key]
  const { members } = plan.key
  const parts = plan.key.parts(key)
  const above = parent.mounted.plan.key.from(parent.by.map((member) => parts[members.indexOf(member)] as Scalar))
  return [...lineageOf(parent.mounted, above), key]
}
