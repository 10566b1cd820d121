/**
 * Views of resources. A view combines everything that affects the bytes of a resource's
 * representations, except the records themselves.
 */
import type { Cache, Caches } from '../cache.js'
import type { Mounted } from '../plan/routes.js'
import { tagDigest } from './digest.js'
import type { Representation } from './encoding.js'
import { Presenter } from './represent.js'

/** The parts of a request that affect the bytes of a representation. */
export interface Variant {
  /** The absolute URL with which links begin. */
  readonly base: string
  readonly representation: Representation
  readonly expand: readonly string[]
}

/**
 * A way of representing a resource. Requests with the same view share one object, as long as the
 * object is cached.
 */
export interface View {
  /** Identifies the view in entity tags (HDR-2). */
  readonly digest: string
  readonly presenter: Presenter
  /**
   * A cache of digests, shared by the views of all resources. The key is the version of a related
   * record. In one view, all items whose only related record has this version have the same digest
   * in their entity tags.
   */
  readonly linkDigests: Cache<string, LinkDigest>
  /** The number of requests for this view since it was created. */
  uses: number
}

/**
 * A cached digest for the entity tags of items with only one related record. The digest is computed
 * from a view and the version of the related record.
 */
export interface LinkDigest {
  readonly view: View
  readonly digest: string
  /** The entry of another view for the same version. */
  readonly next: LinkDigest | undefined
  /** The number of entries in the chain that begins with this entry and follows `next`. */
  readonly length: number
}

/**
 * Returns true for a view that was requested several times. No responses or digests are cached for
 * other views. Otherwise a client could fill the caches by sending many host names, because each
 * host name can have a view of its own.
 */
export const isOftenUsed = ({ uses }: View): boolean => uses >= minUses

const minUses = 3

/** The views of a service. */
export class Views {
  readonly #caches: Caches
  readonly #linkDigests: Cache<string, LinkDigest>
  readonly #byResource = new WeakMap<Mounted, ResourceViews>()
  readonly #plainLinks: boolean

  /**
   * `plainLinks`: whether representations show a link only as a URL, and not as an object with
   * `href`.
   */
  constructor(caches: Caches, plainLinks = false) {
    this.#caches = caches
    this.#plainLinks = plainLinks
    this.#linkDigests = caches.make('link-digests')
  }

  of(resource: Mounted, variant: Variant): View {
    return (this.#byResource.get(resource) ?? this.#add(resource)).of(variant)
  }

  #add(resource: Mounted): ResourceViews {
    const made = new ResourceViews(resource, this.#caches, {
      linkDigests: this.#linkDigests,
      plainLinks: this.#plainLinks,
    })
    this.#byResource.set(resource, made)
    return made
  }
}

/** The data shared by the views of all resources. */
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
  /**
   * The view of the previous request. Most requests have the same view as the request before them.
   * For such a request, the view is not looked up by name, which saves 3% of the memory that a 304
   * allocates.
   */
  #last: (Variant & { readonly view: View }) | undefined

  constructor({ plan }: Mounted, caches: Caches, { linkDigests, plainLinks }: SharedByViews) {
    // Plain links change the bytes, so the entity tag must change too (HDR-8).
    this.#digest = plainLinks ? `${plan.digest} plain` : plan.digest
    this.#plainLinks = plainLinks
    this.#linkDigests = linkDigests
    this.#known = caches.make('views')
    this.#on = caches.on
  }

  of(variant: Variant): View {
    const { base, representation, expand } = variant
    const last = this.#last
    const isLast =
      last !== undefined && last.base === base && last.representation === representation && last.expand === expand
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
