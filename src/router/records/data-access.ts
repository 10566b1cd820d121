/**
 * The data that `records()` works on. The data is accessed through the mounted adapters, or through
 * adapters that work in the caller's transaction.
 */
import type { Kinds } from '../../options/kinds.js'
import type { AnyAdapter } from '../../plan/mount.js'
import type { RecordsOptions } from '../../plan/records.js'
import type { Mounted } from '../../plan/routes.js'
import { ConfigurationError } from '../../problem.js'

export class DataAccess {
  /** The resource that `records()` was called for. */
  readonly resource: Mounted
  /** Whether the service's permission applies. */
  readonly checksPermission: boolean
  /**
   * True if the code that called `records()` may have begun a transaction. In a transaction, a
   * second read of a record may return the same outdated version again.
   */
  readonly mayBeInTransaction: boolean
  readonly #transaction: unknown
  readonly #reached = new Map<Mounted, Mounted>()

  /** Throws `ConfigurationError` if the adapter can't join the transaction. */
  constructor(mounted: Mounted, { within, adapter, permission = true }: RecordsOptions<unknown, unknown>) {
    this.checksPermission = permission
    this.#transaction = within
    this.mayBeInTransaction = within !== undefined || adapter !== undefined
    this.resource = this.#own(mounted, adapter as AnyAdapter | undefined)
  }

  /**
   * Returns the resource with the adapter that this call of `records()` uses. If that is the
   * resource's own adapter, returns `mounted` itself.
   */
  withOwnAdapter(mounted: Mounted): Mounted {
    const known = this.#reached.get(mounted)
    if (known !== undefined) return known
    const { adapter } = mounted
    if (this.#transaction === undefined || adapter.within === undefined) return mounted
    return this.#over(mounted, adapter.within(this.#transaction) as AnyAdapter)
  }

  #own(mounted: Mounted, given: AnyAdapter | undefined): Mounted {
    if (given !== undefined) return this.#over(mounted, given)
    if (this.#transaction === undefined) return mounted
    if (mounted.adapter.within !== undefined) return this.withOwnAdapter(mounted)
    throw new ConfigurationError(
      'adapter-incomplete',
      `The adapter of "${mounted.plan.collection}" has no within(), so records() can't use it in your ` +
        'transaction. Pass an adapter of your transaction as the option "adapter".',
    )
  }

  /**
   * Returns the resource with another adapter. With that adapter, a patched record must not share
   * values with the stored record, because the transaction may still read the stored record.
   */
  #over(mounted: Mounted, adapter: AnyAdapter): Mounted {
    const made: Mounted = Object.freeze({ ...mounted, adapter, patchesShare: false })
    this.#reached.set(mounted, made).set(made, made)
    return made
  }
}

/** The expected types of the options that choose the data and the checks. */
export const dataAccessKinds: Kinds<RecordsOptions<unknown, unknown>> = {
  within: 'any',
  adapter: { by: 'an adapter, which has list() and read()', is: isAdapter },
  permission: 'boolean',
}

function isAdapter(value: unknown): boolean {
  const { list, read } = (value ?? {}) as Partial<AnyAdapter>
  return typeof list === 'function' && typeof read === 'function'
}
