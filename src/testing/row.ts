/** Compares records as the suite requires. */
import { compileCanonical } from '../definition/conversion.js'
import { isObject } from '../definition/json.js'
import type { Shape } from '../definition/shape.js'

/** A record, whose type is only given by its schema. */
export type Row = Readonly<Record<string, unknown>>

/**
 * A value as a canonical text: date-times with seven fractional digits, members in the order of
 * their names, a negative zero as zero. Null and absent members give the same text, as the library
 * treats them as equal (REP-8).
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
