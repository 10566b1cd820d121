/**
 * The schemas of representations (REP-1, REP-2, REP-7, REP-8). A representation has links in place
 * of keys. A link is brief (the URL and a few members of its target) or expanded (the whole
 * target).
 */
import { isObject } from '../definition/json.js'
import type { Link } from '../definition/resource.js'
import type { JsonSchema } from '../definition/schema-types.js'
import { closedPlace } from '../plan/closed-schema.js'
import type { LinkForms } from '../plan/legacy-endings.js'
import type { Mounted } from '../plan/routes.js'
import { addressable } from './bounds.js'
import type { Components } from './components.js'
import type { DocumentSchema, Reference } from './document.js'
import { isAlike } from './likeness.js'
import { LinkSchemas } from './link-schemas.js'
import { MemberSchemas } from './member-schemas.js'
import { isRequired, nullable, type Purpose, suffix } from './purposes.js'
import { translated } from './schemas.js'
import { membersOfScope } from './scope-members.js'

/**
 * The form of a record. It is either the purpose of the record's schema, such as `patch`, or
 * `expanded` for a record that takes the place of a link. The links of an expanded record are brief
 * (REP-2).
 */
type Form = Purpose | 'expanded'

/** The cached parts of one resource. */
interface Known {
  /** Members that the scope of at least one caller sets. */
  readonly scoped: ReadonlySet<string>
  /** Write-only members. */
  readonly writeOnly: readonly string[]
  readonly xml: { readonly name: string }
  readonly records: Map<Form, DocumentSchema>
  readonly references: Map<Form, Reference>
}

/** Builds the schemas of resources. Each schema is built once. */
export class RecordSchemas {
  readonly #components: Components
  readonly #members: MemberSchemas
  readonly #links: LinkSchemas
  readonly #bodyLimit: number
  readonly #forms: LinkForms
  readonly #others = new Map<LinkForms, RecordSchemas>()
  readonly #known = new Map<Mounted, Known>()

  /** `bodyLimit`: the maximum size of a body in bytes. */
  constructor(components: Components, bodyLimit: number, forms: LinkForms = 'objects') {
    this.#components = components
    this.#bodyLimit = bodyLimit
    this.#forms = forms
    this.#members = new MemberSchemas(components, ofForms[forms])
    this.#links = new LinkSchemas(components, this.#members, bodyLimit, forms)
  }

  /** Returns the builder of schemas for a form of links, such as plain URLs (REP-1). */
  with(forms: LinkForms): RecordSchemas {
    if (forms === this.#forms) return this
    const made = this.#others.get(forms) ?? new RecordSchemas(this.#components, this.#bodyLimit, forms)
    this.#others.set(forms, made)
    return made
  }

  /**
   * Returns a reference to the schema of a record. If the schemas for two purposes are equal, the
   * purposes may share a component.
   */
  of(mounted: Mounted, form: Form): Reference {
    const { references } = this.#knownOf(mounted)
    const made = references.get(form)
    if (made !== undefined) return made
    const reference =
      form === 'output' || form === 'expanded' ? this.#answered(mounted, form) : this.#sent(mounted, form)
    references.set(form, reference)
    return reference
  }

  /** Returns the schema of a page of records. */
  page(mounted: Mounted, max = mounted.plan.list.page.max): DocumentSchema {
    return {
      type: 'array',
      items: this.of(mounted, 'output'),
      maxItems: max,
      xml: { name: mounted.wire.list.root, wrapped: true },
    }
  }

  /** Returns the schema of a key member in responses. */
  keyMember(mounted: Mounted, name: string): DocumentSchema {
    return this.#members.of(mounted, 'output', name, true) ?? {}
  }

  /**
   * Whether the schema of any record was built only for a comparison. In that case, the document
   * may contain unused components.
   */
  get hasUnused(): boolean {
    if ([...this.#others.values()].some((other) => other.hasUnused)) return true
    return [...this.#known.values()].some(({ records, references }) =>
      [...records.keys()].some((form) => !references.has(form)),
    )
  }

  #knownOf(mounted: Mounted): Known {
    const known = this.#known.get(mounted)
    if (known !== undefined) return known
    const { definition } = mounted.plan
    const made: Known = {
      scoped: membersOfScope(definition),
      writeOnly: [...definition.shape.members].flatMap(([name, member]) => (member.writeOnly ? [name] : [])),
      xml: { name: mounted.wire.item.root },
      records: new Map(),
      references: new Map(),
    }
    this.#known.set(mounted, made)
    return made
  }

  /**
   * Returns a reference to the schema of a record in responses. If no link can be expanded,
   * expanded records have the same schema as other records.
   */
  #answered(mounted: Mounted, form: 'output' | 'expanded'): Reference {
    if (form === 'expanded' && !hasExpansions(mounted)) return this.of(mounted, 'output')
    const { owner, type } = this.#members.namesOf(mounted)
    return this.#components.define(`${type}${form === 'expanded' ? 'Expanded' : ''}`, owner, () =>
      this.#record(mounted, form),
    )
  }

