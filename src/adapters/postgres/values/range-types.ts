/**
 * Ranges and multiranges as strings in PostgreSQL's syntax: `[1,5)`. The bounds are shown in the
 * same way as single values of their type.
 */
import { compareDecimals } from '../../../http/decimal.js'
import type { ColumnType } from './column-type.js'
import { valueTexts } from './value-texts.js'

/**
 * The type of the bounds. The key is the name of the range type without its ending `range` or
 * `multirange`: `int4` for both `int4range` and `int4multirange`.
 */
const bounds: Readonly<Record<string, string>> = {
  int4: 'integer',
  int8: 'bigint',
  num: 'numeric',
  date: 'date',
  ts: 'timestamp without time zone',
  tstz: 'timestamp with time zone',
}
/** The keys in `bounds` of the types whose text does not depend on the settings of the session. */
const plain = new Set(['int4', 'int8', 'num'])

/**
 * PostgreSQL's own range or multirange type with this name. `undefined` for any other name.
 */
export function rangeOf(name: string, typeOf: (name: string) => ColumnType | undefined): ColumnType | undefined {
  const found = /^(\w+?)(range|multirange)$/.exec(name)
  const [, of = '', kind] = found ?? []
  const base = bounds[of]
  const bound = base === undefined ? undefined : typeOf(base)
  if (bound === undefined) return undefined
  const canonical = rangeText(bound)
  const readOne = plain.has(of) ? (sql: string): string => `${sql}::text` : readRange(bound)
  if (kind === 'range') {
    return valueTexts({
      cast: name,
      samples: ['empty', `[${bound.samples[0]},${bound.samples[1]})`],
      formats: [],
      expects: `a range such as [${bound.samples[0]},${bound.samples[1]}), or "empty"`,
      canonical,
      read: readOne,
      shownAs: (sql, text) => `${readOne(sql)} = ${text}`,
    })
  }
  const read = plain.has(of)
    ? (sql: string): string => `${sql}::text`
    : (sql: string): string =>
        `CASE WHEN ${sql} IS NOT NULL THEN '{' || coalesce((SELECT string_agg(${readOne('u.r')}, ',' ORDER BY ` +
        `u.r) FROM unnest(${sql}) AS u (r)), '') || '}' END`
  return valueTexts({
    cast: name,
    samples: ['{}', `{[${bound.samples[0]},${bound.samples[1]})}`],
    formats: [],
    expects: `ranges such as {[${bound.samples[0]},${bound.samples[1]})} or {}`,
    canonical: multirangeText(canonical),
    read,
    shownAs: (sql, text) => `${read(sql)} = ${text}`,
  })
}

/**
 * SQL that reads a range as text. The bounds are read in the same way as single values of their
 * type.
 */
const readRange =
  (bound: ColumnType) =>
  (sql: string): string =>
    `CASE WHEN isempty(${sql}) THEN 'empty' WHEN ${sql} IS NOT NULL THEN concat(CASE WHEN lower_inc(${sql}) THEN ` +
    `'[' ELSE '(' END, CASE WHEN NOT lower_inf(${sql}) THEN ${bound.read(`lower(${sql})`)} END, ',', CASE WHEN NOT ` +
    `upper_inf(${sql}) THEN ${bound.read(`upper(${sql})`)} END, CASE WHEN upper_inc(${sql}) THEN ']' ELSE ')' END) END`

/**
 * The day after 9999-12-31, the last day that a string of the format `date` can express. PostgreSQL
 * outputs the range `[d,9999-12-31]` as `[d,10000-01-01)`, and `(9999-12-31,)` as `[10000-01-01,)`.
 */
const endOfDays = '10000-01-01'

/**
 * Returns a function that encodes the bounds in the string of a range, and leaves everything else
 * unchanged. The function returns `undefined` for a string that is not a valid range. Different
 * strings can stand for the same range, such as `[1,4]` and `[1,5)` of integers. The database
 * decides which of these strings it outputs.
 */
function rangeText(bound: ColumnType): (text: string) => string | undefined {
  const one = (text: string): string | undefined => {
    if (text === '' || (bound.cast === 'date' && text === endOfDays)) return text
    return bound.fault(text) === undefined ? bound.encode(text) : undefined
  }
  return (text) => {
    if (text === 'empty') return text
    const found = /^([[(])([^,[\](){}]*),([^,[\](){}]*)([\])])$/.exec(text)
    if (found === null) return undefined
    const [lower, upper] = [one(found[2] as string), one(found[3] as string)]
    if (lower === undefined || upper === undefined) return undefined
    const isOrdered = lower === '' || upper === '' || compareBounds(bound, lower, upper) <= 0
    return isOrdered ? `${found[1]}${lower},${upper}${found[4]}` : undefined
  }
}

function compareBounds(bound: ColumnType, lower: string, upper: string): number {
  if (lower === endOfDays || upper === endOfDays) return lower === upper ? 0 : lower === endOfDays ? 1 : -1
  if (bound.formats?.includes('decimal')) return compareDecimals(lower, upper)
  return lower.replace('Z', '') < upper.replace('Z', '') ? -1 : lower === upper ? 0 : 1
}

function multirangeText(one: (text: string) => string | undefined): (text: string) => string | undefined {
  return (text) => {
    if (text === '{}') return text
    if (!/^\{.*\}$/s.test(text)) return undefined
    const parts = text.slice(1, -1).match(/empty|[[(][^\])]*[\])]/g) ?? []
    if (parts.length === 0 || parts.join(',') !== text.slice(1, -1)) return undefined
    const found = parts.map(one)
    return found.includes(undefined) ? undefined : `{${found.join(',')}}`
  }
}
