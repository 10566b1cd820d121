/**
 * Reuses rendered bytes: this is the only place that does. It applies to records that can't have
 * changed, that is deeply frozen data, as from the memory adapter. All inputs of the bytes are
 * compared by identity before reuse: the records with their versions, the related records, and the
 * view.
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
import { isUsual, type View, Views } from './views.js'

/**
 * Approximate sizes in characters: of an entry apart from its text, and of a record that only the
 * cache keeps alive.
 */
const overhead = 300
const ofRecord = 1_000

/** The related records that links showed, as a flat list. */
type Linked = readonly (Stored<unknown> | undefined)[]

interface RememberedItem {
  readonly view: View
  readonly linked: Linked
  readonly bytes: string
  /** Identifies the item in the tags of pages. Set when it is first part of one. */
  stamp: string | undefined
  /** The same record in another view. */
  readonly next: RememberedItem | undefined
  /** The size in characters of this entry and those after it. */
  readonly weight: number
}

/** The cached items of a page, in order. */
export type Rows = readonly (RememberedItem | undefined)[]

/** A page in the requested view. */
export interface AskedPage extends TaggedPage {
  /** The parsed query. Repeated queries are the same object. */
  readonly list: ListQuery
  /** The address of the list. */
  readonly url: string
  /** True if the encoded page is the concatenation of its encoded items, as in JSON. */
  readonly isJoined: boolean
}

/** A cached page, complete except for the fields that differ per response. */
interface KeptPage {
  readonly isKept: true
  readonly page: Page<unknown>
  readonly items: readonly Stored<unknown>[]
  readonly linked: Linked
  readonly tag: string
  readonly headers: Headers
  readonly body: Octets
}

interface RememberedPage {
  readonly view: View
  readonly url: string
  /** `undefined` for a page that was seen only once. */
  readonly kept: KeptPage | undefined
  readonly weight: number
}

const weightOf = ({ weight }: { readonly weight: number }): number => weight

/** The rendered bytes of a service. */
export class Reuse {
  readonly #on: boolean
  readonly records: FixedRecords
  readonly views: Views
  /** Views with plain addresses instead of link objects (REP-1). */
  readonly plainViews: Views
  readonly #items: Cache<Stored<unknown>, RememberedItem>
  readonly #pages: Cache<ListQuery, RememberedPage>
  readonly #seen = new Seen()

  constructor(caches: Caches) {
    this.#on = caches.on
    this.records = new FixedRecords(caches)
    this.views = new Views(caches)
    this.plainViews = new Views(caches, true)
    this.#items = caches.make<Stored<unknown>, RememberedItem>('items', { sizeOf: weightOf })
    this.#pages = caches.make<ListQuery, RememberedPage>('pages', { sizeOf: weightOf })
  }

