/**
 * Checks records that clients send, in stored members: fills in defaults, validates against the
 * schema, and reports every violation at once (REP-8, VERB-3, VERB-5).
 */
import { isDeepStrictEqual } from 'node:util'
import type { Scalar } from '../adapters/contract.js'
import { escapePointer, isList, isObject, type JsonObject, own, put } from '../definition/json.js'
import type { Shape } from '../definition/shape.js'
import { HttpProblem, type KnownViolation, type Violation } from '../problem.js'
import { mediaType } from '../wire.js'
import { removeMember } from './guard.js'
import { mergePatch } from './merge-patch.js'
import { summaryOf } from './refusal.js'
import { checkKey, onWire, type ResourcePlan } from './resource-plan.js'
import { unknownMember } from './violations.js'

/** Members whose values the address or the scope determines. */
export type Fixed = Readonly<Record<string, Scalar>>

/** Throws the `invalid-body` problem if there are violations (ERR-2). */
export function refuseBody(found: readonly Violation[]): void {
  if (found.length === 0) return
  throw new HttpProblem('invalid-body', { detail: summaryOf(found), errors: found })
}

/** Like `refuseBody`, for violations of stored members. */
export function refuseOnWire(plan: ResourcePlan, found: readonly Violation[]): void {
  if (found.length > 0) refuseBody(onWire(plan, found))
}

/** The body as an object. Throws 422 otherwise. */
export function objectBody(body: unknown): JsonObject {
  if (!isObject(body))
    refuseBody([{ pointer: '', detail: 'The body must be an object.', code: 'type', params: { types: ['object'] } }])
  return body as JsonObject
}

/** The body of a merge patch. Throws 422 otherwise. */
export function mergeBody(body: unknown, jsonPatch: boolean): JsonObject {
  if (jsonPatch && isList(body)) {
    const detail = `A merge patch is an object. Send a list of operations as ${mediaType.jsonPatch}.`
    refuseBody([{ pointer: '', detail, code: 'type', params: { types: ['object'] } }])
  }
  return objectBody(body)
}

/** The record of a POST. `found`: violations that are already known. Throws `invalid-body`. */
export function recordToCreate(plan: ResourcePlan, sent: JsonObject, fixed: Fixed, found: Violation[]): JsonObject {
  found.push(...plan.guard.given(sent))
  fix(plan, sent, fixed, found)
  const record = plan.complete.create(sent) as JsonObject
  found.push(...checkKey(plan, record), ...plan.validate(record))
  refuseOnWire(plan, found)
  return record
}

/** The record of a PUT, after all checks that do not need the stored one. Throws `invalid-body`. */
export function recordToReplace(plan: ResourcePlan, sent: JsonObject, fixed: Fixed, found: Violation[]): JsonObject {
  fix(plan, sent, fixed, found)
  leaveNullLinks(plan, sent)
  const record = plan.complete.update(sent) as JsonObject
  found.push(...plan.validateSent(record))
  refuseOnWire(plan, found)
  return record
}

/** The input of a patch. */
export interface Patched {
  readonly plan: ResourcePlan
  /** The stored record. */
  readonly current: JsonObject
  /** Members that no patch may change. */
  readonly fixed: Fixed
  /** Violations that are already known. */
  readonly found: Violation[]
}

/**
 * The stored record after a merge patch. The key, the members of `fixed` and undeclared stored
 * members keep their values. With `shares`, values that the patch does not touch are those of
 * `current`, otherwise copies. Throws `invalid-body`.
 */
export function recordToPatch(patched: Patched, patch: JsonObject, shares = false): JsonObject {
  const { plan, current, found } = patched
  const merged = mergePatch(plan.known(current), patch, plan.definition.shape, found) as JsonObject
  const record = shares ? canonicalWhere(plan, merged, Object.keys(patch)) : (plan.canonical(merged) as JsonObject)
  return keptRecord(patched, record, (name) => (own(patch, name) ?? null) !== null)
}

/**
 * Converts these members of the record to canonical form, in place. The stored members are
 * canonical already.
 */
function canonicalWhere(plan: ResourcePlan, record: JsonObject, names: readonly string[]): JsonObject {
  for (const name of names) if (Object.hasOwn(record, name)) put(record, name, canonicalOf(plan, name, record[name]))
  return record
}

/**
 * The stored record after a JSON Patch of the client's view. `seen`: the result, in stored members.
 * No `default` applies. Members that the client does not see, the key and the members of `fixed`
 * keep their values. Throws `invalid-body`.
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
  leaveNullLinks(plan, seen)
  return keptRecord(patched, plan.canonical(seen) as JsonObject, (name) => Object.hasOwn(seen, name))
}

/**
 * Drops the nulls of links without a target. Such a link is null on the wire even if its members
 * may not be null, and PUT must accept what GET returned (REP-7).
 */
