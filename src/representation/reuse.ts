/**
 * The one place that uses rendered bytes again: for records that can't have changed since, deeply frozen data, as the memory adapter gives. Whatever went into the bytes is
 * compared by identity before they are used again: the records with their versions, all that their links show of others, and the view.
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

/** About what an entry takes beside its text, in characters, and what a record takes that nobody else may need any more. */
const overhead = 300
const ofRecord = 1_000

/** Records that links showed, in one row. */
type Linked = readonly (Stored<unknown> | undefined)[]

interface RememberedItem {
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

/** What is remembered of the records of a page, in their order. */
export type Rows = readonly (RememberedItem | undefined)[]

/** A page in the view that is asked for. */
export interface AskedPage extends TaggedPage {
  /** The parsed query: of one that comes again and again it is the same object. */
  readonly list: ListQuery
  /** The address of the list. */
  readonly url: string
  /** True where the page is the list of its items, one after the other, as JSON is. */
  readonly isJoined: boolean
}

/** A page that is kept as it leaves, but for what each answer has. */
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
  /** Of a page that was seen once nothing is kept. */
  readonly kept: KeptPage | undefined
  readonly weight: number
}

const weightOf = ({ weight }: { readonly weight: number }): number => weight

/** The rendered bytes of a service. */
export class Reuse {
  readonly #on: boolean
  readonly records: FixedRecords
  readonly views: Views
  /** Those with plain addresses in place of links (REP-1). */
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

