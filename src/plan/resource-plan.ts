/** A definition compiled: everything a request needs that does not change from one to the next. */
import etag from 'etag'
import { Caches } from '../cache.js'
import { type Convert, compileCanonical } from '../definition/conversion.js'
import { escapePointer, isList, isObject, type JsonObject, own, pointerTokens } from '../definition/json.js'
import { type KeyCodec, type KeyValue, unfitForNew } from '../definition/key.js'
import { keptMembers } from '../definition/resolve-links.js'
import type { Link, LinkTo, PageOptions, ResourceDefinition } from '../definition/resource.js'
import type { Shape } from '../definition/shape.js'
import { ConfigurationError, type Violation } from '../problem.js'
import { compileHoldsMore, type HoldsMore } from './beside.js'
import { compileDeprecated, type DeprecatedIn } from './deprecated.js'
import { compileGuard, type Guard } from './guard.js'
import { compilePatched, type ValidatePatched } from './kept-faults.js'
import { compileListGrammar, type ListGrammar } from './list-grammar.js'
import { compileKnown, compileNormalize, compilePresent } from './members.js'
import { compileValidator, type Validate } from './validator.js'
import { unknownMember } from './violations.js'

/** One member of a representation, in the order of the wire. */
type Field =
  | {
      readonly kind: 'member'
      readonly name: string
      readonly present: Convert
      /** The same, which shares with the record what may leave as it is. */
      readonly presentShared: Convert
      readonly nullable: boolean
    }
  | { readonly kind: 'link'; readonly name: string; readonly link: Link }

export interface ResourcePlan {
  readonly definition: ResourceDefinition
  readonly collection: string
  readonly key: KeyCodec
  readonly list: ListGrammar
  readonly fields: readonly Field[]
  /** Every member that may leave, with what makes it presentable. */
  readonly present: ReadonlyMap<string, Convert>
  /** True where members that the schema does not name may leave: those for which `presentOther` gives a conversion. */
  readonly open: boolean
  /** What makes a member presentable that the schema allows without naming it; `undefined` where it does not. */
  readonly presentOther: (name: string) => Convert | undefined
  /** Stored members that are not on the wire, each with the link that stands in its place. */
  readonly hidden: ReadonlyMap<string, string>
  readonly links: ReadonlyMap<string, Link>
  readonly guard: Guard
  /** Whole records on their way in: canonical, `default`s and nulls filled. */
  readonly complete: { readonly create: Convert; readonly update: Convert }
  /** Merged records on their way in: canonical, nothing filled. */
  readonly canonical: Convert
  /** Stored records as a patch finds them: without what a client can't mend. */
  readonly known: Convert
  /** The members whose stored value may hold more than their schema names, with what tells whether it does. */
  readonly holdsMore: ReadonlyMap<string, HoldsMore>
  /** What is wrong with a record that is to be stored. */
  readonly validate: Validate
  /** The same of a patched record, apart from members that are as they are stored. */
  readonly validatePatched: ValidatePatched
  /** The same as `validate` for a PUT that has not met the stored record yet. */
  readonly validateSent: Validate
  /** Members that the path, the parent or the scope fixes need not be sent. */
  readonly fixed: ReadonlySet<string>
  /** True where an update can't be decided without the record as it is. */
  readonly needsCurrent: boolean
  /** The links to resources, in the order of the definition. */
  readonly associations: readonly LinkTo[]
  /** Those of them that show members of their targets: no representation without reading these. */
  readonly showing: readonly LinkTo[]
  /** The deprecated members that a body sends. */
  readonly deprecatedIn: DeprecatedIn
  /** Stands for the definition in entity tags (HDR-2). */
  readonly digest: string
}

/** Compiles a definition. Throws `ConfigurationError` where its schema is no JSON Schema. */
export function compileResource(definition: ResourceDefinition, page: PageOptions = {}, caches = new Caches()): ResourcePlan {
  const { collection, shape, key, links, parent } = definition
  const kept = keptMembers(key.members, parent)
  const hidden = hiddenMembers(links, kept)
  const members = [...shape.members]
  const guard = compileGuard(shape, collection)
  const associations = [...links.values()].filter((link) => link.kind === 'to')
  return Object.freeze({
    definition,
    collection,
    key,
    list: compileListGrammar(definition, page, caches),
    fields: compileFields(definition, hidden),
    present: new Map(members.filter(([, member]) => !member.writeOnly).map(([name, member]) => [name, compilePresent(member)])),
    open: shape.hasOthers,
    presentOther: compileOthers(shape),
    hidden,
    links,
    guard,
    complete: { create: compileNormalize(shape, 'create'), update: compileNormalize(shape, 'update') },
    canonical: compileCanonical(shape),
    known: compileKnown(shape),
    holdsMore: compileHoldsMore(shape),
    ...compileChecks(definition, guard, caches),
    fixed: kept,
    needsCurrent: guard.any || definition.rules !== undefined || associations.length > 0,
    associations,
    showing: associations.filter((link) => link.show.length > 0),
    deprecatedIn: compileDeprecated(shape),
    digest: digestOf(definition),
  })
}

/** A `default` that its own schema refuses would blame every client for a member it never sent. */
function checkDefaults(collection: string, shape: Shape, validate: Validate): void {
  for (const [name, member] of shape.members) {
    const { fallback } = member
    if (fallback === undefined) continue
    const pointer = `/${escapePointer(name)}`
    const wrong = validate({ [name]: compileCanonical(member)(fallback.value) }).find(
      (found) => found.pointer === pointer || found.pointer?.startsWith(`${pointer}/`),
    )
    if (wrong === undefined) continue
    throw new ConfigurationError(
      'invalid-schema',
      `The default of "${name}" of "${collection}" does not fit its own schema: ${wrong.detail} Mend the one or the other.`,
    )
  }
}

