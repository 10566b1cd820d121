/** Finds the route of a request, and the keys in its path (PATH-1, PATH-11). */
import { decodeSegments } from '../../http/targets.js'
import { keepPrivate, principals } from '../../middleware/authenticate.js'
import { setNotices } from '../../middleware/lifecycle.js'
import type { ExpressRequest, Middleware } from '../../middleware/middleware.js'
import { mountBelow } from '../../middleware/versions.js'
import type { Match } from '../../plan/routes.js'
import { HttpProblem } from '../../problem.js'
import { removeRepresentationFields } from '../../representation/representation-fields.js'
import type { Operation } from '../operations/operation.js'
import { passTo } from '../pass-to.js'
import type { Identified, Routed } from '../stages.js'
import { unknownPath } from '../unknown-path.js'

type Added = Pick<Routed, 'route' | 'keys' | 'endpointMethod'>

export function route(exchange: Identified): Added | Promise<never> {
  const { match: known } = exchange.entrance
  if (known !== undefined) return addedBy(exchange, known)
  const segments = decodeSegments(exchange.path)
  if (segments === undefined) {
    throw new HttpProblem('malformed-path', { detail: 'Percent-encode each segment of the path once, as UTF-8.' })
  }
  const match = exchange.version.table.match(segments)
  if (match !== undefined) return addedBy(exchange, match)
  const { routes } = exchange.version
  if (routes === undefined) throw unknownPath(exchange.version, segments, exchange.permission === undefined)
  return tryOwnRoutes(exchange, routes, segments)
}

const addedBy = ({ method }: Identified, { route: found, keys }: Match<Operation>): Added => ({
  route: found,
  keys,
  endpointMethod: found.endpoint?.methods.get(method),
})

/**
 * Sets the principal for hand-written routes, as an authenticating middleware would. The responses
 * of these routes are `private`, unless the routes set another `Cache-Control` (HDR-6).
 */
function handOnPrincipal({ req, res, principal, service }: Identified): void {
  principals.set(req, { principal })
  keepPrivate(res, service.vary)
}

/**
 * Passes the request to the hand-written routes of the version. If none of them responds, throws
 * the 404. A route that fails, or calls `next()`, may already have set header fields for its
 * representation. The problem that is sent instead must not have these fields.
 */
async function tryOwnRoutes(exchange: Identified, routes: Middleware, segments: readonly string[]): Promise<never> {
  const { res, path, rawQuery, entrance } = exchange
  const request: ExpressRequest = exchange.req
  const { url = '/', baseUrl = '' } = request
  setNotices(res, exchange.notices() ?? {})
  if (exchange.authenticated) handOnPrincipal(exchange)
  const mountPath = `${baseUrl}/${entrance.versionName}`
  exchange.followHandWrittenRoutes(mountPath)
  mountBelow(request, mountPath, `${path === '' ? '/' : path}${rawQuery === '' ? '' : `?${rawQuery}`}`)
  try {
    await passTo(exchange, routes)
    exchange.forgetHandWrittenRoute()
  } finally {
    mountBelow(request, baseUrl, url)
    if (!res.headersSent) removeRepresentationFields(res)
  }
  throw unknownPath(exchange.version, segments, exchange.permission === undefined)
}
