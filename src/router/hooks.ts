/** Where logging, metrics and tracing attach. A hook that throws never changes an answer. */
import type { IncomingMessage } from 'node:http'
import type { ExpiredConvention, Finding } from '../conventions/finding.js'
import { failureLine } from '../failures/line.js'
import type { DeprecatedUse } from '../plan/deprecated.js'
import type { Facts } from '../telemetry/messages.js'

/** What every event tells. */
export interface RequestEvent extends Facts {
  readonly principal: unknown
}

export interface StepEvent extends RequestEvent {
  /** The name of the step: that of its file and of its entry in docs/lifecycle.md. */
  readonly step: string
  /** Milliseconds. */
  readonly duration: number
  /** The step threw: `fail` comes next. */
  readonly failed: boolean
}

export interface QueryEvent extends RequestEvent {
  /** The collection that the adapter holds: of an expansion, not that of the route. */
  readonly collection: string
  /** The adapter's method. */
  readonly call: string
  /** Records that the adapter gave; `undefined` of writes, and where it failed. */
  readonly rows: number | undefined
  /** Milliseconds. */
  readonly duration: number
  readonly failed: boolean
}

export interface ResponseEvent extends RequestEvent {
  readonly status: number
  /** The problem's code and clause, where the answer is one. */
  readonly code: string | undefined
  readonly clause: string | undefined
  /** Milliseconds since the request came. */
  readonly duration: number
  /** Calls of adapters. */
  readonly queries: number
  /** Records that they gave. */
  readonly rows: number
  /** Milliseconds that the request waited for other writers of its key. */
  readonly waited: number
  /** What is deprecated and was used: the operation, parameters and members (VER-3). Empty for most. */
  readonly deprecatedUses: readonly DeprecatedUse[]
}

export interface ErrorEvent extends RequestEvent {
  readonly status: number
  readonly code: string
  readonly clause: string
  /** The name of the step that failed; of an export that was cut, `respond`. */
  readonly step: string | undefined
  /** What was really thrown: never shown to a client. */
  readonly error: unknown
}

export interface Hooks {
  // Methods, so that `req` may be typed as Express's own.
  /** After each step. */
  onStep?(event: StepEvent, req: IncomingMessage): void
  /** After each call of an adapter. `req` is `undefined` in a job. */
  onQuery?(event: QueryEvent, req: IncomingMessage | undefined): void
  /** When an answer is written. */
  onResponse?(event: ResponseEvent, req: IncomingMessage): void
  /** When a request departs from a clause that is not enforced yet, or uses another name of a parameter. */
  onFinding?(event: Finding, req: IncomingMessage): void
  /** Once a day for each entry of `conventions` whose day has passed. The log has an error, too. */
  onConventionExpired?(event: ExpiredConvention): void
  /** When a request ends in a problem. Default: a 5xx is one line of `console.error`, as `failureLine` makes it. */
  onError?(event: ErrorEvent, req: IncomingMessage): void
}

export const reportToConsole = (event: ErrorEvent): void => {
  if (event.status >= 500) console.error(failureLine(event))
}
