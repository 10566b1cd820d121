/**
 * The `Place` of a call of `records()`: a resource, keys and preconditions. The `Place` of an HTTP
 * request gets the same data from the path and the header fields.
 */
import type { IncomingMessage } from 'node:http'
import type { Action, Decided, Permission } from '../../auth/permission.js'
import { type KeyValue, lastKey } from '../../definition/key.js'
import { type Conditions, unconditional } from '../../middleware/if-match.js'
import type { Mounted } from '../../plan/routes.js'
import type { Caller, ConditionalPlace } from '../caller.js'
import type { RequestEvent } from '../hooks.js'
import { Progress } from '../progress.js'
import type { ServedVersion, Versions } from '../served-version.js'
import type { Service } from '../service.js'
import type { TimeLimit } from '../time-limit.js'
import type { DataAccess } from './data-access.js'

export class OwnPlace implements ConditionalPlace {
  readonly resource: Mounted
  readonly reads = false
  readonly progress: Progress
  readonly #caller: Caller
  readonly #access: DataAccess

  constructor(
    caller: Caller,
    access: DataAccess,
    readonly keys: readonly KeyValue[],
    readonly conditions: Conditions = unconditional,
  ) {
    this.#caller = caller
    this.#access = access
    this.resource = access.resource
    this.progress = new Progress(caller.progress)
  }

  get key(): KeyValue {
    return lastKey(this.keys)
  }

  get req(): IncomingMessage | undefined {
    return this.#caller.req
  }

  get service(): Service {
    return this.#caller.service
  }

  get principal(): unknown {
    return this.#caller.principal
  }

  get permission(): Permission | undefined {
    return this.#access.checksPermission ? this.#caller.permission : undefined
  }

  get requestId(): string {
    return this.#caller.requestId
  }

  get version(): ServedVersion {
    return this.#caller.version
  }

  get versions(): Versions | undefined {
    return this.#caller.versions
  }

  get root(): string {
    return this.#caller.root
  }

  get base(): string {
    return this.#caller.base
  }

  get timeLimit(): TimeLimit {
    return this.#caller.timeLimit
  }

  get mayBeInTransaction(): boolean {
    return this.#access.mayBeInTransaction
  }

  withOwnAdapter(mounted: Mounted): Mounted {
    return this.#access.withOwnAdapter(mounted)
  }

  decide(action: Action, resource: string, key?: KeyValue): Decided {
    return this.#access.checksPermission ? this.#caller.decide(action, resource, key) : 'allow'
  }

  /** Legacy behavior is meant for clients, and the code that calls `records()` is not a client. */
  legacy(): undefined {
    return undefined
  }

  event(): RequestEvent {
    return this.#caller.event()
  }
}
