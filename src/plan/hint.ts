/**
 * The hints of pagination links (QUERY-7). A hint holds the position of a page, as the sort values
 * of an adjacent row, and a fingerprint of the query that it belongs to. Hints are opaque but not
 * secret: a forged hint can reach only positions that sorting and filtering would show.
 */
import { hash } from 'node:crypto'
import type { Condition, KeysetPosition, ListRequest, Scalar, SortTerm } from '../adapters/contract.js'
import { get } from '../definition/json.js'
import type { ResourceDefinition } from '../definition/resource.js'
import type { Shape } from '../definition/shape.js'
import { canonicalOf } from '../definition/value-formats.js'
import { formatTest } from './formats.js'

/**
 * The value of a sort term in a hint: null for null and absent values, `undefined` for a value that
 * no hint may hold.
 */
type PlaceValue = (value: unknown) => Scalar | null | undefined

/**
 * The values allowed in a hint, by the field of the sort term. A list sorted by any other field has
 * no hints.
 */
export type PlaceGrammar = ReadonlyMap<string, PlaceValue>

/**
 * The path of the list that a hint belongs to: a hint of another collection or parent is refused.
 */
export interface ListAddress {
  readonly listPath: string
}

/**
 * The parts of a list query that a hint is bound to. `expand` does not change the order, so it is
 * not included.
 */
type HintedQuery = Pick<ListRequest, 'where' | 'sort' | 'search' | 'size' | 'page'>

/** Returns the hint for a link to a page; `undefined` if the link can't have one. */
export type HintTo = (page: number, backwards: boolean) => string | undefined

/**
 * Maximum length of a hint. A `Link` field has two of them, and clients accept at most 16 KiB of
 * header fields.
 */
const longestHint = 2_000

/** 96 bits: enough to detect mismatches. An attacker would gain nothing from a collision. */
const fingerprintLength = 16

/**
 * Compiles the values that hints of a resource may hold: scalars of its sort members and its key,
 * except members that must not be sent (REP-8).
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
 * Creates the hints for the links of a page that begins with the record `first` and ends with
 * `last`. Hashes the query on first use.
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
 * The position in a hint; `undefined` if the hint is invalid or belongs to another page or query.
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
  // Each value must be in the canonical spelling of the term's type, as it was sent.
  if (!sort.every(({ field }, i) => places.get(field)?.(values[i]) === values[i])) return undefined
  return fingerprint === fingerprintOf(query, address) ? { values: values as (Scalar | null)[], backwards } : undefined
}

/**
 * The position after this record, regardless of the length of its texts: for a walk within one
 * request. `undefined` if a value can't be part of a position.
 */
export function seekBehind(
  places: PlaceGrammar,
  query: Pick<ListRequest, 'sort'>,
  record: unknown,
): KeysetPosition | undefined {
  const values = placeOf(places, query, record, Number.POSITIVE_INFINITY)
  return values === undefined ? undefined : { values, backwards: false }
}

/** The sort values of a record, if all of them may be in a hint. */
function placeOf(
  places: PlaceGrammar,
  { sort }: Pick<ListRequest, 'sort'>,
  record: unknown,
  longest = longestHint,
): readonly (Scalar | null)[] | undefined {
  const values: (Scalar | null)[] = []
  for (const { field, path } of sort) {
    const value = places.get(field)?.(get(record, path))
    // Skips encoding a text that alone exceeds the maximum.
    if (value === undefined || (typeof value === 'string' && value.length > longest)) return undefined
    values.push(value)
  }
  return values.length === 0 ? undefined : values
}

const inBase64 = (text: string): string => Buffer.from(text).toString('base64url')

/** Accepts only the one spelling that this module writes. */
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
 * Identifies all queries for the same list with the same page size, regardless of their spelling.
 */
function fingerprintOf({ where, sort, search, size }: HintedQuery, { listPath }: ListAddress): string {
  const conditions = where.map(canonicalCondition).sort()
  // Builds the JSON of a list of these five values.
  const whole = `[${JSON.stringify(listPath)},${JSON.stringify(conditions)},${termsOf(sort)},${JSON.stringify(search ?? null)},${size}]`
  return hash('sha256', whole, 'base64url').slice(0, fingerprintLength)
}

const termsOf = (sort: readonly SortTerm[]): string =>
  JSON.stringify(sort.map(({ field, descending }) => [field, descending]))

/** One text for equivalent conditions: the values of an any-of are unordered. */
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
