/** Counts requests against their budgets (LIMIT-1). */
import { isPromise, settled } from '../../promise.js'
import type { Identified, Received } from '../stages.js'

/**
 * Counts a request of its principal, or of its address where there is none. Throws
 * `too-many-requests` (429), or `unavailable` (503) where the service refuses what it can't count.
 */
export function throttle(exchange: Identified): void | Promise<void> {
  return tally(exchange, exchange.principal, false)
}

/** Counts a failed authentication against the client's address. Throws as `throttle` does. */
export function countFailure(exchange: Received): void | Promise<void> {
  return tally(exchange, undefined, true)
}

function tally(exchange: Received, principal: unknown, failed: boolean): void | Promise<void> {
  const { service, req, path, progress } = exchange
  if (service.tally === undefined) return
  const counted = service.tally(req, { principal, path, failed })
  // The time of the request counts from here, before the wait for a shared store.
  if (isPromise(counted)) exchange.timeLimit.left()
  return settled(counted, (fields) => progress.setLimitFields(fields))
}
