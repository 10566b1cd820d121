/**
 * Compiles a resource definition to a plan, which holds the facts about the resource that are the
 * same for every request.
 */

import etag from 'etag'
import { Caches } from '../cache.js'
import { type Convert, compileCanonical } from '../definition/conversion.js'
import { escapePointer, isList, isObject, type JsonObject, own, pointerTokens } from '../definition/json.js'
import { type KeyCodec, type KeyValue, unfitForNew } from '../definition/key.js'
import { keptMembers } from '../definition/resolve-links.js'
import type { Link, LinkTo, PageOptions, ResourceDefinition } from '../definition/resource.js'
import type { Shape } from '../definition/shape.js'
import { loggableError } from '../failures/loggable.js'
import { ConfigurationError, type Violation } from '../problem.js'
import { compileDeprecated, type DeprecatedMembers } from './deprecated.js'
import { compileGuard, type Guard } from './guard.js'
import { compileListGrammar, type ListGrammar } from './list-grammar.js'
import { compileKnown, compileNormalize, compilePresent } from './members.js'
import { compilePatched, type ValidatePatched } from './unchanged-faults.js'
import { compileHasUndeclared, type HasUndeclared } from './undeclared.js'
import { compileValidator, type Validate } from './validator.js'
import { unknownMember } from './violations.js'

/**
 * One member of a representation. `ResourcePlan.fields` lists them in the order of the
 * representation.
 */
type Field =
  | {
      readonly kind: 'member'
      readonly name: string
      readonly present: Convert
      /**
       * Like `present`, but values that need no conversion are shared with the record and not
       * copied.
       */
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
  /**
   * The conversions for output, by member name. Contains the members that the schema names, except
   * `writeOnly` members.
   */
  readonly present: ReadonlyMap<string, Convert>
  /**
   * True if a response may contain members that the schema does not name. `presentOther` returns a
   * conversion for each of them.
   */
  readonly open: boolean
  /**
   * Returns the conversion for the output of a member that the schema allows without naming it.
   * Returns `undefined` if the schema does not allow the member.
   */
  readonly presentOther: (name: string) => Convert | undefined
  /**
   * The stored members that links replace in responses, each with the name of its link.
   */
  readonly hidden: ReadonlyMap<string, string>
  /**
   * The members of `hidden` that several links use, such as a tenant id that is part of several
   * foreign keys. A link without a target leaves such a member unchanged, because the other links
   * may need it. A member is in this set only if each of the links that use it also has a member of
   * its own, which no other link uses.
   */
  readonly shared: ReadonlySet<string>
  readonly links: ReadonlyMap<string, Link>
  readonly guard: Guard
  /**
   * Normalizes whole records on input: values become canonical, and `default`s and nulls are filled
   * in.
   */
  readonly complete: { readonly create: Convert; readonly update: Convert }
  /** Normalizes patched records: values become canonical, and nothing is filled in. */
  readonly canonical: Convert
  /**
   * Converts a stored record before it is patched: removes the members and nulls that the schema
   * does not allow. Otherwise the client would get violations that it can't fix.
   */
  readonly known: Convert
  /**
   * The members whose stored value may have undeclared members. For each of these members, there is
   * a test that tells whether a value contains undeclared members.
   */
  readonly hasUndeclared: ReadonlyMap<string, HasUndeclared>
  /** Returns the violations of a record that is to be stored. */
  readonly validate: Validate
  /** Returns the violations of a patched record, except the violations of unchanged members. */
  readonly validatePatched: ValidatePatched
  /**
   * Like `validate`, but used before a PUT reads the stored record. Members that will be copied
   * from the stored record may be absent.
   */
  readonly validateSent: Validate
  /**
   * The members of the key, and the members that hold the parent's key. A change can't give these
   * members other values, and need not contain them.
   */
  readonly fixed: ReadonlySet<string>
  /** True if an update requires the current record. */
  readonly needsCurrent: boolean
  /** The links to resources, in the order of the definition. */
  readonly associations: readonly LinkTo[]
  /**
   * The links that show members of their targets. To represent a record, these targets must be
   * read.
   */
  readonly showing: readonly LinkTo[]
  /** Finds the deprecated members in a body. */
  readonly deprecatedMembers: DeprecatedMembers | undefined
  /** A digest of the definition's schema and links, for entity tags (HDR-2). */
  readonly digest: string
}

/**
 * Compiles a resource definition. Throws `ConfigurationError` if the definition is invalid, for
 * example because its schema is not a valid JSON Schema.
 */
export function compileResource(
  definition: ResourceDefinition,
  page: PageOptions = {},
  caches = new Caches(),
): ResourcePlan {
  const { collection, shape, key, links, parent } = definition
  const kept = keptMembers(key.members, parent)
  const hidden = hiddenMembers(links, kept)
  const members = [...shape.members]
  const guard = compileGuard(shape, collection)
  const associations = [...links.values()].filter((link) => link.kind === 'to')
  const shared = sharedMembers(associations, hidden)
  return Object.freeze({
    definition,
    collection,
    key,
    list: compileListGrammar(definition, page, caches),
    fields: compileFields(definition, hidden),
    present: new Map(
      members.filter(([, member]) => !member.writeOnly).map(([name, member]) => [name, compilePresent(member)]),
    ),
    open: shape.hasOthers,
    presentOther: compileOthers(shape),
    hidden,
    shared,
    links,
    guard,
    complete: { create: compileNormalize(shape, 'create'), update: compileNormalize(shape, 'update') },
    canonical: compileCanonical(shape),
    known: compileKnown(shape),
    hasUndeclared: compileHasUndeclared(shape),
    ...compileChecks(definition, guard, shared, caches),
    fixed: kept,
    needsCurrent: guard.any || definition.rules !== undefined || associations.length > 0,
    associations,
    showing: associations.filter((link) => link.show.length > 0),
    deprecatedMembers: compileDeprecated(shape),
    digest: digestOf(definition),
  })
}

