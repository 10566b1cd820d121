/**
 * What was shown lately, as bytes, for records that can't have changed since: deeply frozen data, as the memory adapter gives. Whatever went into the bytes is compared
 * by identity before they are used again: the records with their versions, all that their links show of others, and the way of looking at them.
 */
import type { Page, Stored } from '../adapters/contract.js'
import { FixedStored, isFixed } from '../definition/fixed.js'
import type { ListQuery } from '../plan/list-grammar.js'
import { RecentMap } from '../recent-map.js'
import type { Headers } from './answer.js'
import { bufferOf, bytesOf, Octets } from './octets.js'
import type { Related } from './related.js'
import { isUsual, type View } from './views.js'

/** Characters that are kept at least, of items and of pages; at most it is twice as many. */
const mostOfItems = 16 * 2 ** 20
const mostOfPages = 8 * 2 ** 20

/** About what an entry takes beside its text, in characters, and what a record takes that nobody else may need any more. */
const overhead = 300
const ofRecord = 1_000

/** Records that links showed, in one row. */
type Linked = readonly (Stored<unknown> | undefined)[]

export interface RememberedItem {
  readonly view: View
  readonly linked: Linked
  readonly bytes: string
  /** What stands for it in the tags of pages, once it was in one. */
  stamp: string | undefined
  /** The same record in another view. */
  readonly next: RememberedItem | undefined
  /** Characters of this and the next. */
  readonly weight: number
}

const items = new RecentMap<Stored<unknown>, RememberedItem>(mostOfItems, ({ weight }) => weight)

/** Records that were seen once lately, at least so many: most of what is read once is not read again soon, and nothing is kept alive by it. */
const mostSeen = 25_000
let seen = new WeakSet<Stored<unknown>>()
let seenBefore = new WeakSet<Stored<unknown>>()
let seenCount = 0

function isSeen(stored: Stored<unknown>): boolean {
  if (seen.has(stored) || seenBefore.has(stored)) return true
  if (seenCount >= mostSeen) {
    seenBefore = seen
    seen = new WeakSet()
    seenCount = 0
  }
  seenCount += 1
  seen.add(stored)
  return false
}

/** Views of one record that are kept. */
const mostViews = 4

/** Whether it is worth asking: what somebody may still change is made anew each time. */
export const mayRemember = (stored: Stored<unknown>): boolean => FixedStored.is(stored) || Object.isFrozen(stored)

/**
 * The bytes of a record in a view, made where they are not remembered. `at` is the record's place among those that `related` was gathered for. Nothing else may go into
 * the bytes.
 */
export function rememberedItem(stored: Stored<unknown>, view: View, related: Related, at: number, make: () => string): string {
  return recalled(stored, view, related, at)?.bytes ?? keepItem(stored, view, related, at, bytesOf(make()))
}

function recalled(stored: Stored<unknown>, view: View, related: Related, at: number): RememberedItem | undefined {
  for (let entry = items.get(stored); entry !== undefined; entry = entry.next) {
    if (entry.view === view && placeBehind(entry.linked, related, at, 0) >= 0) return entry
  }
  return undefined
}

function keepItem(stored: Stored<unknown>, view: View, related: Related, at: number, bytes: string): string {
  if (!isUsual(view) || !isSeen(stored) || !isFixed(stored)) return bytes
  const linked = linkedOf(related, at, [])
  if (!areFixed(linked)) return bytes
  const first = items.get(stored)
  let views = 0
  for (let entry = first; entry !== undefined; entry = entry.next) views += 1
  const next = views >= mostViews ? undefined : first
  const weight = bytes.length + overhead * (1 + linked.length) + (next?.weight ?? 0)
  items.set(stored, { view, linked, bytes, stamp: undefined, next, weight })
  return bytes
}

/** What is remembered of the records of a page, in their order. */
export type Rows = readonly (RememberedItem | undefined)[]

export const rememberedRows = (records: readonly Stored<unknown>[], view: View, related: Related): Rows =>
  records.map((stored, at) => recalled(stored, view, related, at))

