/** Pagination headers of a list: `x-total-count` and RFC 8288 links (QUERY-7). */
import type { KeysetPosition, Page } from '../adapters/contract.js'
import { formatQueryString, type QueryPair } from '../http/query-string.js'
import type { CursorTo } from '../plan/cursor.js'
import { header, parameter } from '../wire.js'
import { type Headers, linkable } from './answer.js'

/** The parts of a list query that pagination links need. */
export interface PageQuery {
  /** The decoded query parameters, in the order of the request. */
  readonly pairs: readonly QueryPair[]
  /** The number of the page, counted from 1 even if clients count from 0. */
  readonly page: number
  readonly size: number
  /** The number that clients use for the first page. */
  readonly first: 0 | 1
  readonly seek?: KeysetPosition
}

/** The facts about a page that pagination links depend on. */
export interface PageFacts {
  readonly total?: Page<unknown>['total'] | undefined
  readonly exact?: Page<unknown>['exact'] | undefined
  readonly more?: Page<unknown>['more'] | undefined
  readonly seekable?: Page<unknown>['seekable'] | undefined
  /** The number of items on the page. Default: the page size. */
  readonly count?: number
}

/**
 * Maximum length of a `Link` field with several links, in characters. Many clients, such as Node's
 * by default, accept at most 16 KiB of header fields in total.
 */
const longestLinks = 8_000

/**
 * Maximum length of a `Link` field with only the link `next`. With this length, about 1 KiB of the
 * 16 KiB is left for the other header fields. A longer link could make a response unreadable for
 * clients. Node's server accepts about 16 KiB of header fields in a request, so hardly any query
 * leads to a longer link.
 */
const longestNext = 15_300

/** The links that are omitted from a field that is too long, the least important one first. */
const omittable = ['last', 'first', 'prev']

const noCursor: CursorTo = () => undefined

/**
 * Returns the header fields with the total number of items and the links to other pages. `url`: the
 * absolute URL of the list without its query. Each link repeats the query, so the `Link` field may
 * become too long. In that case, the links contain no cursors. If the field is still too long, the
 * links `last`, `first` and `prev` are omitted, in this order, until it is short enough. The link
 * `next` is kept, because without it clients would take the page for the last one. If `next` alone
 * exceeds `longestNext`, there is no `Link` field.
 */
export function paginationHeaders(
  url: string,
  query: PageQuery,
  facts: PageFacts,
  cursorTo: CursorTo = noCursor,
): Headers {
  const headers: Headers = {}
  if (facts.total !== undefined) headers[header.totalCount] = String(facts.total)
  const start = linkStart(url, query)
  const withCursors = pageLinks(start, query, facts, cursorTo)
  let field =
    withCursors.length > longestLinks && cursorTo !== noCursor ? pageLinks(start, query, facts, noCursor) : withCursors
  for (const rel of omittable) if (field.length > longestLinks) field = withoutLinks(field, rel)
  if (field !== '' && field.length <= longestNext) headers[header.link] = field
  return headers
}

/**
 * Returns the string with which all links begin: the URL and the query, without the page number and
 * the cursor.
 */
function linkStart(url: string, { pairs }: PageQuery): string {
  const others = formatQueryString(pairs.filter(([name]) => name !== parameter.page && name !== parameter.after))
  return linkable(`${url}?${others === '' ? '' : `${others}&`}${parameter.page}=`)
}

/**
 * Builds the links of a page. A client may follow links with cursors from page to page. Meanwhile,
 * rows may be inserted and deleted, and only the cursor determines the position. When the client
 * goes forwards, page numbers may therefore exceed the number of the last page. When the client
 * goes backwards, page numbers never go below the number of the first page, even if there are rows
 * before the page.
 */
function pageLinks(start: string, query: PageQuery, facts: PageFacts, cursorTo: CursorTo): string {
  const { page, size, first } = query
  const { total, exact = true, more, seekable = false, count = size } = facts
  /** The number of the last page, if the total is exact. */
  const last = total === undefined || !exact ? undefined : Math.max(1, Math.ceil(total / size))
  // Page numbers and cursors contain no characters that must be escaped in a link. `start` is
  // already escaped.
  const to = (number: number, rel: string, cursor?: string): string =>
    `<${start}${number - 1 + first}${cursor === undefined ? '' : `&${parameter.after}=${cursor}`}>; rel="${rel}"`
  const sought = seekable ? query.seek : undefined
  const backwards = sought?.backwards === true

  let links = to(1, 'first')
  if (backwards ? (more ?? page > 1) : page > 1) {
    const before = Math.max(1, page - 1)
    const cursor = cursorTo(before, true)
    if (cursor !== undefined) links += `, ${to(before, 'prev', cursor)}`
    // If this page is past the end of the list and the total is exact, `prev` leads to the last
    // page that has items.
    else if (page > 1) links += `, ${to(Math.min(before, last ?? before), 'prev')}`
  }
  // If a page was read backwards from a row, that row follows the page. So there is a next page,
  // unless the row was deleted in the meantime.
  const goesOn = backwards || (more ?? (last === undefined ? count === size : page < last))
  if (goesOn && (sought === undefined || count > 0)) links += `, ${to(page + 1, 'next', cursorTo(page + 1, false))}`
  if (last !== undefined) links += `, ${to(last, 'last')}`
  return links
}

/**
 * Removes the links to other pages from a `Link` field. Used if a problem is returned instead of a
 * list.
 */
export const withoutPages = (links: string): string => withoutLinks(links, 'first|prev|next|last')

/** Removes the links with these relations, which are separated by `|`. */
function withoutLinks(links: string, rels: string): string {
  return links.replace(new RegExp(`(?:^|, )<[^>]*>; rel="(?:${rels})"(?=, |$)`, 'g'), '').replace(/^, /, '')
}
