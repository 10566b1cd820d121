/** The schemas of a resource on the wire: link objects stand in the place of keys, brief or expanded (REP-1, REP-2, REP-7, REP-8). */
import { isObject } from '../definition/json.js'
import type { Link, LinkTo } from '../definition/resource.js'
import type { JsonSchema } from '../definition/schema-types.js'
import { closedPlace } from '../plan/closed-schema.js'
import type { LinkForms } from '../plan/legacy-endings.js'
import type { Mounted } from '../plan/routes.js'
import { addressable, longestAnswered } from './bounds.js'
import type { Components } from './components.js'
import type { DocumentSchema, Reference } from './document.js'
import { isAlike } from './likeness.js'
import { typeName } from './names.js'
import { isPurposeless, isRequired, memberSchema, nullable, type Purpose, type SchemaContext, suffix, translated } from './schemas.js'
import { membersOfScope } from './scope-members.js'

/** The name of the type of a resource's items. */
export const typeOf = ({ plan }: Mounted): string => typeName(plan.definition.singular) || typeName(plan.collection)

/** What a record is: that of a purpose, or what stands in the place of a link that is expanded, whose own links are brief (REP-2). */
type Form = Purpose | 'expanded'

/** What is known of one resource. */
interface Known {
  /** What messages call it. */
  readonly owner: string
  readonly type: string
  /** Members that the scope of some caller gives. */
  readonly scoped: ReadonlySet<string>
  /** What clients send and never get. */
  readonly writeOnly: readonly string[]
  readonly members: Map<string, Member | undefined>
  readonly records: Map<Form, DocumentSchema>
  readonly references: Map<Form, Reference>
  /** Links as bodies have them, by name. */
  readonly sentLinks: Map<string, Reference>
}

/** The schema of a member of a record, closed as bodies are. */
interface Member {
  readonly node: JsonSchema
  /** Where it says the same in whatever purpose. */
  same?: DocumentSchema
  readonly isSame: boolean
}

/** The schemas of resources, each made once. */
export class RecordSchemas {
  readonly #components: Components
  readonly #sentAddress: DocumentSchema
  readonly #links: LinkForms
  readonly #known = new Map<Mounted, Known>()

  /** `bodyLimit`: the most bytes of a body, and so the most characters of a text in it. */
  constructor(components: Components, bodyLimit: number, links: LinkForms = 'objects') {
    this.#links = links
    this.#components = components
    this.#sentAddress = { type: 'string', description: 'The absolute address of the item, or its path.', maxLength: bodyLimit }
  }

  /** The schema of a record, as clients get or send it. What is the same for several purposes has one name. */
  of(mounted: Mounted, form: Form): Reference {
    const { references } = this.#knownOf(mounted)
    const made = references.get(form)
    if (made !== undefined) return made
    const reference = form === 'output' || form === 'expanded' ? this.#answered(mounted, form) : this.#sent(mounted, form)
    references.set(form, reference)
    return reference
  }

  /** A page of records. */
  page(mounted: Mounted, max = mounted.plan.list.page.max): DocumentSchema {
    return { type: 'array', items: this.of(mounted, 'output'), maxItems: max, xml: { name: mounted.wire.list.root, wrapped: true } }
  }

