/** The versions that a service serves. */
import { decodeSegments } from '../http/targets.js'
import { isRetired, type Lifecycle } from '../middleware/lifecycle.js'
import type { Middleware } from '../middleware/middleware.js'
import type { RouteTable } from '../plan/routes.js'
import type { Operation } from './operations/operation.js'

/** One version as it is served, or the only one of a `resourceRouter`. */
export interface ServedVersion {
  /** The segment, such as `v1`; empty where the router stands alone. */
  readonly name: string
  readonly table: RouteTable<Operation>
  readonly life: Lifecycle | undefined
  /** Hand-written routes beside the resources. */
  readonly routes: Middleware | undefined
  /** The paths that anybody may read, where there are any: of its documents. */
  readonly open: ((path: string) => boolean) | undefined
}

/** The versions of a service, by their segment. */
export type Versions = ReadonlyMap<string, ServedVersion | 'retired'>

/** False for a version that has retired, by itself at its sunset or as declared (VER-2). */
export function isLiving(version: ServedVersion | 'retired'): version is ServedVersion {
  return version !== 'retired' && !(version.life !== undefined && isRetired(version.life, Date.now()))
}

/** True where a version may have something at a path below it. */
export function serves({ table, routes }: ServedVersion, path: string): boolean {
  const segments = decodeSegments(path)
  if (segments === undefined || table.parts?.isGone('OPTIONS', path, Date.now()) === true) return false
  return table.match(segments) !== undefined || routes !== undefined
}
