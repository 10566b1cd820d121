/** Who asks (AUTH). */
import type { Exchange } from '../exchange.js'

async function authenticated(exchange: Exchange): Promise<void> {
  exchange.principal = await exchange.patience.settle(exchange.service.principal?.(exchange.req))
}

export function authenticate(exchange: Exchange): void | Promise<void> {
  if (exchange.service.principal !== undefined) return authenticated(exchange)
}