  #knownOf(mounted: Mounted): Known {
    const known = this.#known.get(mounted)
    if (known !== undefined) return known
    const { collection, definition } = mounted.plan
    const made: Known = {
      owner: `"${collection}"`,
      type: `${typeOf(mounted)}${ofLinks[this.#links]}`,
      scoped: membersOfScope(definition),
      writeOnly: [...definition.shape.members].flatMap(([name, member]) => (member.writeOnly ? [name] : [])),
      members: new Map(),
      records: new Map(),
      references: new Map(),
      sentLinks: new Map(),
    }
    this.#known.set(mounted, made)
    return made
  }

  /** Of what clients get. Where no link can be expanded, an expanded record is like any other. */
  #answered(mounted: Mounted, form: 'output' | 'expanded'): Reference {
    if (form === 'expanded' && !hasExpansions(mounted)) return this.of(mounted, 'output')
    const { owner, type } = this.#knownOf(mounted)
    return this.#components.define(`${type}${form === 'expanded' ? 'Expanded' : ''}`, owner, () => this.#record(mounted, form))
  }

  /** Of what is sent: the name of answers where there is no difference, one for both where a POST and a PUT are alike. */
  #sent(mounted: Mounted, purpose: Exclude<Purpose, 'output'>): Reference {
    const schema = this.#record(mounted, purpose)
    const isLike = (other: Purpose): boolean => isAlike(schema, this.#record(mounted, other))
    if (isLike('output')) return this.of(mounted, 'output')
    const { owner, type } = this.#knownOf(mounted)
    const both = purpose !== 'patch' && isLike(purpose === 'create' ? 'replace' : 'create')
    return this.#components.define(`${type}${both ? 'Input' : suffix[purpose]}`, owner, () => schema)
  }

  #record(mounted: Mounted, form: Form): DocumentSchema {
    const { records } = this.#knownOf(mounted)
    const record = records.get(form) ?? this.#recordFor(mounted, form)
    records.set(form, record)
    return record
  }

  #recordFor(mounted: Mounted, form: Form): DocumentSchema {
    const { plan } = mounted
    const { title, description } = plan.definition.schema
    const purpose = form === 'expanded' ? 'output' : form
    const context = this.#context(mounted, purpose)
    const properties: Record<string, DocumentSchema> = {}
    const required: string[] = []
    const put = (name: string, schema: DocumentSchema, needed: boolean): void => {
      properties[name] = schema
      if (needed) required.push(name)
    }
    for (const field of plan.fields) {
      if (field.kind === 'member' || field.link.kind === 'external') this.#putMember(mounted, context, field.name, put)
      else this.#putLink(mounted, field.link, form, put)
    }
    if (purpose !== 'output') this.#putWriteOnly(mounted, context, put)
    const others = othersOf(mounted)
    return {
      type: 'object',
      ...(typeof title === 'string' && purpose === 'output' ? { title } : {}),
      ...(typeof description === 'string' && purpose === 'output' ? { description } : {}),
      properties,
      ...(required.length === 0 ? {} : { required }),
      // What is open or closed says the same for all purposes.
      ...(typeof others.additionalProperties === 'boolean' && others.patternProperties === undefined
        ? others
        : translated(context, others, '')),
      xml: { name: mounted.wire.item.root },
    }
  }

  #putMember(mounted: Mounted, context: SchemaContext, name: string, put: Put): void {
    const { plan } = mounted
    const { shape, assigned } = plan.definition
    const member = shape.members.get(name)
    const { purpose } = context
    if (member === undefined || (purpose === 'create' && member.readOnly)) return
    const isKey = plan.key.members.includes(name)
    const wanted = shape.required.has(name) || isKey
    const present = isRequired(purpose, member, wanted) && !(purpose === 'output' && shape.conditional.has(name))
    // The address, the scope of the caller, or the store gives what is not sent.
    const isGiven =
      (purpose === 'create' && assigned.has(name)) ||
      (purpose === 'replace' && isKey) ||
      (purpose !== 'output' && (mounted.parent?.by.includes(name) === true || this.#knownOf(mounted).scoped.has(name)))
    const schema = this.#member(mounted, context, name, wanted)
    if (schema !== undefined) put(name, isKey && !plan.key.composite ? addressable(schema) : schema, present && !isGiven)
  }

  #putWriteOnly(mounted: Mounted, context: SchemaContext, put: Put): void {
    const { shape } = mounted.plan.definition
    const { writeOnly, scoped } = this.#knownOf(mounted)
    for (const name of writeOnly) {
      const member = shape.members.get(name)
      const wanted = shape.required.has(name)
      const schema = this.#member(mounted, context, name, wanted)
      if (schema !== undefined && member !== undefined) put(name, schema, isRequired(context.purpose, member, wanted) && !scoped.has(name))
    }
  }

  /** The schema of a member for a purpose: most say the same for all, and are made once. */
  #member(mounted: Mounted, context: SchemaContext, name: string, wanted: boolean): DocumentSchema | undefined {
    const member = this.#memberOf(mounted, name)
    if (member === undefined) return undefined
    if (!member.isSame) return memberSchema(context, member.node, wanted, name)
    member.same ??= translated(context, member.node, name)
    return context.purpose === 'patch' && !wanted ? nullable(member.same) : member.same
  }

  #putLink(mounted: Mounted, link: Exclude<Link, { kind: 'external' }>, form: Form, put: Put): void {
    const { plan, targets } = mounted
    const isAnswer = form === 'output' || form === 'expanded'
    if (link.kind === 'sub') {
      // A client may send back what it got; nothing comes of it.
      put(link.name, isAnswer ? this.#inForm(this.#subLink()) : {}, isAnswer)
      return
    }
    const { shape } = plan.definition
    const target = targets.get(link.name)
    if (target === undefined) return
    const leads = link.by.every((member) => shape.required.has(member) && shape.members.get(member)?.nullable !== true)
    const kept = link.by.every((member) => !plan.hidden.has(member))
    if (isAnswer) {
      const brief = this.#inForm(this.#brief(mounted, link, target))
      const schema = link.expand && form === 'output' ? { anyOf: [brief, this.of(target, 'expanded')] } : { ...brief }
      put(link.name, leads || kept ? schema : nullable(schema), true)
    } else {
      const reference = this.#reference(mounted, link, target)
      const schema: DocumentSchema = this.#links === 'objects' ? { ...reference } : { anyOf: [this.#sentAddress, reference] }
      const { scoped } = this.#knownOf(mounted)
      const isGiven = link.by.every((member) => shape.members.get(member)?.fallback !== undefined || scoped.has(member))
      put(link.name, leads ? schema : nullable(schema), leads && !kept && !isGiven && form !== 'patch')
    }
  }

  /** A link as answers of this service have it. */
  #inForm(link: DocumentSchema | Reference): DocumentSchema {
    if (this.#links === 'objects') return { ...link }
    return this.#links === 'addresses' ? { ...absolute } : { anyOf: [absolute, link] }
  }

  #subLink(): DocumentSchema {
    return { ...this.#components.define('SubCollectionLink', 'the library', () => subLink) }
  }

  /** A link as answers have it, with the members of its target that identify it. */
  #brief(mounted: Mounted, link: LinkTo, target: Mounted): Reference {
    const context = this.#context(target, 'output')
    // What its caller may not read, and what leads nowhere, is an address alone.
    const shown = link.show.flatMap((name) => {
      const schema = this.#member(target, context, name, true)
      return schema === undefined ? [] : [[name, schema] as const]
    })
    const schema = {
      type: 'object',
      description: `A link to one of ${target.plan.collection} (REP-1).`,
      properties: { href: absolute, ...Object.fromEntries(shown) },
      required: ['href'],
      additionalProperties: false,
    }
    return this.#components.share('schemas', this.#linkNames(mounted, link, target, 'Link'), schema, this.#knownOf(mounted).owner)
  }

  /** A link as bodies have it: by its address, or by the key of its target (REP-7). What else stands in it is ignored. */
  #reference(mounted: Mounted, link: LinkTo, target: Mounted): Reference {
    const { sentLinks, owner } = this.#knownOf(mounted)
    const known = sentLinks.get(link.name)
    if (known !== undefined) return known
    const { key } = target.plan
    const context = this.#context(target, 'replace')
    const keys = key.members.map((name) => [name, this.#member(target, context, name, true) ?? {}] as const)
    const schema = {
      type: 'object',
      description: `Leads to one of ${target.plan.collection}: by its address in any living version, or by its key. Other members are ignored (REP-7).`,
      anyOf: [
        { type: 'object', properties: { href: this.#sentAddress }, required: ['href'] },
        { type: 'object', properties: Object.fromEntries(keys), required: key.members },
      ],
    }
    const reference = this.#components.share('schemas', this.#linkNames(mounted, link, target, 'Reference'), schema, owner)
    sentLinks.set(link.name, reference)
    return reference
  }

  #linkNames(mounted: Mounted, link: LinkTo, target: Mounted, end: 'Link' | 'Reference'): readonly string[] {
    return [`${this.#knownOf(target).type}${end}`, `${this.#knownOf(mounted).type}${typeName(link.name)}${end}`]
  }

  #memberOf(mounted: Mounted, name: string): Member | undefined {
    const { members } = this.#knownOf(mounted)
    if (members.has(name)) return members.get(name)
    const { schema, shape } = mounted.plan.definition
    const given = shape.properties.get(name)
    if (given === undefined) {
      members.set(name, undefined)
      return undefined
    }
    // Where nothing is an object there is nothing to close.
    const isSame = isPurposeless(given)
    const member: Member = { node: isSame ? given : closedPlace(schema, given, () => false), isSame }
    members.set(name, member)
    return member
  }

  #context(mounted: Mounted, purpose: Purpose): SchemaContext {
    const { owner, type } = this.#knownOf(mounted)
    return { components: this.#components, root: mounted.plan.definition.schema, owner, name: type, purpose }
  }
}

/** What names of types say of links that are, or may be, plain addresses. */
const ofLinks: Readonly<Record<LinkForms, string>> = { objects: '', addresses: 'WithAddresses', either: 'WithAnyLinks' }

type Put = (name: string, schema: DocumentSchema, needed: boolean) => void

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

const hasExpansions = ({ plan, targets }: Mounted): boolean =>
  [...plan.links.values()].some((link) => link.kind === 'to' && link.expand && targets.has(link.name))

/** What else a record may hold, beside the members that its schema names. */
function othersOf({ plan }: Mounted): JsonSchema {
  const { schema, shape } = plan.definition
  const { patternProperties, additionalProperties } = schema
  const closed = (node: JsonSchema): JsonSchema => closedPlace(schema, node, () => false)
  const named = isObject(patternProperties)
    ? Object.fromEntries(Object.entries(patternProperties).map(([name, node]) => [name, isObject(node) ? closed(node) : node]))
    : undefined
  return {
    ...(named === undefined ? {} : { patternProperties: named }),
    additionalProperties: isObject(additionalProperties) ? closed(additionalProperties) : shape.open,
  }
}
