/** The first segments of a version's paths: each belongs to one entry. */
import { ConfigurationError } from '../problem.js'
import type { OperationDescription } from './operation.js'
import type { Mounted, Route } from './routes.js'

/** The first segments of paths, by area (`''` for none), then by segment. */
export type Top<Op extends OperationDescription> = Map<string, Map<string, Mounted<Op> | Route<Op>>>

export function place<Op extends OperationDescription>(
  top: Top<Op>,
  area: string | undefined,
  segment: string,
  target: Mounted<Op> | Route<Op>,
): void {
  const table = top.get(area ?? '') ?? new Map<string, Mounted<Op> | Route<Op>>()
  const clash = area === undefined ? top.has(segment) : top.get('')?.has(area)
  if (table.has(segment) || clash) {
    throw new ConfigurationError(
      'path-taken',
      `Two entries have the path "/${area === undefined ? '' : `${area}/`}${segment}". Mount each collection once, or put one in another area.`,
    )
  }
  top.set(area ?? '', table.set(segment, target))
}

/** Adds an address of the document. Throws if an entry or an area already has it. */
export function placeDocument<Op extends OperationDescription>(top: Top<Op>, route: Route<Op>): void {
  const name = route.template.slice(1)
  const holder = top.has(name) ? 'An area' : top.get('')?.has(name) ? 'An entry' : undefined
  if (holder !== undefined) {
    throw new ConfigurationError(
      'path-taken',
      `${holder} is called "${name}", but describe of api() serves ${route.document?.pages === undefined ? 'the document' : 'its pages'} at "/${name}". Rename it, put an entry into an area, or leave ${route.document?.pages === undefined ? 'describe' : 'pages'} out.`,
    )
  }
  place(top, undefined, name, route)
}
