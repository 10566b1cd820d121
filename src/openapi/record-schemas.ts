/** The schemas of a resource on the wire: link objects stand in the place of keys, brief or expanded (REP-1, REP-2, REP-7, REP-8). */
import { isList, isObject } from '../definition/json.js'
import type { Link, LinkTo } from '../definition/resource.js'
import type { JsonSchema } from '../definition/schema-types.js'
import { closedSchema } from '../plan/closed-schema.js'
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
    const name = typeOf(mounted)
    return this.#components.define(name, quoted(mounted), () => this.#record(mounted, 'output'))
  }

  /** Of what is sent: the name of answers where there is no difference, one for both where a POST and a PUT are alike. */
  #input(mounted: Mounted, purpose: Purpose): Reference {
    const name = typeOf(mounted)
    const output = this.of(mounted, 'output')
    const schema = this.#record(mounted, purpose)
    const text = JSON.stringify(schema)
    if (text === JSON.stringify(this.#components.get('schemas', name))) return output
    const other = purpose === 'create' ? 'replace' : purpose === 'replace' ? 'create' : undefined
    const alike = other !== undefined && text === JSON.stringify(this.#record(mounted, other))
    return this.#components.define(`${name}${alike ? 'Input' : suffix[purpose]}`, quoted(mounted), () => schema)
  }

  #record(mounted: Mounted, purpose: Purpose): DocumentSchema {
    const { plan } = mounted
    const { definition } = plan
    const { title, description } = definition.schema
    const context = this.#context(mounted, purpose)
    const closed = closedSchema(flat(mounted), () => false)
    const members: Readonly<Record<string, unknown>> = isObject(closed.properties) ? closed.properties : {}
    const properties: Record<string, DocumentSchema> = {}
    const required: string[] = []
    const put = (name: string, schema: DocumentSchema, needed: boolean): void => {
      properties[name] = schema
      if (needed) required.push(name)
    }
    for (const field of plan.fields) {
      const member = members[field.name] as JsonSchema | undefined
      if (field.kind === 'member' || field.link.kind === 'external') {
        if (member !== undefined) this.#putMember(mounted, context, field.name, member, put)
      } else this.#putLink(mounted, field.link, purpose, put)
    }
    if (purpose !== 'output') this.#putWriteOnly(mounted, context, members, put)
    const { patternProperties, additionalProperties = false } = closed
    const others = translated(context, { ...(patternProperties === undefined ? {} : { patternProperties }), additionalProperties }, '')
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
  #putWriteOnly(mounted: Mounted, context: SchemaContext, members: Readonly<Record<string, unknown>>, put: Put): void {
    const { shape } = mounted.plan.definition
    for (const [name, member] of shape.members) {
      const node = members[name]
      if (member.writeOnly && isObject(node))
        put(
          name,
          memberSchema(context, node, shape.required.has(name), name),
          isRequired(context.purpose, member, shape.required.has(name)),
        )
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
    const closed = closedSchema(flat(target), () => false)
    const members: Readonly<Record<string, unknown>> = isObject(closed.properties) ? closed.properties : {}
    const context = this.#context(target, 'output')
    // What its caller may not read, and what leads nowhere, is an address alone.
    const shown = link.show.flatMap((name) => (isObject(members[name]) ? [[name, translated(context, members[name], name)] as const] : []))
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

  #context(mounted: Mounted, purpose: Purpose): SchemaContext {
    return { components: this.#components, root: mounted.plan.definition.schema, owner: quoted(mounted), name: typeOf(mounted), purpose }
  }
}

type Put = (name: string, schema: DocumentSchema, needed: boolean) => void

const absolute: DocumentSchema = Object.freeze({ type: 'string', format: 'uri', description: 'An absolute address.' })

const quoted = ({ plan }: Mounted): string => `"${plan.collection}"`

/** The schema of a record with the members of all its branches side by side. */
function flat({ plan }: Mounted): JsonSchema {
  const { schema, shape } = plan.definition
  const { $defs, definitions, patternProperties, additionalProperties } = schema
  return {
    type: 'object',
    properties: Object.fromEntries(shape.properties),
    ...(isObject($defs) ? { $defs } : {}),
    ...(isObject(definitions) ? { definitions } : {}),
    ...(isObject(patternProperties) ? { patternProperties } : {}),
    ...(shape.open ? { additionalProperties: isObject(additionalProperties) ? additionalProperties : true } : {}),
    ...(isList(schema.required) ? { required: schema.required } : {}),
  }
}
