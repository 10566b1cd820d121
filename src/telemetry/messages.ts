/** The messages of the tracing channels. Their getters return what is known about the request at the time of reading. */
import type { IncomingMessage } from 'node:http'

/** The fields of a message that describe its request or job. */
export interface Facts {
  readonly requestId: string
  /** `JOB` for work that no request has started. */
  readonly method: string
  /** The version segment, where there is one. */
  readonly version: string | undefined
  /** The template below the version, such as `/contratos/{id}`; `undefined` where nothing matches. */
  readonly route: string | undefined
  /** The whole template, as `http.route` of OpenTelemetry, such as `/private/v1/contratos/{id}`. */
  readonly httpRoute: string | undefined
  /** Of the route. */
  readonly collection: string | undefined
  /** The name of the operation, such as `patch`; `undefined` where the route has no such method. */
  readonly operation: string | undefined
  /** The trace that the client sent (W3C Trace Context), where it is well-formed. */
  readonly traceparent: string | undefined
}

/** The source of a message: the facts of the request, and its principal. */
export interface Subject {
  /** The request; `undefined` of a job. */
  readonly req: IncomingMessage | undefined
  facts(): Facts
  principalHash(): string | undefined
}

/** What all messages have. */
abstract class Message implements Facts {
  readonly #subject: Subject
  /** Milliseconds; `undefined` until the work has ended. */
  duration: number | undefined = undefined
  failed = false
  /** What was thrown. */
  error: unknown = undefined

  constructor(subject: Subject) {
    this.#subject = subject
  }

  get req(): IncomingMessage | undefined {
    return this.#subject.req
  }

  get requestId(): string {
    return this.#subject.facts().requestId
  }

  get method(): string {
    return this.#subject.facts().method
  }

  get version(): string | undefined {
    return this.#subject.facts().version
  }

  get route(): string | undefined {
    return this.#subject.facts().route
  }

  get httpRoute(): string | undefined {
    return this.#subject.facts().httpRoute
  }

  get collection(): string | undefined {
    return this.#subject.facts().collection
  }

  get operation(): string | undefined {
    return this.#subject.facts().operation
  }

  get traceparent(): string | undefined {
    return this.#subject.facts().traceparent
  }

  /** A digest of the caller's name, made when first read; `undefined` before `authenticate` and where the principal has no name. */
  get principalHash(): string | undefined {
    return this.#subject.principalHash()
  }
}

export class RequestMessage extends Message {
  /** `undefined` where the connection closed before an answer. */
  status: number | undefined = undefined
  /** The problem's code and clause, where the answer is one. */
  code: string | undefined = undefined
  clause: string | undefined = undefined
  /** The version was deprecated when the request ended. Retired ones are not: their answer is 410. */
  deprecated = false
  /** Calls of adapters. */
  queries = 0
  /** Records that the adapters returned. */
  rows = 0
  /** Milliseconds that it waited for other writers of its key. */
  waited = 0
  /** The deprecated operations, parameters and members that the request used, by name (VER-3). */
  deprecatedUses: readonly { readonly kind: string; readonly name: string }[] = []
}

export class StepMessage extends Message {
  constructor(
    subject: Subject,
    /** The name of its file and of its section in docs/lifecycle.md. */
    readonly step: string,
  ) {
    super(subject)
  }
}

export class CallMessage extends Message {
  /** Records that the adapter returned; `undefined` for writes and failures. */
  rows: number | undefined = undefined
  readonly #collection: string

  constructor(
    subject: Subject,
    collection: string,
    /** The adapter's method. */
    readonly call: string,
  ) {
    super(subject)
    this.#collection = collection
  }

  /** The collection that the adapter holds: of an expansion, not that of the route. */
  override get collection(): string {
    return this.#collection
  }
}

/** A look-up in a cache. */
export interface CacheMessage {
  /** The name of its row in docs/performance.md. */
  readonly cache: string
  readonly hit: boolean
}

/** A call that waits for a connection because all connections of the pool are in use. */
export class PoolWaitMessage {
  /** Milliseconds; `undefined` until it has got one, or has given up. */
  duration: number | undefined = undefined
  /** True if it gave up: it timed out, or the client was gone. */
  failed = false
  error: unknown = undefined

  constructor(
    /** Connections that the pool may have. */
    readonly size: number,
    /** Calls that wait, with this one. */
    readonly waiting: number,
  ) {}
}

/** A list that took long. */
export interface SlowListMessage {
  readonly collection: string
  /** Milliseconds. */
  readonly duration: number
  /** The members that were filtered by, each once, in the order of their names. */
  readonly filters: readonly string[]
  /** The members that were sorted by; `-` stands before a descending one. */
  readonly sort: readonly string[]
  /** Whether there was a full-text search. */
  readonly search: boolean
  /** The tables that its plan reads completely, because no index fits. `undefined` if the plan is unknown. */
  readonly readWhole: readonly string[] | undefined
}

/** A rate-limit or login store that has failed or works again. */
export interface StoreFailureMessage {
  readonly state: 'failed' | 'recovered'
  /** A sentence for the log. */
  readonly message: string
  /** Of a failure: its cause. */
  readonly error: unknown
  /** Of a recovery: milliseconds for which the store did not count. */
  readonly duration: number | undefined
}
