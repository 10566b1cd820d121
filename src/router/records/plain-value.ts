/** Records as own code gives them, as a client would have sent them (REP-7, REP-8). */
import { escapePointer, isList, isPlainObject, type JsonObject, own, put } from '../../definition/json.js'
import { invalidOption } from '../../options/check.js'
import type { Mounted } from '../../plan/routes.js'
import type { ConfigurationError } from '../../problem.js'

/**
 * A copy of a value as JSON would carry it: members that are undefined are left out. Throws
 * `ConfigurationError` for what JSON does not have, such as a Date, and beyond `depth` levels: both
 * are mistakes of the code, not of a client.
 */
export function plainValue(what: string, value: unknown, depth: number): JsonObject {
  if (!isPlainObject(value)) throw unfit(what, '', value, 'Give an object with the members of the record.')
  return copy(what, value, '', depth) as JsonObject
}

function copy(what: string, value: unknown, at: string, depth: number): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (depth === 0) {
    throw invalidOption(`${what} nests too deep at "${at}". Is it a circle? The bound is depthLimit.`)
  }
  if (isList(value)) return Array.from(value, (item, i) => copy(what, item, `${at}/${i}`, depth - 1))
  if (!isPlainObject(value)) throw unfit(what, at, value, 'Give its text, or leave it out.')
  const made: JsonObject = {}
  for (const name of Object.keys(value)) {
    if (value[name] !== undefined) put(made, name, copy(what, value[name], `${at}/${escapePointer(name)}`, depth - 1))
  }
  return made
}

function unfit(what: string, at: string, value: unknown, fix: string): ConfigurationError {
  const kind =
    value === null
      ? 'null'
      : typeof value === 'object'
        ? `an object (${value.constructor?.name || 'without a class'})`
        : `a ${typeof value}`
  return invalidOption(
    `${what} got ${typeof value === 'number' ? String(value) : kind} at "${at}", where it can't stand in a record. ${fix}`,
  )
}

/**
 * A record in the words of the wire: where it names the stored members of a link and not the link,
 * the link takes their place. `fixed` are members that the address gives. Changes the record.
 */
export function withLinks({ plan, targets }: Mounted, record: JsonObject, fixed: JsonObject = {}): JsonObject {
  for (const { name, by } of plan.associations) {
    const given = by.filter((member) => plan.hidden.has(member) && Object.hasOwn(record, member))
    // A record that has both is refused, as a client's is.
    if (given.length === 0 || Object.hasOwn(record, name)) continue
    const { members } = (targets.get(name) as Mounted).plan.key
    const parts = by.map((member) => own(record, member) ?? (Object.hasOwn(record, member) ? null : own(fixed, member)))
    for (const member of given) delete record[member]
    const key = Object.fromEntries(members.map((part, i) => [part, parts[i]] as const).filter(([, value]) => value !== undefined))
    put(record, name, parts.includes(null) ? null : key)
  }
  return record
}
