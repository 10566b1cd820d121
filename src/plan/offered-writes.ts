/**
 * Finds, for each adapter, the write methods that requests can call. The method `ready()` of a
 * service passes these methods to the adapter, which checks whether its store supports them.
 */
import type { WriteMethod } from '../adapters/contract.js'
import type { AnyAdapter } from './mount.js'
import type { Mounted, Route } from './routes.js'

/** Returns the adapters of these resources, each with the write methods that its routes use. */
export function offeredWrites(resources: readonly Mounted[]): ReadonlyMap<AnyAdapter, ReadonlySet<WriteMethod>> {
  const offered = new Map<AnyAdapter, Set<WriteMethod>>()
  const add = (adapter: AnyAdapter, ...routes: readonly Route[]): void => {
    const methods = offered.get(adapter) ?? new Set()
    offered.set(adapter, methods)
    for (const { operations } of routes) {
      for (const { writes } of operations.values()) if (writes !== undefined) methods.add(writes)
    }
  }
  for (const { adapter, collection, item, below } of resources) {
    add(adapter, collection, item)
    for (const one of below.values()) {
      if (one.kind === 'leaf') add(adapter, one.route)
      else if (one.kind === 'attached') add(one.child.adapter, one.members, one.member)
    }
  }
  return offered
}
