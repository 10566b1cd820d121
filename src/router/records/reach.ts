/** The data that `records()` reaches: the mounted adapters, or those of the team's transaction in their place. */
import type { Kinds } from '../../options/kinds.js'
import type { AnyAdapter } from '../../plan/mount.js'
import type { RecordsOptions } from '../../plan/records.js'
import type { Mounted } from '../../plan/routes.js'
import { ConfigurationError } from '../../problem.js'

export class Reach {
  /** The resource at hand. */
  readonly resource: Mounted
  /** Whether the service's permission is asked. */
  readonly asks: boolean
  /** True in a transaction of the team's, where reading again may return the same old record. */
  readonly repeats: boolean
  readonly #transaction: unknown
  readonly #reached = new Map<Mounted, Mounted>()

  /** Throws `ConfigurationError` where the adapter of the resource can't be reached so. */
  constructor(mounted: Mounted, { within, adapter, permission = true }: RecordsOptions<unknown, unknown>) {
    this.asks = permission
    this.#transaction = within
    this.repeats = within !== undefined || adapter !== undefined
    this.resource = this.#own(mounted, adapter as AnyAdapter | undefined)
  }

  /** A resource over the data that is reached here; itself where that is its own. */
  reached(mounted: Mounted): Mounted {
    const known = this.#reached.get(mounted)
    if (known !== undefined) return known
    const { adapter } = mounted
    if (this.#transaction === undefined || adapter.within === undefined) return mounted
    return this.#over(mounted, adapter.within(this.#transaction) as AnyAdapter)
  }

  #own(mounted: Mounted, given: AnyAdapter | undefined): Mounted {
    if (given !== undefined) return this.#over(mounted, given)
    if (this.#transaction === undefined) return mounted
    if (mounted.adapter.within !== undefined) return this.reached(mounted)
    throw new ConfigurationError(
      'adapter-incomplete',
      `The adapter of "${mounted.plan.collection}" has no within(), so records() can't use it in your transaction. Give the option adapter.`,
    )
  }

  /** Patched records share nothing with stored ones there: the transaction may still read those. */
  #over(mounted: Mounted, adapter: AnyAdapter): Mounted {
    const made: Mounted = Object.freeze({ ...mounted, adapter, patchesShare: false })
    this.#reached.set(mounted, made).set(made, made)
    return made
  }
}

/** Over what data, and with which checks. */
export const reachKinds: Kinds<RecordsOptions<unknown, unknown>> = {
  within: 'any',
  adapter: { by: 'an adapter, which has list() and read()', is: isAdapter },
  permission: 'boolean',
}

function isAdapter(value: unknown): boolean {
  const { list, read } = (value ?? {}) as Partial<AnyAdapter>
  return typeof list === 'function' && typeof read === 'function'
}
