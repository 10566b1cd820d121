/**
 * The hints of pagination links (QUERY-7): where a page lies, as the sort values of the row beside it, with a fingerprint of the one query that this makes sense for.
 * They are opaque and not secret: a forged one can name no place that sorting and filtering would not show.
 */
import { hash } from 'node:crypto'
import type { Condition, KeysetPosition, ListRequest, Scalar, SortTerm } from '../adapters/contract.js'
import { get } from '../definition/json.js'
import type { ResourceDefinition } from '../definition/resource.js'
import type { Shape } from '../definition/shape.js'
import { canonicalOf } from '../definition/value-formats.js'
import { formatTest } from './formats.js'

/** A value of a sort term as hints hold it, null for null and absent; `undefined` for what no hint may hold. */
type PlaceValue = (value: unknown) => Scalar | null | undefined

/** What may stand in a hint, by the field of the sort term. A list with another term in its order has no hints. */
export type PlaceGrammar = ReadonlyMap<string, PlaceValue>

/** Which list a hint belongs to: its path, so that one of another collection, or below another parent, does not fit. */
export interface ListAddress {
  readonly listPath: string
}

/** What of a list query a hint belongs to. `expand` changes no order, so it is not among it. */
type HintedQuery = Pick<ListRequest, 'where' | 'sort' | 'search' | 'size' | 'page'>

/** Makes the hint for a link to the page of this number; `undefined` where that link has to do without. */
export type HintTo = (page: number, backwards: boolean) => string | undefined

/** Characters of a hint. A `Link` field has two of them, and clients do not take more than 16 KiB of headers in all. */
const longestHint = 2_000

/** 96 bits: what differs does not fit, and nobody gains by what would. */
const fingerprintLength = 16

/** Compiles what hints may hold of a resource's records: the scalars of its sort members and its key, but nothing that must not leave (REP-8). */
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

/** The maker of hints for the links beside a page, which begins with the record `first` and ends with `last`. The query is hashed when the first hint is asked for. */
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

/** The place that a hint names, or `undefined` where it is none, or not one of this page of this query. */
export function parseHint(hint: string, places: PlaceGrammar, query: HintedQuery, address: ListAddress): KeysetPosition | undefined {
  const parts = decodeHint(hint)
  if (parts === undefined) return undefined
  const [fingerprint, page, backwards, ...values] = parts
  const { sort } = query
  if (page !== query.page || typeof backwards !== 'boolean' || sort.length === 0 || values.length !== sort.length) return undefined
  // What comes back must be what went out: the one spelling of a value of the term's type.
  if (!sort.every(({ field }, i) => places.get(field)?.(values[i]) === values[i])) return undefined
  return fingerprint === fingerprintOf(query, address) ? { values: values as (Scalar | null)[], backwards } : undefined
}

/** Where a list goes on behind this record, however long its texts are: for a walk within one request. `undefined` where a value fits no place. */
export function seekBehind(places: PlaceGrammar, query: Pick<ListRequest, 'sort'>, record: unknown): KeysetPosition | undefined {
  const values = placeOf(places, query, record, Number.POSITIVE_INFINITY)
  return values === undefined ? undefined : { values, backwards: false }
}

/** The sort values of a record, where all of them may stand in a hint. */
function placeOf(
  places: PlaceGrammar,
  { sort }: Pick<ListRequest, 'sort'>,
  record: unknown,
  longest = longestHint,
): readonly (Scalar | null)[] | undefined {
  const values: (Scalar | null)[] = []
  for (const { field, path } of sort) {
    const value = places.get(field)?.(get(record, path))
    // A text that is too long by itself is not worth encoding first.
    if (value === undefined || (typeof value === 'string' && value.length > longest)) return undefined
    values.push(value)
  }
  return values.length === 0 ? undefined : values
}

const inBase64 = (text: string): string => Buffer.from(text).toString('base64url')

/** Only what could have been written: what has a second spelling is no hint. */
function decodeHint(hint: string): readonly unknown[] | undefined {
  if (hint.length > longestHint) return undefined
  try {
    const parts: unknown = JSON.parse(Buffer.from(hint, 'base64url').toString())
    return Array.isArray(parts) && inBase64(JSON.stringify(parts)) === hint ? parts : undefined
  } catch {
    return undefined
  }
}

/** Stands for all queries that ask for the same list in pages of the same size, however they are written. */
function fingerprintOf({ where, sort, search, size }: HintedQuery, { listPath }: ListAddress): string {
  const conditions = where.map(canonicalCondition).sort()
  // The JSON of a list of these five.
  const whole = `[${JSON.stringify(listPath)},${JSON.stringify(conditions)},${termsOf(sort)},${JSON.stringify(search ?? null)},${size}]`
  return hash('sha256', whole, 'base64url').slice(0, fingerprintLength)
}

const termsOf = (sort: readonly SortTerm[]): string => JSON.stringify(sort.map(({ field, descending }) => [field, descending]))

/** One text for conditions that say the same: the values of an any-of have no order. */
function canonicalCondition({ field, op, value }: Condition): string {
  return JSON.stringify([field, op, op === 'in' ? value.map((one) => JSON.stringify(one)).sort() : value])
}

function placeValue(shape: Shape): PlaceValue {
  const { types } = shape
  const open = types.size === 0
  const text = open || types.has('string') ? textValue(shape) : nothing
  const number = open || types.has('number') ? finite : types.has('integer') ? whole : nothing
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

const nothing = (): undefined => undefined
const finite = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined)
const whole = (value: number): number | undefined => (Number.isSafeInteger(value) ? value : undefined)

function textValue(shape: Shape): (text: string) => string | undefined {
  const canonical = canonicalOf(shape)
  if (canonical !== undefined) return canonical
  const { format } = shape
  const fits = format === undefined ? undefined : formatTest(format)
  return (text) => (/\p{Surrogate}/u.test(text) || fits?.(text) === false ? undefined : text)
}
