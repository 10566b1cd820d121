/** CORS, before authentication: a preflight needs no token (HDR-7). */
import type { Exchange } from '../exchange.js'
import { passTo } from '../pass-to.js'

export function preflight(exchange: Exchange): void | Promise<void> {
  const { cors } = exchange.service
  if (cors === undefined) return
  if (exchange.method === 'OPTIONS' || !('fields' in cors)) return passTo(exchange, cors)
  exchange.sharing = cors.fields(exchange.req)
}
