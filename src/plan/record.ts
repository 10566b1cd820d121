/**
 * Checks the records that clients send, after their links were converted to stored members. Fills
 * in defaults, validates against the schema, and reports several violations at once (REP-8, VERB-3,
 * VERB-5).
 */
import { isDeepStrictEqual } from 'node:util'
import type { Scalar } from '../adapters/contract.js'
import { escapePointer, isList, isObject, type JsonObject, own, put } from '../definition/json.js'
import { hasUrl } from '../definition/key.js'
import type { LinkTo } from '../definition/resource.js'
import type { Shape } from '../definition/shape.js'
import { HttpProblem, type KnownViolation, type Violation } from '../problem.js'
import { mediaType } from '../wire.js'
import { removeMember } from './guard.js'
import { mergePatch } from './merge-patch.js'
import { summaryOf } from './refusal.js'
import { checkKey, onWire, type ResourcePlan } from './resource-plan.js'
import { unknownMember } from './violations.js'

/** Members whose values are determined by the path or the scope. */
export type Fixed = Readonly<Record<string, Scalar>>

/** Throws the `invalid-body` problem if there are violations (ERR-2). */
export function refuseBody(violations: readonly Violation[]): void {
  if (violations.length === 0) return
  throw new HttpProblem('invalid-body', { detail: summaryOf(violations), errors: violations })
}

/**
 * Like `refuseBody`, for violations that name stored members. In the response, the violations name
 * the members that clients know.
 */
export function refuseOnWire(plan: ResourcePlan, violations: readonly Violation[]): void {
  if (violations.length > 0) refuseBody(onWire(plan, violations))
}

/** Returns the body if it is an object. Otherwise throws `invalid-body` (422). */
export function objectBody(body: unknown): JsonObject {
  if (!isObject(body))
    refuseBody([{ pointer: '', detail: 'The body must be an object.', code: 'type', params: { types: ['object'] } }])
  return body as JsonObject
}

/**
 * Returns the body of a merge patch if it is an object. Otherwise throws `invalid-body` (422).
 * `jsonPatch` is true if the service also accepts JSON Patch. In this case, if the body is a list,
 * the message suggests the media type of JSON Patch.
 */
export function mergeBody(body: unknown, jsonPatch: boolean): JsonObject {
  if (jsonPatch && isList(body)) {
    const detail = `A merge patch is an object. Send a list of operations as ${mediaType.jsonPatch}.`
    refuseBody([{ pointer: '', detail, code: 'type', params: { types: ['object'] } }])
  }
  return objectBody(body)
}

/**
 * Returns the record that a POST creates. `violations` contains violations that are already known.
 * Throws `invalid-body` if there are any violations.
 */
export function recordToCreate(
  plan: ResourcePlan,
  sent: JsonObject,
  fixed: Fixed,
  violations: Violation[],
): JsonObject {
  violations.push(...plan.guard.given(sent))
  fix(plan, sent, fixed, violations)
  // Several links may use the same member. If one of these links is null in a new record, and no
  // link sets the member, the member becomes null.
  if (plan.shared.size > 0)
    for (const member of plan.shared)
      if (!Object.hasOwn(sent, member) && plan.associations.some((link) => isNullLink(link, member, sent)))
        sent[member] = null
  const record = plan.complete.create(sent) as JsonObject
  violations.push(...checkKey(plan, record), ...plan.validate(record))
  refuseOnWire(plan, violations)
  return record
}

const isNullLink = ({ by }: LinkTo, member: string, sent: JsonObject): boolean =>
  by.includes(member) && by.some((other) => other !== member && own(sent, other) === null)

/**
 * Returns the record of a PUT, after all checks that do not need the stored record. Throws
 * `invalid-body` if there are any violations.
 */
export function recordToReplace(
  plan: ResourcePlan,
  sent: JsonObject,
  fixed: Fixed,
  violations: Violation[],
): JsonObject {
  fix(plan, sent, fixed, violations)
  leaveNullLinks(plan, sent)
  const record = plan.complete.update(sent) as JsonObject
  violations.push(...plan.validateSent(record))
  refuseOnWire(plan, violations)
  return record
}

/** The record that a patch changes, and the data for its checks. */
export interface Patched {
  readonly plan: ResourcePlan
  /** The stored record. */
  readonly current: JsonObject
  /** The members that the scope fixes, so that no patch may change them. */
  readonly fixed: Fixed
  /** Violations that are already known. */
  readonly violations: Violation[]
}

/**
 * Returns the record that results from applying a merge patch to the stored record. The key, the
 * members of `fixed` and undeclared stored members keep their values. With `shares`, the values
 * that the patch does not touch are shared with `current`. Otherwise they are copied. Throws
 * `invalid-body` if there are any violations.
 */
