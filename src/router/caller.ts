/**
 * The caller on whose behalf data is read and written: a request, or `records()` in the team's own
 * code. The types in this file do not depend on HTTP. The checks of a write take these types, so
 * requests and `records()` run the same checks. The stages of a request extend the types:
 * `Identified` is a `Caller`, `Routed` is a `Place`, and `Parsed` is a `ConditionalPlace`.
 */
import type { IncomingMessage } from 'node:http'
import type { Action, Decided, Permission } from '../auth/permission.js'
import type { ModedClause } from '../conventions/clauses.js'
import type { Legacy } from '../conventions/modes.js'
import type { KeyValue } from '../definition/key.js'
import type { Conditions } from '../middleware/if-match.js'
import type { Mounted } from '../plan/routes.js'
import type { RequestEvent } from './hooks.js'
import type { Progress } from './progress.js'
import type { ServedVersion, Versions } from './served-version.js'
import type { Service } from './service.js'
import type { TimeLimit } from './time-limit.js'

export interface Caller {
  /** The request; `undefined` for a job. */
  readonly req: IncomingMessage | undefined
  readonly service: Service
  readonly principal: unknown
  /** Decides which actions are allowed; `undefined` if permission is not checked. */
  readonly permission: Permission | undefined
  readonly requestId: string
  readonly version: ServedVersion
  /** All versions of the service; `undefined` in a `resourceRouter`. */
  readonly versions: Versions | undefined
  /** The absolute addresses of the service and of this version. Links begin with `base`. */
  readonly root: string
  readonly base: string
  /**
   * True if the caller only reads: for a request with GET, HEAD or OPTIONS. False for `records()`.
   */
  readonly reads: boolean
  /**
   * True if the team's code may have begun a transaction. In a transaction, a second read of a
   * record may return the same outdated version again.
   */
  readonly repeats: boolean
  /** The time limit of the whole request or call. */
  readonly timeLimit: TimeLimit
  readonly progress: Progress
  /**
   * Returns the resource with the adapter that this caller uses. Inside a transaction, this is the
   * adapter that works in that transaction.
   */
  reached(mounted: Mounted): Mounted
  /** Decides whether the caller has permission for an action (AUTH-4). */
  decide(action: Action, resource: string, key?: KeyValue): Decided
  /**
   * Returns the legacy behavior for a clause, if that behavior still applies to this caller.
   * Returns `undefined` if the clause is enforced, and always for `records()`.
   */
  legacy<C extends ModedClause>(clause: C): Legacy<C> | undefined
  /** Returns the fields common to all hook events. */
  event(): RequestEvent
}

/** A caller at a collection or an item of a resource. `keys` begin with the keys of the parents. */
export interface Place extends Caller {
  /** Throws if the path leads to no resource. */
  readonly resource: Mounted
  /** The keys of the place, outermost first. For an item, its own key is the last. */
  readonly keys: readonly KeyValue[]
  /** The key of the item. Throws if there is none. */
  readonly key: KeyValue
}

/** A place with the preconditions of the request. */
export interface ConditionalPlace extends Place {
  readonly conditions: Conditions
}
