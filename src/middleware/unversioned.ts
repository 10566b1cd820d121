/** The detail of a 404 for a path outside all versions (VER-1). */
import type { IncomingMessage } from 'node:http'
import { requestState } from './request-state.js'

const states = requestState<() => readonly string[]>('api()')

/**
 * Marks a request that a service with versions passed to the next middleware, because the path of
 * the request contains no version. `living` returns the paths of the current versions, such as
 * `/v1`.
 */
export const passUnversioned = (req: IncomingMessage, living: () => readonly string[]): void => states.set(req, living)

/** Returns a detail that names the versions. Returns no detail if there is no current version. */
export function unversionedDetail(req: IncomingMessage): { readonly detail?: string } {
  const paths = states.find(req)?.() ?? []
  if (paths.length === 0) return {}
  return { detail: `No route has this path. The paths of the API begin with ${paths.join(' or ')}.` }
}
