/**
 * Refuses a request before its credentials and body are read, where too many are being answered
 * (ERR-1).
 */
import { Unavailable } from '../../problem.js'
import type { Received } from '../stages.js'

/** Throws `unavailable` (503) where no further request may execute. */
export function admit({ service: { load } }: Received): void {
  if (load.executing < load.maxConcurrent) return
  throw new Unavailable({
    detail: 'Too many requests are being answered. Nothing was changed: try again in a moment.',
  })
}
