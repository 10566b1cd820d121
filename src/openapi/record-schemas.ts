/** The schemas of a resource on the wire: link objects stand in the place of keys, brief or expanded (REP-1, REP-2, REP-7, REP-8). */
import { isObject } from '../definition/json.js'
import type { Link, LinkTo } from '../definition/resource.js'
import type { JsonSchema } from '../definition/schema-types.js'
import { closedPlace } from '../plan/closed-schema.js'
import type { Mounted } from '../plan/routes.js'
import type { Components } from './components.js'
import type { DocumentSchema, Reference } from './document.js'
import { typeName } from './names.js'
import { isRequired, memberSchema, nullable, type Purpose, type SchemaContext, suffix, translated } from './schemas.js'

/** The name of the type of a resource's items. */
export const typeOf = ({ plan }: Mounted): string => typeName(plan.definition.singular) || typeName(plan.collection)

/** The schemas of resources, each made once. */
export class RecordSchemas {
  readonly #components: Components
  readonly #made = new Map<Mounted, Map<Purpose, Reference>>()
  readonly #records = new Map<Mounted, Map<Purpose, DocumentSchema>>()
  readonly #members = new WeakMap<Mounted, Map<string, JsonSchema | undefined>>()
  readonly #texts = new WeakMap<DocumentSchema, string>()

  constructor(components: Components) {
    this.#components = components
  }

  /** The schema of a record, as clients get or send it. What is the same for several purposes has one name. */
  of(mounted: Mounted, purpose: Purpose): Reference {
    const known = this.#made.get(mounted) ?? new Map<Purpose, Reference>()
    this.#made.set(mounted, known)
    const made = known.get(purpose)
    if (made !== undefined) return made
    const reference = purpose === 'output' ? this.#output(mounted) : this.#input(mounted, purpose)
    known.set(purpose, reference)
    return reference
  }

  /** A page of records. */
  page(mounted: Mounted): DocumentSchema {
    return { type: 'array', items: this.of(mounted, 'output'), xml: { name: mounted.plan.collection, wrapped: true } }
  }

