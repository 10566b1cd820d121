/**
 * Sorts the entries of a version into tables, by area and by the first segment after the area. The
 * first segment of a path belongs either to one area or to one entry.
 */
import { ConfigurationError } from '../problem.js'
import type { OperationDescription } from './operation.js'
import type { Mounted, Route } from './routes.js'

/** The entries of a version, by area (`''` for no area) and then by first path segment. */
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
      `The path "/${area === undefined ? '' : `${area}/`}${segment}" conflicts with another entry or area. ` +
        'Rename one of the two, or use another area.',
    )
  }
  top.set(area ?? '', table.set(segment, target))
}

/**
 * Adds the route of a document. Throws if an entry or an area already has the name of the document.
 */
export function placeDocument<Op extends OperationDescription>(top: Top<Op>, route: Route<Op>): void {
  const name = route.template.slice(1)
  const holder = top.has(name) ? 'An area' : top.get('')?.has(name) ? 'An entry' : undefined
  if (holder !== undefined) {
    throw new ConfigurationError(
      'path-taken',
      `${holder} is called "${name}", but the option "describe" of api() serves ` +
        `${route.document?.pages === undefined ? 'the document' : 'the docs pages'} at "/${name}". ` +
        'Use another name, put the entry into an area, or leave ' +
        `${route.document?.pages === undefined ? '"describe"' : '"pages"'} out.`,
    )
  }
  place(top, undefined, name, route)
}
