/** One more request of this principal, or of this address where nobody says who asks (LIMIT-1). */
import type { Exchange } from '../exchange.js'

export function throttle(exchange: Exchange): void | Promise<void> {
  if (exchange.service.rateLimit !== undefined) return count(exchange, false)
}

/** Counts a request, or a failed authentication. Throws `too-many-requests` (429), or `unavailable` (503) where a service would rather refuse than not count. */
export function count(exchange: Exchange, failed: boolean): void | Promise<void> {
  const { service, req, principal, path } = exchange
  if (service.rateLimit === undefined) return
  return service.rateLimit.count(req, { principal, path, failed }).then((fields) => {
    exchange.limits = fields
  })
}
