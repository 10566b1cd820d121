/** The links that the answer to a request shows, as its adapter is told of them, and what it tells of them in turn (REP-1..3). */
import type { AdapterCall, ShownLink, ShownLinks, Stored } from '../adapters/contract.js'
import type { LinkTo } from '../definition/resource.js'
import type { Mounted } from '../plan/routes.js'
import { shownLinks } from '../representation/related.js'
import { adapterCall } from './adapter-call.js'
import type { Caller } from './caller.js'
import { isScoped } from './scope.js'

/** What an adapter has told of a link, by the texts of keys. `undefined`: nothing is there. */
export type ToldRecords = ReadonlyMap<string, Stored<unknown> | undefined>

/** A link that an adapter is told of, with where it leads. */
interface OfferedLink extends ShownLink {
  readonly link: LinkTo
  readonly target: Mounted
}

/** The links of a resource as adapters are told of them, by name: as they are shown, and expanded. */
type Offers = ReadonlyMap<string, { readonly shown: OfferedLink; readonly expanded: OfferedLink }>

const offers = new WeakMap<Mounted, Offers>()

function offersOf(mounted: Mounted): Offers {
  const known = offers.get(mounted)
  if (known !== undefined) return known
  const made: Offers = new Map(
    mounted.plan.associations.flatMap((link) => {
      const target = mounted.targets.get(link.name) as Mounted
      // A link does not lead to what its parents hide, and only the router reads those.
      if (target.parent !== undefined && isScoped(target.parent.mounted)) return []
      const expanded: OfferedLink = { link, target, by: link.by, adapter: target.adapter }
      // Where a version does not stand for the whole record, the tag is made of the whole record.
      const shown = target.adapter.computes === true ? expanded : { ...expanded, members: link.show }
      return [[link.name, { shown, expanded }] as const]
    }),
  )
  offers.set(mounted, made)
  return made
}

/** The links of one answer. */
export class AnswerLinks implements ShownLinks {
  readonly all: readonly OfferedLink[]
  readonly #caller: Caller
  readonly #told = new Map<LinkTo, Map<string, Stored<unknown> | undefined>>()
  /** Records that the adapter has told. */
  rows = 0

  private constructor(caller: Caller, all: readonly OfferedLink[]) {
    this.#caller = caller
    this.all = all
  }

  /** Those of an answer; `undefined` where the adapter is told of none. */
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
      // The scope of a principal throws where a record of the target is read, and nowhere else.
      return undefined
    }
  }

  found({ link }: OfferedLink, key: string, stored: Stored<unknown> | undefined): void {
    let told = this.#told.get(link)
    if (told === undefined) {
      told = new Map()
      this.#told.set(link, told)
    }
    if (stored !== undefined) this.rows += 1
    told.set(key, stored)
  }

  /** What the adapter has told of a link; `undefined` where that is nothing. */
  told(link: LinkTo): ToldRecords | undefined {
    return this.#told.get(link)
  }
}
