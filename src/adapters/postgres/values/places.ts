/**
 * Describes where the values of a record are stored in a row, and how they are encoded, decoded and
 * compared.
 */
import type { Scalar } from '../../contract.js'
import { arrayText, literal, type Parameters } from '../sql/sql.js'
import type { ColumnType, Comparison } from './column-type.js'
import { jsonFault, textFault } from './text-faults.js'

/** The content of a column: one scalar, any JSON value, or an array of scalars. */
export type Content =
  | { readonly kind: 'scalar'; readonly type: ColumnType }
  | { readonly kind: 'json'; readonly cast: 'json' | 'jsonb' }
  | { readonly kind: 'array'; readonly item: ColumnType }

/** Why a value can't be stored, and the path of the item or member at fault. */
export interface Fault {
  readonly path: readonly string[]
  readonly why: string
}

/**
 * The location of a scalar in a row, for conditions and sort orders: its column, or its path within
 * a JSON column.
 */
export interface Place {
  /** The SQL of the value. For text within JSON, it includes the collation for comparisons. */
  readonly sql: string
  /**
   * The `column` of the member, which may be `undefined` (see `Member`). Always `undefined` if the
   * value is within JSON.
   */
  readonly column: string | undefined
  readonly nullable: boolean
  compare(op: '=' | '<' | '<=' | '>' | '>=', value: Scalar): Comparison
  /**
   * For values that may be shown rounded: the comparisons that replace `op` and `value`. A stored
   * value satisfies all of these comparisons if and only if its shown form satisfies `op` and
   * `value`.
   */
  readonly compareShown?: (op: '=' | '<' | '<=' | '>' | '>=', value: Scalar) => readonly Comparison[]
  /**
   * SQL that is true if the value is shown as null, although the column holds another value.
   * `undefined` if that can't happen.
   */
  readonly unshown?: string | undefined
  /**
   * For places that may hold several JSON types: SQL that is true if the stored value has the same
   * JSON type as `value`.
   */
  readonly sameType?: (value: Scalar) => string
  /**
   * Whether comparisons give the same results for this string, stored within JSON, as for the
   * string that a record shows. Absent if this is true of every string.
   */
  readonly faithful?: (text: string) => boolean
  /**
   * Why this value can't be used in a condition on this place, phrased as the end of a sentence:
   * `must be a UUID`. `undefined` if it can.
   */
  mismatch(value: Scalar): string | undefined
}

export const castOf = (content: Content): string =>
  content.kind === 'scalar' ? content.type.cast : content.kind === 'json' ? content.cast : `${content.item.cast}[]`

/**
 * The SQL that reads a column as text. PGlite (`embedded`) removes one U+FEFF from the start of
 * every string that it returns. So if a string begins with U+FEFF, the SQL adds a second one.
 */
export function readSql(content: Content, sql: string, embedded = false): string {
  if (content.kind === 'scalar') {
    const shown = content.type.read(sql)
    const isFree = embedded && content.type.plain === true && content.type.canonical === undefined
    return isFree
      ? `CASE WHEN left(${shown}, 1) COLLATE "C" = chr(65279) THEN chr(65279) || ${shown} ELSE ${shown} END`
      : shown
  }
  if (content.kind === 'json') return `${sql}::text`
  // The database outputs the array as JSON, so that no array syntax has to be parsed here.
  if (content.item.inJson) return `array_to_json(${sql})::text`
  const items =
    `SELECT coalesce(json_agg(${content.item.read('_a.item')} ORDER BY _a.place), '[]')::text FROM ` +
    `unnest(${sql}) WITH ORDINALITY AS _a (item, place)`
  const sizes =
    `SELECT json_agg(array_length(${sql}, _d.place) ORDER BY _d.place) FROM generate_series(1, ` +
    `array_ndims(${sql})) AS _d (place)`
  return (
    `CASE WHEN array_ndims(${sql}) > 1 THEN json_build_object('sizes', (${sizes}), 'items', ` +
    `(${items})::json)::text WHEN ${sql} IS NOT NULL THEN (${items}) END`
  )
}

/**
 * SQL that is true for a row whose column may hold more than its record shows: numbers that JSON
 * does not support, numbers with more digits than a double can hold, a JSON null, or arrays whose
 * first index is not 1. `undefined` if there can be no such row.
 */
