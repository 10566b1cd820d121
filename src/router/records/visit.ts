/** A place that own code visits: like a request at that place, without anything of HTTP. */
import type { Action, Decided, Permission } from '../../auth/permission.js'
import type { KeyValue } from '../../definition/key.js'
import { type Conditions, unconditional } from '../../middleware/if-match.js'
import type { Mounted } from '../../plan/routes.js'
import type { Caller, Change, Scopes, Visit } from '../caller.js'
import type { ServedVersion } from '../exchange.js'
import type { RequestEvent } from '../hooks.js'
import type { Patience } from '../patience.js'
import type { Service } from '../service.js'
import type { Reach } from './reach.js'

export class OwnVisit implements Visit {
  readonly resource: Mounted
  readonly reads = false
  readonly #caller: Caller
  readonly #reach: Reach
  #change: Change = 'none'

  constructor(
    caller: Caller,
    reach: Reach,
    readonly keys: readonly KeyValue[],
    readonly conditions: Conditions = unconditional,
  ) {
    this.#caller = caller
    this.#reach = reach
    this.resource = reach.resource
  }

  get key(): KeyValue {
    return this.keys.at(-1) as KeyValue
  }

  get service(): Service {
    return this.#caller.service
  }

  get principal(): unknown {
    return this.#caller.principal
  }

  get permission(): Permission | undefined {
    return this.#reach.asks ? this.#caller.permission : undefined
  }

  get requestId(): string {
    return this.#caller.requestId
  }

  get version(): ServedVersion {
    return this.#caller.version
  }

  get versions(): Caller['versions'] {
    return this.#caller.versions
  }

  get root(): string {
    return this.#caller.root
  }

  get base(): string {
    return this.#caller.base
  }

  get patience(): Patience {
    return this.#caller.patience
  }

  get repeats(): boolean {
    return this.#reach.repeats
  }

  get scopes(): Scopes | undefined {
    return this.#caller.scopes
  }

  set scopes(scopes: Scopes | undefined) {
    this.#caller.scopes = scopes
  }

  get change(): Change {
    return this.#change
  }

  /** The request has changed something as well, or may have: what comes of a transaction only its owner knows (VERB-13). */
  set change(change: Change) {
    this.#change = change
    if (change !== 'none' && this.#caller.change === 'none') this.#caller.change = 'unknown'
  }

  reached(mounted: Mounted): Mounted {
    return this.#reach.reached(mounted)
  }

  decide(action: Action, resource: string, key?: KeyValue): Decided {
    return this.#reach.asks ? this.#caller.decide(action, resource, key) : 'allow'
  }

  event(): RequestEvent {
    return this.#caller.event()
  }
}