function leaveNullLinks({ hidden, definition: { shape } }: ResourcePlan, record: JsonObject): void {
  for (const member of hidden.keys()) {
    if (own(record, member) === null && !shape.members.get(member)?.nullable && !shape.required.has(member))
      delete record[member]
  }
}

/** Treats a member that a JSON Patch removed and did not put back as a merge patch does. */
function settleRemoved(shape: Shape, seen: JsonObject, path: readonly string[]): void {
  let place: Shape | undefined = shape
  let value: unknown = seen
  for (const [i, token] of path.entries()) {
    if (!isObject(value)) {
      // An item removed from a list left no place behind.
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
 * Restores in a patched record, in canonical form, what no patch may change. `isNamed`: whether the
 * client sent a member that no other check refuses.
 */
function keptRecord(
  { plan, current, fixed, found }: Patched,
  record: JsonObject,
  isNamed: (name: string) => boolean,
): JsonObject {
  const { shape } = plan.definition
  for (const member of plan.fixed) if (!isKept(plan, member, record, current)) found.push(fixedViolation(member))
  for (const member of Object.keys(fixed)) {
    if (!plan.fixed.has(member) && !isKept(plan, member, record, current)) found.push(fixedViolation(member))
  }
  for (const name of undeclared(plan, current)) {
    // Checked here because the schema check covers only members that the store does not hold.
    if (isNamed(name)) found.push(unknownMember(`/${escapePointer(name)}`, name, [...shape.properties.keys()]))
    else put(record, name, current[name])
  }
  refuseOnWire(plan, found)
  return record
}

/** True if a patched record has the stored value of a member. */
function isKept(plan: ResourcePlan, member: string, record: JsonObject, current: JsonObject): boolean {
  const value = own(record, member)
  const stored = own(current, member)
  // Unchanged values need no canonical form.
  if (value === stored && typeof value !== 'object') return true
  // Members that the client does not see are restored later.
  if (!Object.hasOwn(record, member) && plan.definition.shape.members.get(member)?.writeOnly) return true
  return value === canonicalOf(plan, member, stored)
}

/**
 * Runs the checks that need the stored record: guarded members, and the schema of the whole record.
 * A patch is not refused because of members that it leaves unchanged. Throws `invalid-body`.
 */
export function completeRecord(
  plan: ResourcePlan,
  next: JsonObject,
  current: JsonObject,
  action: 'replace' | 'patch',
): void {
  const kept = undeclared(plan, current).filter((name) => Object.hasOwn(next, name) && next[name] === current[name])
  for (const name of kept) delete next[name]
  const guarded = plan.guard.carry(next, current)
  if (guarded.length > 0) refuseOnWire(plan, guarded)
  refuseOnWire(plan, action === 'patch' ? plan.validatePatched(next, current) : plan.validate(next))
  for (const name of kept) put(next, name, current[name])
  if (action === 'patch') keepUndeclared(plan, next, current)
}

/**
 * Restores undeclared stored members inside objects and lists: a patch applies to what the client
 * sees. A list that the client changed is stored as sent. Modifies `next`.
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

/** A value with the undeclared stored members restored; `known`: the stored value without them. */
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
 * The undeclared members of a stored record. Clients do not see them, so they can't fix them or
 * intend to remove them.
 */
function undeclared({ definition: { shape } }: ResourcePlan, current: JsonObject): readonly string[] {
  let found: string[] | undefined
  for (const name of Object.keys(current)) {
    if (shape.properties.has(name) || shape.other(name) !== undefined) continue
    found ??= []
    found.push(name)
  }
  return found ?? none
}

const none: readonly string[] = Object.freeze([])

/** A date-time has several spellings (REP-4). */
const canonicalOf = (plan: ResourcePlan, member: string, value: unknown): unknown =>
  own(plan.canonical({ [member]: value }), member)

function fix(plan: ResourcePlan, record: JsonObject, fixed: Fixed, found: Violation[]): void {
  for (const member of Object.keys(fixed)) {
    const value = canonicalOf(plan, member, fixed[member])
    if (Object.hasOwn(record, member) && canonicalOf(plan, member, record[member]) !== value)
      found.push(fixedViolation(member))
    record[member] = value
  }
}

/** The violation of a body or a change that contradicts the address or the scope. */
export const fixedViolation = (member: string): KnownViolation<'fixed'> => ({
  pointer: `/${escapePointer(member)}`,
  detail: `"${member}" is fixed by the address or by the caller's scope: leave it out, or send the current value.`,
  code: 'fixed',
  clause: 'VERB-3',
})
