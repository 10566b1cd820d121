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
  /** The duration in milliseconds. */
  readonly duration: number
  /** True if the step threw an error. The step `fail` then runs next. */
  readonly failed: boolean
}

export interface QueryEvent extends RequestEvent {
  /**
   * The collection that the adapter is mounted for. If linked records are read, this is their
   * collection, and not the collection of the route.
   */
  readonly collection: string
  /** The name of the adapter's method, such as `list`. */
  readonly call: string
  /**
   * The number of records that `list` or `read` returned, including linked records. `undefined` for
   * other calls and for failures.
   */
  readonly rows: number | undefined
  /** The duration in milliseconds. */
  readonly duration: number
  readonly failed: boolean
}

export interface ResponseEvent extends RequestEvent {
  readonly status: number
  /** The code and the clause of the problem, if the response is a problem. */
  readonly code: string | undefined
  readonly clause: string | undefined
  /** Milliseconds since the request arrived. */
  readonly duration: number
  /** The number of adapter calls. */
  readonly queries: number
  /** The number of records that the adapter calls returned. */
  readonly rows: number
  /** Milliseconds that the request waited for other updates of the same record. */
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
  /** The name of the step that failed. `respond` for an export that was cut off. */
  readonly step: string | undefined
  /**
   * The `cause` of the problem, or else the error that was thrown. Clients get only the problem.
   */
  readonly error: unknown
}

export interface Hooks {
  // Declared as methods, so that a hook may declare `req` with Express's own request type.
  /** Called after each step. */
  onStep?(event: StepEvent, req: IncomingMessage): void
  /** Called after each call of an adapter. `req` is `undefined` in a job. */
  onQuery?(event: QueryEvent, req: IncomingMessage | undefined): void
  /** Called when a response has been written. */
  onResponse?(event: ResponseEvent, req: IncomingMessage): void
  /**
   * Called if a request or its response violates a clause that is not enforced yet, unless the mode
   * of the clause is `off`. Also called if a request uses an alias of a parameter or an ignored
   * parameter.
   */
  onFinding?(event: Finding, req: IncomingMessage): void
  /**
   * Called for an entry of `conventions` that is past its expiry date: when the service is created,
   * and when the entry affects a request. For each entry, called at most once a day. The library
   * also logs an error.
   */
  onConventionExpired?(event: ExpiredConvention): void
  /**
   * Called when a step throws an error, when an export is cut off, and when the function that
   * returns the brownouts fails. If that function keeps failing with the same error, the error is
   * reported only once. Default: each 5xx is written to `console.error`, as the line that
   * `failureLine` returns.
   */
  onError?(event: ErrorEvent, req: IncomingMessage): void
}

export const reportToConsole = (event: ErrorEvent): void => {
  if (event.status >= 500) console.error(failureLine(event))
}