  /**
   * The text of an item: cached bytes if they are valid, else the result of `make`. The text must
   * depend only on the arguments.
   */
  item(resource: Mounted, stored: Stored<unknown>, view: View, related: Related, make: () => string): string | Octets {
    if (!this.#on || !mayRemember(resource, stored)) return make()
    return new Octets(this.recall(stored, view, related, 0)?.bytes ?? this.keep(stored, view, related, 0, make()))
  }

  /** The cached page if it is valid, else a new one. */
  page(asked: AskedPage): KeptPage | NewPage {
    const known = this.#pages.get(asked.list)
    const isRepeated = known?.view === asked.view && known.url === asked.url
    if (isRepeated && known.kept !== undefined && isSame(known.kept, asked)) return known.kept
    return new NewPage(this, asked, isRepeated)
  }

  /** Caches a page. */
  keepPage(list: ListQuery, page: RememberedPage): void {
    this.#pages.set(list, page)
  }

  /**
   * The cached item of a record. `at`: its index among the records that `related` was gathered for.
   */
  recall(stored: Stored<unknown>, view: View, related: Related, at: number): RememberedItem | undefined {
    for (let entry = this.#items.get(stored); entry !== undefined; entry = entry.next) {
      if (entry.view === view && placeBehind(entry.linked, related, at, 0) >= 0) return entry
    }
    return undefined
  }

  /** The bytes of a text, cached from the second request on. */
  keep(stored: Stored<unknown>, view: View, related: Related, at: number, text: string): string {
    const bytes = bytesOf(text)
    if (!isUsual(view) || this.#seen.isFirst(stored) || !isFixed(stored)) return bytes
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

  /** The cached items of a page; `undefined` if looking them up does not pay. */
  rows({ resource, items, view, related, isJoined }: AskedPage): Rows | undefined {
    if (!this.#on || !isJoined || resource.parent !== undefined) return undefined
    const fixed = items.filter(isFrozen).length
    // With few frozen records, encoding the whole page once is faster than encoding each record.
    if (fixed * 2 < items.length) return undefined
    return items.map((stored, at) => this.recall(stored, view, related, at))
  }
}

/** Maximum number of cached views of one record. */
const maxViews = 4

/** A page to be rendered, with the cached items of its rows. */
class NewPage {
  readonly isKept = false
  readonly tag: string
  readonly #reuse: Reuse
  readonly #asked: AskedPage
  /** Whether the page was requested before. */
  readonly #isRepeated: boolean
  /** Set if its records may be cached. */
  readonly #rows: Rows | undefined

  constructor(reuse: Reuse, asked: AskedPage, isRepeated: boolean) {
    this.#reuse = reuse
    this.#asked = asked
    this.#isRepeated = isRepeated
    this.#rows = reuse.rows(asked)
    this.tag = pageTag(asked, this.#rows)
  }

  /**
   * The bytes of a joined page: cached items, and the others encoded by `make`; `undefined` if no
   * record may be cached.
   */
  joined(make: (at: number) => string): Octets | undefined {
    const rows = this.#rows
    if (rows === undefined) return undefined
    const { items, view, related } = this.#asked
    // String concatenation builds a tree that is flattened once, when it is written. `join` would
    // copy the text, and prepending the head would copy it again.
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
   * Caches a page when it is seen the second time. The text must depend only on the constructor's
   * arguments.
   */
  keep(headers: Headers, text: string | Octets): void {
    const { list, view, url, items } = this.#asked
    if (!isUsual(view) || !Object.isFrozen(list) || !items.every(isFrozen)) return
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
): KeptPage | undefined {
  const linked = items.flatMap((_, at) => linkedOf(related, at, []))
  if (!areFixed(items) || !areFixed(linked)) return undefined
  // Flattened: the concatenated string would be flattened again for each response.
  const body = text instanceof Octets ? new Octets(bufferOf(text).toString('latin1')) : new Octets(bytesOf(text))
  // The caller may modify the list of items later.
  return { isKept: true, page: { ...page, items: [] }, items: [...items], linked, tag, headers, body }
}

const weightOfPage = ({ items, linked, body }: KeptPage): number =>
  ofRecord * (items.length + linked.length) + body.bytes.length

/**
 * Whether caching may pay: records that may still change are rendered each time. The links of
 * contained records begin with their parents' addresses.
 */
const mayRemember = ({ parent }: Mounted, stored: Stored<unknown>): boolean => parent === undefined && isFrozen(stored)

const isFrozen = (stored: Stored<unknown>): boolean => Fixed.is(stored) || Object.isFrozen(stored)

/**
 * Remembers records that were seen once recently. Most records that are read once are not read
 * again soon. Weak references keep nothing alive.
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

/** Whether a page equals the cached one, record by record. */
function isSame({ page: known, items, linked }: KeptPage, { page, items: rows, related }: AskedPage): boolean {
  const { total, exact, more, seekable } = page
  if (items.length !== rows.length || known.total !== total || known.exact !== exact || known.more !== more)
    return false
  if (known.seekable !== seekable) return false
  let place = 0
  for (const [at, stored] of rows.entries()) {
    if (items[at] !== stored) return false
    place = placeBehind(linked, related, at, place)
    if (place < 0) return false
  }
  return true
}

/** The related records of one record, including those of its expanded links. */
function linkedOf({ links }: Related, at: number, into: (Stored<unknown> | undefined)[]): Linked {
  for (const { stored, nested } of links) {
    into.push(stored[at])
    linkedOf(nested, at, into)
  }
  return into
}

/** The index in `linked` after the records of `related`; -1 if they differ. */
function placeBehind(linked: Linked, { links }: Related, at: number, from: number): number {
  let place = from
  for (const { stored, nested } of links) {
    if (linked[place] !== stored[at]) return -1
    place = placeBehind(linked, nested, at, place + 1)
    if (place < 0) return -1
  }
  return place
}

function areFixed(row: Linked): boolean {
  for (const stored of row) if (stored !== undefined && !isFixed(stored)) return false
  return true
}
