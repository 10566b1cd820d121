/**
 * The links that a response shows. These links are passed to the adapter, which may then return the
 * linked records together with its result (REP-1..3).
 */
import type { AdapterCall, ShownLink, ShownLinks, Stored } from '../adapters/contract.js'
import type { LinkTo } from '../definition/resource.js'
import type { Mounted } from '../plan/routes.js'
import { shownLinks } from '../representation/related.js'
import { adapterCall } from './adapter-call.js'
import type { Caller } from './caller.js'
import { isScoped } from './scope.js'

/**
 * The targets of one link that have already been read, by key (as a string). The value is
 * `undefined` if no record has the key.
 */
export type PreloadedRecords = ReadonlyMap<string, Stored<unknown> | undefined>

/** A link that is passed to an adapter, with its target. */
interface OfferedLink extends ShownLink {
  readonly link: LinkTo
  readonly target: Mounted
}

/**
 * The links of a resource, by name, as they are passed to adapters. `expanded` is used if the
 * response expands the link, and `shown` otherwise.
 */
type Offers = ReadonlyMap<string, { readonly shown: OfferedLink; readonly expanded: OfferedLink }>

const offers = new WeakMap<Mounted, Offers>()

function offersOf(mounted: Mounted): Offers {
  const known = offers.get(mounted)
  if (known !== undefined) return known
  const made: Offers = new Map(
    mounted.plan.associations.flatMap((link) => {
      const target = mounted.targets.get(link.name) as Mounted
      // If a parent of the target has a scope, the scope may hide that parent, and the target is
      // then hidden too. Adapters do not check the parents of a link target, so this link is not
      // passed to them. The router reads the target and its parents.
      if (target.parent !== undefined && isScoped(target.parent.mounted)) return []
      const expanded: OfferedLink = { link, target, by: link.by, adapter: target.adapter }
      // If `computes` is true, a record can change while its version stays the same. The entity tag
      // is then computed from the whole record, so the adapter must return all members.
      const shown = target.adapter.computes === true ? expanded : { ...expanded, members: link.show }
      return [[link.name, { shown, expanded }] as const]
    }),
  )
  offers.set(mounted, made)
  return made
}

/** The record that a link leads to, and its key as a string. */
interface LinkTarget {
  readonly key: string
  readonly stored: Stored<unknown>
}

/** The links of one response. */
export class AnswerLinks implements ShownLinks {
  readonly all: readonly OfferedLink[]
  readonly #caller: Caller
  readonly #preloaded = new Map<LinkTo, Map<string, Stored<unknown> | undefined>>()
  #checked: Map<LinkTo, LinkTarget | undefined> | undefined
  /** The number of linked records that the adapter returned. */
  rows = 0

  private constructor(caller: Caller, all: readonly OfferedLink[]) {
    this.#caller = caller
    this.all = all
  }

  /** Returns the links of a response, or `undefined` if none are passed to the adapter. */
  static of(caller: Caller, mounted: Mounted, expand: readonly string[]): AnswerLinks | undefined {
    if (mounted.adapter.readsLinks !== true) return undefined
    const offered = offersOf(mounted)
    const all: OfferedLink[] = []
    for (const { name } of shownLinks(mounted, expand)) {
      const one = offered.get(name)
      if (one !== undefined) all.push(expand.includes(name) ? one.expanded : one.shown)
    }
    return all.length === 0 ? undefined : new AnswerLinks(caller, all)
  }

  callOf({ target }: OfferedLink): AdapterCall | undefined {
    try {
      return adapterCall(this.#caller, target)
    } catch {
      // The `scope` function of the target may throw. That error must occur only if a record of the
      // target is actually read, and not here.
      return undefined
    }
  }

  /**
   * During a create, stores the link target that `checkRules` has read. `target` is `undefined` if
   * the link is null.
   */
  check(link: LinkTo, target?: LinkTarget): void {
    this.#checked ??= new Map()
    this.#checked.set(link, target)
  }

  showChecked({ link }: OfferedLink): boolean {
    if (this.#checked?.has(link) !== true) return false
    const target = this.#checked.get(link)
    if (target !== undefined) this.#preload(link, target.key, target.stored)
    return true
  }

  found({ link }: OfferedLink, key: string, stored: Stored<unknown> | undefined): void {
    if (stored !== undefined) this.rows += 1
    this.#preload(link, key, stored)
  }

  #preload(link: LinkTo, key: string, stored: Stored<unknown> | undefined): void {
    let preloaded = this.#preloaded.get(link)
    if (preloaded === undefined) {
      preloaded = new Map()
      this.#preloaded.set(link, preloaded)
    }
    preloaded.set(key, stored)
  }

  /**
   * Returns the targets of a link that have already been read. The adapter has returned them with
   * its result, or they were read to check the link. Returns `undefined` if there are none.
   */
  preloaded(link: LinkTo): PreloadedRecords | undefined {
    return this.#preloaded.get(link)
  }
}
