/**
 * The cursors in pagination links (QUERY-7). A cursor is the value of the parameter `after`. It
 * contains the position of a page: the sort values of the row just before or after the page. It
 * also contains a fingerprint of the query. Cursors are opaque to clients but not secret. With a
 * forged cursor, a client can reach only rows that it could also reach by sorting and filtering.
 */
import { hash } from 'node:crypto'
import type { Condition, KeysetPosition, ListRequest, Scalar, SortTerm } from '../adapters/contract.js'
import { get } from '../definition/json.js'
import type { ResourceDefinition } from '../definition/resource.js'
import type { Shape } from '../definition/shape.js'
import { canonicalOf } from '../definition/value-formats.js'
import { formatTest } from './formats.js'

/**
 * Converts the value of a sort field for a cursor. Returns null for null and absent values, and
 * `undefined` for a value that a cursor must not contain.
 */
type CursorValueOf = (value: unknown) => Scalar | null | undefined

/**
 * The conversions of values for cursors, by sort field. If a list is sorted by a field without a
 * conversion, its links have no cursors.
 */
export type CursorValues = ReadonlyMap<string, CursorValueOf>

/**
 * The path of the list that a cursor belongs to. A cursor from the list of another collection or
 * parent is refused.
 */
export interface ListAddress {
  readonly listPath: string
}

/**
 * The parts of a list query that a cursor in the query must match. `expand` is not included,
 * because it does not change the order.
 */
type CursorQuery = Pick<ListRequest, 'where' | 'sort' | 'search' | 'size' | 'page'>

/** Returns the cursor for a link to a page, or `undefined` if the link can't have a cursor. */
export type CursorTo = (page: number, backwards: boolean) => string | undefined

/**
 * Maximum length of a cursor. A `Link` field contains up to two cursors, and Node's client, for
 * example, accepts at most 16 KiB of header fields.
 */
const maxCursorLength = 2_000

/**
 * The length of a fingerprint in characters. These characters hold 96 bits, which is enough to
 * detect mismatches. An attacker would gain nothing from a collision.
 */
const fingerprintLength = 16

/**
 * Compiles the functions that convert values for cursors: one for each sort field, and one for each
 * member of the key. Members that must not be sent are excluded (REP-8).
 */
export function compileCursorValues({ shape, sort, key }: ResourceDefinition): CursorValues {
  const paths = new Map<string, readonly string[]>(sort.map((field) => [field, field.split('.')]))
  for (const name of key.members) paths.set(name, [name])
  const cursorValues = new Map<string, CursorValueOf>()
  for (const [field, path] of paths) {
    const nodes = shape.along(path)
    const member = nodes?.at(-1)
    if (nodes === undefined || member === undefined || nodes.some((one) => one.writeOnly)) continue
    cursorValues.set(field, cursorValueOf(member))
  }
  return cursorValues
}

/**
 * Returns the function that creates the cursors in the links of a page. The page begins with the
 * record `first` and ends with the record `last`. The query is hashed when the first cursor is
 * created.
 */
export function cursorMaker(
  cursorValues: CursorValues,
  query: CursorQuery,
  address: ListAddress,
  { first, last }: { readonly first: unknown; readonly last: unknown },
): CursorTo {
  let fingerprint: string | undefined
  return (page, backwards) => {
    const values = sortValuesOf(cursorValues, query, backwards ? first : last)
    if (values === undefined) return undefined
    fingerprint ??= fingerprintOf(query, address)
    const cursor = inBase64(`["${fingerprint}",${page},${backwards},${JSON.stringify(values).slice(1)}`)
    return cursor.length > maxCursorLength ? undefined : cursor
  }
}

/**
 * Returns the position that a cursor contains. Returns `undefined` if the cursor is invalid, or
 * belongs to another list, query or page number.
 */
