/** Hooks for logging, metrics and tracing. An error thrown by a hook never changes a response. */
import type { IncomingMessage } from 'node:http'
import type { ExpiredConvention, Finding } from '../conventions/finding.js'
import { failureLine } from '../failures/line.js'
import type { DeprecatedUse } from '../plan/deprecated.js'
import type { Facts } from '../telemetry/messages.js'

/** The fields common to all events. */
export interface RequestEvent extends Facts {
  readonly principal: unknown
}

export interface StepEvent extends RequestEvent {
  /** The name of the step, as in its file name and in docs/lifecycle.md. */
  readonly step: string
  /** Milliseconds. */
  readonly duration: number
  /** True if the step threw. The step `fail` follows. */
  readonly failed: boolean
}

export interface QueryEvent extends RequestEvent {
  /** The collection of the adapter: for an expansion, the target's and not the route's. */
  readonly collection: string
  /** The adapter's method. */
  readonly call: string
  /** Records that the adapter returned; `undefined` for writes and failures. */
  readonly rows: number | undefined
  /** Milliseconds. */
  readonly duration: number
  readonly failed: boolean
}

export interface ResponseEvent extends RequestEvent {
  readonly status: number
  /** The code and clause of the problem, if the response is one. */
  readonly code: string | undefined
  readonly clause: string | undefined
  /** Milliseconds since the request came. */
  readonly duration: number
  /** Number of adapter calls. */
  readonly queries: number
  /** Records that those calls returned. */
  readonly rows: number
  /** Milliseconds that the request waited for other writers of the same key. */
  readonly waited: number
  /**
   * The deprecated operation, parameters and members that the request used (VER-3). Usually empty.
   */
  readonly deprecatedUses: readonly DeprecatedUse[]
}

export interface ErrorEvent extends RequestEvent {
  readonly status: number
  readonly code: string
  readonly clause: string
  /** The name of the step that failed; `respond` for a truncated export. */
  readonly step: string | undefined
  /** The original error. Never sent to a client. */
  readonly error: unknown
}

export interface Hooks {
  // Methods, so that `req` may be typed as Express's own.
  /** Called after each step. */
  onStep?(event: StepEvent, req: IncomingMessage): void
  /** Called after each call of an adapter. `req` is `undefined` in a job. */
  onQuery?(event: QueryEvent, req: IncomingMessage | undefined): void
  /** Called when an answer is written. */
  onResponse?(event: ResponseEvent, req: IncomingMessage): void
  /** Called for a violation of a clause that is not enforced yet, or an alias of a parameter. */
  onFinding?(event: Finding, req: IncomingMessage): void
  /**
   * Called once a day for each entry of `conventions` that is past its expiry date. An error is
   * logged as well.
   */
  onConventionExpired?(event: ExpiredConvention): void
  /**
   * Called when a request ends in a problem. Default: a 5xx is one line of `console.error`, as
   * `failureLine` makes it.
   */
  onError?(event: ErrorEvent, req: IncomingMessage): void
}

export const reportToConsole = (event: ErrorEvent): void => {
  if (event.status >= 500) console.error(failureLine(event))
}
