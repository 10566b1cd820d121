/** Where logging, metrics and tracing attach. A hook that throws never changes an answer. */
import { tellable } from '../notify.js'

/** What every event tells. */
export interface RequestEvent {
  readonly requestId: string
  readonly method: string
  /** The version segment, where there is one. */
  readonly version: string | undefined
  /** The path below the version, ids as `{name}`; undefined until the route step, and where nothing matched. */
  readonly route: string | undefined
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
  readonly collection: string
  /** The adapter's method. */
  readonly call: string
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
}

export interface ErrorEvent extends RequestEvent {
  readonly status: number
  readonly code: string
  readonly clause: string
  /** What was really thrown: never shown to a client. */
  readonly error: unknown
}

export interface Hooks {
  /** After each step. */
  readonly onStep?: (event: StepEvent) => void
  /** After each call of an adapter. */
  readonly onQuery?: (event: QueryEvent) => void
  /** When an answer is written. */
  readonly onResponse?: (event: ResponseEvent) => void
  /** When a request ends in a problem. Default: a 5xx goes to `console.error`, with its cause. */
  readonly onError?: (event: ErrorEvent) => void
}

export const reportToConsole = (event: ErrorEvent): void => {
  if (event.status >= 500)
    console.error(`${event.method} ${event.route ?? ''} ${event.status} ${event.code} (${event.requestId})`, tellable(event.error))
}
