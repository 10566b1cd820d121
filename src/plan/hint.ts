/**
 * The hints of pagination links (QUERY-7). A hint contains the position of a page: the sort values
 * of the row just before or after the page. It also contains a fingerprint of its query. Hints are
 * opaque to clients but not secret. With a forged hint, a client reaches only rows that it could
 * also reach by sorting and filtering.
 */
import { hash } from 'node:crypto'
import type { Condition, KeysetPosition, ListRequest, Scalar, SortTerm } from '../adapters/contract.js'
import { get } from '../definition/json.js'
import type { ResourceDefinition } from '../definition/resource.js'
import type { Shape } from '../definition/shape.js'
import { canonicalOf } from '../definition/value-formats.js'
import { formatTest } from './formats.js'

/**
 * Converts the value of a sort field for a hint. Returns null for null and absent values, and
 * `undefined` for a value that no hint may contain.
 */
type PlaceValue = (value: unknown) => Scalar | null | undefined

/**
 * The conversions of values for hints, by sort field. If a list is sorted by any other field, it
 * has no hints.
 */
export type PlaceGrammar = ReadonlyMap<string, PlaceValue>

/**
 * The path of the list that a hint belongs to. A hint from the list of another collection or parent
 * is refused.
 */
export interface ListAddress {
  readonly listPath: string
}

/**
 * The parts of a list query that must be the same when a hint is used as when it was created.
 * `expand` is not included, because it does not change the order.
 */
type HintedQuery = Pick<ListRequest, 'where' | 'sort' | 'search' | 'size' | 'page'>

/** Returns the hint for a link to a page, or `undefined` if the link can't have a hint. */
export type HintTo = (page: number, backwards: boolean) => string | undefined

/**
 * Maximum length of a hint. A `Link` field contains two hints, and clients accept at most 16 KiB of
 * header fields.
 */
const longestHint = 2_000

/**
 * The length of a fingerprint in characters. These characters hold 96 bits, which is enough to
 * detect mismatches. An attacker would gain nothing from a collision.
 */
const fingerprintLength = 16

/**
 * Compiles the values that the hints of a resource may contain: the scalars of its sort fields and
 * of its key. Members that must not be sent are excluded (REP-8).
 */
export function compilePlaces({ shape, sort, key }: ResourceDefinition): PlaceGrammar {
  const paths = new Map<string, readonly string[]>(sort.map((field) => [field, field.split('.')]))
  for (const name of key.members) paths.set(name, [name])
  const places = new Map<string, PlaceValue>()
  for (const [field, path] of paths) {
    const way = shape.along(path)
    const member = way?.at(-1)
    if (way === undefined || member === undefined || way.some((one) => one.writeOnly)) continue
    places.set(field, placeValue(member))
  }
  return places
}

/**
 * Returns the function that creates the hints in the links of a page. The page begins with the
 * record `first` and ends with the record `last`. The query is hashed when the first hint is
 * created.
 */
export function hintMaker(
  places: PlaceGrammar,
  query: HintedQuery,
  address: ListAddress,
  { first, last }: { readonly first: unknown; readonly last: unknown },
): HintTo {
  let fingerprint: string | undefined
  return (page, backwards) => {
    const values = placeOf(places, query, backwards ? first : last)
    if (values === undefined) return undefined
    fingerprint ??= fingerprintOf(query, address)
    const hint = inBase64(`["${fingerprint}",${page},${backwards},${JSON.stringify(values).slice(1)}`)
    return hint.length > longestHint ? undefined : hint
  }
}

/**
 * Returns the position that a hint contains. Returns `undefined` if the hint is invalid or belongs
 * to another page or query.
 */
export function parseHint(
  hint: string,
  places: PlaceGrammar,
  query: HintedQuery,
  address: ListAddress,
): KeysetPosition | undefined {
  const parts = decodeHint(hint)
  if (parts === undefined) return undefined
  const [fingerprint, page, backwards, ...values] = parts
  const { sort } = query
  if (page !== query.page || typeof backwards !== 'boolean' || sort.length === 0 || values.length !== sort.length)
    return undefined
  // Each value must have the canonical spelling of its type, as in the hints that this module
  // creates.
  if (!sort.every(({ field }, i) => places.get(field)?.(values[i]) === values[i])) return undefined
  return fingerprint === fingerprintOf(query, address) ? { values: values as (Scalar | null)[], backwards } : undefined
}

/**
 * Returns the position after a record, for code that reads several pages within one request. Such a
 * position is not sent to a client, so the length of its texts is not limited. Returns `undefined`
 * if a value can't be part of a position.
 */
export function seekBehind(
  places: PlaceGrammar,
  query: Pick<ListRequest, 'sort'>,
  record: unknown,
): KeysetPosition | undefined {
  const values = placeOf(places, query, record, Number.POSITIVE_INFINITY)
  return values === undefined ? undefined : { values, backwards: false }
}

/** Returns the sort values of a record. Returns `undefined` if one of them may not be in a hint. */
function placeOf(
  places: PlaceGrammar,
  { sort }: Pick<ListRequest, 'sort'>,
  record: unknown,
  longest = longestHint,
): readonly (Scalar | null)[] | undefined {
  const values: (Scalar | null)[] = []
  for (const { field, path } of sort) {
    const value = places.get(field)?.(get(record, path))
    // A text that alone exceeds the maximum length is not encoded at all.
    if (value === undefined || (typeof value === 'string' && value.length > longest)) return undefined
    values.push(value)
  }
  return values.length === 0 ? undefined : values
}

const inBase64 = (text: string): string => Buffer.from(text).toString('base64url')

/** Decodes a hint. Accepts only the exact spelling that this module writes. */
function decodeHint(hint: string): readonly unknown[] | undefined {
  if (hint.length > longestHint) return undefined
  try {
    const parts: unknown = JSON.parse(Buffer.from(hint, 'base64url').toString())
    return Array.isArray(parts) && inBase64(JSON.stringify(parts)) === hint ? parts : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns a text that identifies a query. Two queries have the same text if they have the same
 * list, conditions, order, search and page size, even if they are spelled differently.
 */
function fingerprintOf({ where, sort, search, size }: HintedQuery, { listPath }: ListAddress): string {
  const conditions = where.map(canonicalCondition).sort()
  // Builds the JSON text of an array of these five values.
  const whole = `[${JSON.stringify(listPath)},${JSON.stringify(conditions)},${termsOf(sort)},${JSON.stringify(search ?? null)},${size}]`
  return hash('sha256', whole, 'base64url').slice(0, fingerprintLength)
}

const termsOf = (sort: readonly SortTerm[]): string =>
  JSON.stringify(sort.map(({ field, descending }) => [field, descending]))

/**
 * Returns the same text for equivalent conditions. The values of an `in` condition are sorted,
 * because their order does not matter.
 */
function canonicalCondition({ field, op, value }: Condition): string {
  return JSON.stringify([field, op, op === 'in' ? value.map((one) => JSON.stringify(one)).sort() : value])
}

function placeValue(shape: Shape): PlaceValue {
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
