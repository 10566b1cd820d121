/** A call of an adapter on behalf of a caller: with its principal, its scope and its time. */
import type { AdapterCall, Idempotency, ParentKey, Scalar, WriteAction } from '../adapters/contract.js'
import type { Mounted } from '../plan/routes.js'
import type { Caller } from './caller.js'
import { scopeOf } from './scope.js'

/** A call of a mounted adapter on behalf of a caller, with its principal, scope and time. */
export const adapterCall = (caller: Caller, mounted: Mounted): AdapterCall => new CallerCall(caller, scopeOf(caller, mounted))

/** A call whose signal is made when first asked for. */
export class CallerCall implements AdapterCall {
  readonly #caller: Caller
  readonly scope: Readonly<Record<string, Scalar>>
  readonly attachTo?: ParentKey
  readonly idempotency?: Idempotency
  action: WriteAction | undefined
  before: unknown

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
    return this.#caller.patience.signal()
  }

  /** All that a write reads it decides by or answers with: parents, the record as it is, what its links lead to. */
  get fresh(): boolean {
    return !this.#caller.reads
  }

  left(): number {
    return this.#caller.patience.left()
  }
}