function hiddenMembers(links: ReadonlyMap<string, Link>, kept: ReadonlySet<string>): ReadonlyMap<string, string> {
  const hidden = new Map<string, string>()
  for (const link of links.values()) {
    if (link.kind === 'to') for (const member of link.by) if (!kept.has(member)) hidden.set(member, link.name)
  }
  return hidden
}

function compileFields({ shape, links }: ResourceDefinition, hidden: ReadonlyMap<string, string>): Field[] {
  const fields: Field[] = []
  const placed = new Set<string>()
  const place = (link: Link): void => {
    if (!placed.has(link.name)) fields.push({ kind: 'link', name: link.name, link })
    placed.add(link.name)
  }
  // What a record contains has no member that says where: it comes first, as in the worked example.
  for (const link of links.values()) if (link.kind === 'sub') place(link)
  for (const [name, member] of shape.members) {
    const standIn = links.get(hidden.get(name) ?? '')
    const link = links.get(name)
    if (standIn !== undefined) place(standIn)
    else if (link?.kind === 'external') place(link)
    else if (!member.writeOnly) {
      const nullable = member.nullable && !shape.conditional.has(name)
      fields.push({ kind: 'member', name, present: compilePresent(member), presentShared: compilePresent(member, true), nullable })
    }
  }
  for (const link of links.values()) place(link)
  return fields
}

function compileOthers(shape: Shape): ResourcePlan['presentOther'] {
  const made = new Map<Shape, Convert>()
  return (name) => {
    const other = shape.members.has(name) ? undefined : shape.other(name)
    if (other === undefined || other.writeOnly) return undefined
    const present = made.get(other) ?? compilePresent(other)
    made.set(other, present)
    return present
  }
}

/** A record has its key, whatever the schema requires, unless the store assigns it. */
function compileChecks(
  { collection, schema, key, assigned, shape }: ResourceDefinition,
  guard: Guard,
  caches: Caches,
): Pick<ResourcePlan, 'validate' | 'validatePatched' | 'validateSent'> {
  const required = new Set([...(isList(schema.required) ? schema.required : []), ...key.members])
  const keyed = { ...schema, required: [...required] }
  const storeSets = new Set([...assigned, ...[...shape.members].filter(([, member]) => member.readOnly).map(([name]) => name)])
  const validate = compileValidator(collection, keyed, storeSets, (member) => member.readOnly)
  checkDefaults(collection, shape, validate)
  const validatePatched = compilePatched(
    keyed,
    shape,
    validate,
    (relaxed, without) => compileValidator(collection, relaxed, new Set([...storeSets, ...without]), (member) => member.readOnly),
    caches.make('lenient-validators'),
  )
  if (!guard.any) return { validate, validatePatched, validateSent: validate }
  return {
    validate,
    validatePatched,
    validateSent: compileValidator(collection, keyed, storeSets, (member) => member.readOnly || member.writeOnly),
  }
}

function digestOf({ schema, links }: ResourceDefinition): string {
  const shown = [...links.values()].map((link) =>
    link.kind === 'to' ? { ...link, to: typeof link.to === 'string' ? link.to : link.to.collection } : link,
  )
  return etag(JSON.stringify([schema, shown])).slice(1, -1)
}

/** What is wrong with the key of a record that is to be created (PATH-11): it could not be addressed. */
export function checkKey({ key }: ResourcePlan, record: JsonObject): Violation[] {
  const found: Violation[] = []
  for (const member of key.members) {
    const value = own(record, member)
    if (typeof value !== 'string') continue
    // A part of a composite key stands beside its name, so it may be empty or a dot.
    const why = unfitForNew(key.composite ? `-${value}` : value)
    if (why !== undefined) found.push({ pointer: `/${escapePointer(member)}`, detail: why, code: 'unaddressable', clause: 'PATH-11' })
  }
  return found
}

/** Violations in terms of the wire: what the store calls `contratoId` the client knows as `contrato`. */
export function onWire(plan: ResourcePlan, found: readonly Violation[]): readonly Violation[] {
  if (plan.hidden.size === 0) return found
  // What the schema says of a key that a link should have given is no news where the link is refused.
  const refused = new Set(found.filter(({ code }) => code === 'link').map(({ pointer }) => pointer))
  const told = found.filter(
    ({ code, pointer = '' }) =>
      code === 'link' || !refused.has(`/${escapePointer(plan.hidden.get(pointerTokens(pointer)[0] ?? '') ?? '')}`),
  )
  return told.map((violation) => {
    const [name, ...below] = pointerTokens(violation.pointer ?? '')
    if (name === undefined) return violation
    const link = plan.hidden.get(name)
    // What names the stored member on purpose, to say which link to use, stays as it is.
    if (link !== undefined && violation.suggestion === link) return violation
    if (link !== undefined) {
      const detail = violation.detail.replaceAll(`"${name}"`, `"${link}"`)
      const params = violation.code === 'required' && below.length === 0 ? { params: { member: link } } : {}
      return { ...violation, pointer: `/${escapePointer(link)}`, detail, ...params }
    }
    if (violation.code !== 'unknown' || below.length > 0 || violation.allowed === undefined) return violation
    return unknownMember(
      `/${escapePointer(name)}`,
      name,
      plan.fields.map((field) => field.name),
    )
  })
}

/** The key of a record, or an error of the service where its store hands out one without. */
export function keyOf(plan: ResourcePlan, record: unknown): KeyValue {
  const key = isObject(record) ? plan.key.of(record) : undefined
  if (key === undefined)
    throw new Error(`The adapter of "${plan.collection}" gave a record without its key (${plan.key.members.join(', ')}).`)
  return key
}
