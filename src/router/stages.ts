/**
 * The stages of a request, as types. Each step takes a stage and returns the fields that it adds;
 * the pipeline in walk.ts combines them into the next stage. So a step that reads a field of a
 * later step does not compile. At run time every stage is the same `Exchange`. docs/lifecycle.md
 * has a table.
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
  /** The path below the version, and the query, both undecoded. */
  readonly path: string
  readonly rawQuery: string
  /** The path that the router is mounted at. */
  readonly mountPath: string
  /**
   * The part of the mount path below a configured `baseUrl`: the version, if an outer router serves
   * it.
   */
  readonly mountTail: string
  /** The template, in events, of a path outside all versions. */
  readonly template: string | undefined
  /**
   * The only version of a `resourceRouter`. Otherwise the step `version` looks up `versionName` in
   * `versions`.
   */
  readonly soleVersion: ServedVersion | undefined
  readonly versions: Versions | undefined
  readonly versionName: string
}

/** The result of a step that answers the request, which ends there. */
export interface Answered {
  readonly answer: Answer
}

/** A request as received. */
export interface Received {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly service: Service
  readonly entrance: Entrance
  /** All versions of the service; `undefined` in a `resourceRouter`. */
  readonly versions: Versions | undefined
  readonly requestId: string
  /** The header fields, read once: the getter `req.headers` builds them. */
  readonly headers: IncomingHttpHeaders
  readonly method: string
  /** True for methods that change nothing. */
  readonly reads: boolean
  readonly path: string
  readonly rawQuery: string
  /** The absolute address before the version (REP-5). Throws the `malformed-host` problem. */
  readonly root: string
  /** The path of the request for the member `instance` of problems. */
  readonly instance: string
  readonly timeLimit: TimeLimit
  readonly progress: Progress
  /** The fields common to all hook events, as far as known. */
  event(): RequestEvent
  /**
   * The legacy behavior of a clause, if it still applies to this request; `undefined` if the clause
   * is enforced.
   */
  legacy<C extends ModedClause>(clause: C): Legacy<C> | undefined
  /** Notifies `onFinding`, once for each clause and name. */
  finding(clause: string, detail: string): void
  /** The header fields of a deprecated version (VER-3); `undefined` for other versions. */
  notices(): Readonly<Record<string, string>> | undefined
  /**
   * Records which hand-written route matches below a path, if a hook, tracer or counter needs it.
   */
  followOwnRoutes(mountPath: string): void
  /** No hand-written route has answered. */
  forgetOwnRoute(): void
  /** Calls the `onResponse` hook, once. */
  respondedWith(status: number): void
}

/** The version is known. */
export interface Versioned extends Received {
  readonly version: ServedVersion
}

/** Version and principal are known. */
export interface Identified extends Received, Caller {
  readonly req: IncomingMessage
  /** True for a caller with credentials: its representations are private (HDR-6). */
  readonly authenticated: boolean
  /** The `Cache-Control` of representations of resources that set none (HDR-6). */
  readonly cacheControl: string
}

/** The route of the path is known. */
export interface Routed extends Identified, Place {
  readonly req: IncomingMessage
  readonly route: Route<Operation>
  /**
   * The method of the endpoint; `undefined` for resources, and for a method that the endpoint
   * lacks.
   */
  readonly endpointMethod: CompiledMethod | undefined
  /** The path of the requested list, starting with the version. */
  readonly listPath: string
}

/** The operation is known, and the principal may execute it. */
export interface Allowed extends Routed {
  readonly operation: Operation
  /** The value of `Allow` for this principal. */
  readonly allow: string
}

/** The representation of the response is chosen. */
export interface Negotiated extends Allowed {
  readonly representation: Representation
}

/** The types of queries, by the `query` of an operation's description. */
interface Queries {
  readonly list: ListQuery
  readonly item: ItemQuery
  readonly endpoint: Readonly<Record<string, unknown>>
  readonly none: undefined
  readonly ignored: undefined
}

/** The types of bodies, by the `body` of an operation's description. */
interface Bodies {
  readonly record: JsonObject
  readonly patch: Patch
  readonly endpoint: unknown
  readonly refused: undefined
  readonly ignored: undefined
}

/** The typed query and body: the result of the step `parse`. */
export interface Input<Q extends QueryKind = QueryKind, B extends BodyKind = BodyKind> {
  readonly query: Queries[Q]
  /** The associations to expand. */
  readonly expand: readonly string[]
  readonly body: Bodies[B]
  /** Identifies repeats of this request, if the client sent a key (VERB-12). */
  readonly idempotency: Idempotency | undefined
}

/**
 * The whole request is parsed. `Q` and `B`: the kinds of query and body in the operation's
 * description.
 */
export interface Parsed<Q extends QueryKind = QueryKind, B extends BodyKind = BodyKind>
  extends Negotiated,
    ConditionalPlace,
    Input<Q, B> {
  readonly req: IncomingMessage
}

/** The operation has ended. */
export interface Executed extends Parsed {
  readonly outcome: Outcome
}

/**
 * The stage at which the fields of `Known` are set. Computed fields of the exchange become
 * available with the fields that they depend on: `base` with `version`, `resource` and `listPath`
 * with `route`. So the two named stages are used as soon as the fields of their steps are set.
 */
export type Stage<Known> = Known &
  (Known extends Pick<Identified, 'version' | 'principal' | 'authenticated'>
    ? Known extends Pick<Routed, 'route' | 'keys' | 'endpointMethod'>
      ? Routed
      : Identified
    : unknown)

/** A request at any stage: fields that later steps set may be `undefined`. */
export type AnyStage = Received & {
  readonly [Name in Exclude<keyof Executed, keyof Received>]: Executed[Name] | undefined
}
