/**
 * The stages of a request, as types. A stage lists the fields of a request that are set when a
 * certain step begins. Each step takes a stage and returns the fields that it adds. The pipeline in
 * walk.ts combines the stage and these fields into the next stage. If a step reads a field that a
 * later step sets, the code does not compile. At run time, every stage is the same `Exchange`
 * object. A table in docs/lifecycle.md shows the stage that each step takes.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Idempotency } from '../adapters/contract.js'
import type { ModedClause } from '../conventions/clauses.js'
import type { Legacy } from '../conventions/modes.js'
import type { JsonObject } from '../definition/json.js'
import type { CompiledMethod } from '../plan/endpoint-plan.js'
import type { ItemQuery, ListQuery } from '../plan/list-grammar.js'
import type { BodyKind, QueryKind } from '../plan/operation.js'
import type { Match, Route } from '../plan/routes.js'
import type { Answer } from '../representation/answer.js'
import type { Representation } from '../representation/encoding.js'
import type { Caller, ConditionalPlace, Place } from './caller.js'
import type { RequestEvent } from './hooks.js'
import type { Operation, Outcome } from './operations/operation.js'
import type { Patch } from './patch.js'
import type { Progress } from './progress.js'
import type { ServedVersion, Versions } from './served-version.js'
import type { Service } from './service.js'
import type { TimeLimit } from './time-limit.js'

/** Where a request entered the service. */
export interface Entrance {
  /** The matched route, if it is already known. */
  readonly match: Match<Operation> | undefined
  /** The path below the version, and the query string. Both are still percent-encoded. */
  readonly path: string
  readonly rawQuery: string
  /** The path that the router is mounted at. */
  readonly mountPath: string
  /**
   * The part of the mount path that follows `baseUrl` in links, if `baseUrl` is configured. It
   * begins with the first version segment: `/v1` for the mount path `/private/v1`. It is empty if
   * the mount path has no version segment, and always empty for `api`.
   */
  readonly mountPathFromVersion: string
  /**
   * The route template that events report for a path outside all versions: `/login`. `undefined`
   * for all other paths.
   */
  readonly template: string | undefined
  /**
   * The only version of a `resourceRouter`. `undefined` for `api`: the step `version` then looks up
   * `versionName` in `versions`.
   */
  readonly soleVersion: ServedVersion | undefined
  readonly versions: Versions | undefined
  readonly versionName: string
}

/** The result of a step that ends the request with a response. */
export interface Answered {
  readonly answer: Answer
}

/** A request as it was received, before any step has run. */
export interface Received {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly service: Service
  readonly entrance: Entrance
  /** All versions of the service; `undefined` in a `resourceRouter`. */
  readonly versions: Versions | undefined
  readonly requestId: string
  /**
   * The header fields of the request. `req.headers` is a getter, which takes time, so it is read
   * only once.
   */
  readonly headers: IncomingHttpHeaders
  readonly method: string
  /** True for the safe methods, which change nothing: GET, HEAD and OPTIONS. */
  readonly reads: boolean
  readonly path: string
  readonly rawQuery: string
  /**
   * The absolute URL of the service, without the version (REP-5). Reading it throws the
   * `malformed-host` problem if the header field `Host` is malformed.
   */
  readonly root: string
  /** The path of the request, which is the member `instance` of problems. */
  readonly instance: string
  readonly timeLimit: TimeLimit
  readonly progress: Progress
  /**
   * Returns the fields common to all hook events. Fields that are not known yet are `undefined`.
   */
  event(): RequestEvent
  /**
   * Returns the legacy behavior for a clause of the conventions, if that behavior still applies to
   * this request. Returns `undefined` if the clause is enforced.
   */
  legacy<C extends ModedClause>(clause: C): Legacy<C> | undefined
  /**
   * Reports a finding to `onFinding` and `usage`: the request violates a clause that is not
   * enforced yet, or uses an alias of a parameter. Each combination of clause and detail is
   * reported at most once.
   */
  finding(clause: string, detail: string): void
  /**
   * Returns the header fields that announce the end of the version, or of the requested path or
   * method (VER-3). Returns `undefined` if there is nothing to announce.
   */
  notices(): Readonly<Record<string, string>> | undefined
  /**
   * Starts recording the template of the hand-written route that matches below `mountPath`. Does
   * nothing unless a hook, a tracer, `usage` or `conventions` needs the route.
   */
  followHandWrittenRoutes(mountPath: string): void
  /** Discards the recorded template, because no hand-written route has responded. */
  forgetHandWrittenRoute(): void
  /**
   * Reports the response to `onResponse`, to `usage` and to the request's trace. Only the first
   * call has an effect.
   */
  respondedWith(status: number): void
}

