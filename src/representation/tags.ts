/** Strong entity tags from row versions (HDR-2): `"<version>.<digest>"`, where the digest stands for everything else that shapes the bytes. */
import type { Page, Stored } from '../adapters/contract.js'
import { formatTag } from '../http/entity-tags.js'
import { keyOf } from '../plan/resource-plan.js'
import type { Mounted } from '../plan/routes.js'
import type { WholeBody } from './answer.js'
import { tagDigest } from './digest.js'
import { bufferOf, Octets } from './octets.js'
import { contentStamp, type Related, stampOf } from './related.js'
import type { Rows } from './reuse.js'
import { isUsual, type View } from './views.js'

/** The tag of an item, of which `related` was gathered. `content` stands for its value, where the version does not. */
export function itemTag(view: View, version: string, related: Related, content = ''): string {
  const { links } = related
  const [only] = links
  if (only === undefined && content === '') return formatTag(version, view.digest)
  // Of what many records link to the version comes again and again, and a hash takes 1 us.
  const isPlain = content === '' && links.length === 1 && !only?.computes && only?.nested.links.length === 0
  const linked = isPlain ? only.stored[0]?.version : undefined
  const known = linked === undefined ? undefined : knownDigest(view, linked)
  if (known !== undefined) return formatTag(version, known)
  const made = tagDigest(`${view.digest} ${content}${stampOf(related, 0)}`)
  if (linked !== undefined) keepDigest(view, linked, made)
  return formatTag(version, made)
}

function knownDigest(view: View, linked: string): string | undefined {
  let entry = view.linkDigests.get(linked)
  while (entry !== undefined && entry.view !== view) entry = entry.next
  return entry?.digest
}

/** Characters of a version whose digest is kept. */
const longestKnown = 100
/** Views of one version that are kept. */
const mostViews = 4

function keepDigest(view: View, linked: string, made: string): void {
  if (linked.length > longestKnown || !isUsual(view)) return
  const first = view.linkDigests.get(linked)
  const next = first !== undefined && first.length < mostViews ? first : undefined
  view.linkDigests.set(linked, { view, digest: made, next, length: 1 + (next?.length ?? 0) })
}

/** A page as its tag stands for it. */
export interface TaggedPage {
  readonly view: View
  /** The raw query: another page or filter is another list. */
  readonly query: string
  readonly resource: Mounted
  readonly page: Page<unknown>
  /** Its items, or what stands for them. */
  readonly items: readonly Stored<unknown>[]
  /** What its items are shown with. */
  readonly related: Related
}

/**
 * The tag of a page: its query, its items in order, the records in them, the total and whether there is more, so that none of them changes behind a 304 (HDR-4).
 * `rows` is what is remembered of them.
 */
export function pageTag({ view, query, resource, page, items, related }: TaggedPage, rows: Rows = []): string {
  const { total, exact, more } = page
  const count = `${exact === false ? 'about' : ''}${more ?? ''}`
  let text = `${view.digest}\n${query}\n${count}\n`
  for (let at = 0; at < items.length; at += 1) {
    const row = rows[at]
    const stamp = row?.stamp ?? rowStamp(resource, items[at] as Stored<unknown>, related, at)
    if (row !== undefined) row.stamp = stamp
    text += stamp
  }
  return formatTag(`${total ?? ''}`, tagDigest(text))
}

/** Stands for a row of a page. Each text has its length before it, so that no two pages have one row of texts. */
function rowStamp({ plan, adapter }: Mounted, stored: Stored<unknown>, related: Related, at: number): string {
  const { value, version } = stored
  const text = plan.key.text(keyOf(plan, value))
  const content = adapter.computes === true ? contentStamp(stored) : ''
  // Joined it is one text, where a sum would be a tree of them, to be walked in every page.
  return [text.length, ':', text, version.length, ':', version, content, stampOf(related, at)].join('')
}

/** The tag of what an endpoint answers: of its bytes, and of the version of the item that it stands below, which `If-Match` compares. */
export function bodyTag(body: WholeBody, version?: string): string {
  const bytes = tagDigest(typeof body === 'string' ? body : body instanceof Octets ? bufferOf(body) : Buffer.from(body))
  return version === undefined ? `"${bytes}"` : formatTag(version, bytes)
}