  /**
   * Returns a reference to the schema of a record in request bodies. If this schema equals the
   * schema of responses, the two share a component. POST and PUT also share a component if their
   * schemas are equal.
   */
  #sent(mounted: Mounted, purpose: Exclude<Purpose, 'output'>): Reference {
    const schema = this.#record(mounted, purpose)
    const isLike = (other: Purpose): boolean => {
      const record = this.#record(mounted, other)
      // `required` is compared first, because most schemas differ in it.
      return isAlike(schema.required, record.required) && isAlike(schema, record)
    }
    if (isLike('output')) return this.of(mounted, 'output')
    const { owner, type } = this.#members.namesOf(mounted)
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
    const properties: Record<string, DocumentSchema> = {}
    const required: string[] = []
    const put: Put = (name, schema, needed) => {
      properties[name] = schema
      if (needed) required.push(name)
    }
    for (const field of plan.fields) {
      if (field.kind === 'member' || field.link.kind === 'external') this.#putMember(mounted, purpose, field.name, put)
      else this.#putLink(mounted, field.link, form, put)
    }
    if (purpose !== 'output') this.#putWriteOnly(mounted, purpose, put)
    const others = othersOf(mounted)
    const record: Record<string, unknown> = { type: 'object' }
    if (typeof title === 'string' && purpose === 'output') record.title = title
    if (typeof description === 'string' && purpose === 'output') record.description = description
    record.properties = properties
    if (required.length > 0) record.required = required
    // If `additionalProperties` is a boolean, it is the same for all purposes and needs no
    // translation.
    const isPlain = typeof others.additionalProperties === 'boolean' && others.patternProperties === undefined
    const open = { type: 'object', ...others }
    Object.assign(record, isPlain ? others : translated(this.#members.context(mounted, purpose), open, ''))
    record.xml = this.#knownOf(mounted).xml
    return record
  }

  #putMember(mounted: Mounted, purpose: Purpose, name: string, put: Put): void {
    const { plan } = mounted
    const { shape, assigned } = plan.definition
    const member = shape.members.get(name)
    if (member === undefined || (purpose === 'create' && member.readOnly)) return
    const isKey = plan.key.members.includes(name)
    const isRequiredInRecord = shape.required.has(name) || isKey
    const present =
      isRequired(purpose, member, isRequiredInRecord) && !(purpose === 'output' && shape.conditional.has(name))
    // Clients may leave these members out, because the URL, the caller's scope or the store sets
    // them.
    const mayBeOmitted =
      (purpose === 'create' && assigned.has(name)) ||
      (purpose === 'replace' && isKey) ||
      (purpose !== 'output' && (mounted.parent?.by.includes(name) === true || this.#knownOf(mounted).scoped.has(name)))
    const schema = this.#members.of(mounted, purpose, name, isRequiredInRecord)
    if (schema !== undefined)
      put(name, isKey && !plan.key.composite ? addressable(schema) : schema, present && !mayBeOmitted)
  }

  #putWriteOnly(mounted: Mounted, purpose: Purpose, put: Put): void {
    const { shape } = mounted.plan.definition
    const { writeOnly, scoped } = this.#knownOf(mounted)
    for (const name of writeOnly) {
      const member = shape.members.get(name)
      const isRequiredInRecord = shape.required.has(name)
      const schema = this.#members.of(mounted, purpose, name, isRequiredInRecord)
      if (schema !== undefined && member !== undefined)
        put(name, schema, isRequired(purpose, member, isRequiredInRecord) && !scoped.has(name))
    }
  }

  #putLink(mounted: Mounted, link: Exclude<Link, { kind: 'external' }>, form: Form, put: Put): void {
    const { plan, targets } = mounted
    const isAnswer = form === 'output' || form === 'expanded'
    if (link.kind === 'sub') {
      // A client may send this link back in a request body. The service ignores it there.
      put(link.name, isAnswer ? this.#links.sub() : {}, isAnswer)
      return
    }
    const { shape } = plan.definition
    const target = targets.get(link.name)
    if (target === undefined) return
    const leads = link.by.every((member) => shape.required.has(member) && shape.members.get(member)?.nullable !== true)
    const kept = link.by.every((member) => !plan.hidden.has(member))
    if (isAnswer) {
      const brief = this.#links.brief(mounted, link, target)
      const schema = link.expand && form === 'output' ? { anyOf: [brief, this.of(target, 'expanded')] } : { ...brief }
      put(link.name, leads || kept ? schema : nullable(schema), true)
    } else {
      const schema: DocumentSchema = { ...this.#links.sent(mounted, link, target) }
      const { scoped } = this.#knownOf(mounted)
      const mayBeOmitted = link.by.every(
        (member) => shape.members.get(member)?.fallback !== undefined || scoped.has(member),
      )
      put(link.name, leads ? schema : nullable(schema), leads && !kept && !mayBeOmitted && form !== 'patch')
    }
  }
}

/** The suffix of type names, by the form of links. */
const ofForms: Readonly<Record<LinkForms, string>> = { objects: '', addresses: 'WithAddresses', either: 'WithAnyLinks' }

type Put = (name: string, schema: DocumentSchema, needed: boolean) => void

const hasExpansions = ({ plan, targets }: Mounted): boolean =>
  [...plan.links.values()].some((link) => link.kind === 'to' && link.expand && targets.has(link.name))

/** Returns the keywords for members that the schema does not name. */
function othersOf({ plan }: Mounted): JsonSchema {
  const { schema, shape } = plan.definition
  const { patternProperties, additionalProperties } = schema
  const closed = (node: JsonSchema): JsonSchema => closedPlace(schema, node, () => false)
  const named = isObject(patternProperties)
    ? Object.fromEntries(
        Object.entries(patternProperties).map(([name, node]) => [name, isObject(node) ? closed(node) : node]),
      )
    : undefined
  return {
    ...(named === undefined ? {} : { patternProperties: named }),
    additionalProperties: isObject(additionalProperties) ? closed(additionalProperties) : shape.open,
  }
}