/** The bytes of a page that is a list of records: `rows` as `rememberedRows` gave them, and the others made. */
export function bytesOfRows(
  records: readonly Stored<unknown>[],
  rows: Rows,
  view: View,
  related: Related,
  make: (at: number) => string,
): string {
  // A sum is a tree of texts that whoever writes it walks once: a join would copy all of it, and the head before it would have it copied again.
  let text = '['
  for (let at = 0; at < records.length; at += 1) {
    if (at > 0) text += ','
    text += rows[at]?.bytes ?? keepItem(records[at] as Stored<unknown>, view, related, at, bytesOf(make(at)))
  }
  return `${text}]`
}

/** A page as it leaves, but for what each answer has. */
export interface PageFace {
  readonly tag: string
  readonly headers: Headers
  readonly body: Octets
}

interface RememberedPage {
  readonly view: View
  readonly url: string
  /** Of a page that was seen once nothing is kept. */
  readonly kept: KeptPage | undefined
  readonly weight: number
}

interface KeptPage {
  readonly page: Page<unknown>
  readonly linked: Linked
  readonly face: PageFace
}

const pages = new RecentMap<ListQuery, RememberedPage>(mostOfPages, ({ weight }) => weight)

/** The page of a query that comes again and again, which is one object then, where it holds the very same records. `url` is the address of the list. */
export function rememberedPage(query: ListQuery, view: View, url: string, page: Page<unknown>, related: Related): PageFace | undefined {
  const known = pages.get(query)
  if (known?.kept === undefined || known.view !== view || known.url !== url) return undefined
  return isSame(known.kept, page, related) ? known.kept.face : undefined
}

/** A page that was made for one answer. */
interface Made {
  readonly tag: string
  readonly headers: Headers
  readonly text: string | Octets
}

/** Keeps a page that is seen the second time. Nothing may go into it but what is given here. */
export function rememberPage(query: ListQuery, view: View, url: string, page: Page<unknown>, related: Related, made: Made): void {
  if (!isUsual(view) || !Object.isFrozen(query) || !page.items.every(mayRemember)) return
  const known = pages.get(query)
  const again = known?.view === view && known.url === url
  const kept = again ? keptPage(page, related, made) : undefined
  pages.set(query, { view, url, kept, weight: overhead + url.length + (kept === undefined ? 0 : weightOf(kept)) })
}

function keptPage(page: Page<unknown>, related: Related, { tag, headers, text }: Made): KeptPage | undefined {
  const linked = page.items.flatMap((_, at) => linkedOf(related, at, []))
  if (!areFixed(page.items) || !areFixed(linked)) return undefined
  // In one piece: what `bytesOfRows` gives would be put together again by each answer.
  const body = text instanceof Octets ? new Octets(bufferOf(text).toString('latin1')) : new Octets(bytesOf(text))
  // Whoever gave the page may go on working with its list.
  return { page: { ...page, items: [...page.items] }, linked, face: { tag, headers, body } }
}

const weightOf = ({ page, linked, face }: KeptPage): number => ofRecord * (page.items.length + linked.length) + face.body.bytes.length

/** Whether a page is the one that was remembered, record by record. */
function isSame({ page: known, linked }: KeptPage, page: Page<unknown>, related: Related): boolean {
  const { items: rows, total, exact, more, seekable } = page
  if (known.items.length !== rows.length || known.total !== total || known.exact !== exact || known.more !== more) return false
  if (known.seekable !== seekable) return false
  let place = 0
  for (const [at, stored] of rows.entries()) {
    if (known.items[at] !== stored) return false
    place = placeBehind(linked, related, at, place)
    if (place < 0) return false
  }
  return true
}

/** The records that the links of one record showed, and those that theirs did. */
function linkedOf({ links }: Related, at: number, into: (Stored<unknown> | undefined)[]): Linked {
  for (const { stored, nested } of links) {
    into.push(stored[at])
    linkedOf(nested, at, into)
  }
  return into
}

/** Where the row of linked records goes on behind those of `related`, or -1 where it is another. */
function placeBehind(linked: Linked, { links }: Related, at: number, from: number): number {
  let place = from
  for (const { stored, nested } of links) {
    if (linked[place] !== stored[at]) return -1
    place = placeBehind(linked, nested, at, place + 1)
    if (place < 0) return -1
  }
  return place
}

/** Records of which it is known. */
const fixed = new WeakSet<Stored<unknown>>()

function areFixed(row: Linked): boolean {
  for (const stored of row) {
    if (stored === undefined || FixedStored.is(stored) || fixed.has(stored)) continue
    if (!isFixed(stored)) return false
    fixed.add(stored)
  }
  return true
}
