/**
 * On whose behalf data is read and written: a request, or `records()` in the team's own code. The
 * checks of a write take these types, which know nothing of HTTP, so both run the same checks. The
 * stages of a request extend them: `Identified` is a `Caller`, `Routed` a `Place`, `Parsed` a `Visit`.
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
  /** The request; `undefined` of a job. */
  readonly req: IncomingMessage | undefined
  readonly service: Service
  readonly principal: unknown
  /** Who may do what; `undefined` where it is not asked. */
  readonly permission: Permission | undefined
  readonly requestId: string
  readonly version: ServedVersion
  /** All versions of the service; `undefined` in a `resourceRouter`. */
  readonly versions: Versions | undefined
  /** The absolute address of the service, and of this version: links begin with it. */
  readonly root: string
  readonly base: string
  /** True where nothing is changed. */
  readonly reads: boolean
  /** True in a transaction of the team's, where reading again may return the same old record. */
  readonly repeats: boolean
  /** How long the whole request, or call, may take. */
  readonly timeLimit: TimeLimit
  readonly progress: Progress
  /** The resource over the data that this caller reaches: in a transaction, its adapter there. */
  reached(mounted: Mounted): Mounted
  /** Asks the permission whether the caller may do something (AUTH-4). */
  decide(action: Action, resource: string, key?: KeyValue): Decided
  /** What the service did before, where that still holds for this caller; `undefined` where the clause is enforced, and of a job. */
  legacy<C extends ModedClause>(clause: C): Legacy<C> | undefined
  /** The fields of every hook event. */
  event(): RequestEvent
}

/** A caller at a collection or an item of a resource, below the parents that `keys` begin with. */
export interface Place extends Caller {
  /** Throws where the path leads to no resource. */
  readonly resource: Mounted
  /** The keys of the place, outermost first: of an item, its own is the last. */
  readonly keys: readonly KeyValue[]
  /** The key of the item. Throws where there is none. */
  readonly key: KeyValue
}

/** A caller at a place, with its preconditions. */
export interface Visit extends Place {
  readonly conditions: Conditions
}
