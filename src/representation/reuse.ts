/**
 * Reuses the rendered bytes of records and pages. Bytes are reused only for deeply frozen records,
 * which can't have changed. The records of the memory adapter are an example. Before bytes are
 * reused, the records, their related records and the view are compared by identity. Pages are also
 * compared by their query, their URL, and the facts that the adapter returned with the items, such
 * as the total.
 */
import type { Page, Stored } from '../adapters/contract.js'
import type { Cache, Caches } from '../cache.js'
import { Fixed, isFixed } from '../definition/fixed.js'
import type { ListQuery } from '../plan/list-grammar.js'
import type { Mounted } from '../plan/routes.js'
import type { Headers } from './answer.js'
import { FixedRecords } from './fixed-records.js'
import { bufferOf, bytesOf, Octets } from './octets.js'
import type { Related } from './related.js'
import { pageTag, type TaggedPage } from './tags.js'
import { isOftenUsed, type View, Views } from './views.js'

/**
 * Approximate sizes in characters. `overhead` is the size of a cache entry without its bytes.
 * `recordSize` is the assumed size of a record that only the cache keeps in memory.
 */
const overhead = 300
const recordSize = 1_000

/** The related records of an item or of a page, as a flat list. */
type Linked = readonly (Stored<unknown> | undefined)[]

interface CachedItem {
  readonly view: View
  readonly linked: Linked
  /** The UTF-8 bytes, with one character per byte (see `Octets`). */
  readonly bytes: string
  /**
   * Identifies the item in the entity tags of pages. Set when the cached item occurs in a page for
   * the first time.
   */
  stamp: string | undefined
  /** The next cache entry of the same record, for another view. */
  readonly next: CachedItem | undefined
  /** The size of this entry and of the entries after it, in characters. */
  readonly weight: number
}

/** The items of a page, in order. `undefined` for items that are not cached. */
export type Rows = readonly (CachedItem | undefined)[]

/** A page that was requested, with its view. */
export interface AskedPage extends TaggedPage {
  /**
   * The parsed query. Equal queries usually share one object, because parsed queries are cached.
   */
  readonly list: ListQuery
  /** The URL of the list. */
  readonly url: string
  /** True if an encoded page can be built from its encoded items by concatenation, as in JSON. */
  readonly isJoined: boolean
}

/**
 * A cached page. It is complete, except for the header fields that differ from response to
 * response.
 */
interface CachedPage {
  readonly isKept: true
  readonly page: Page<unknown>
  readonly items: readonly Stored<unknown>[]
  readonly linked: Linked
  readonly tag: string
  readonly headers: Headers
  readonly body: Octets
}

interface PageEntry {
  readonly view: View
  readonly url: string
  /** `undefined` if the page was seen only once, or can't be cached. */
  readonly kept: CachedPage | undefined
  readonly weight: number
}

const weightOf = ({ weight }: { readonly weight: number }): number => weight

/** The cached bytes of a service. */
export class Reuse {
  readonly #on: boolean
  readonly records: FixedRecords
  readonly views: Views
  /** Views with plain URLs instead of link objects (REP-1). */
  readonly plainViews: Views
  readonly #items: Cache<Stored<unknown>, CachedItem>
  readonly #pages: Cache<ListQuery, PageEntry>
  readonly #seen = new Seen()

  constructor(caches: Caches) {
    this.#on = caches.on
    this.records = new FixedRecords(caches)
    this.views = new Views(caches)
    this.plainViews = new Views(caches, true)
    this.#items = caches.make<Stored<unknown>, CachedItem>('items', { sizeOf: weightOf })
    this.#pages = caches.make<ListQuery, PageEntry>('pages', { sizeOf: weightOf })
  }