/**
 * Throws `ConfigurationError` if the `default` of a member violates the schema of the member.
 * Otherwise clients would get violations for a member that they did not send.
 */
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
      `The default of "${name}" of "${collection}" does not match its own schema: ${wrong.detail} ` +
        'Change the default or the schema.',
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

function sharedMembers(links: readonly LinkTo[], hidden: ReadonlyMap<string, string>): ReadonlySet<string> {
  const usersOf = (member: string): readonly LinkTo[] => links.filter(({ by }) => by.includes(member))
  const hasOwnMember = ({ by }: LinkTo): boolean =>
    by.some((member) => hidden.has(member) && usersOf(member).length === 1)
  return new Set(
    [...hidden.keys()].filter((member) => {
      const users = usersOf(member)
      return users.length > 1 && users.every(hasOwnMember)
    }),
  )
}

function compileFields({ shape, links }: ResourceDefinition, hidden: ReadonlyMap<string, string>): Field[] {
  const fields: Field[] = []
  const placed = new Set<string>()
  const place = (link: Link): void => {
    if (!placed.has(link.name)) fields.push({ kind: 'link', name: link.name, link })
    placed.add(link.name)
  }
  // A link to a sub-collection has no stored member that could determine its position among the
  // fields. Such links come first, as in the worked example of the conventions.
  for (const link of links.values()) if (link.kind === 'sub') place(link)
  for (const [name, member] of shape.members) {
    const standIn = links.get(hidden.get(name) ?? '')
    const link = links.get(name)
    if (standIn !== undefined) place(standIn)
    else if (link?.kind === 'external') place(link)
    else if (!member.writeOnly) {
      const nullable = member.nullable && !shape.conditional.has(name)
      fields.push({
        kind: 'member',
        name,
        present: compilePresent(member),
        presentShared: compilePresent(member, true),
        nullable,
      })
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

/**
 * Compiles the checks of records. A record must have its key, even if the schema does not require
 * the key. Only key members that the store assigns may be absent.
 */
function compileChecks(
  { collection, schema, key, assigned, shape }: ResourceDefinition,
  guard: Guard,
  shared: ReadonlySet<string>,
  caches: Caches,
): Pick<ResourcePlan, 'validate' | 'validatePatched' | 'validateSent'> {
  const required = new Set([...(isList(schema.required) ? schema.required : []), ...key.members])
  const keyed = { ...schema, required: [...required] }
  const storeSets = new Set([
    ...assigned,
    ...[...shape.members].filter(([, member]) => member.readOnly).map(([name]) => name),
  ])
  const validate = compileValidator(collection, keyed, storeSets, (member) => member.readOnly)
  checkDefaults(collection, shape, validate)
  const validatePatched = compilePatched(
    keyed,
    shape,
    validate,
    (relaxed, without) =>
      compileValidator(collection, relaxed, new Set([...storeSets, ...without]), (member) => member.readOnly),
    caches.make('lenient-validators'),
  )
  if (!guard.any && shared.size === 0) return { validate, validatePatched, validateSent: validate }
  const completed = new Set([...storeSets, ...shared])
  return {
    validate,
    validatePatched,
    validateSent: compileValidator(collection, keyed, completed, (member) => member.readOnly || member.writeOnly),
  }
}

function digestOf({ schema, links }: ResourceDefinition): string {
  const shown = [...links.values()].map((link) =>
    link.kind === 'to' ? { ...link, to: typeof link.to === 'string' ? link.to : link.to.collection } : link,
  )
  return etag(JSON.stringify([schema, shown])).slice(1, -1)
}

/**
 * Returns a violation for each key member of a new record whose value can't be part of a URL
 * (PATH-11).
 */
export function checkKey({ key }: ResourcePlan, record: JsonObject): Violation[] {
  const found: Violation[] = []
  for (const member of key.members) {
    const value = own(record, member)
    if (typeof value !== 'string') continue
    // In a URL, a part of a composite key is written as `name=value`, so the value can be empty or
    // a dot.
    const why = unfitForNew(key.composite ? `-${value}` : value)
    if (why !== undefined)
      found.push({ pointer: `/${escapePointer(member)}`, detail: why, code: 'unaddressable', clause: 'PATH-11' })
  }
  return found
}

/**
 * Translates violations from stored members to the members that clients know. For example, clients
 * know the stored member `contratoId` as the link `contrato`.
 */
export function onWire(plan: ResourcePlan, found: readonly Violation[]): readonly Violation[] {
  if (plan.hidden.size === 0) return found
  // If a link is refused, violations of the stored members that the link would have set are
  // redundant.
  const refused = new Set(found.filter(({ code }) => code === 'link').map(({ pointer }) => pointer))
  const relevant = found.filter(
    ({ code, pointer = '' }) =>
      code === 'link' || !refused.has(`/${escapePointer(plan.hidden.get(pointerTokens(pointer)[0] ?? '') ?? '')}`),
  )
  return relevant.map((violation) => {
    const [name, ...below] = pointerTokens(violation.pointer ?? '')
    if (name === undefined) return violation
    const link = plan.hidden.get(name)
    // Some violations name the stored member in order to suggest the link. Such violations stay
    // unchanged.
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

/** Returns the key of a record. Throws if the store returned a record without a key. */
export function keyOf(plan: ResourcePlan, record: unknown): KeyValue {
  const key = isObject(record) ? plan.key.of(record) : undefined
  if (key === undefined)
    throw loggableError(
      `The adapter of "${plan.collection}" returned a record without its key (${plan.key.members.join(', ')}).`,
    )
  return key
}
