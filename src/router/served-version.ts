/** The versions that a service serves. */
import { decodeSegments } from '../http/targets.js'
import { isRetired, type Lifecycle } from '../middleware/lifecycle.js'
import type { Middleware } from '../middleware/middleware.js'
import type { RouteTable } from '../plan/routes.js'
import type { Operation } from './operations/operation.js'

/** One version of a service, or the only one of a `resourceRouter`. */
export interface ServedVersion {
  /** The segment, such as `v1`; empty for a `resourceRouter`. */
  readonly name: string
  readonly table: RouteTable<Operation>
  readonly life: Lifecycle | undefined
  /** Hand-written routes, in addition to the resources. */
  readonly routes: Middleware | undefined
  /** Matches the paths that need no authentication: those of public documents. */
  readonly open: ((path: string) => boolean) | undefined
}

/** The versions of a service, by segment. */
export type Versions = ReadonlyMap<string, ServedVersion | 'retired'>

/** False for a version that has retired, as declared or at its sunset (VER-2). */
export function isLiving(version: ServedVersion | 'retired'): version is ServedVersion {
  return version !== 'retired' && !(version.life !== undefined && isRetired(version.life, Date.now()))
}

/** True if a version may serve a path below it. */
export function serves({ table, routes }: ServedVersion, path: string): boolean {
  const segments = decodeSegments(path)
  if (segments === undefined || table.parts?.isGone('OPTIONS', path, Date.now()) === true) return false
  return table.match(segments) !== undefined || routes !== undefined
}
