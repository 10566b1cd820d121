/**
 * The stages of a request, as types. Each step takes a stage and returns what it adds; the path of
 * steps in walk.ts makes the next stage of both. So a step that reads what a later step finds out
 * does not compile. At run time every stage is the same `Exchange`. docs/lifecycle.md has a table.
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
import type { Caller, Place, Visit } from './caller.js'
import type { RequestEvent } from './hooks.js'
import type { Operation, Outcome } from './operations/operation.js'
import type { Patch } from './patch.js'
import type { Progress } from './progress.js'
import type { ServedVersion, Versions } from './served-version.js'
import type { Service } from './service.js'
import type { TimeLimit } from './time-limit.js'

/** Where a request came in. */
export interface Entrance {
  /** What the path leads to, where that is known already. */
  readonly match: Match<Operation> | undefined
  /** The path below the version, and the query, both raw. */
  readonly path: string
  readonly rawQuery: string
  /** The path that the router is mounted at. */
  readonly mountPath: string
  /**
   * The part of the mount path that stands below a configured `baseUrl`: the version, where an
   * outer router serves it.
   */
  readonly mountTail: string
  /** Of a path outside of all versions, its template in events. */
  readonly template: string | undefined
  /** The version of a `resourceRouter`, which has one. Else the step `version` looks up `versionName` in `versions`. */
  readonly soleVersion: ServedVersion | undefined
  readonly versions: Versions | undefined
  readonly versionName: string
}

/** What a step returns where it answers the request, which ends there. */
export interface Answered {
  readonly answer: Answer
}

/** A request as it came. */
export interface Received {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly service: Service
  readonly entrance: Entrance
  /** All versions of the service; `undefined` in a `resourceRouter`. */
  readonly versions: Versions | undefined
  readonly requestId: string
  /** The header fields: the getter `req.headers` builds them, and is called once. */
  readonly headers: IncomingHttpHeaders
  readonly method: string
  /** True for the methods that change nothing. */
  readonly reads: boolean
  readonly path: string
  readonly rawQuery: string
  /** The absolute address before the version (REP-5). Throws the `malformed-host` problem. */
  readonly root: string
  /** The path of the request, as problems have it. */
  readonly instance: string
  readonly timeLimit: TimeLimit
  readonly progress: Progress
  /** The fields of every hook event, as far as they are known. */
  event(): RequestEvent
  /** What the service did before, where that still holds for this request; `undefined` where the clause is enforced. */
  legacy<C extends ModedClause>(clause: C): Legacy<C> | undefined
  /** Notifies `onFinding`, once for each clause and name. */
  finding(clause: string, detail: string): void
  /** The header fields of a deprecated version (VER-3); `undefined` for any other. */
  notices(): Readonly<Record<string, string>> | undefined
  /** Learns which hand-written route matches below a path, where anybody is notified of it. */
  followOwnRoutes(mountPath: string): void
  /** No hand-written route has answered. */
  forgetOwnRoute(): void
  /** Notifies the `onResponse` hook, once. */
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
  /** The `Cache-Control` of representations where a resource says nothing (HDR-6). */
  readonly cacheControl: string
}

/** What the path leads to is known. */
export interface Routed extends Identified, Place {
  readonly req: IncomingMessage
  readonly route: Route<Operation>
  /** The method of the endpoint; `undefined` for resources, and for a method that the endpoint lacks. */
  readonly endpointMethod: CompiledMethod | undefined
  /** The path of the list that is asked for, from the version on. */
  readonly listPath: string
}

/** The operation is known, and this principal may do it. */
export interface Allowed extends Routed {
  readonly operation: Operation
  /** The value of `Allow` for this principal. */
  readonly allow: string
}

/** The representation of the answer is chosen. */
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

/** The query and the body, typed: what the step `parse` adds. */
export interface Input<Q extends QueryKind = QueryKind, B extends BodyKind = BodyKind> {
  readonly query: Queries[Q]
  /** The associations to expand. */
  readonly expand: readonly string[]
  readonly body: Bodies[B]
  /** Identifies repeats of this request, where the client sent a key (VERB-12). */
  readonly idempotency: Idempotency | undefined
}

/**
 * All that the client asks for is known. `Q` and `B`: the kinds of query and body that the
 * operation's description names.
 */
export interface Parsed<Q extends QueryKind = QueryKind, B extends BodyKind = BodyKind> extends Negotiated, Visit, Input<Q, B> {
  readonly req: IncomingMessage
}

/** The operation has ended. */
export interface Executed extends Parsed {
  readonly outcome: Outcome
}

/**
 * The stage at which `Known` is known. Fields that the exchange computes come with the fields that
 * they are computed from: `base` with `version`, `resource` and `listPath` with `route`. So the two
 * named stages are given in full as soon as the fields of their steps are known.
 */
export type Stage<Known> = Known &
  (Known extends Pick<Identified, 'version' | 'principal' | 'authenticated'>
    ? Known extends Pick<Routed, 'route' | 'keys' | 'endpointMethod'>
      ? Routed
      : Identified
    : unknown)

/** What is known of a request at any stage: what a later step adds may be `undefined`. */
export type AnyStage = Received & { readonly [Name in Exclude<keyof Executed, keyof Received>]: Executed[Name] | undefined }
