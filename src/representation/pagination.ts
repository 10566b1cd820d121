/** Pagination headers of a list: `x-total-count` and RFC 8288 links (QUERY-7). */
import type { KeysetPosition, Page } from '../adapters/contract.js'
import { formatQueryString, type QueryPair } from '../http/query-string.js'
import type { HintTo } from '../plan/hint.js'
import { header, parameter } from '../wire.js'
import { type Headers, linkable } from './answer.js'

/** The parts of a list query that pagination links need. */
export interface PageQuery {
  /** The decoded query parameters, in the order of the request. */
  readonly pairs: readonly QueryPair[]
  /** The number of the page, counted from 1. */
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
 * Maximum length of a `Link` field, in characters. Many clients, such as Node's own, accept at most
 * 16 KiB of header fields in total.
 */
const longestLinks = 8_000

const noHint: HintTo = () => undefined

/**
 * Returns the header fields with the total number of items and the links to other pages. `url`: the
 * absolute address of the list without its query. Each link repeats the query, so the field may
 * become too long. In that case the links have no hints. If the field is still too long, it is
 * omitted. Clients can always request a page by its number instead.
 */
export function paginationHeaders(url: string, query: PageQuery, facts: PageFacts, hintTo: HintTo = noHint): Headers {
  const headers: Headers = {}
  if (facts.total !== undefined) headers[header.totalCount] = String(facts.total)
  const start = linkStart(url, query)
  const hinted = pageLinks(start, query, facts, hintTo)
  const field = hinted.length > longestLinks && hintTo !== noHint ? pageLinks(start, query, facts, noHint) : hinted
  if (field.length <= longestLinks) headers[header.link] = field
  return headers
}

/**
 * Returns the beginning of all links: the address and the query, without the page number and the
 * hint.
 */
function linkStart(url: string, { pairs }: PageQuery): string {
  const others = formatQueryString(pairs.filter(([name]) => name !== parameter.page && name !== parameter.after))
  return linkable(`${url}?${others === '' ? '' : `${others}&`}${parameter.page}=`)
}

/**
 * Builds the links of a page. A client may follow hints from page to page. Meanwhile, rows may be
 * inserted and deleted, and only the hint determines the position. When the client walks forwards,
 * page numbers may therefore exceed the number of the last page. When it walks backwards, they
 * never go below the first page, even if rows remain before it.
 */
function pageLinks(start: string, query: PageQuery, facts: PageFacts, hintTo: HintTo): string {
  const { page, size, first } = query
  const { total, exact = true, more, seekable = false, count = size } = facts
  /** The number of the last page, if it is certain. */
  const last = total === undefined || !exact ? undefined : Math.max(1, Math.ceil(total / size))
  // Page numbers and hints contain no characters that must be escaped in a link. Only `start`
  // contained such characters, and it is already escaped.
  const to = (number: number, rel: string, hint?: string): string =>
    `<${start}${number - 1 + first}${hint === undefined ? '' : `&${parameter.after}=${hint}`}>; rel="${rel}"`
  const sought = seekable ? query.seek : undefined
  const backwards = sought?.backwards === true

  let links = to(1, 'first')
  if (backwards ? (more ?? page > 1) : page > 1) {
    const before = Math.max(1, page - 1)
    const hint = hintTo(before, true)
    if (hint !== undefined) links += `, ${to(before, 'prev', hint)}`
    // If this page is past the end, `prev` leads to the last page that has items.
    else if (page > 1) links += `, ${to(Math.min(before, last ?? before), 'prev')}`
  }
  // A page that was read backwards from a row always has a next page, because that row follows it.
  const goesOn = backwards || (more ?? (last === undefined ? count === size : page < last))
  if (goesOn && (sought === undefined || count > 0)) links += `, ${to(page + 1, 'next', hintTo(page + 1, false))}`
  if (last !== undefined) links += `, ${to(last, 'last')}`
  return links
}

/**
 * Removes the links to other pages from a `Link` field. Used if a problem is returned instead of a
 * list.
 */
export function withoutPages(links: string): string {
  return links.replace(/(?:^|, )<[^>]*>; rel="(?:first|prev|next|last)"(?=, |$)/g, '').replace(/^, /, '')
}
