/** The schemas of links: as answers have them (REP-1), and as bodies may have them (REP-7). */
import type { LinkTo } from '../definition/resource.js'
import type { LinkForms } from '../plan/legacy-endings.js'
import type { Mounted } from '../plan/routes.js'
import { longestAnswered } from './bounds.js'
import type { Components } from './components.js'
import type { DocumentSchema, Reference } from './document.js'
import type { MemberSchemas } from './member-schemas.js'
import { typeName } from './names.js'

/** Makes the schemas of links. */
export class LinkSchemas {
  readonly #components: Components
  readonly #members: MemberSchemas
  readonly #sentAddress: DocumentSchema
  readonly #forms: LinkForms
  /** Links as bodies have them: most stand in several. */
  readonly #sent = new Map<Mounted, Map<string, Reference>>()

  /** `bodyLimit`: the most bytes of a body, and so the most characters of a text in it. */
  constructor(components: Components, members: MemberSchemas, bodyLimit: number, forms: LinkForms) {
    this.#forms = forms
    this.#components = components
    this.#members = members
    this.#sentAddress = {
      type: 'string',
      description: 'The absolute address of the item, or its path.',
      maxLength: bodyLimit,
    }
  }

  /** A link to a sub-collection of the item. */
  sub(): DocumentSchema {
    return this.#inForm(this.#components.define('SubCollectionLink', 'the library', () => subLink))
  }

  /** A link as answers have it, with the members of its target that identify it. */
  brief(mounted: Mounted, link: LinkTo, target: Mounted): DocumentSchema {
    // What its caller may not read, and what leads nowhere, is an address alone.
    const shown = link.show.flatMap((name) => {
      const schema = this.#members.of(target, 'output', name, true)
      return schema === undefined ? [] : [[name, schema] as const]
    })
    const schema = {
      type: 'object',
      description: `A link to one of ${target.plan.collection} (REP-1).`,
      properties: { href: absolute, ...Object.fromEntries(shown) },
      required: ['href'],
      additionalProperties: false,
    }
    return this.#inForm(this.#share(mounted, link, target, 'Link', schema))
  }

  /** A link as answers of this service have it: an object, a plain address, or either (REP-1). */
  #inForm(link: Reference): DocumentSchema {
    if (this.#forms === 'objects') return { ...link }
    return this.#forms === 'addresses' ? { ...absolute } : { anyOf: [absolute, link] }
  }

  /** A link as bodies have it: by its address, or by the key of its target. What else stands in it is ignored. */
  sent(mounted: Mounted, link: LinkTo, target: Mounted): DocumentSchema {
    const made = this.#sent.get(mounted) ?? new Map<string, Reference>()
    this.#sent.set(mounted, made)
    const reference = made.get(link.name) ?? this.#makeSent(mounted, link, target)
    made.set(link.name, reference)
    return this.#forms === 'objects' ? { ...reference } : { anyOf: [this.#sentAddress, reference] }
  }

  #makeSent(mounted: Mounted, link: LinkTo, target: Mounted): Reference {
    const { key, definition } = target.plan
    // Beside a key it may be null, as a client got it. Where it is a member of the target, the key says which one it is.
    const address = definition.shape.members.has('href')
      ? {}
      : { href: { type: ['string', 'null'], maxLength: this.#sentAddress.maxLength } }
    const keys = key.members.map((name) => [name, this.#members.of(target, 'replace', name, true) ?? {}] as const)
    const schema = {
      type: 'object',
      description: `Leads to one of ${target.plan.collection}: by its address in any living version, or by its key. Other members are ignored (REP-7).`,
      anyOf: [
        { type: 'object', properties: { href: this.#sentAddress }, required: ['href'] },
        { type: 'object', properties: { ...address, ...Object.fromEntries(keys) }, required: key.members },
      ],
    }
    return this.#share(mounted, link, target, 'Reference', schema)
  }

  /** All that lead to one target share a type where they say the same. */
  #share(
    mounted: Mounted,
    link: LinkTo,
    target: Mounted,
    end: 'Link' | 'Reference',
    schema: DocumentSchema,
  ): Reference {
    const { owner, type } = this.#members.ownerOf(mounted)
    const names = [`${this.#members.ownerOf(target).type}${end}`, `${type}${typeName(link.name)}${end}`]
    return this.#components.share('schemas', names, schema, owner)
  }
}

const absolute: DocumentSchema = Object.freeze({
  type: 'string',
  format: 'uri',
  maxLength: longestAnswered,
  description: 'An absolute address.',
})

const subLink: DocumentSchema = Object.freeze({
  type: 'object',
  description: 'A link to a sub-collection (REP-1).',
  properties: { href: absolute },
  required: ['href'],
  additionalProperties: false,
})
