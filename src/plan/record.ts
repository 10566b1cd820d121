/** Records as clients send them, in terms of the store: completed, held against the schema, and refused with everything that is wrong at once (REP-8, VERB-3, VERB-5). */
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

/** Members whose values the address or the scope gives. */
export type Fixed = Readonly<Record<string, Scalar>>

/** Throws the `invalid-body` problem where something was found (ERR-2). */
export function refuseBody(found: readonly Violation[]): void {
  if (found.length === 0) return
  throw new HttpProblem('invalid-body', { detail: summaryOf(found), errors: found })
}

/** The same of violations in terms of the store. */
export function refuseOnWire(plan: ResourcePlan, found: readonly Violation[]): void {
  if (found.length > 0) refuseBody(onWire(plan, found))
}

/** The body as an object, or 422. */
export function objectBody(body: unknown): JsonObject {
  if (!isObject(body)) refuseBody([{ pointer: '', detail: 'The body must be an object.', code: 'type', params: { types: ['object'] } }])
  return body as JsonObject
}

/** The body of a merge patch, or 422. */
export function mergeBody(body: unknown, jsonPatch: boolean): JsonObject {
  if (jsonPatch && isList(body)) {
    const detail = `A merge patch is an object. Send a list of operations as ${mediaType.jsonPatch}.`
    refuseBody([{ pointer: '', detail, code: 'type', params: { types: ['object'] } }])
  }
  return objectBody(body)
}

/** The record that a POST asks for. `found` are violations known already. Throws `invalid-body`. */
export function recordToCreate(plan: ResourcePlan, sent: JsonObject, fixed: Fixed, found: Violation[]): JsonObject {
  found.push(...plan.guard.given(sent))
  fix(plan, sent, fixed, found)
  const record = plan.complete.create(sent) as JsonObject
  found.push(...checkKey(plan, record), ...plan.validate(record))
  refuseOnWire(plan, found)
  return record
}

/** The record that a PUT asks for, as far as it can be told without the stored one. Throws `invalid-body`. */
export function recordToReplace(plan: ResourcePlan, sent: JsonObject, fixed: Fixed, found: Violation[]): JsonObject {
  fix(plan, sent, fixed, found)
  leaveNullLinks(plan, sent)
  const record = plan.complete.update(sent) as JsonObject
  found.push(...plan.validateSent(record))
  refuseOnWire(plan, found)
  return record
}

/** What a patch works on. */
export interface Patched {
  readonly plan: ResourcePlan
  /** The record as it is stored. */
  readonly current: JsonObject
  /** Members that no patch may change. */
  readonly fixed: Fixed
  /** Violations that are known already. */
  readonly found: Violation[]
}

/**
 * The stored record after a merge patch, in which the key and the members of `fixed` stay what they are, and so does what the store holds beside the schema. With
 * `shares` what the patch does not touch is the very same as in `current`, else a copy. Throws `invalid-body`.
 */
export function recordToPatch(patched: Patched, patch: JsonObject, shares = false): JsonObject {
  const { plan, current, found } = patched
  const merged = mergePatch(plan.known(current), patch, plan.definition.shape, found) as JsonObject
  const record = shares ? canonicalWhere(plan, merged, Object.keys(patch)) : (plan.canonical(merged) as JsonObject)
  return keptRecord(patched, record, (name) => (own(patch, name) ?? null) !== null)
}

/** The record with these members in canonical form, set in place: what a patch finds is canonical already. */
function canonicalWhere(plan: ResourcePlan, record: JsonObject, names: readonly string[]): JsonObject {
  for (const name of names) if (Object.hasOwn(record, name)) put(record, name, canonicalOf(plan, name, record[name]))
  return record
}

/**
 * The stored record after a JSON Patch of what the client sees of it: `seen` is the result, in terms of the store. No `default` applies. What the client does not
 * see, the key and the members of `fixed` stay what they are. Throws `invalid-body`.
 */
export function recordFromPatched(patched: Patched, seen: JsonObject, removed: readonly (readonly string[])[]): JsonObject {
  const { plan } = patched
  const { shape } = plan.definition
  for (const path of removed) settleRemoved(shape, seen, path)
  for (const member of plan.hidden.keys()) {
    if (own(seen, member) === undefined) removeMember(seen, member, shape.members.get(member) as Shape)
  }
  leaveNullLinks(plan, seen)
  return keptRecord(patched, plan.canonical(seen) as JsonObject, (name) => Object.hasOwn(seen, name))
}

/** A link that leads nowhere is null on the wire, whether its members may be null or not: what GET gave must go back in (REP-7). */
function leaveNullLinks({ hidden, definition: { shape } }: ResourcePlan, record: JsonObject): void {
  for (const member of hidden.keys()) {
    if (own(record, member) === null && !shape.members.get(member)?.nullable && !shape.required.has(member)) delete record[member]
  }
}