export function recordToPatch(patched: Patched, patch: JsonObject, shares = false): JsonObject {
  const { plan, current, violations } = patched
  const merged = mergePatch(plan.known(current), patch, plan.definition.shape, violations) as JsonObject
  const record = shares ? canonicalWhere(plan, merged, Object.keys(patch)) : (plan.canonical(merged) as JsonObject)
  return keptRecord(patched, record, (name) => (own(patch, name) ?? null) !== null)
}

/**
 * Converts the members in `names` to canonical form, and modifies the record. The other members
 * have their stored values, which are already canonical.
 */
function canonicalWhere(plan: ResourcePlan, record: JsonObject, names: readonly string[]): JsonObject {
  for (const name of names) if (Object.hasOwn(record, name)) put(record, name, canonicalOf(plan, name, record[name]))
  return record
}

/**
 * Returns the record to store after a JSON Patch has changed the client's view. `seen` is the
 * patched view, converted to stored members. `removed` contains the paths that the patch removed.
 * No `default` is filled in. The key, the members of `fixed`, and the members that the client does
 * not see keep their values. Throws `invalid-body` if there are any violations.
 */
export function recordFromPatched(
  patched: Patched,
  seen: JsonObject,
  removed: readonly (readonly string[])[],
): JsonObject {
  const { plan } = patched
  const { shape } = plan.definition
  for (const path of removed) settleRemoved(shape, seen, path)
  for (const member of plan.hidden.keys()) {
    if (own(seen, member) === undefined) removeMember(seen, member, shape.members.get(member) as Shape)
  }
  keepLinkMembers(plan, seen, patched.current)
  leaveNullLinks(plan, seen)
  return keptRecord(patched, plan.canonical(seen) as JsonObject, (name) => Object.hasOwn(seen, name))
}

/**
 * Deletes the nulls that stand for links without a target. A response shows such a link as null,
 * even if the schema does not allow null for its stored members. PUT must accept the representation
 * that GET returned (REP-7).
 */
function leaveNullLinks({ hidden, definition: { shape } }: ResourcePlan, record: JsonObject): void {
  for (const member of hidden.keys()) {
    if (own(record, member) === null && !shape.members.get(member)?.nullable && !shape.required.has(member))
      delete record[member]
  }
}

/**
 * Restores stored members of links without a target. Clients do not see these members, so they
 * can't have removed them:
 * - A member that several links use keeps its value, unless one of the links sets it.
 * - If a link had no target before, and has none now, its other members keep their values too.
 * - A stored key that no URL can contain is shown as null. If the patched view still has null
 *   there, the stored key is kept.
 */
function keepLinkMembers(plan: ResourcePlan, next: JsonObject, current: JsonObject): void {
  const { shared, associations } = plan
  if (shared.size > 0) for (const member of shared) keepMember(plan, member, next, current)
  for (const { by } of associations) {
    const value = current[by[0] as string]
    // Nothing is restored for a link with one member, unless no URL can contain the stored value.
    if (by.length === 1 && (typeof value !== 'string' || hasUrl(value))) continue
    if (by.length === 1 || by.some((member) => isNull(current, member) && isNull(next, member)))
      for (const member of by) keepMember(plan, member, next, current)
  }
}

const isNull = (record: JsonObject, member: string): boolean => (own(record, member) ?? null) === null

function keepMember({ hidden }: ResourcePlan, member: string, next: JsonObject, current: JsonObject): void {
  if (hidden.has(member) && isNull(next, member) && Object.hasOwn(current, member)) next[member] = current[member]
}

/**
 * Makes removing a member with a JSON Patch equivalent to removing it with a merge patch. If the
 * schema allows null, the removed member becomes null. Otherwise, the member stays removed.
 */
function settleRemoved(shape: Shape, seen: JsonObject, path: readonly string[]): void {
  let place: Shape | undefined = shape
  let value: unknown = seen
  for (const [i, token] of path.entries()) {
    if (!isObject(value)) {
      // There may be no value at the path. For example, the members that a link shows are not
      // stored.
      if (!isList(value)) return
      place = place?.prefix[Number(token)] ?? place?.items
      value = value[Number(token)]
      continue
    }
    const member: Shape | undefined = place?.members.get(token) ?? place?.other(token)
    if (i === path.length - 1 && member !== undefined && !Object.hasOwn(value, token))
      removeMember(value, token, member)
    place = member
    value = own(value, token)
  }
}

/**
 * Restores the undeclared stored members in the patched record `record`. The record must be in
 * canonical form. Throws `invalid-body` if the patch changed a member that it must not change.
 * `isNamed` returns true for a member that the client sent. It may return false for a member that
 * another check has already refused.
 */