  /** The text of an item: its bytes where they may be used again, else what `make` gives. Nothing may go into the text but what is given here. */
  item(resource: Mounted, stored: Stored<unknown>, view: View, related: Related, make: () => string): string | Octets {
    if (!this.#on || !mayRemember(resource, stored)) return make()
    return new Octets(this.recall(stored, view, related, 0)?.bytes ?? this.keep(stored, view, related, 0, make()))
  }

  /** The page as it was shown before, or one that has to be made. */
  page(asked: AskedPage): KeptPage | NewPage {
    const known = this.#pages.get(asked.list)
    const again = known?.view === asked.view && known.url === asked.url
    if (again && known.kept !== undefined && isSame(known.kept, asked)) return known.kept
    return new NewPage(this, asked, again)
  }

  /** Keeps what was made of a page. */
  keepPage(list: ListQuery, page: RememberedPage): void {
    this.#pages.set(list, page)
  }

  /** What is remembered of a record. `at` is its place among those that `related` was gathered for. */
  recall(stored: Stored<unknown>, view: View, related: Related, at: number): RememberedItem | undefined {
    for (let entry = this.#items.get(stored); entry !== undefined; entry = entry.next) {
      if (entry.view === view && placeBehind(entry.linked, related, at, 0) >= 0) return entry
    }
    return undefined
  }

  /** The bytes of a text, kept from the second time on. */
  keep(stored: Stored<unknown>, view: View, related: Related, at: number, text: string): string {
    const bytes = bytesOf(text)
    if (!isUsual(view) || this.#seen.isFirst(stored) || !isFixed(stored)) return bytes
    const linked = linkedOf(related, at, [])
    if (!areFixed(linked)) return bytes
    const first = this.#items.get(stored)
    let views = 0
    for (let entry = first; entry !== undefined; entry = entry.next) views += 1
    const next = views >= mostViews ? undefined : first
    const weight = bytes.length + overhead * (1 + linked.length) + (next?.weight ?? 0)
    this.#items.set(stored, { view, linked, bytes, stamp: undefined, next, weight })
    return bytes
  }

  /** What is remembered of the records of a page; `undefined` where it is not worth asking. */
  rows({ resource, items, view, related, isJoined }: AskedPage): Rows | undefined {
    if (!this.#on || !isJoined || resource.parent !== undefined) return undefined
    const fixed = items.filter(isFrozen).length
    // One text of many records is made quicker than a text of each.
    if (fixed * 2 < items.length) return undefined
    return items.map((stored, at) => this.recall(stored, view, related, at))
  }
}

/** Views of one record that are kept. */
const mostViews = 4

/** A page that has to be made, with what is remembered of its rows. */
class NewPage {
  readonly isKept = false
  readonly tag: string
  readonly #reuse: Reuse
  readonly #asked: AskedPage
  /** Whether it was asked for before. */
  readonly #again: boolean
  /** Where its records may be remembered. */
  readonly #rows: Rows | undefined

  constructor(reuse: Reuse, asked: AskedPage, again: boolean) {
    this.#reuse = reuse
    this.#asked = asked
    this.#again = again
    this.#rows = reuse.rows(asked)
    this.tag = pageTag(asked, this.#rows)
  }

  /** The bytes of a page that is joined, of the records that are remembered and of the others as `make` gives them; `undefined` where no record may be remembered. */
  joined(make: (at: number) => string): Octets | undefined {
    const rows = this.#rows
    if (rows === undefined) return undefined
    const { items, view, related } = this.#asked
    // A sum is a tree of texts that whoever writes it walks once: a join would copy all of it, and the head before it would have it copied again.
    let text = '['
    for (let at = 0; at < items.length; at += 1) {
      if (at > 0) text += ','
      const stored = items[at] as Stored<unknown>
      text += rows[at]?.bytes ?? (isFrozen(stored) ? this.#reuse.keep(stored, view, related, at, make(at)) : bytesOf(make(at)))
    }
    return new Octets(`${text}]`)
  }

  /** Keeps a page that is seen the second time. Nothing may go into it but what was asked for. */
  keep(headers: Headers, text: string | Octets): void {
    const { list, view, url, items } = this.#asked
    if (!isUsual(view) || !Object.isFrozen(list) || !items.every(isFrozen)) return
    const kept = this.#again ? keptPage(this.#asked, this.tag, headers, text) : undefined
    this.#reuse.keepPage(list, { view, url, kept, weight: overhead + url.length + (kept === undefined ? 0 : weightOfPage(kept)) })
  }
}

function keptPage({ page, items, related }: AskedPage, tag: string, headers: Headers, text: string | Octets): KeptPage | undefined {
  const linked = items.flatMap((_, at) => linkedOf(related, at, []))
  if (!areFixed(items) || !areFixed(linked)) return undefined
  // In one piece: what `joined` gives would be put together again by each answer.
  const body = text instanceof Octets ? new Octets(bufferOf(text).toString('latin1')) : new Octets(bytesOf(text))
  // Whoever gave the page may go on working with its list.
  return { isKept: true, page: { ...page, items: [] }, items: [...items], linked, tag, headers, body }
}

const weightOfPage = ({ items, linked, body }: KeptPage): number => ofRecord * (items.length + linked.length) + body.bytes.length

/** Whether it is worth asking: what somebody may still change is made anew each time. What stands below parents has links that begin with theirs. */
const mayRemember = ({ parent }: Mounted, stored: Stored<unknown>): boolean => parent === undefined && isFrozen(stored)

const isFrozen = (stored: Stored<unknown>): boolean => Fixed.is(stored) || Object.isFrozen(stored)

/** Records that were seen once lately: most of what is read once is not read again soon, and nothing is kept alive by it. */
class Seen {
  #lately = new WeakSet<Stored<unknown>>()
  #before = new WeakSet<Stored<unknown>>()
  #count = 0

  isFirst(stored: Stored<unknown>): boolean {
    if (this.#lately.has(stored) || this.#before.has(stored)) return false
    if (this.#count >= mostSeen) {
      this.#before = this.#lately
      this.#lately = new WeakSet()
      this.#count = 0
    }
    this.#count += 1
    this.#lately.add(stored)
    return true
  }
}

const mostSeen = 25_000

/** Whether a page is the one that was remembered, record by record. */
function isSame({ page: known, items, linked }: KeptPage, { page, items: rows, related }: AskedPage): boolean {
  const { total, exact, more, seekable } = page
  if (items.length !== rows.length || known.total !== total || known.exact !== exact || known.more !== more) return false
  if (known.seekable !== seekable) return false
  let place = 0
  for (const [at, stored] of rows.entries()) {
    if (items[at] !== stored) return false
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

function areFixed(row: Linked): boolean {
  for (const stored of row) if (stored !== undefined && !isFixed(stored)) return false
  return true
}
