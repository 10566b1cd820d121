/** A call of an adapter on behalf of a caller: with its principal, its scope and its time. */
import type { AdapterCall, Idempotency, ParentKey, Scalar, ShownLinks, WriteAction } from '../adapters/contract.js'
import type { Mounted } from '../plan/routes.js'
import { ConfigurationError } from '../problem.js'
import type { Caller } from './caller.js'
import { scopeOf } from './scope.js'
import type { Routed } from './stages.js'

/** A call of a mounted adapter on behalf of a caller, with its principal, scope and time. */
export const adapterCall = (caller: Caller, mounted: Mounted): AdapterCall => new CallerCall(caller, scopeOf(caller, mounted))

/** The resource of a collection that an endpoint names, in its version. Throws `ConfigurationError` where there is none. */
export function mountedOf({ version, route }: Routed, collection: string): Mounted {
  const found = version.table.resources.find(({ plan }) => plan.collection === collection)
  if (found !== undefined) return found
  throw new ConfigurationError(
    'unknown-member',
    `The endpoint "${route.template}" calls "${String(collection)}", which is not mounted beside it. Mount it in the same version.`,
  )
}

/** A call whose signal is made when first asked for. */
export class CallerCall implements AdapterCall {
  readonly #caller: Caller
  readonly scope: Readonly<Record<string, Scalar>>
  readonly attachTo?: ParentKey
  readonly idempotency?: Idempotency
  action: WriteAction | undefined
  before: unknown
  links: ShownLinks | undefined

  constructor(caller: Caller, scope: Readonly<Record<string, Scalar>>, attachTo?: ParentKey, idempotency?: Idempotency) {
    this.#caller = caller
    this.scope = scope
    if (attachTo !== undefined) this.attachTo = attachTo
    if (idempotency !== undefined) this.idempotency = idempotency
  }

  get principal(): unknown {
    return this.#caller.principal
  }

  get requestId(): string {
    return this.#caller.requestId
  }

  get signal(): AbortSignal {
    return this.#caller.timeLimit.signal()
  }

  /** All that a write reads it decides by or answers with: parents, the record as it is, what its links lead to. */
  get fresh(): boolean {
    return !this.#caller.reads
  }

  left(): number {
    return this.#caller.timeLimit.left()
  }
}
