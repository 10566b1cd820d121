/**
 * The caller on whose behalf data is read and written: a request, or a call of `records()` in the
 * service's own code. The types in this file do not require a request. The checks of a write take
 * these types, so requests and `records()` run the same checks. The stages of a request extend
 * these types: `Identified` is a `Caller`, `Routed` is a `Place`, and `Parsed` is a
 * `ConditionalPlace`.
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
  /**
   * The absolute URLs of the service (`root`) and of this version (`base`). Links begin with
   * `base`. For a job of a service without `baseUrl`, both are paths without an origin.
   */
  readonly root: string
  readonly base: string
  /**
   * True for a request with GET, HEAD or OPTIONS, because such a request only reads. False for
   * `records()`.
   */
  readonly reads: boolean
  /**
   * True if the code that called `records()` may have begun a transaction. In a transaction, a
   * second read of a record may return the same outdated version again.
   */
  readonly mayBeInTransaction: boolean
  /** The time limit of the request, or of the call of `records()`. */
  readonly timeLimit: TimeLimit
  readonly progress: Progress
  /**
   * Returns the resource with the adapter that this caller uses. Inside a transaction, this is the
   * adapter that works in that transaction.
   */
  withOwnAdapter(mounted: Mounted): Mounted
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

/** A caller, together with the collection or item that the caller works on. */
export interface Place extends Caller {
  /** The resource at the path. Reading this member throws if there is no resource at the path. */
  readonly resource: Mounted
  /** The keys of the parents, outermost first. For an item, the item's own key is the last. */
  readonly keys: readonly KeyValue[]
  /** The key of the item. Reading this member throws if the path does not lead to an item. */
  readonly key: KeyValue
}

/** A `Place` with the preconditions of the request. */
export interface ConditionalPlace extends Place {
  readonly conditions: Conditions
}
