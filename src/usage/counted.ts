/** Records what a router or middleware has already counted for a request, so that an `observe()` in front counts only the rest. */
import type { IncomingMessage } from 'node:http'
import type { Usage } from './usage.js'

/** Stands for the call itself beside the clauses. */
export const theCall = 'call'

interface Counted {
  readonly usage: Usage
  /** A clause, or `theCall`. */
  readonly what: string
}

const followed = new WeakMap<IncomingMessage, Counted[]>()

/** Starts to record the counts of a request. For all other requests the cost is one look-up. */
export function followCounts(req: IncomingMessage): void {
  followed.set(req, [])
}

/** Records that a request was counted for a clause, or as a call. */
export function noteCounted(req: IncomingMessage, usage: Usage, what: string): void {
  followed.get(req)?.push({ usage, what })
}

/** Whether a request was already counted for this, in the same counts. */
export const isCounted = (req: IncomingMessage, usage: Usage, what: string): boolean =>
  followed.get(req)?.some((one) => one.usage === usage && one.what === what) ?? false
