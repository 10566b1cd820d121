/** CORS, before authentication: a preflight needs no token (HDR-7). */
import type { Exchange } from '../exchange.js'
import { passTo } from '../pass-to.js'

export function preflight(exchange: Exchange): void | Promise<void> {
  const { cors } = exchange.service
  if (cors !== undefined) return passTo(exchange, cors)
}