/** What a JSON Patch has taken away and not put back is what a merge patch removes. */
function settleRemoved(shape: Shape, seen: JsonObject, path: readonly string[]): void {
  let place: Shape | undefined = shape
  let value: unknown = seen
  for (const [i, token] of path.entries()) {
    if (!isObject(value)) {
      // What went out of a list left no place behind.
      if (!isList(value)) return
      place = place?.prefix[Number(token)] ?? place?.items
      value = value[Number(token)]
      continue
    }
    const member: Shape | undefined = place?.members.get(token) ?? place?.other(token)
    if (i === path.length - 1 && member !== undefined && !Object.hasOwn(value, token)) removeMember(value, token, member)
    place = member
    value = own(value, token)
  }
}

/** A patched record, in canonical form, with what no patch may change. `isNamed` tells whether the client has named a member, and nobody has refused it yet. */
function keptRecord({ plan, current, fixed, found }: Patched, record: JsonObject, isNamed: (name: string) => boolean): JsonObject {
  const { shape } = plan.definition
  for (const member of plan.fixed) if (!isKept(plan, member, record, current)) found.push(fixedViolation(member))
  for (const member of Object.keys(fixed)) {
    if (!plan.fixed.has(member) && !isKept(plan, member, record, current)) found.push(fixedViolation(member))
  }
  for (const name of undeclared(plan, current)) {
    // Only here, for what the store does not hold is refused by the schema.
    if (isNamed(name)) found.push(unknownMember(`/${escapePointer(name)}`, name, [...shape.properties.keys()]))
    else put(record, name, current[name])
  }
  refuseOnWire(plan, found)
  return record
}

/** True where a patched record has a member as it is stored. */
function isKept(plan: ResourcePlan, member: string, record: JsonObject, current: JsonObject): boolean {
  const value = own(record, member)
  const stored = own(current, member)
  // What was canonical stays the same.
  if (value === stored && typeof value !== 'object') return true
  // What the client does not see is put back later.
  if (!Object.hasOwn(record, member) && plan.definition.shape.members.get(member)?.writeOnly) return true
  return value === canonicalOf(plan, member, stored)
}

/**
 * What only the stored record can complete or refuse: guarded members, and the schema of all that it knows. A patch is not refused for what it leaves as it is
 * stored. Throws `invalid-body`.
 */
export function completeRecord(plan: ResourcePlan, next: JsonObject, current: JsonObject, action: 'replace' | 'patch'): void {
  const kept = undeclared(plan, current).filter((name) => Object.hasOwn(next, name) && next[name] === current[name])
  for (const name of kept) delete next[name]
  const guarded = plan.guard.carry(next, current)
  if (guarded.length > 0) refuseOnWire(plan, guarded)
  refuseOnWire(plan, action === 'patch' ? plan.validatePatched(next, current) : plan.validate(next))
  for (const name of kept) put(next, name, current[name])
  if (action === 'patch') keepBeside(plan, next, current)
}

/**
 * Puts back what the store holds beside the schema within objects and lists: a patch is about what
 * the client sees. A list that the client changed is what was sent. Changes `next`.
 */
function keepBeside(plan: ResourcePlan, next: JsonObject, current: JsonObject): void {
  let known: JsonObject | undefined
  for (const [name, holdsMore] of plan.holdsMore) {
    const value = next[name]
    const stored = current[name]
    if (value === stored || !isNested(value) || !holdsMore(stored)) continue
    const shape = plan.definition.shape.members.get(name) as Shape
    known ??= plan.known(current) as JsonObject
    put(next, name, withBeside(shape, value, stored, own(known, name)))
  }
}

const isNested = (value: unknown): boolean => typeof value === 'object' && value !== null

/** A value with what is stored beside the schema in its place; `known` is the stored one without that. */
function withBeside(shape: Shape, value: unknown, stored: unknown, known: unknown): unknown {
  if (stored === known || !isNested(value)) return value
  if (isDeepStrictEqual(value, known)) return stored
  if (!isObject(value) || !isObject(stored) || !isObject(known)) return value
  const made: JsonObject = { ...value }
  for (const name of Object.keys(stored)) {
    const member = shape.members.get(name) ?? shape.other(name)
    if (member === undefined) put(made, name, stored[name])
    else if (Object.hasOwn(made, name)) put(made, name, withBeside(member, made[name], stored[name], own(known, name)))
  }
  return made
}

/** The members that a store holds beside the schema: no client sees them, so none can mend or mean to remove them. */
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
const canonicalOf = (plan: ResourcePlan, member: string, value: unknown): unknown => own(plan.canonical({ [member]: value }), member)

function fix(plan: ResourcePlan, record: JsonObject, fixed: Fixed, found: Violation[]): void {
  for (const member of Object.keys(fixed)) {
    const value = canonicalOf(plan, member, fixed[member])
    if (Object.hasOwn(record, member) && canonicalOf(plan, member, record[member]) !== value) found.push(fixedViolation(member))
    record[member] = value
  }
}

/** What is wrong where a body, or what is to be done to a record, says otherwise than the address and the scope. */
export const fixedViolation = (member: string): KnownViolation<'fixed'> => ({
  pointer: `/${escapePointer(member)}`,
  detail: `"${member}" is fixed by the address or by who asks: leave it out, or send it as it is.`,
  code: 'fixed',
  clause: 'VERB-3',
})
