/** Counts requests against their budgets (LIMIT-1). */
import type { Identified, Received } from '../stages.js'

/**
 * Counts a request against the budget of its principal. If there is no principal, counts the
 * request against the budget of the client's IP address. Throws `too-many-requests` (429) if the
 * budget is used up. Throws `unavailable` (503) if the request can't be counted and the service
 * refuses such requests.
 */
export function throttle({ service, req, path, progress, principal }: Identified): void | Promise<void> {
  if (service.rateLimit === undefined) return
  return service.rateLimit
    .count(req, { principal, path, failed: false })
    .then((fields) => progress.setLimitFields(fields))
}

/** Counts a failed authentication against the client's IP address. Throws as `throttle` does. */
export function countFailure({ service, req, path, progress }: Received): void | Promise<void> {
  if (service.rateLimit === undefined) return
  return service.rateLimit
    .count(req, { principal: undefined, path, failed: true })
    .then((fields) => progress.setLimitFields(fields))
}
