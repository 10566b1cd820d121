/**
 * Converts the records that the service's own code passes to `records()`. The result has the form
 * in which a client would have sent the record (REP-7, REP-8).
 */
import { escapePointer, isList, isPlainObject, type JsonObject, own, put } from '../../definition/json.js'
import { invalidOption } from '../../options/check.js'
import type { Mounted } from '../../plan/routes.js'
import type { ConfigurationError } from '../../problem.js'

/**
 * Returns a copy of a value, without its undefined members. Throws `ConfigurationError` if the
 * value contains something that is not JSON data, such as a Date, or if it is nested more than
 * `depth` levels deep. Both are errors in the calling code, and not in a request.
 */
export function plainValue(what: string, value: unknown, depth: number): JsonObject {
  if (!isPlainObject(value)) throw invalidValue(what, '', value, 'Give an object with the members of the record.')
  return copy(what, value, '', depth) as JsonObject
}

function copy(what: string, value: unknown, at: string, depth: number): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (depth === 0) {
    throw invalidOption(
      `${what} is nested too deeply at "${at}". Does it contain a cycle? The option "depthLimit" sets the limit.`,
    )
  }
  if (isList(value)) return Array.from(value, (item, i) => copy(what, item, `${at}/${i}`, depth - 1))
  if (!isPlainObject(value)) throw invalidValue(what, at, value, 'Convert it to a string, or omit it.')
  const made: JsonObject = {}
  for (const name of Object.keys(value)) {
    if (value[name] !== undefined) put(made, name, copy(what, value[name], `${at}/${escapePointer(name)}`, depth - 1))
  }
  return made
}

function invalidValue(what: string, at: string, value: unknown, fix: string): ConfigurationError {
  const kind =
    value === null || value === undefined
      ? String(value)
      : typeof value === 'object'
        ? `an object (${value.constructor?.name || 'without a class'})`
        : `a ${typeof value}`
  return invalidOption(
    `${what} got ${typeof value === 'number' ? String(value) : kind} at "${at}", which a record can't contain. ${fix}`,
  )
}

/**
 * Replaces the stored members of links with the links that clients send: `{ client_id: 7 }` becomes
 * `{ client: { id: 7 } }`. A link that the record already has stays as it is. `fixed` contains the
 * members that hold the record's key, with their values. Modifies the record.
 */
export function withLinks({ plan, targets }: Mounted, record: JsonObject, fixed: JsonObject = {}): JsonObject {
  for (const { name, by } of plan.associations) {
    const given = by.filter((member) => plan.hidden.has(member) && Object.hasOwn(record, member))
    // A record that has both the link and its stored members is refused later, as it would be if a
    // client had sent it.
    if (given.length === 0 || Object.hasOwn(record, name)) continue
    const { members } = (targets.get(name) as Mounted).plan.key
    const parts = by.map((member) => own(record, member) ?? (Object.hasOwn(record, member) ? null : own(fixed, member)))
    for (const member of given) delete record[member]
    const key = Object.fromEntries(
      members.map((part, i) => [part, parts[i]] as const).filter(([, value]) => value !== undefined),
    )
    put(record, name, parts.includes(null) ? null : key)
  }
  return record
}
