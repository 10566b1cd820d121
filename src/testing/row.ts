/** Converts records to canonical strings. The suite compares records by these strings. */
import { compileCanonical } from '../definition/conversion.js'
import { isObject } from '../definition/json.js'
import type { Shape } from '../definition/shape.js'

/**
 * A record of any resource. This type does not describe the members; the schema of the resource
 * does.
 */
export type Row = Readonly<Record<string, unknown>>

/**
 * Returns a function that converts a value to a canonical string. In this string, values with a
 * format are canonical, members are sorted by name, and a negative zero is zero. Null and absent
 * members give the same string, because the library treats them as equal (REP-8).
 */
export function compileIdentity(shape: Shape): (value: unknown) => string {
  const canonical = compileCanonical(shape)
  return (value) => JSON.stringify(plain(canonical(value)))
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'bigint') return `${value}n`
  if (!isObject(value)) return value
  const names = Object.keys(value).filter((name) => value[name] !== null && value[name] !== undefined)
  // JSON already writes -0 as 0.
  return names.sort().map((name) => [name, plain(value[name])])
}