  #output(mounted: Mounted): Reference {
    return this.#components.define(typeOf(mounted), quoted(mounted), () => this.#record(mounted, 'output'))
  }

  /** Of what is sent: the name of answers where there is no difference, one for both where a POST and a PUT are alike. */
  #input(mounted: Mounted, purpose: Exclude<Purpose, 'output'>): Reference {
    const schema = this.#record(mounted, purpose)
    const isLike = (other: Purpose): boolean => this.#textOf(schema) === this.#textOf(this.#record(mounted, other))
    if (isLike('output')) return this.of(mounted, 'output')
    const alike = purpose !== 'patch' && isLike(purpose === 'create' ? 'replace' : 'create')
    return this.#components.define(`${typeOf(mounted)}${alike ? 'Input' : suffix[purpose]}`, quoted(mounted), () => schema)
  }

  #textOf(schema: DocumentSchema): string {
    const text = this.#texts.get(schema) ?? JSON.stringify(schema)
    this.#texts.set(schema, text)
    return text
  }

  #record(mounted: Mounted, purpose: Purpose): DocumentSchema {
    const known = this.#records.get(mounted) ?? new Map<Purpose, DocumentSchema>()
    this.#records.set(mounted, known)
    const record = known.get(purpose) ?? this.#recordFor(mounted, purpose)
    known.set(purpose, record)
    return record
  }

  #recordFor(mounted: Mounted, purpose: Purpose): DocumentSchema {
    const { plan } = mounted
    const { definition } = plan
    const { title, description } = definition.schema
    const context = this.#context(mounted, purpose)
    const properties: Record<string, DocumentSchema> = {}
    const required: string[] = []
    const put = (name: string, schema: DocumentSchema, needed: boolean): void => {
      properties[name] = schema
      if (needed) required.push(name)
    }
    for (const field of plan.fields) {
      const member = this.#memberOf(mounted, field.name)
      if (field.kind === 'member' || field.link.kind === 'external') {
        if (member !== undefined) this.#putMember(mounted, context, field.name, member, put)
      } else this.#putLink(mounted, field.link, purpose, put)
    }
    if (purpose !== 'output') this.#putWriteOnly(mounted, context, put)
    const others = translated(context, othersOf(mounted), '')
    return {
      type: 'object',
      ...(typeof title === 'string' && purpose === 'output' ? { title } : {}),
      ...(typeof description === 'string' && purpose === 'output' ? { description } : {}),
      properties,
      ...(required.length === 0 ? {} : { required }),
      ...others,
      xml: { name: mounted.wire.item.root },
    }
  }

  #putMember(mounted: Mounted, context: SchemaContext, name: string, node: JsonSchema, put: Put): void {
    const { plan } = mounted
    const { shape, assigned } = plan.definition
    const member = shape.members.get(name)
    const { purpose } = context
    if (member === undefined || (purpose === 'create' && member.readOnly)) return
    const isKey = plan.key.members.includes(name)
    const wanted = shape.required.has(name) || isKey
    // The address, or the store, gives what is not sent.
    const given =
      (purpose === 'create' && assigned.has(name)) ||
      (purpose === 'replace' && isKey) ||
      (purpose !== 'output' && mounted.parent?.by.includes(name) === true)
    const present = isRequired(purpose, member, wanted) && !given && !(purpose === 'output' && shape.conditional.has(name))
    put(name, memberSchema(context, node, wanted, name), present)
  }

  /** What clients send and never get. */
  #putWriteOnly(mounted: Mounted, context: SchemaContext, put: Put): void {
    const { shape } = mounted.plan.definition
    for (const [name, member] of shape.members) {
      const node = member.writeOnly ? this.#memberOf(mounted, name) : undefined
      const wanted = shape.required.has(name)
      if (node !== undefined) put(name, memberSchema(context, node, wanted, name), isRequired(context.purpose, member, wanted))
    }
  }

  #putLink(mounted: Mounted, link: Exclude<Link, { kind: 'external' }>, purpose: Purpose, put: Put): void {
    const { plan, targets } = mounted
    if (link.kind === 'sub') {
      // A client may send back what it got; nothing comes of it.
      put(link.name, purpose === 'output' ? this.#subLink() : {}, purpose === 'output')
      return
    }
    const { shape } = plan.definition
    const target = targets.get(link.name)
    if (target === undefined) return
    const leads = link.by.every((member) => shape.required.has(member) && shape.members.get(member)?.nullable !== true)
    const kept = link.by.every((member) => !plan.hidden.has(member))
    if (purpose === 'output') {
      const brief = this.#brief(mounted, link, target)
      const schema = link.expand ? { anyOf: [brief, this.of(target, 'output')] } : { ...brief }
      put(link.name, leads || kept ? schema : nullable(schema), true)
    } else {
      const schema: DocumentSchema = { ...this.#reference(mounted, link, target) }
      const hasDefault = link.by.some((member) => shape.members.get(member)?.fallback !== undefined)
      put(link.name, leads ? schema : nullable(schema), leads && !kept && !hasDefault && purpose !== 'patch')
    }
  }

  #subLink(): DocumentSchema {
    const schema = {
      type: 'object',
      description: 'A link to a sub-collection (REP-1).',
      properties: { href: absolute },
      required: ['href'],
      additionalProperties: false,
    }
    return { ...this.#components.share('schemas', ['SubCollectionLink'], schema) }
  }

  /** A link as answers have it, with the members of its target that identify it. */
  #brief(mounted: Mounted, link: LinkTo, target: Mounted): Reference {
    const context = this.#context(target, 'output')
    // What its caller may not read, and what leads nowhere, is an address alone.
    const shown = link.show.flatMap((name) => {
      const node = this.#memberOf(target, name)
      return node === undefined ? [] : [[name, translated(context, node, name)] as const]
    })
    const schema = {
      type: 'object',
      description: `A link to one of ${target.plan.collection} (REP-1).`,
      properties: { href: absolute, ...Object.fromEntries(shown) },
      required: ['href'],
      additionalProperties: false,
    }
    const short = `${typeOf(target)}Link`
    return this.#components.share('schemas', [short, `${typeOf(mounted)}${typeName(link.name)}Link`], schema, quoted(mounted))
  }

  /** A link as bodies have it: by its address, or by the key of its target (REP-7). What else stands in it is ignored. */
  #reference(mounted: Mounted, link: LinkTo, target: Mounted): Reference {
    const { key, definition } = target.plan
    const context = this.#context(target, 'replace')
    const keys = key.members.map((name) => [name, translated(context, definition.shape.properties.get(name) ?? {}, name)] as const)
    const schema = {
      type: 'object',
      description: `Leads to one of ${target.plan.collection}: by its address in any living version, or by its key. Other members are ignored (REP-7).`,
      properties: { href: { type: 'string', description: 'The absolute address of the item, or its path.' }, ...Object.fromEntries(keys) },
      anyOf: [{ required: ['href'] }, { required: key.members }],
    }
    return this.#components.share(
      'schemas',
      [`${typeOf(target)}Reference`, `${typeOf(mounted)}${typeName(link.name)}Reference`],
      schema,
      quoted(mounted),
    )
  }

  /** The schema of a member of a record, or of what stands in its place. */
  #memberOf(mounted: Mounted, name: string): JsonSchema | undefined {
    const known = this.#members.get(mounted) ?? new Map<string, JsonSchema | undefined>()
    this.#members.set(mounted, known)
    if (known.has(name)) return known.get(name)
    const { schema, shape } = mounted.plan.definition
    const node = shape.properties.get(name)
    const closed = node === undefined ? undefined : closedPlace(schema, node, () => false)
    known.set(name, closed)
    return closed
  }

  #context(mounted: Mounted, purpose: Purpose): SchemaContext {
    return { components: this.#components, root: mounted.plan.definition.schema, owner: quoted(mounted), name: typeOf(mounted), purpose }
  }
}

type Put = (name: string, schema: DocumentSchema, needed: boolean) => void

const absolute: DocumentSchema = Object.freeze({ type: 'string', format: 'uri', description: 'An absolute address.' })

const quoted = ({ plan }: Mounted): string => `"${plan.collection}"`

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
