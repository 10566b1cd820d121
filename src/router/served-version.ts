/** The versions that a service serves. */
import { decodeSegments } from '../http/targets.js'
import { isRetired, type Lifecycle } from '../middleware/lifecycle.js'
import type { Middleware } from '../middleware/middleware.js'
import type { RouteTable } from '../plan/routes.js'
import type { Operation } from './operations/operation.js'

/** One version of an `api`, or the only version of a `resourceRouter`. */
export interface ServedVersion {
  /** The path segment of the version, such as `v1`. Empty for a `resourceRouter`. */
  readonly name: string
  readonly table: RouteTable<Operation>
  readonly life: Lifecycle | undefined
  /** Hand-written routes, in addition to the resources. */
  readonly routes: Middleware | undefined
  /**
   * Returns true for the paths that need no authentication. These are the paths of public
   * documents.
   */
  readonly open: ((path: string) => boolean) | undefined
}

/** The versions of a service, by their path segment. */
export type Versions = ReadonlyMap<string, ServedVersion | 'retired'>

/**
 * False for a retired version. A version is retired if it is declared as retired, or if it has the
 * option `retireAtSunset` and its sunset has passed (VER-2).
 */
export function isLiving(version: ServedVersion | 'retired'): version is ServedVersion {
  return version !== 'retired' && !(version.life !== undefined && isRetired(version.life, Date.now()))
}

/** The names of the versions that are not retired. */
export const livingNames = (versions: Versions): string[] =>
  [...versions].filter(([, entry]) => isLiving(entry)).map(([name]) => name)

/**
 * True if a version may serve a path below it: the path is not retired, and a route matches or
 * hand-written routes may match.
 */
export function serves({ table, routes }: ServedVersion, path: string): boolean {
  const segments = decodeSegments(path)
  if (segments === undefined || table.parts?.isGone('OPTIONS', path, Date.now()) === true) return false
  return table.match(segments) !== undefined || routes !== undefined
}