export function inexactSql(content: Content, sql: string): string | undefined {
  if (content.kind === 'scalar') return content.type.inexact?.(sql)
  // Matches a JSON null, numbers of 16 or more characters, and numbers with an exponent of three or
  // more digits. The pattern may also match such characters within a string, which is harmless.
  if (content.kind === 'json') return `${sql}::text ~ '^ *null|[0-9.]{16}|[0-9][eE][-+]?[0-9]{3}'`
  const item = content.item.inexact?.('_a.item')
  const items = item === undefined ? '' : ` OR EXISTS (SELECT 1 FROM unnest(${sql}) AS _a (item) WHERE ${item})`
  return `array_lower(${sql}, 1) <> 1${items}`
}

/**
 * Nests a flat list of items into lists of these sizes. The size of the outermost list comes first.
 */
function nested(items: readonly unknown[], sizes: readonly number[]): readonly unknown[] {
  const [, ...inner] = sizes
  if (inner.length === 0) return items
  const length = inner.reduce((product, size) => product * size, 1)
  return Array.from({ length: items.length / length }, (_, i) =>
    nested(items.slice(i * length, (i + 1) * length), inner),
  )
}

export function decode(content: Content, text: string): unknown {
  if (content.kind === 'scalar') return content.type.decode(text)
  if (content.kind === 'json') return jsonValue(text)
  const value: unknown = JSON.parse(text)
  if (Array.isArray(value))
    return content.item.inJson ? inLists(content.item, value) : value.map((item) => decodeItem(content.item, item))
  const { sizes, items } = value as { readonly sizes: readonly number[]; readonly items: readonly unknown[] }
  return nested(
    items.map((item) => decodeItem(content.item, item)),
    sizes,
  )
}

/**
 * Parses JSON, with null in place of each number that is too large for a double. Such a number has
 * hundreds of digits, or an exponent. Only columns of type `json` keep an exponent.
 */
export function jsonValue(text: string): unknown {
  if (!mayOverflow.test(text)) return JSON.parse(text)
  return JSON.parse(text, (_, value) => (typeof value === 'number' && !Number.isFinite(value) ? null : value))
}

/**
 * Matches JSON text that may contain a number that is too large for a double: one with 200 digits
 * or more, or with an exponent of three digits or more. Only such text is parsed with a reviver,
 * because a reviver is called for every value.
 */
