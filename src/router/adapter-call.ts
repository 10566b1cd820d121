/** Calls of an adapter on behalf of a caller, with the caller's principal, scope and time limit. */
import type { AdapterCall, Idempotency, ParentKey, Scalar, ShownLinks, WriteAction } from '../adapters/contract.js'
import { principalKey } from '../limits/keys.js'
import type { Mounted } from '../plan/routes.js'
import { ConfigurationError } from '../problem.js'
import type { Caller } from './caller.js'
import { scopeOf } from './scope.js'
import type { Routed } from './stages.js'

/** Returns the `AdapterCall` that a mounted adapter gets for this caller. */
export const adapterCall = (caller: Caller, mounted: Mounted): AdapterCall =>
  new CallerCall(caller, scopeOf(caller, mounted))

/**
 * Returns the resource with this collection name in the version of the request. The name comes from
 * the handler of an endpoint, or from the option `upload` of the endpoint's method. Throws
 * `ConfigurationError` if the version has no such resource.
 */
export function mountedOf({ version, route }: Routed, collection: string): Mounted {
  const found = version.table.resources.find(({ plan }) => plan.collection === collection)
  if (found !== undefined) return found
  throw new ConfigurationError(
    'unknown-member',
    `The endpoint "${route.template}" uses "${String(collection)}", which is not mounted in the same version. ` +
      'Mount it in the same version.',
  )
}

/** A call of an adapter. Its abort signal is created on first use. */
export class CallerCall implements AdapterCall {
  readonly #caller: Caller
  readonly scope: Readonly<Record<string, Scalar>>
  readonly attachTo?: ParentKey
  readonly idempotency?: Idempotency
  action: WriteAction | undefined
  before: unknown
  links: ShownLinks | undefined

  constructor(
    caller: Caller,
    scope: Readonly<Record<string, Scalar>>,
    attachTo?: ParentKey,
    idempotency?: Idempotency,
  ) {
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

  /**
   * True unless the caller is a request that only reads. A write and its response depend on the
   * parents in the path, the current record and the link targets. All of these must be read from
   * the primary database, and not from a replica.
   */
  get fresh(): boolean {
    return !this.#caller.reads
  }

  get current(): boolean {
    const headers = this.#caller.req?.headers
    return headers !== undefined && (headers['if-match'] !== undefined || headers['if-none-match'] !== undefined)
  }

  get caller(): string | undefined {
    return principalKey(this.#caller.principal)
  }

  left(): number {
    return this.#caller.timeLimit.left()
  }
}
