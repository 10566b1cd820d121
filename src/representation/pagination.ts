/** Pagination headers of a list: `x-total-count` and RFC 8288 links (QUERY-7). */
import type { KeysetPosition, Page } from '../adapters/contract.js'
import { formatQueryString, type QueryPair } from '../http/query-string.js'
import type { HintTo } from '../plan/hint.js'
import { header, parameter } from '../wire.js'
import { type Headers, linkable } from './answer.js'

/** The parts of a list query that pagination links need. */
export interface PageQuery {
  /** The decoded parameters in their order. */
  readonly pairs: readonly QueryPair[]
  /** The page, counted from 1. */
  readonly page: number
  readonly size: number
  /** The number of the first page on the wire. */
  readonly first: 0 | 1
  readonly seek?: KeysetPosition
}

/** The facts about a page that pagination links depend on. */
export interface PageFacts {
  readonly total?: Page<unknown>['total'] | undefined
  readonly exact?: Page<unknown>['exact'] | undefined
  readonly more?: Page<unknown>['more'] | undefined
  readonly seekable?: Page<unknown>['seekable'] | undefined
  /** Number of items on the page. Default: unknown, but at least one. */
  readonly count?: number
}

/**
 * Maximum length of a `Link` field. Many clients, Node's own among them, accept 16 KiB of header
 * fields in total.
 */
const longestLinks = 8_000

const noHint: HintTo = () => undefined

/**
 * The header fields with the total number of items and the links to other pages. `url`: the
 * absolute address of the list without its query. Each link repeats the query. If the links of a
 * long query exceed the limit, hints are omitted; if that is not enough, all links are. The
 * parameters alone always work.
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

/** The common prefix of all links: the address and the query without the page. */
function linkStart(url: string, { pairs }: PageQuery): string {
  const others = formatQueryString(pairs.filter(([name]) => name !== parameter.page && name !== parameter.after))
  return linkable(`${url}?${others === '' ? '' : `${others}&`}${parameter.page}=`)
}

/**
 * Builds the links of a page. In a walk by hints, page numbers continue past the last page of the
 * total, and stay at the first page when walking backwards: rows are inserted and deleted
 * meanwhile, and only the hint determines the position.
 */
function pageLinks(start: string, query: PageQuery, facts: PageFacts, hintTo: HintTo): string {
  const { page, size, first } = query
  const { total, exact = true, more, seekable = false, count = size } = facts
  /** The number of the last page, if it is certain. */
  const last = total === undefined || !exact ? undefined : Math.max(1, Math.ceil(total / size))
  // Numbers and hints need no escaping, so only the start had to be made safe for a link.
  const to = (number: number, rel: string, hint?: string): string =>
    `<${start}${number - 1 + first}${hint === undefined ? '' : `&${parameter.after}=${hint}`}>; rel="${rel}"`
  const sought = seekable ? query.seek : undefined
  const backwards = sought?.backwards === true

  let links = to(1, 'first')
  if (backwards ? (more ?? page > 1) : page > 1) {
    const before = Math.max(1, page - 1)
    const hint = hintTo(before, true)
    if (hint !== undefined) links += `, ${to(before, 'prev', hint)}`
    // From a page past the end, `prev` leads to the last page that has items.
    else if (page > 1) links += `, ${to(Math.min(before, last ?? before), 'prev')}`
  }
  // A page that was found backwards is followed by the row that it was sought from.
  const goesOn = backwards || (more ?? (last === undefined ? count === size : page < last))
  if (goesOn && (sought === undefined || count > 0)) links += `, ${to(page + 1, 'next', hintTo(page + 1, false))}`
  if (last !== undefined) links += `, ${to(last, 'last')}`
  return links
}

/**
 * Removes the links to other pages from a `Link` field, for a problem response in place of a list.
 */
export function withoutPages(links: string): string {
  return links.replace(/(?:^|, )<[^>]*>; rel="(?:first|prev|next|last)"(?=, |$)/g, '').replace(/^, /, '')
}