const mayOverflow = /(?<!\d)\d{200}|(?:^|[[:,]\s*)-?[\d.]+[eE]\+?\d{3}/

const decodeItem = (type: ColumnType, item: unknown): unknown => (typeof item === 'string' ? type.decode(item) : item)

/**
 * Decodes items that `array_to_json` has output. A number becomes null if a scalar column of this
 * type would show it as null.
 */
function inLists(type: ColumnType, value: readonly unknown[]): readonly unknown[] {
  if (type.plain || type.holds.includes('boolean')) return value
  return deeply(value, (item) => (typeof item === 'number' ? type.decode(String(item)) : decodeItem(type, item)))
}

const deeply = (value: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] =>
  value.map((item) => (Array.isArray(item) ? deeply(item, change) : change(item)))

export function encode(content: Content, value: unknown): string {
  if (content.kind === 'scalar') return content.type.encode(value as Scalar)
  if (content.kind === 'json') return JSON.stringify(value)
  return arrayText(
    (value as readonly (Scalar | null)[]).map((item) => (item === null ? null : content.item.encode(item))),
  )
}

/** A value in its canonical spelling, if its type has one. Otherwise the value itself. */
export const canonicalOf = (content: Content, value: unknown): unknown =>
  content.kind === 'scalar' && typeof value === 'string' ? (content.type.canonical?.(value) ?? value) : value

/** Why a column can't hold a value exactly. `undefined` if it can. */
export function faultOf(content: Content, value: unknown): Fault | undefined {
  if (content.kind === 'json') return jsonFault(value, JSON.stringify(value))
  if (content.kind === 'scalar') return scalarFault(content.type, value, [])
  if (!Array.isArray(value)) return { path: [], why: 'must be a list' }
  for (const [i, item] of value.entries()) {
    const fault = item === null ? undefined : scalarFault(content.item, item, [String(i)])
    if (fault !== undefined) return fault
  }
  return undefined
}

/**
 * Returns a fault if the value contains a label that the column's enumeration did not have when the
 * catalog was read.
 */
export function labelFaultOf(content: Content, value: unknown): Fault | undefined {
  const type = content.kind === 'scalar' ? content.type : content.kind === 'array' ? content.item : undefined
  if (type?.labelFault === undefined) return undefined
  for (const item of [value].flat()) {
    const why = typeof item === 'string' ? type.labelFault(item) : undefined
    if (why !== undefined) return { path: [], why }
  }
  return undefined
}

function scalarFault(type: ColumnType, value: unknown, path: readonly string[]): Fault | undefined {
  if (!fits(type, value))
    return { path, why: `must be ${type.holds.includes('string') ? 'text' : `a ${type.holds.at(-1)}`}` }
  const why = type.fault(value as Scalar)
  return why === undefined ? undefined : { path, why }
}

const fits = ({ holds }: ColumnType, value: unknown): boolean =>
  typeof value === 'number'
    ? holds.includes('number') && Number.isFinite(value)
    : holds.includes(typeof value as 'string' | 'boolean')

/** The location of a scalar in its own column. */
export function columnPlace(sql: string, column: string | undefined, type: ColumnType, nullable: boolean): Place {
  return {
    sql,
    column,
    nullable,
    compare: (op, value) => (fits(type, value) ? type.compare(op, value) : 'never'),
    ...(type.compareShown === undefined
      ? {}
      : { compareShown: (op, value) => (fits(type, value) ? (type.compareShown?.(op, value) ?? []) : ['never']) }),
    unshown: type.unshown?.(sql),
    mismatch: (value) => (fits(type, value) ? type.mismatch?.(value) : undefined),
  }
}

/** SQL of the value at a path, as text and as JSON. A JSON null becomes SQL NULL. */
export function jsonAt(sql: string, path: readonly string[]): { readonly text: string; readonly json: string } {
  const steps = literal(arrayText(path))
  return { text: `(${sql} #>> ${steps})`, json: `nullif(${sql} #> ${steps}, 'null')` }
}

/**
 * SQL that is true if the record shows null or no value at a path. In columns other than JSON, the
 * SQL is also true for a stored number that is shown as null.
 */
export function isNullAt(content: Content, sql: string, path: readonly string[]): string {
  if (content.kind !== 'json') {
    const unshown = content.kind === 'scalar' ? content.type.unshown?.(sql) : undefined
    return unshown === undefined ? `${sql} IS NULL` : `(${sql} IS NULL OR ${unshown})`
  }
  return `${textAt(content, sql, path)} IS NULL`
}

/** SQL of the value at a path within JSON, as text. */
export const textAt = ({ cast }: { readonly cast: string }, sql: string, path: readonly string[]): string =>
  jsonAt(cast === 'jsonb' ? sql : `${sql}::jsonb`, path).text

/** SQL that is true if the array at a path contains a value. */
export function containsSql(
  content: Content,
  sql: string,
  path: readonly string[],
  value: Scalar,
  parameters: Parameters,
): string {
  if (content.kind === 'array') {
    const comparison = fits(content.item, value) ? content.item.compare('=', value) : 'never'
    if (comparison === 'never') return 'false'
    // Only an equality can be tested with `= ANY`.
    if (comparison.op !== '=') return 'false'
    const { text, asText } = comparison
    // The array is cast, because a domain over an enumeration has no operators.
    return asText
      ? `${parameters.add(text)} = ANY (${sql}::text[])`
      : `${parameters.add(text, content.item.cast)} = ANY (${sql}::${content.item.cast}[])`
  }
  if (content.kind === 'scalar') return 'false'
  const column = content.cast === 'jsonb' ? sql : `${sql}::jsonb`
  const inside = path.length === 0 ? column : `(${column} #> ${literal(arrayText(path))})`
  return `${inside} @> ${parameters.add(JSON.stringify([value]), 'jsonb')}`
}

/**
 * Why this value can't be in any array of this column, phrased as the end of a sentence.
 * `undefined` if it can.
 */
export const itemMismatch = (content: Content, value: Scalar): string | undefined =>
  content.kind === 'array' && fits(content.item, value) ? content.item.mismatch?.(value) : undefined

/**
 * Why a value can't be compared with any column: it is a string that no column can hold.
 * `undefined` for all other values.
 */
export const incomparable = (value: unknown): string | undefined =>
  typeof value === 'string' ? textFault(value) : undefined
