/** Counts requests against their budgets (LIMIT-1). */
import type { Identified, Received } from '../stages.js'

/**
 * Counts a request of its principal, or of its address if there is none. Throws `too-many-requests`
 * (429), or `unavailable` (503) if the service refuses requests that it can't count.
 */
export function throttle({ service, req, path, progress, principal }: Identified): void | Promise<void> {
  if (service.rateLimit === undefined) return
  return service.rateLimit
    .count(req, { principal, path, failed: false })
    .then((fields) => progress.setLimitFields(fields))
}

/** Counts a failed authentication against the client's address. Throws as `throttle` does. */
export function countFailure({ service, req, path, progress }: Received): void | Promise<void> {
  if (service.rateLimit === undefined) return
  return service.rateLimit
    .count(req, { principal: undefined, path, failed: true })
    .then((fields) => progress.setLimitFields(fields))
}