export function parseCursor(
  cursor: string,
  cursorValues: CursorValues,
  query: CursorQuery,
  address: ListAddress,
): KeysetPosition | undefined {
  const parts = decodeCursor(cursor)
  if (parts === undefined) return undefined
  const [fingerprint, page, backwards, ...values] = parts
  const { sort } = query
  if (page !== query.page || typeof backwards !== 'boolean' || sort.length === 0 || values.length !== sort.length)
    return undefined
  // Each value must have the canonical spelling of its type, as in the cursors that this module
  // creates.
  if (!sort.every(({ field }, i) => cursorValues.get(field)?.(values[i]) === values[i])) return undefined
  return fingerprint === fingerprintOf(query, address) ? { values: values as (Scalar | null)[], backwards } : undefined
}

/**
 * Returns the position after a record, for code that reads several pages within one request. Such a
 * position is not sent to a client, so the length of its strings is not limited. Returns
 * `undefined` if a value can't be part of a position.
 */
export function positionAfter(
  cursorValues: CursorValues,
  query: Pick<ListRequest, 'sort'>,
  record: unknown,
): KeysetPosition | undefined {
  const values = sortValuesOf(cursorValues, query, record, Number.POSITIVE_INFINITY)
  return values === undefined ? undefined : { values, backwards: false }
}

/**
 * Returns the sort values of a record. Returns `undefined` if the query has no sort fields, or if a
 * cursor must not contain one of the values.
 */
function sortValuesOf(
  cursorValues: CursorValues,
  { sort }: Pick<ListRequest, 'sort'>,
  record: unknown,
  longest = maxCursorLength,
): readonly (Scalar | null)[] | undefined {
  const values: (Scalar | null)[] = []
  for (const { field, path } of sort) {
    const value = cursorValues.get(field)?.(get(record, path))
    // A string that exceeds the maximum length on its own is not encoded at all.
    if (value === undefined || (typeof value === 'string' && value.length > longest)) return undefined
    values.push(value)
  }
  return values.length === 0 ? undefined : values
}

const inBase64 = (text: string): string => Buffer.from(text).toString('base64url')

/** Decodes a cursor. Accepts only the exact spelling that this module writes. */
function decodeCursor(cursor: string): readonly unknown[] | undefined {
  if (cursor.length > maxCursorLength) return undefined
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parts) && inBase64(JSON.stringify(parts)) === cursor ? parts : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns a string that identifies a query. Two queries get the same string if they have the same
 * list, conditions, order, search and page size, even if they are spelled differently.
 */
function fingerprintOf({ where, sort, search, size }: CursorQuery, { listPath }: ListAddress): string {
  const conditions = where.map(canonicalCondition).sort()
  // The JSON of an array of five values: list path, conditions, sort, search and page size.
  const whole = `[${JSON.stringify(listPath)},${JSON.stringify(conditions)},${termsOf(sort)},${JSON.stringify(search ?? null)},${size}]`
  return hash('sha256', whole, 'base64url').slice(0, fingerprintLength)
}

const termsOf = (sort: readonly SortTerm[]): string =>
  JSON.stringify(sort.map(({ field, descending }) => [field, descending]))

/**
 * Returns a string that identifies a condition. The values of an `in` condition are sorted, because
 * their order does not matter.
 */
function canonicalCondition({ field, op, value }: Condition): string {
  return JSON.stringify([field, op, op === 'in' ? value.map((one) => JSON.stringify(one)).sort() : value])
}

function cursorValueOf(shape: Shape): CursorValueOf {
  const { types } = shape
  const open = types.size === 0
  const text = open || types.has('string') ? textValue(shape) : noValue
  const number = open || types.has('number') ? finite : types.has('integer') ? whole : noValue
  const boolean = open || types.has('boolean')
  return (value) => {
    switch (typeof value) {
      case 'string':
        return text(value)
      case 'number':
        return number(value)
      case 'boolean':
        return boolean ? value : undefined
      default:
        return value === null || value === undefined ? null : undefined
    }
  }
}

const noValue = (): undefined => undefined
const finite = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined)
const whole = (value: number): number | undefined => (Number.isSafeInteger(value) ? value : undefined)

function textValue(shape: Shape): (text: string) => string | undefined {
  const canonical = canonicalOf(shape)
  if (canonical !== undefined) return canonical
  const { format } = shape
  const fits = format === undefined ? undefined : formatTest(format)
  return (text) => (/\p{Surrogate}/u.test(text) || fits?.(text) === false ? undefined : text)
}
