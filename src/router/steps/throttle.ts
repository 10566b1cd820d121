/** One more request of this principal, or of this address where nobody says who asks (LIMIT-1). */
import type { Identified, Received } from '../stages.js'

export function throttle(exchange: Identified): void | Promise<void> {
  if (exchange.service.rateLimit !== undefined) return count(exchange, false, exchange.principal)
}

/** Counts a request, or a failed authentication. Throws `too-many-requests` (429), or `unavailable` (503) where a service would rather refuse than not count. */
export function count({ service, req, path, progress }: Received, failed: boolean, principal?: unknown): void | Promise<void> {
  if (service.rateLimit === undefined) return
  return service.rateLimit.count(req, { principal, path, failed }).then((fields) => progress.counted(fields))
}
