/** Pagination headers of a list: `x-total-count` and RFC 8288 links (QUERY-7). */
import type { KeysetPosition, Page } from '../adapters/contract.js'
import { formatQueryString, type QueryPair } from '../http/query-string.js'
import type { HintTo } from '../plan/hint.js'
import { header, parameter } from '../wire.js'
import { type Headers, linkable } from './answer.js'

/** What of a list query the links need. */
export interface PageQuery {
  /** The decoded parameters as they came. */
  readonly pairs: readonly QueryPair[]
  /** The page, from 1. */
  readonly page: number
  readonly size: number
  /** What the wire calls the first page. */
  readonly first: 0 | 1
  readonly seek?: KeysetPosition
}

/** What a store says of a page, as far as its links tell. */
export interface PageFacts {
  readonly total?: Page<unknown>['total'] | undefined
  readonly exact?: Page<unknown>['exact'] | undefined
  readonly more?: Page<unknown>['more'] | undefined
  readonly seekable?: Page<unknown>['seekable'] | undefined
  /** Items on the page. Default: unknown, and more than none. */
  readonly count?: number
}

/** Characters of a `Link` field. Node's own client, one of many, takes 16 KiB of headers in all. */
const longestLinks = 8_000

const noHint: HintTo = () => undefined

/**
 * The headers that tell how many items there are and where the other pages lie. `url` is the absolute address of the list without its query. Each link repeats the
 * query: where a long one would make more of them than clients take, they go without hints, and where that does not do, there are none. The parameters alone always work.
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

/** What all links of a list begin with: its address and the query but for the place. */
function linkStart(url: string, { pairs }: PageQuery): string {
  const others = formatQueryString(pairs.filter(([name]) => name !== parameter.page && name !== parameter.after))
  return linkable(`${url}?${others === '' ? '' : `${others}&`}${parameter.page}=`)
}

/**
 * A walk by hints counts its pages on, forwards past the last page of the total and backwards at the first as often as it takes: rows come and go meanwhile, and
 * where the walk is the hint alone knows.
 */
function pageLinks(start: string, query: PageQuery, facts: PageFacts, hintTo: HintTo): string {
  const { page, size, first } = query
  const { total, exact = true, more, seekable = false, count = size } = facts
  /** The number of the last page, where it is known for certain. */
  const last = total === undefined || !exact ? undefined : Math.max(1, Math.ceil(total / size))
  // Numbers and hints are plain, so that the start alone had to be made fit for a link.
  const to = (number: number, rel: string, hint?: string): string =>
    `<${start}${number - 1 + first}${hint === undefined ? '' : `&${parameter.after}=${hint}`}>; rel="${rel}"`
  const sought = seekable ? query.seek : undefined
  const backwards = sought?.backwards === true

  let links = to(1, 'first')
  if (backwards ? (more ?? page > 1) : page > 1) {
    const before = Math.max(1, page - 1)
    const hint = hintTo(before, true)
    if (hint !== undefined) links += `, ${to(before, 'prev', hint)}`
    // From a page past the end the way back leads to the last one that holds something.
    else if (page > 1) links += `, ${to(Math.min(before, last ?? before), 'prev')}`
  }
  // Behind a page that was sought backwards lies the row that it was sought from.
  const goesOn = backwards || (more ?? (last === undefined ? count === size : page < last))
  if (goesOn && (sought === undefined || count > 0)) links += `, ${to(page + 1, 'next', hintTo(page + 1, false))}`
  if (last !== undefined) links += `, ${to(last, 'last')}`
  return links
}

/** What is left of a `Link` field without the links to other pages, for the problem that takes the place of a list. */
export function withoutPages(links: string): string {
  return links.replace(/(?:^|, )<[^>]*>; rel="(?:first|prev|next|last)"(?=, |$)/g, '').replace(/^, /, '')
}
