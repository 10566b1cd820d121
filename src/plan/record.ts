/** Records as clients send them, in terms of the store: completed, held against the schema, and refused with everything that is wrong at once (REP-8, VERB-3, VERB-5). */
import type { Scalar } from '../adapters/contract.js'
import { escapePointer, isObject, type JsonObject, own, put } from '../definition/json.js'
import { HttpProblem, type Violation } from '../problem.js'
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

/** The body as an object, or 422. */
export function objectBody(body: unknown): JsonObject {
  if (!isObject(body)) refuseBody([{ pointer: '', detail: 'The body must be an object.', code: 'type' }])
  return body as JsonObject
}

/** The record that a POST asks for. `found` are violations known already. Throws `invalid-body`. */
export function recordToCreate(plan: ResourcePlan, sent: JsonObject, fixed: Fixed, found: Violation[]): JsonObject {
  found.push(...plan.guard.given(sent))
  fix(plan, sent, fixed, found)
  const record = plan.complete.create(sent) as JsonObject
  found.push(...checkKey(plan, record), ...plan.validate(record))
  refuseBody(onWire(plan, found))
  return record
}

/** The record that a PUT asks for, as far as it can be told without the stored one. Throws `invalid-body`. */
export function recordToReplace(plan: ResourcePlan, sent: JsonObject, fixed: Fixed, found: Violation[]): JsonObject {
  fix(plan, sent, fixed, found)
  const record = plan.complete.update(sent) as JsonObject
  found.push(...plan.validateSent(record))
  refuseBody(onWire(plan, found))
  return record
}

/**
 * The stored record after a merge patch, in which the key and the members of `fixed` stay what they are, and so does what the store holds beside the schema.
 * Throws `invalid-body`.
 */
export function recordToPatch(plan: ResourcePlan, patch: JsonObject, current: JsonObject, fixed: Fixed, found: Violation[]): JsonObject {
  const { shape } = plan.definition
  const merged = plan.canonical(mergePatch(plan.known(current), patch, shape, found)) as JsonObject
  for (const member of new Set([...plan.fixed, ...Object.keys(fixed)])) {
    if (own(merged, member) !== canonicalOf(plan, member, own(current, member))) found.push(fixedViolation(member))
  }
  for (const name of undeclared(plan, current)) {
    // Only here, for what the store does not hold is refused by the schema.
    if (own(patch, name) !== undefined && own(patch, name) !== null)
      found.push(unknownMember(`/${escapePointer(name)}`, name, [...shape.properties.keys()]))
    else put(merged, name, current[name])
  }
  refuseBody(onWire(plan, found))
  return merged
}

/** What only the stored record can complete or refuse: guarded members, and the schema of all that it knows. Throws `invalid-body`. */
export function completeRecord(plan: ResourcePlan, next: JsonObject, current: JsonObject): void {
  const kept = undeclared(plan, current).filter((name) => Object.hasOwn(next, name) && next[name] === current[name])
  for (const name of kept) delete next[name]
  const found = plan.guard.carry(next, current)
  if (found.length === 0) found.push(...plan.validate(next))
  refuseBody(onWire(plan, found))
  for (const name of kept) put(next, name, current[name])
}

/** The members that a store holds beside the schema: no client sees them, so none can mend or mean to remove them. */
function undeclared({ definition: { shape } }: ResourcePlan, current: JsonObject): readonly string[] {
  return Object.keys(current).filter((name) => !shape.properties.has(name) && shape.other(name) === undefined)
}

/** A date-time has several spellings (REP-4). */
const canonicalOf = (plan: ResourcePlan, member: string, value: unknown): unknown => own(plan.canonical({ [member]: value }), member)

function fix(plan: ResourcePlan, record: JsonObject, fixed: Fixed, found: Violation[]): void {
  for (const [member, given] of Object.entries(fixed)) {
    const value = canonicalOf(plan, member, given)
    if (Object.hasOwn(record, member) && canonicalOf(plan, member, record[member]) !== value) found.push(fixedViolation(member))
    record[member] = value
  }
}

/** What is wrong where a body, or what is to be done to a record, says otherwise than the address and the scope. */
export const fixedViolation = (member: string): Violation => ({
  pointer: `/${escapePointer(member)}`,
  detail: `"${member}" is fixed by the address or by who asks: leave it out, or send it as it is.`,
  code: 'fixed',
  clause: 'VERB-3',
})
