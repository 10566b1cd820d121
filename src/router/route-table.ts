/** Builds the route table of one version, with the life cycles of its paths. */
import { nearMiss } from '../near-miss.js'
import { invalidOption } from '../options/check.js'
import type { Endpoint } from '../plan/endpoint.js'
import type { Mount } from '../plan/mount.js'
import { PartLives } from '../plan/part-lives.js'
import { type PathLives, partsOfPaths } from '../plan/path-lives.js'
import { partsOf, shapeOf } from '../plan/route-lives.js'
import type { TableSettings } from '../plan/route-methods.js'
import { compileRoutes, type RouteTable } from '../plan/routes.js'
import type { ServedDocument } from '../plan/served-document.js'
import { checkUploads } from '../plan/uploads.js'
import { operations } from './operations/index.js'
import type { Operation } from './operations/operation.js'

/**
 * Builds a route table. `related` contains resources that are not in `entries`: sub-collections of
 * the entries, and link targets. Link targets get no routes in the table.
 */
export const routeTable = (
  entries: readonly (Mount | Endpoint | ServedDocument)[],
  related: readonly Mount[] = [],
  settings: TableSettings = {},
): RouteTable<Operation> => {
  const table = compileRoutes(operations, entries, related, settings)
  checkUploads(table)
  return table
}

/**
 * Adds the life cycles in `paths` to the table. They are only for paths and methods that neither a
 * mounted resource nor an endpoint serves. Throws `ConfigurationError` in three cases:
 * - A resource or an endpoint serves the path or the method.
 * - The path looks misspelt. A life cycle at a misspelt path would have no effect.
 * - The path or the method is deprecated but does not retire, and nothing is served there, because
 *   the version has no hand-written routes (`handWritten` is false).
 */
export function withPaths(
  name: string,
  table: RouteTable<Operation>,
  paths: PathLives | undefined,
  handWritten: boolean,
): RouteTable<Operation> {
  if (paths === undefined) return table
  const own = partsOfPaths(name, paths, handWritten)
  for (const { template, life, methods } of own) {
    const route = table.routes.find((one) => shapeOf(one.template) === shapeOf(template))
    const isOwn =
      route !== undefined &&
      (life !== undefined || [...(methods?.keys() ?? [])].some((method) => route.operations.has(method)))
    if (isOwn)
      throw invalidOption(
        `"${template}" in "paths" of ${name} is served by a resource or endpoint. ` +
          'Set the life cycle in its mount() or endpoint() instead.',
      )
    const near =
      route === undefined
        ? nearMiss(
            template,
            table.routes.map((one) => one.template),
          )
        : undefined
    if (near !== undefined)
      throw invalidOption(
        `"${template}" in "paths" of ${name} is not served. Did you mean "${near}"? ` +
          'Set the life cycle of that path in its mount() or endpoint().',
      )
    const unserved = [...(methods ?? [])].find(([, one]) => one.retired === undefined)
    const key = life !== undefined && life.retired === undefined ? template : unserved && `${unserved[0]} ${template}`
    if (!handWritten && key !== undefined)
      throw invalidOption(
        `"${key}" in "paths" of ${name} is deprecated, but is not served. ` +
          'Remove the entry, or set its option "retired".',
      )
  }
  return { ...table, parts: PartLives.of([...partsOf(table.routes), ...own]) }
}
