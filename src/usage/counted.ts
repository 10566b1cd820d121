/** What has been counted for a request by the library that answers it, so that an `observe()` in front counts the rest. */
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

/** From here on what is counted for a request is remembered. Others pay for a look. */
export function followCounts(req: IncomingMessage): void {
  followed.set(req, [])
}

/** Tells that a request was counted for a clause, or as a call. */
export function noteCounted(req: IncomingMessage, usage: Usage, what: string): void {
  followed.get(req)?.push({ usage, what })
}

/** Whether that was so, in the same counts. */
export const isCounted = (req: IncomingMessage, usage: Usage, what: string): boolean =>
  followed.get(req)?.some((one) => one.usage === usage && one.what === what) ?? false