  /**
   * Returns an encoded item: the cached bytes if they are valid, otherwise the result of `make`.
   * The result of `make` must depend only on the other arguments.
   */
  item(resource: Mounted, stored: Stored<unknown>, view: View, related: Related, make: () => string): string | Octets {
    if (!this.#on || !mayRemember(resource, stored)) return make()
    return new Octets(this.recall(stored, view, related, 0)?.bytes ?? this.keep(stored, view, related, 0, make()))
  }

  /** Returns the cached page if it is valid, otherwise a page that must be rendered. */
  page(asked: AskedPage): CachedPage | NewPage {
    const known = this.#pages.get(asked.list)
    const isRepeated = known?.view === asked.view && known.url === asked.url
    if (isRepeated && known.kept !== undefined && isSame(known.kept, asked)) return known.kept
    return new NewPage(this, asked, isRepeated)
  }

  /** Stores the entry for a page in the cache. */
  keepPage(list: ListQuery, page: PageEntry): void {
    this.#pages.set(list, page)
  }

  /**
   * Returns the cached item of a record. `at`: the index of the record in the list for which
   * `related` was read.
   */
  recall(stored: Stored<unknown>, view: View, related: Related, at: number): CachedItem | undefined {
    for (let entry = this.#items.get(stored); entry !== undefined; entry = entry.next) {
      if (entry.view === view && indexAfter(entry.linked, related, at, 0) >= 0) return entry
    }
    return undefined
  }

  /**
   * Returns the UTF-8 bytes of an encoded item. The bytes are cached if the record was seen before,
   * if neither it nor its related records can change, and if the view was requested several times.
   */
  keep(stored: Stored<unknown>, view: View, related: Related, at: number, text: string): string {
    const bytes = bytesOf(text)
    if (!isOftenUsed(view) || this.#seen.isFirst(stored) || !isFixed(stored)) return bytes
    const linked = linkedOf(related, at, [])
    if (!areFixed(linked)) return bytes
    const first = this.#items.get(stored)
    let views = 0
    for (let entry = first; entry !== undefined; entry = entry.next) views += 1
    const next = views >= maxViews ? undefined : first
    const weight = bytes.length + overhead * (1 + linked.length) + (next?.weight ?? 0)
    this.#items.set(stored, { view, linked, bytes, stamp: undefined, next, weight })
    return bytes
  }

  /**
   * Returns the cached items of a page. Returns `undefined` if cached items can't be used for this
   * page, or would not make the response faster.
   */
  rows({ resource, items, view, related, isJoined }: AskedPage): Rows | undefined {
    if (!this.#on || !isJoined || resource.parent !== undefined) return undefined
    const fixed = items.filter(isFrozen).length
    // With few frozen records, encoding the whole page once is faster than encoding each record.
    if (fixed * 2 < items.length) return undefined
    return items.map((stored, at) => this.recall(stored, view, related, at))
  }
}

/** Maximum number of views in which one record is cached. */
const maxViews = 4

/** A page that must be rendered, with its cached items. */
class NewPage {
  readonly isKept = false
  readonly tag: string
  readonly #reuse: Reuse
  readonly #asked: AskedPage
  /** Whether the page was requested before. */
  readonly #isRepeated: boolean
  /** The cached items. `undefined` if cached items are not used for this page. */
  readonly #rows: Rows | undefined

  constructor(reuse: Reuse, asked: AskedPage, isRepeated: boolean) {
    this.#reuse = reuse
    this.#asked = asked
    this.#isRepeated = isRepeated
    this.#rows = reuse.rows(asked)
    this.tag = pageTag(asked, this.#rows)
  }

  /**
   * Returns the page as the concatenation of its encoded items. `make` encodes the items that are
   * not cached. Returns `undefined` if cached items are not used for this page.
   */
  joined(make: (at: number) => string): Octets | undefined {
    const rows = this.#rows
    if (rows === undefined) return undefined
    const { items, view, related } = this.#asked
    // In V8, string concatenation builds a tree, which is flattened only once, when the response is
    // written. `join` would copy the text here, and prepending the response head would copy it
    // again.
    let text = '['
    for (let at = 0; at < items.length; at += 1) {
      if (at > 0) text += ','
      const stored = items[at] as Stored<unknown>
      text +=
        rows[at]?.bytes ??
        (isFrozen(stored) ? this.#reuse.keep(stored, view, related, at, make(at)) : bytesOf(make(at)))
    }
    return new Octets(`${text}]`)
  }

  /**
   * Caches the page from its second request on, if its records can't change and its view was
   * requested several times. `text` must depend only on the constructor's arguments.
   */
  keep(headers: Headers, text: string | Octets): void {
    const { list, view, url, items } = this.#asked
    if (!isOftenUsed(view) || !Object.isFrozen(list) || !items.every(isFrozen)) return
    const kept = this.#isRepeated ? keptPage(this.#asked, this.tag, headers, text) : undefined
    this.#reuse.keepPage(list, {
      view,
      url,
      kept,
      weight: overhead + url.length + (kept === undefined ? 0 : weightOfPage(kept)),
    })
  }
}

function keptPage(
  { page, items, related }: AskedPage,
  tag: string,
  headers: Headers,
  text: string | Octets,
): CachedPage | undefined {
  const linked = items.flatMap((_, at) => linkedOf(related, at, []))
  if (!areFixed(items) || !areFixed(linked)) return undefined
  // The string is flattened here. If it were not, it would be flattened again for each response.
  const body = text instanceof Octets ? new Octets(bufferOf(text).toString('latin1')) : new Octets(bytesOf(text))
  // The list of items is copied, because the caller may modify it later.
  return { isKept: true, page: { ...page, items: [] }, items: [...items], linked, tag, headers, body }
}

const weightOfPage = ({ items, linked, body }: CachedPage): number =>
  recordSize * (items.length + linked.length) + body.binaryString.length

/**
 * Returns whether an item may be cached. Records that may still change are rendered each time.
 * Records below a parent are rendered each time too, because their links begin with the parent's
 * URL, which is not compared when bytes are reused.
 */
const mayRemember = ({ parent }: Mounted, stored: Stored<unknown>): boolean => parent === undefined && isFrozen(stored)

const isFrozen = (stored: Stored<unknown>): boolean => Fixed.is(stored) || Object.isFrozen(stored)

/**
 * Remembers the records that were seen recently. A record is cached only when it is seen for the
 * second time, because most records are not read again soon. The references to the records are
 * weak, so they keep no record in memory.
 */
class Seen {
  #lately = new WeakSet<Stored<unknown>>()
  #before = new WeakSet<Stored<unknown>>()
  #count = 0

  isFirst(stored: Stored<unknown>): boolean {
    if (this.#lately.has(stored) || this.#before.has(stored)) return false
    if (this.#count >= maxSeen) {
      this.#before = this.#lately
      this.#lately = new WeakSet()
      this.#count = 0
    }
    this.#count += 1
    this.#lately.add(stored)
    return true
  }
}

const maxSeen = 25_000

/** Returns whether a page equals the cached page, record by record. */
function isSame({ page: known, items, linked }: CachedPage, { page, items: rows, related }: AskedPage): boolean {
  const { total, exact, more, seekable } = page
  if (items.length !== rows.length || known.total !== total || known.exact !== exact || known.more !== more)
    return false
  if (known.seekable !== seekable) return false
  let place = 0
  for (const [at, stored] of rows.entries()) {
    if (items[at] !== stored) return false
    place = indexAfter(linked, related, at, place)
    if (place < 0) return false
  }
  return true
}

/**
 * Adds the related records of one record to `into`, including the related records of the targets of
 * its expanded links. Returns `into`.
 */
function linkedOf({ links }: Related, at: number, into: (Stored<unknown> | undefined)[]): Linked {
  for (const { stored, nested } of links) {
    into.push(stored[at])
    linkedOf(nested, at, into)
  }
  return into
}

/**
 * Compares the related records of one record with the list `linked`, beginning at the index `from`.
 * Returns the index after the last compared record, or -1 if the records differ.
 */
function indexAfter(linked: Linked, { links }: Related, at: number, from: number): number {
  let place = from
  for (const { stored, nested } of links) {
    if (linked[place] !== stored[at]) return -1
    place = indexAfter(linked, nested, at, place + 1)
    if (place < 0) return -1
  }
  return place
}

function areFixed(row: Linked): boolean {
  for (const stored of row) if (stored !== undefined && !isFixed(stored)) return false
  return true
}
