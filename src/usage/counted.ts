/**
 * Records what a router or middleware has counted for a request, so that an `observe()` in front of
 * that router or middleware does not count the same thing again.
 */
import type { IncomingMessage } from 'node:http'
import type { Usage } from './usage.js'

/** The value of `what` for a counted call. For a counted violation, `what` is the clause. */
export const callItself = 'call'

interface Counted {
  readonly usage: Usage
  /** A clause, or `callItself`. */
  readonly what: string
}

const followed = new WeakMap<IncomingMessage, Counted[]>()

/**
 * Starts to record what is counted for this request. For requests without such a record,
 * `noteCounted` costs only one lookup.
 */
export function followCounts(req: IncomingMessage): void {
  followed.set(req, [])
}

/** Records that a request was counted for a clause, or as a call. */
export function noteCounted(req: IncomingMessage, usage: Usage, what: string): void {
  followed.get(req)?.push({ usage, what })
}

/** Whether a request was already counted in `usage`, for the clause `what` or as a call. */
export const isCounted = (req: IncomingMessage, usage: Usage, what: string): boolean =>
  followed.get(req)?.some((one) => one.usage === usage && one.what === what) ?? false
