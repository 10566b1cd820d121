/**
 * Applies the option `cors` to every request (HDR-7). Runs before authentication, because a
 * preflight has no credentials. Also runs before the version is checked, so that scripts of other
 * origins can read the 410 of a retired version.
 */
import { passTo } from '../pass-to.js'
import type { Received } from '../stages.js'

/**
 * Runs the middleware of the option `cors`. A middleware with the function `fields` runs only for
 * OPTIONS. For other methods, `fields` computes the CORS header fields. If the middleware responds
 * itself, as it does to a preflight, no further step runs.
 */
export function preflight(exchange: Received): void | Promise<void> {
  const { cors } = exchange.service
  if (cors === undefined) return
  if (exchange.method === 'OPTIONS' || !('fields' in cors)) return passTo(exchange, cors)
  exchange.progress.setCorsFields(cors.fields(exchange.req))
}
