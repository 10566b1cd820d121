/** How a resource is looked at: all that shapes the bytes of its representations beside the records themselves. */
import type { Mounted } from '../plan/routes.js'
import { RecentMap } from '../recent-map.js'
import { tagDigest } from './digest.js'
import type { Representation } from './encoding.js'

/** What of a request shapes the bytes of a representation. */
export interface Variant {
  /** The absolute address that links begin with. */
  readonly base: string
  readonly representation: Representation
  readonly expand: readonly string[]
}

/** One way of looking at a resource. The same one is the same object for as long as it is in use. */
export interface View {
  /** Stands for it in entity tags (HDR-2). */
  readonly digest: string
  /** How often it was asked for while it was known. */
  uses: number
}

/** True for a view that is asked for again and again: only for such is anything else kept, since a client may name any host. */
export const isUsual = ({ uses }: View): boolean => uses >= usual

const usual = 3
const mostKnown = 64

/** Those of one resource: few are in use at a time, and a client that varies its Host must not fill the memory. */
class Views {
  readonly #known = new RecentMap<string, View>(mostKnown)
  readonly #mounted: Mounted
  #last: (Variant & { readonly view: View }) | undefined

  constructor(mounted: Mounted) {
    this.#mounted = mounted
  }

  of({ base, representation, expand }: Variant): View {
    const last = this.#last
    if (last !== undefined && last.base === base && last.representation === representation && last.expand === expand) return used(last.view)
    const name = `${base} ${representation.variant} ${expand.join(',')}`
    const view = this.#known.get(name) ?? this.#make(name)
    this.#last = { base, representation, expand, view }
    return used(view)
  }

  #make(name: string): View {
    const view: View = { digest: tagDigest(`${this.#mounted.plan.digest} ${name}`), uses: 0 }
    this.#known.set(name, view)
    return view
  }
}

function used(view: View): View {
  view.uses += 1
  return view
}

const known = new WeakMap<Mounted, Views>()

export function viewOf(mounted: Mounted, variant: Variant): View {
  const found = known.get(mounted)
  if (found !== undefined) return found.of(variant)
  const made = new Views(mounted)
  known.set(mounted, made)
  return made.of(variant)
}
