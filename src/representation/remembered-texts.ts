/**
 * The JSON of records that were shown lately, for records that can't have changed since: deeply frozen data, as the memory adapter gives. Whatever went into a text is
 * compared by identity before it is used again: the record with its version, all that its links show of others, the way of looking at it, and its parents.
 */
import type { Stored } from '../adapters/contract.js'
import { RecentMap } from '../recent-map.js'
import type { Related } from './related.js'
import type { View } from './views.js'

interface Remembered {
  readonly view: View
  /** What the links showed of others, in one row. */
  readonly linked: readonly (Stored<unknown> | undefined)[]
  readonly text: string
  /** The same record in another view. */
  readonly next: Remembered | undefined
}

/** A record that was seen once: most of what is read once is not read again soon, and costs no more than this. */
const seen: Remembered = { view: { digest: '' }, linked: [], text: '', next: undefined }

/** Characters that are kept at least; at most it is twice as many. */
const mostCharacters = 8 * 2 ** 20

/** About what an entry takes beside its text, in characters. */
const overhead = 100

const remembered = new RecentMap<Stored<unknown>, Remembered>(mostCharacters, ({ text }) => text.length + overhead)

/** Views of one record that are kept. */
const mostViews = 4

/** The text of a record in a view, made where it is not remembered. `at` is the record's place among those that `related` was gathered for. */
export function textOf(stored: Stored<unknown>, view: View, related: Related, at: number, make: () => string): string {
  // Nobody else's record: frozen by whoever keeps it, or one that may change before it is seen again.
  if (!Object.isFrozen(stored)) return make()
  const first = remembered.get(stored)
  let views = 0
  for (let entry = first; entry !== undefined && entry !== seen; entry = entry.next) {
    if (entry.view === view && compare(entry.linked, related, at, 0) >= 0) return entry.text
    views += 1
  }
  const text = make()
  if (first === undefined) remembered.set(stored, seen)
  else if (isFixed(stored)) {
    const linked: (Stored<unknown> | undefined)[] = []
    collect(related, at, linked)
    const next = first === seen || views >= mostViews ? undefined : first
    if (linked.every((one) => one === undefined || isKnownFixed(one))) remembered.set(stored, { view, linked, text, next })
  }
  return text
}

function collect({ links }: Related, at: number, into: (Stored<unknown> | undefined)[]): void {
  for (const { stored, nested } of links) {
    into.push(stored[at])
    collect(nested, at, into)
  }
}

/** Where the row of linked records goes on behind these, or -1 where it is another. */
function compare(linked: readonly (Stored<unknown> | undefined)[], { links }: Related, at: number, from: number): number {
  let place = from
  for (const { stored, nested } of links) {
    if (linked[place] !== stored[at]) return -1
    place = compare(linked, nested, at, place + 1)
    if (place < 0) return -1
  }
  return place
}

/** Records that many others are shown with. */
const known = new WeakSet<Stored<unknown>>()

function isKnownFixed(stored: Stored<unknown>): boolean {
  if (known.has(stored)) return true
  if (!isFixed(stored)) return false
  known.add(stored)
  return true
}

const deepest = 50

/** True for data that nobody can change any more: frozen throughout, of no class and without accessors. */
function isFixed(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function'
  if (depth > deepest || !Object.isFrozen(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) return false
  for (const { value: member, get } of Object.values(Object.getOwnPropertyDescriptors(value))) {
    if (get !== undefined || !isFixed(member, depth + 1)) return false
  }
  return true
}
