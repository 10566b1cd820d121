/**
 * The messages of the diagnostics channels. The fields that describe a request or job are getters.
 * Each getter returns what is known when it is read.
 */
import type { IncomingMessage } from 'node:http'

/** The fields of a message that describe the request or job. */
export interface Facts {
  readonly requestId: string
  /** The method of the request; `JOB` for work that was not started by a request. */
  readonly method: string
  /** The version segment, if there is one. */
  readonly version: string | undefined
  /** The template below the version, such as `/contratos/{id}`; `undefined` if no route matches. */
  readonly route: string | undefined
  /**
   * The whole template, such as `/private/v1/contratos/{id}`, for `http.route` of OpenTelemetry.
   */
  readonly httpRoute: string | undefined
  /** The collection that the route belongs to. */
  readonly collection: string | undefined
  /**
   * The name of the operation, such as `patch`; `undefined` if the route does not have the method.
   */
  readonly operation: string | undefined
  /** The trace that the client sent (W3C Trace Context), if it is well-formed. */
  readonly traceparent: string | undefined
}

/** The source of a message: the facts about the request, and its principal. */
export interface Subject {
  /** The request; `undefined` for a job. */
  readonly req: IncomingMessage | undefined
  facts(): Facts
  principalHash(): string | undefined
}

/** The common properties of the messages about a request or job. */
abstract class Message implements Facts {
  readonly #subject: Subject
  /** The duration in milliseconds; `undefined` until the work has ended. */
  duration: number | undefined = undefined
  failed = false
  /** The thrown value. */
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

  /**
   * A digest of the caller's name, computed when it is first read. `undefined` before the step
   * `authenticate`, and if the principal has no name.
   */
  get principalHash(): string | undefined {
    return this.#subject.principalHash()
  }
}

export class RequestMessage extends Message {
  /** `undefined` if the connection was closed before a response. */
  status: number | undefined = undefined
  /** The code and the clause of the problem, if the response is a problem. */
  code: string | undefined = undefined
  clause: string | undefined = undefined
  /**
   * Whether the version was deprecated when the request ended. False for retired versions, whose
   * response is 410.
   */
  deprecated = false
  /** The number of adapter calls. */
  queries = 0
  /** The number of records that the adapters returned. */
  rows = 0
  /** Milliseconds that the request waited for other updates of the same record. */
  waited = 0
  /** The deprecated operations, parameters and members that the request used, by name (VER-3). */
  deprecatedUses: readonly { readonly kind: string; readonly name: string }[] = []
}

export class StepMessage extends Message {
  constructor(
    subject: Subject,
    /** The name of the step's file, and of its section in docs/lifecycle.md. */
    readonly step: string,
  ) {
    super(subject)
  }
}

export class CallMessage extends Message {
  /** The number of records that the adapter returned; `undefined` for writes and failures. */
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

  /**
   * The collection of the adapter. In an expansion, it can differ from the collection of the route.
   */
  override get collection(): string {
    return this.#collection
  }
}

/**
 * Lookups in one cache that are made without an `await` in between, such as the lookups for all
 * rows of a page.
 */
export interface CacheMessage {
  /** The name of the cache, as in docs/performance.md. */
  readonly cache: string
  /** Lookups that found a result. */
  readonly hits: number
  /** Lookups that found no result. */
  readonly misses: number
}

/** A call that waits for a connection because all connections of the pool are in use. */
export class PoolWaitMessage {
  /**
   * How long the call waited, in milliseconds. `undefined` until the call got a connection or gave
   * up.
   */
  duration: number | undefined = undefined
  /** Whether the call gave up, because of a timeout or because the client disconnected. */
  failed = false
  error: unknown = undefined

  constructor(
    /** The maximum number of connections in the pool. */
    readonly size: number,
    /** The number of waiting calls, including this one. It may include calls that have given up. */
    readonly waiting: number,
  ) {}
}

/** A list that was slow. */
export interface SlowListMessage {
  readonly collection: string
  /** The duration in milliseconds. */
  readonly duration: number
  /** The members that the list is filtered by, without duplicates and in alphabetical order. */
  readonly filters: readonly string[]
  /** The members that the list is sorted by. Those in descending order start with `-`. */
  readonly sort: readonly string[]
  /** Whether the list was a full-text search. */
  readonly search: boolean
  /**
   * The large tables that the query plan reads completely. `undefined` if the plan is unknown.
   */
  readonly readWhole: readonly string[] | undefined
}

/** A store for rate limits, logins or usage counts that has failed or works again. */
export interface StoreFailureMessage {
  readonly state: 'failed' | 'recovered'
  /** A sentence for the log. */
  readonly message: string
  /** The cause of a failure. */
  readonly error: unknown
  /** The duration of the outage in milliseconds. Present after a recovery. */
  readonly duration: number | undefined
}
