/**
 * Lists the routes of a route table, and the resources whose keys are in the paths of the routes.
 */
import type { OperationDescription } from './operation.js'
import type { Mounted, Route } from './routes.js'

/**
 * Returns every route of a route table. `top` contains the entries of the table, by area and first
 * path segment. The routes of a parent come before the routes of its children.
 */
export function routesIn<Op extends OperationDescription>(
  top: ReadonlyMap<string, ReadonlyMap<string, Mounted<Op> | Route<Op>>>,
): readonly Route<Op>[] {
  const entries = [...top.values()].flatMap((area) => [...area.values()])
  return Object.freeze(
    entries.flatMap((entry) =>
      'plan' in entry ? routesOf(entry) : entry.file === undefined ? [entry] : [entry, entry.file],
    ),
  )
}

function routesOf<Op extends OperationDescription>({ collection, item, below }: Mounted<Op>): readonly Route<Op>[] {
  const under = [...below.values()].flatMap((entry): readonly Route<Op>[] => {
    if (entry.kind === 'contained') return routesOf(entry.mounted)
    return entry.kind === 'leaf' ? [entry.route] : [entry.members, entry.member]
  })
  return [collection, item, ...under]
}

/** Returns the resources whose keys are in the path of a route, outermost first. */
export function keyHolders({ kind, resource, association }: Route): readonly Mounted[] {
  if (resource === undefined) return []
  if (association !== undefined) {
    const parents = withParents(association.parent)
    return kind === 'member' ? [...parents, resource] : parents
  }
  const all = withParents(resource)
  return kind === 'collection' ? all.slice(0, -1) : all
}

const withParents = (mounted: Mounted): readonly Mounted[] =>
  mounted.parent === undefined ? [mounted] : [...withParents(mounted.parent.mounted), mounted]
