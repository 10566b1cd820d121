/** The data that `records()` works on: the mounted adapters, or those of the team's transaction. */
import type { Kinds } from '../../options/kinds.js'
import type { AnyAdapter } from '../../plan/mount.js'
import type { RecordsOptions } from '../../plan/records.js'
import type { Mounted } from '../../plan/routes.js'
import { ConfigurationError } from '../../problem.js'

export class Reach {
  /** The resource that `records()` was called for. */
  readonly resource: Mounted
  /** Whether the service's permission applies. */
  readonly checksPermission: boolean
  /** True inside a transaction of the team, where a second read may return the same old record. */
  readonly repeats: boolean
  readonly #transaction: unknown
  readonly #reached = new Map<Mounted, Mounted>()

  /** Throws `ConfigurationError` if the adapter can't join the transaction. */
  constructor(mounted: Mounted, { within, adapter, permission = true }: RecordsOptions<unknown, unknown>) {
    this.checksPermission = permission
    this.#transaction = within
    this.repeats = within !== undefined || adapter !== undefined
    this.resource = this.#own(mounted, adapter as AnyAdapter | undefined)
  }

  /** The resource with the adapter that is used here; the resource itself if that is its own. */
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

  /**
   * Patched records must not share values with stored ones: the transaction may still read those.
   */
  #over(mounted: Mounted, adapter: AnyAdapter): Mounted {
    const made: Mounted = Object.freeze({ ...mounted, adapter, patchesShare: false })
    this.#reached.set(mounted, made).set(made, made)
    return made
  }
}

/** The options that choose the data and the checks. */
export const reachKinds: Kinds<RecordsOptions<unknown, unknown>> = {
  within: 'any',
  adapter: { by: 'an adapter, which has list() and read()', is: isAdapter },
  permission: 'boolean',
}

function isAdapter(value: unknown): boolean {
  const { list, read } = (value ?? {}) as Partial<AnyAdapter>
  return typeof list === 'function' && typeof read === 'function'
}
