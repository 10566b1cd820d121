/**
 * Strong entity tags (HDR-2). The tag of an item is `"<version>.<digest>"`, with the version of the
 * record. The digest covers everything else that affects the bytes.
 */
import type { Page, Stored } from '../adapters/contract.js'
import { formatTag } from '../http/entity-tags.js'
import { keyOf } from '../plan/resource-plan.js'
import type { Mounted } from '../plan/routes.js'
import type { WholeBody } from './answer.js'
import { tagDigest } from './digest.js'
import { bufferOf, Octets } from './octets.js'
import { contentStamp, type Related, stampOf } from './related.js'
import type { Rows } from './reuse.js'
import { isOftenUsed, type View } from './views.js'

/**
 * Returns the tag of an item with these related records. `content`: a string that identifies the
 * item's value. It is needed if the version does not identify the value.
 */
export function itemTag(view: View, version: string, related: Related, content = ''): string {
  const { links } = related
  const [only] = links
  if (only === undefined && content === '') return formatTag(version, view.digest)
  // Items that link to the same record need the same digest. The digest is cached, because
  // computing a hash takes 1 us.
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

/** Maximum length of a version whose digest is cached. */
const longestKnown = 100
/**
 * Maximum number of cached digests for one version of a related record. Items that link to this
 * record have a different digest in each `View`.
 */
const maxViews = 4

function keepDigest(view: View, linked: string, made: string): void {
  if (linked.length > longestKnown || !isOftenUsed(view)) return
  const first = view.linkDigests.get(linked)
  const next = first !== undefined && first.length < maxViews ? first : undefined
  view.linkDigests.set(linked, { view, digest: made, next, length: 1 + (next?.length ?? 0) })
}

/** The parts of a page that its tag covers. */
export interface TaggedPage {
  readonly view: View
  /** The raw query. A list with another page number or filter needs another tag. */
  readonly query: string
  readonly resource: Mounted
  readonly page: Page<unknown>
  /** The items of the page, or the cached copies that replace them. */
  readonly items: readonly Stored<unknown>[]
  /** The related records of the items. */
  readonly related: Related
}

/**
 * Returns the tag of a page. The tag covers the query, the items in order, their related records,
 * the total, and whether more items follow. If any of these changes, the tag changes too, and the
 * client gets no 304 (HDR-4). `rows`: the cached items of the page.
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

/**
 * Returns a string that identifies an item of a page. The key and each version are preceded by
 * their lengths, so that the concatenated strings of two different pages always differ.
 */
function rowStamp({ plan, adapter }: Mounted, stored: Stored<unknown>, related: Related, at: number): string {
  const { value, version } = stored
  const text = plan.key.text(keyOf(plan, value))
  const content = adapter.computes === true ? contentStamp(stored) : ''
  // `join` creates a flat string. Concatenation would create a tree, which would have to be
  // flattened for every page.
  return [text.length, ':', text, version.length, ':', version, content, stampOf(related, at)].join('')
}

/**
 * Returns the tag of an endpoint's result. The tag covers the bytes of the result. If the endpoint
 * is below an item, the tag also contains the version of that item. `If-Match` is compared with
 * this version.
 */
export function bodyTag(body: WholeBody, version?: string): string {
  const bytes = tagDigest(typeof body === 'string' ? body : body instanceof Octets ? bufferOf(body) : Buffer.from(body))
  return version === undefined ? `"${bytes}"` : formatTag(version, bytes)
}
