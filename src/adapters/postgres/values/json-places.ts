/** Compares values within JSON columns. */
import { get } from '../../../definition/json.js'
import type { Shape } from '../../../definition/shape.js'
import { type ValueFormat, valueFormat } from '../../../definition/value-formats.js'
import { jsonAt, jsonValue, type Place } from './places.js'
import { comparedRounded } from './rounded.js'

/**
 * The location of a scalar at a path within a JSON column. For strings with a format, see
 * `formattedPlace`. If the schema allows only strings, the strings are compared by code points. If
 * the schema allows another type, all values are compared as `jsonb`: numbers sort as numbers, and
 * `5` and `"5"` differ.
 */
export function jsonPlace(sql: string, cast: 'json' | 'jsonb', path: readonly string[], shape: Shape): Place {
  const inside = jsonAt(cast === 'jsonb' ? sql : `${sql}::jsonb`, path)
  const format = valueFormat(shape)
  const place = { column: undefined, nullable: true, mismatch: () => undefined }
  if (format !== undefined) return formattedPlace(inside.text, format)
  const { types } = shape
  if (types.size === 1 && types.has('string'))
    return { ...place, sql: `(${inside.text} COLLATE "C")`, compare: compareJsonText }
  const json = { ...place, sql: inside.json, compare: compareJson, compareShown: compareShownJson }
  return types.size === 1 ? json : { ...json, sameType: (value) => `jsonb_typeof(${inside.json}) = '${typeof value}'` }
}

/** Matches the strings that `formattedPlace` casts to `numeric`. */
const plainNumber = /^-?[0-9]+([.][0-9]+)?$/

/**
 * The location of a string with a format within a JSON column. Decimals and integers are compared
 * as numbers. Date-times are compared as strings without their `Z`, because the order of these
 * strings is the chronological order.
 */
function formattedPlace(text: string, format: ValueFormat): Place {
  const { name, canonical, expects, isNumber } = format
  const numeric = `(CASE WHEN ${text} ~ '${plainNumber.source}' THEN ${text}::numeric END)`
  const isMoment = name === 'date-time'
  return {
    sql: isNumber ? numeric : isMoment ? `(rtrim(${text}, 'Z') COLLATE "C")` : `(${text} COLLATE "C")`,
    column: undefined,
    nullable: true,
    compare(op, value) {
      // If the schema allows JSON numbers besides numeric strings, both are compared as numbers.
      const found = typeof value === 'string' || isNumber ? canonical(String(value)) : undefined
      if (found === undefined) return 'never'
      return { op, text: isMoment ? found.slice(0, -1) : found, cast: isNumber ? 'numeric' : 'text' }
    },
    // Records show the canonical spelling, but another program may have stored another spelling. To
    // the database, the other spelling is a different string, or a number that `plainNumber` does
    // not match.
    faithful: (stored) =>
      isNumber ? plainNumber.test(stored) && canonical(stored) !== undefined : canonical(stored) === stored,
    mismatch: (value) =>
      typeof value === 'string' && canonical(value) === undefined ? `must be ${expects}` : undefined,
  }
}

const compareJsonText: Place['compare'] = (op, value) =>
  typeof value === 'string' ? { op, text: value, cast: 'text' } : 'never'
const compareJson: Place['compare'] = (op, value) => ({ op, text: JSON.stringify(value), cast: 'jsonb' })

const compareShownJson: NonNullable<Place['compareShown']> = (op, value) =>
  typeof value === 'number' ? comparedRounded(op, value, 'jsonb') : [compareJson(op, value)]

/**
 * Whether every comparison in the database gives the same result for the stored value as for the
 * value that the record shows. `text` is the text of the JSON column, and `path` leads to the
 * value.
 */
export function isExactAt(text: string, path: readonly string[], place: Place): boolean {
  const shown = get(jsonValue(text), path)
  if (typeof shown === 'string') return place.faithful?.(shown) ?? true
  // For example, if a number is stored where the schema expects a date-time, no comparison finds
  // it.
  const isScalar = typeof shown === 'number' || typeof shown === 'boolean'
  if (isScalar && place.compare('=', shown) === 'never') return false
  if (!mayBeRounded.test(text)) return true
  const stored = get(JSON.parse(text.replace(tokens, quoteNumber)), path)
  return typeof stored !== 'string' || isExactNumber(stored, shown)
}

/**
 * Matches JSON text that may contain a number that is not shown exactly. It may also match other
 * text.
 */
const mayBeRounded = /[\d.]{16}|\d[eE]/

/** Matches each string and each number of a JSON text. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g
const quoteNumber = (token: string): string => (token.startsWith('"') ? token : `"${token}"`)

/** The smallest positive double with full precision. */
const smallestNormal = 2 ** -1022

/**
 * Whether a number of a JSON text is shown as the same decimal. A decimal of up to 15 significant
 * digits survives the conversion to a double and back.
 */
function isExactNumber(stored: string, shown: unknown): boolean {
  // A number beyond the range of a double is shown as null.
  if (typeof shown !== 'number') return false
  const digits = stored
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+|0+$/g, '')
  if (digits === '' || String(shown) === stored) return true
  return digits.length < 16 && Math.abs(shown) >= smallestNormal
}
