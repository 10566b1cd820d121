/**
 * Refuses a request under overload (ERR-1). Runs before the credentials and the body are read, and
 * again before the operation runs.
 */
import { Unavailable } from '../../problem.js'
import type { Received } from '../stages.js'

/** Throws `unavailable` (503) if `maxConcurrent` requests are already being processed. */
export function admit({ service: { load } }: Received): void {
  if (load.executing < load.maxConcurrent) return
  throw new Unavailable({
    detail: 'Too many requests are being processed. Nothing was changed: try again in a moment.',
  })
}