/** After the step `version`: the version is known. */
export interface Versioned extends Received {
  readonly version: ServedVersion
}

/** After the step `authenticate`: the version and the principal are known. */
export interface Identified extends Received, Caller {
  readonly req: IncomingMessage
  /**
   * True if the caller is authenticated. `Cache-Control` of the representations is then `private`
   * by default (HDR-6).
   */
  readonly authenticated: boolean
  /** The default value of `Cache-Control`, for resources that do not set their own (HDR-6). */
  readonly cacheControl: string
}

/** After the step `route`: the route of the path is known. */
export interface Routed extends Identified, Place {
  readonly req: IncomingMessage
  readonly route: Route<Operation>
  /**
   * The endpoint's declaration of the requested method. `undefined` if the route belongs to a
   * resource, or if the endpoint does not have this method.
   */
  readonly endpointMethod: CompiledMethod | undefined
  /** The path of the requested list, beginning with the version: `/v1/orders`. */
  readonly listPath: string
}

/** After the step `allow`: the operation is known, and the principal may execute it. */
export interface Allowed extends Routed {
  readonly operation: Operation
  /**
   * The value of the header field `Allow` for this principal. Valid only for OPTIONS, because other
   * methods do not need it.
   */
  readonly allow: string
}

/** After the step `negotiate`: the representation of the response is chosen. */
export interface Negotiated extends Allowed {
  readonly representation: Representation
}

/**
 * The type of the parsed query for each kind of query. The member `query` of an operation's
 * description names the kind.
 */
interface Queries {
  readonly list: ListQuery
  readonly item: ItemQuery
  readonly endpoint: Readonly<Record<string, unknown>>
  readonly none: undefined
  readonly ignored: undefined
}

/**
 * The type of the parsed body for each kind of body. The member `body` of an operation's
 * description names the kind.
 */
interface Bodies {
  readonly record: JsonObject
  readonly patch: Patch
  readonly endpoint: unknown
  readonly refused: undefined
  readonly ignored: undefined
}

/** The result of the step `parse`: the typed query and body. */
export interface Input<Q extends QueryKind = QueryKind, B extends BodyKind = BodyKind> {
  readonly query: Queries[Q]
  /** The names of the associations to expand in the response. */
  readonly expand: readonly string[]
  readonly body: Bodies[B]
  /**
   * Identifies retries of this request. Set only if the client sent an idempotency key and the
   * resource stores such keys (VERB-12).
   */
  readonly idempotency: Idempotency | undefined
}

/**
 * After the steps `parse` and `precondition`: the whole request is parsed. `Q` and `B` are the
 * kinds of query and body in the operation's description.
 */
export interface Parsed<Q extends QueryKind = QueryKind, B extends BodyKind = BodyKind>
  extends Negotiated,
    ConditionalPlace,
    Input<Q, B> {
  readonly req: IncomingMessage
}

/** After the step `execute`: the operation has run, and its outcome is known. */
export interface Executed extends Parsed {
  readonly outcome: Outcome
}

/**
 * The stage at which the fields of `Known` are set. If `Known` has the fields that the step
 * `authenticate` sets, the stage includes `Identified`. If it also has the fields that the step
 * `route` sets, the stage includes `Routed`. These interfaces also declare fields that the exchange
 * computes: `base` is computed from `version`, and `resource` and `listPath` are computed from
 * `route`.
 */
export type Stage<Known> = Known &
  (Known extends Pick<Identified, 'version' | 'principal' | 'authenticated'>
    ? Known extends Pick<Routed, 'route' | 'keys' | 'endpointMethod'>
      ? Routed
      : Identified
    : unknown)

/** A request at any stage. A field that a step sets may be `undefined` until that step has run. */
export type AnyStage = Received & {
  readonly [Name in Exclude<keyof Executed, keyof Received>]: Executed[Name] | undefined
}
