/** Counts requests against their budgets (LIMIT-1). */
import { settled } from '../../promise.js'
import type { Identified, Received } from '../stages.js'

/**
 * Counts a request of its principal, or of its address where there is none. Throws
 * `too-many-requests` (429), or `unavailable` (503) where the service refuses what it can't count.
 */
export function throttle({ service, req, path, progress, principal }: Identified): void | Promise<void> {
  if (service.tally === undefined) return
  return settled(service.tally(req, { principal, path, failed: false }), (fields) => progress.setLimitFields(fields))
}

/** Counts a failed authentication against the client's address. Throws as `throttle` does. */
export function countFailure({ service, req, path, progress }: Received): void | Promise<void> {
  if (service.tally === undefined) return
  return settled(service.tally(req, { principal: undefined, path, failed: true }), (fields) => progress.setLimitFields(fields))
}
