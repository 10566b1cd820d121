/**
 * Compares values and records (QUERY-2): numbers by value, strings by code points, `false` before
 * `true`, and null as the largest value.
 */
import { isFixed } from '../../definition/fixed.js'
import { get } from '../../definition/json.js'
import type { Scalar, SortTerm } from '../contract.js'
import type { Entry } from './entry.js'

/** True for null and `undefined`, and for `NaN`, which JSON writes as null. */
export const isNullish = (value: unknown): boolean => value === null || value === undefined || Number.isNaN(value)

/**
 * The rank of a value's type: 0 for booleans, 1 for numbers, 2 for strings, 3 for other values, 4
 * for null and absent values. Values of different types are ordered by this rank, so any two values
 * can be compared.
 */
export function kindOf(value: unknown): number {
  if (isNullish(value)) return 4
  return typeof value === 'boolean' ? 0 : typeof value === 'number' ? 1 : typeof value === 'string' ? 2 : 3
}

/**
 * Returns a negative number if `a` sorts before `b`, a positive number if `a` sorts after `b`, and
 * zero if neither sorts first.
 */
export function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  const kind = kindOf(a)
  const difference = kind - kindOf(b)
  return difference !== 0 || kind > 1 ? difference : Number(a) < Number(b) ? -1 : Number(a) > Number(b) ? 1 : 0
}

/**
 * Compares strings by code points. A comparison of UTF-16 units would sort code points above U+FFFF
 * before U+E000.
 */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x === y) continue
    if (x < 0xd800 || y < 0xd800) return x - y
    // If the difference lies in the second half of a surrogate pair, the code points begin one unit
    // earlier.
    const at = i > 0 && isHigh(a.charCodeAt(i - 1)) && (isLow(x) || isLow(y)) ? i - 1 : i
    return (a.codePointAt(at) as number) - (b.codePointAt(at) as number)
  }
  return a.length - b.length
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/**
 * Dotted name of a member -> its comparison function, for members whose values are not compared as
 * plain strings.
 */
export type Comparers = ReadonlyMap<string, (a: string, b: string) => number>

const noComparers: Comparers = new Map()

/**
 * Returns the comparison function for the values of a member. This is the member's function in
 * `comparers`, or `compareValues` if there is none.
 */
export function comparerOf(field: string, comparers: Comparers): (a: unknown, b: unknown) => number {
  const compare = comparers.get(field)
  if (compare === undefined) return compareValues
  return (a, b) => (typeof a === 'string' && typeof b === 'string' ? compare(a, b) : compareValues(a, b))
}

/**
 * An order in which no two records are equal. A `Bucket` keeps a sorted list for an order, always
 * with the first sort term ascending. So an order and its reverse share one list, which is read
 * from its start or from its end.
 */
export interface Order {
  /** Equal for orders that share a list. */
  readonly name: string
  /** The member of the first term. */
  readonly first: string
  /** Whether the list is read from its end. */
  readonly reversed: boolean
  /** Compares records in the order of the sorted list, which does not depend on `reversed`. */
  readonly compare: (a: Entry, b: Entry) => number
  /**
   * Compares a record with the row whose sort terms have these values. Returns the same as
   * `compare(record, row)`. The row need not exist. Undefined for a list without sort terms, which
   * has no positions.
   */
  readonly compareWith: undefined | ((values: readonly (Scalar | null)[]) => (entry: Entry) => number)
}

/** Compiled orders, by the sort terms of their requests. */
const known = new WeakMap<readonly SortTerm[], { readonly key: readonly string[]; readonly order: Order }>()

/**
 * Returns the order for a request's sort terms. Members of the key that are not among the terms are
 * added at the end. If the terms are immutable, the compiled order is kept for later requests that
 * pass the same array.
 */
export function orderOf(sort: readonly SortTerm[], key: readonly string[], comparers: Comparers = noComparers): Order {
  const before = known.get(sort)
  if (before !== undefined && before.key === key) return before.order
  const order = makeOrder(sort, key, comparers)
  if (Object.isFrozen(key) && isFixed(sort)) known.set(sort, { key, order })
  return order
}

function makeOrder(sort: readonly SortTerm[], key: readonly string[], comparers: Comparers): Order {
  const reversed = sort[0]?.descending ?? false
  const last = sort.at(-1)?.descending ?? false
  const named = new Set(sort.map((term) => term.field))
  const ordered = [
    ...sort.map(({ field, path, descending }) => ({ field, path, sign: descending === reversed ? 1 : -1 })),
    ...key
      .filter((member) => !named.has(member))
      .map((member) => ({ field: member, path: [member], sign: last === reversed ? 1 : -1 })),
  ]
  const terms = ordered.map((term) => ({ ...term, compare: comparerOf(term.field, comparers) }))
  return {
    name: terms.map(({ field, sign }) => `${sign}${field}`).join('\0'),
    first: terms[0]?.field ?? '',
    reversed,
    compare(a, b) {
      for (const { path, sign, compare } of terms) {
        const difference = compare(get(a.stored.value, path), get(b.stored.value, path))
        if (difference !== 0) return difference * sign
      }
      return 0
    },
    compareWith: sort.length === 0 ? undefined : compareWithOf(terms),
  }
}

interface Term {
  readonly path: readonly string[]
  readonly sign: number
  readonly compare: (a: unknown, b: unknown) => number
}

const compareWithOf =
  (terms: readonly Term[]): Order['compareWith'] =>
  (values) =>
  (entry) => {
    for (let i = 0; i < values.length; i++) {
      const { path, sign, compare } = terms[i] as Term
      const difference = compare(get(entry.stored.value, path), values[i])
      if (difference !== 0) return difference * sign
    }
    return 0
  }

/**
 * Returns the first index at which `reached` is true, or the length of the list if there is none.
 * `reached` must also be true at every later index.
 */
export function firstIndex<T>(list: readonly T[], reached: (item: T) => boolean): number {
  let from = 0
  let to = list.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (reached(list[middle] as T)) to = middle
    else from = middle + 1
  }
  return from
}

/**
 * Returns the first `count` items of `list` in the order of `compare`. If `count` is less than a
 * quarter of the list's length, the other items are not sorted: a heap keeps `count` items, and its
 * top is the item that sorts last.
 */
export function firstOf<T>(list: readonly T[], count: number, compare: (a: T, b: T) => number): T[] {
  if (count * 4 >= list.length) return [...list].sort(compare).slice(0, count)
  const heap: T[] = []
  const sink = (from: number, item: T): void => {
    let at = from
    for (let child = 2 * at + 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && compare(heap[child + 1] as T, heap[child] as T) > 0) child++
      if (compare(heap[child] as T, item) <= 0) break
      heap[at] = heap[child] as T
      at = child
    }
    heap[at] = item
  }
  for (const item of list) {
    if (heap.length < count) {
      heap.push(item)
      if (heap.length === count) for (let at = count >>> 1; at-- > 0; ) sink(at, heap[at] as T)
    } else if (count > 0 && compare(item, heap[0] as T) < 0) sink(0, item)
  }
  return heap.sort(compare)
}