function keptRecord(
  { plan, current, fixed, violations }: Patched,
  record: JsonObject,
  isNamed: (name: string) => boolean,
): JsonObject {
  const { shape } = plan.definition
  for (const member of plan.fixed) if (!isKept(plan, member, record, current)) violations.push(fixedViolation(member))
  for (const member of Object.keys(fixed)) {
    if (!plan.fixed.has(member) && !isKept(plan, member, record, current)) violations.push(fixedViolation(member))
  }
  for (const name of undeclared(plan, current)) {
    // This check is necessary, because the later schema check skips undeclared members that have
    // their stored value.
    if (isNamed(name)) violations.push(unknownMember(`/${escapePointer(name)}`, name, [...shape.properties.keys()]))
    else put(record, name, current[name])
  }
  refuseOnWire(plan, violations)
  return record
}

/** True if a patched record has the stored value of a member. */
function isKept(plan: ResourcePlan, member: string, record: JsonObject, current: JsonObject): boolean {
  const value = own(record, member)
  const stored = own(current, member)
  // Equal scalars need not be converted to canonical form before they are compared.
  if (value === stored && typeof value !== 'object') return true
  // A member that the client does not see is restored later.
  if (!Object.hasOwn(record, member) && plan.definition.shape.members.get(member)?.writeOnly) return true
  return value === canonicalOf(plan, member, stored)
}

/**
 * Runs the checks that need the stored record: the check of guarded members (`readOnly` and
 * `writeOnly`), and the check of the whole record against the schema. Faults in members that a
 * patch leaves unchanged are not violations. Throws `invalid-body` if there are any violations.
 */
export function completeRecord(
  plan: ResourcePlan,
  next: JsonObject,
  current: JsonObject,
  action: 'replace' | 'patch',
): void {
  const kept = undeclared(plan, current).filter((name) => Object.hasOwn(next, name) && next[name] === current[name])
  for (const name of kept) delete next[name]
  keepLinkMembers(plan, next, current)
  const guarded = plan.guard.carry(next, current)
  if (guarded.length > 0) refuseOnWire(plan, guarded)
  refuseOnWire(plan, action === 'patch' ? plan.validatePatched(next, current) : plan.validate(next))
  for (const name of kept) put(next, name, current[name])
  if (action === 'patch') keepUndeclared(plan, next, current)
}

/**
 * Restores undeclared stored members inside objects and lists. The client does not see them, so its
 * patch must not remove them. A list that the client changed is stored as sent. Modifies `next`.
 */
function keepUndeclared(plan: ResourcePlan, next: JsonObject, current: JsonObject): void {
  let known: JsonObject | undefined
  for (const [name, hasUndeclared] of plan.hasUndeclared) {
    const value = next[name]
    const stored = current[name]
    if (value === stored || !isNested(value) || !hasUndeclared(stored)) continue
    const shape = plan.definition.shape.members.get(name) as Shape
    known ??= plan.known(current) as JsonObject
    put(next, name, withUndeclared(shape, value, stored, own(known, name)))
  }
}

const isNested = (value: unknown): boolean => typeof value === 'object' && value !== null

/**
 * Returns a value with its undeclared stored members restored. `known` is the stored value without
 * these members.
 */
function withUndeclared(shape: Shape, value: unknown, stored: unknown, known: unknown): unknown {
  if (stored === known || !isNested(value)) return value
  if (isDeepStrictEqual(value, known)) return stored
  if (!isObject(value) || !isObject(stored) || !isObject(known)) return value
  const made: JsonObject = { ...value }
  for (const name of Object.keys(stored)) {
    const member = shape.members.get(name) ?? shape.other(name)
    if (member === undefined) put(made, name, stored[name])
    else if (Object.hasOwn(made, name))
      put(made, name, withUndeclared(member, made[name], stored[name], own(known, name)))
  }
  return made
}

/**
 * The undeclared members of a stored record. Clients do not see these members, so a client can
 * neither fix them nor intend to remove them.
 */
function undeclared({ definition: { shape } }: ResourcePlan, current: JsonObject): readonly string[] {
  let names: string[] | undefined
  for (const name of Object.keys(current)) {
    if (shape.properties.has(name) || shape.other(name) !== undefined) continue
    names ??= []
    names.push(name)
  }
  return names ?? none
}

const none: readonly string[] = Object.freeze([])

/**
 * Returns the canonical form of a member's value. A date-time, for example, has several spellings
 * (REP-4).
 */
export const canonicalOf = (plan: ResourcePlan, member: string, value: unknown): unknown =>
  own(plan.canonical({ [member]: value }), member)

function fix(plan: ResourcePlan, record: JsonObject, fixed: Fixed, violations: Violation[]): void {
  for (const member of Object.keys(fixed)) {
    const value = canonicalOf(plan, member, fixed[member])
    if (Object.hasOwn(record, member) && canonicalOf(plan, member, record[member]) !== value)
      violations.push(fixedViolation(member))
    record[member] = value
  }
}

/** The violation for a member whose new value contradicts the path or the scope. */
export const fixedViolation = (member: string): KnownViolation<'fixed'> => ({
  pointer: `/${escapePointer(member)}`,
  detail: `"${member}" is fixed by the path or by the caller's scope: leave it out, or send the current value.`,
  code: 'fixed',
  clause: 'VERB-3',
})
