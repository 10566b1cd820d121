/** How a resource is looked at: all that shapes the bytes of its representations beside the records themselves. */
import type { Cache, Caches } from '../cache.js'
import type { Mounted } from '../plan/routes.js'
import { tagDigest } from './digest.js'
import type { Representation } from './encoding.js'
import { Presenter } from './represent.js'

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
  readonly presenter: Presenter
  /** By the version of the one record that items link to. */
  readonly linkDigests: Cache<string, LinkDigest>
  /** How often it was asked for while it was known. */
  uses: number
}

/** The digest of a view with the version of the one record that an item links to. */
export interface LinkDigest {
  readonly view: View
  readonly digest: string
  /** That of another view with the same version. */
  readonly next: LinkDigest | undefined
  /** How many there are, with the next. */
  readonly length: number
}

/** True for a view that is asked for again and again: only for such is anything else kept, since a client may name any host. */
export const isUsual = ({ uses }: View): boolean => uses >= usual

const usual = 3

/** The views of a service. */
export class Views {
  readonly #caches: Caches
  readonly #linkDigests: Cache<string, LinkDigest>
  readonly #byResource = new WeakMap<Mounted, ResourceViews>()
  readonly #plainLinks: boolean

  /** With `plainLinks` links are addresses in place of objects, as a service had them before REP-1. */
  constructor(caches: Caches, plainLinks = false) {
    this.#caches = caches
    this.#plainLinks = plainLinks
    this.#linkDigests = caches.make('link-digests')
  }

  of(resource: Mounted, variant: Variant): View {
    return (this.#byResource.get(resource) ?? this.#add(resource)).of(variant)
  }

  #add(resource: Mounted): ResourceViews {
    const made = new ResourceViews(resource, this.#caches, { linkDigests: this.#linkDigests, plainLinks: this.#plainLinks })
    this.#byResource.set(resource, made)
    return made
  }
}

/** What the views of all resources have in common. */
interface SharedByViews {
  readonly linkDigests: Cache<string, LinkDigest>
  readonly plainLinks: boolean
}

/** The views of one resource. */
class ResourceViews {
  readonly #digest: string
  readonly #linkDigests: Cache<string, LinkDigest>
  readonly #known: Cache<string, View>
  readonly #on: boolean
  readonly #plainLinks: boolean
  /** Most requests ask for the view of the one before: then no name is put together, which is 3% of what a 304 allocates. */
  #last: (Variant & { readonly view: View }) | undefined

  constructor({ plan }: Mounted, caches: Caches, { linkDigests, plainLinks }: SharedByViews) {
    // Bytes with other links have another tag (HDR-8).
    this.#digest = plainLinks ? `${plan.digest} plain` : plan.digest
    this.#plainLinks = plainLinks
    this.#linkDigests = linkDigests
    this.#known = caches.make('views')
    this.#on = caches.on
  }

  of(variant: Variant): View {
    const { base, representation, expand } = variant
    const last = this.#last
    const isLast = last !== undefined && last.base === base && last.representation === representation && last.expand === expand
    const view = isLast ? last.view : this.#named(variant)
    if (!isLast && this.#on) this.#last = { base, representation, expand, view }
    view.uses += 1
    return view
  }

  #named({ base, representation, expand }: Variant): View {
    const name = base + representation.variant + expand.join(',')
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const made: View = {
      digest: tagDigest(`${this.#digest} ${name}`),
      presenter: new Presenter(base, representation.text !== undefined, this.#plainLinks),
      linkDigests: this.#linkDigests,
      uses: 0,
    }
    this.#known.set(name, made)
    return made
  }
}
