/** The schemas of links in responses (REP-1) and in request bodies (REP-7). */
import type { LinkTo } from '../definition/resource.js'
import type { LinkForms } from '../plan/legacy-endings.js'
import type { Mounted } from '../plan/routes.js'
import { longestUrlOrField } from './bounds.js'
import type { Components } from './components.js'
import type { DocumentSchema, Reference } from './document.js'
import type { MemberSchemas } from './member-schemas.js'
import { typeName } from './names.js'

/** Builds the schemas of links. */
export class LinkSchemas {
  readonly #components: Components
  readonly #members: MemberSchemas
  readonly #sentAddress: DocumentSchema
  readonly #forms: LinkForms
  /** The schemas of links in request bodies. Most of them are used in several bodies. */
  readonly #sent = new Map<Mounted, Map<string, Reference>>()

  /**
   * `bodyLimit`: the maximum size of a request body in bytes. A string in the body can't have more
   * characters than that.
   */
  constructor(components: Components, members: MemberSchemas, bodyLimit: number, forms: LinkForms) {
    this.#forms = forms
    this.#components = components
    this.#members = members
    this.#sentAddress = {
      type: 'string',
      description: 'The absolute URL of the item, or its path.',
      maxLength: bodyLimit,
    }
  }

  /** Returns the schema of a link to a sub-collection of the item. */
  sub(): DocumentSchema {
    return this.#inForm(this.#components.define('SubCollectionLink', 'the library', () => subLink))
  }

  /**
   * Returns the schema of a link in responses. Besides `href`, the link has the members of its
   * target that `link.show` lists.
   */
  brief(mounted: Mounted, link: LinkTo, target: Mounted): DocumentSchema {
    // These members are optional. If the target is missing, or if the caller is not allowed to read
    // it, the link has only `href`.
    const shown = link.show.flatMap((name) => {
      const schema = this.#members.of(target, 'output', name, true)
      return schema === undefined ? [] : [[name, schema] as const]
    })
    const schema = {
      type: 'object',
      description: `A link to an item of ${target.plan.collection} (REP-1).`,
      properties: { href: absolute, ...Object.fromEntries(shown) },
      required: ['href'],
      additionalProperties: false,
    }
    return this.#inForm(this.#share(mounted, link, target, 'Link', schema))
  }

  /**
   * Returns the schema of a link in the form that this service uses: an object, a plain URL, or
   * either of them (REP-1).
   */
  #inForm(link: Reference): DocumentSchema {
    if (this.#forms === 'objects') return { ...link }
    return this.#forms === 'addresses' ? { ...absolute } : { anyOf: [absolute, link] }
  }

  /**
   * Returns the schema of a link in request bodies. The link contains the URL or the key of its
   * target. Other members of the link are ignored.
   */
  sent(mounted: Mounted, link: LinkTo, target: Mounted): DocumentSchema {
    const made = this.#sent.get(mounted) ?? new Map<string, Reference>()
    this.#sent.set(mounted, made)
    const reference = made.get(link.name) ?? this.#makeSent(mounted, link, target)
    made.set(link.name, reference)
    return this.#forms === 'objects' ? { ...reference } : { anyOf: [this.#sentAddress, reference] }
  }

  #makeSent(mounted: Mounted, link: LinkTo, target: Mounted): Reference {
    const { key, definition } = target.plan
    // If the link contains the key of the target, the link's `href` may be null. If the target has
    // its own member `href`, the link may contain this member in place of the URL, so `href` is not
    // restricted here.
    const address = definition.shape.members.has('href')
      ? {}
      : { href: { type: ['string', 'null'], maxLength: this.#sentAddress.maxLength } }
    const keys = key.members.map((name) => [name, this.#members.of(target, 'replace', name, true) ?? {}] as const)
    const schema = {
      type: 'object',
      description:
        `Refers to an item of ${target.plan.collection}, by its address in any served version or by its key. ` +
        'Other members are ignored (REP-7).',
      anyOf: [
        { type: 'object', properties: { href: this.#sentAddress }, required: ['href'] },
        { type: 'object', properties: { ...address, ...Object.fromEntries(keys) }, required: key.members },
      ],
    }
    return this.#share(mounted, link, target, 'Reference', schema)
  }

  /**
   * Returns a reference to the schema of a link. Links to the same target share one component if
   * their schemas are equal.
   */
  #share(
    mounted: Mounted,
    link: LinkTo,
    target: Mounted,
    end: 'Link' | 'Reference',
    schema: DocumentSchema,
  ): Reference {
    const { owner, type } = this.#members.namesOf(mounted)
    const names = [`${this.#members.namesOf(target).type}${end}`, `${type}${typeName(link.name)}${end}`]
    return this.#components.share('schemas', names, schema, owner)
  }
}

const absolute: DocumentSchema = Object.freeze({
  type: 'string',
  format: 'uri',
  maxLength: longestUrlOrField,
  description: 'An absolute URL.',
})

const subLink: DocumentSchema = Object.freeze({
  type: 'object',
  description: 'A link to a sub-collection (REP-1).',
  properties: { href: absolute },
  required: ['href'],
  additionalProperties: false,
})
