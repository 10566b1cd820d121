/** Pagination headers of a list: `x-total-count` and RFC 8288 links (QUERY-7). */
import { formatQueryString } from '../http/query-string.js'
import { header, parameter } from '../wire.js'
import { formatLink, type Headers } from './answer.js'

/** What of a list query the links need. */
export interface PageQuery {
  /** The decoded parameters as they came. */
  readonly pairs: readonly (readonly [name: string, value: string])[]
  /** The page, from 1. */
  readonly page: number
  readonly size: number
  /** What the wire calls the first page. */
  readonly first: 0 | 1
}

/** Characters of a `Link` field. Node's own client, one of many, takes 16 KiB of headers in all. */
const longestLinks = 8_000

/**
 * The headers that tell how many items there are and where the other pages lie. `url` is the absolute address of the list without its query; `more` says whether
 * there is a next page where the total is unknown or an estimate. Each link repeats the query: where a long one would make more of them than clients take, there are
 * none. The parameters alone always work.
 */
export function paginationHeaders(url: string, query: PageQuery, total: number | undefined, exact: boolean, more: boolean): Headers {
  const { page, size, first } = query
  /** The number of the last page, where it is known for certain. */
  const last = total === undefined || !exact ? undefined : Math.max(1, Math.ceil(total / size))
  const others = query.pairs.filter(([name]) => name !== parameter.page && name !== parameter.after)
  const to = (number: number, rel: string): string =>
    formatLink(`${url}?${formatQueryString([...others, [parameter.page, String(number - 1 + first)]])}`, rel)
  const links = [to(1, 'first')]
  // From a page past the end the way back leads to the last one that holds something.
  if (page > 1) links.push(to(Math.min(page - 1, last ?? page - 1), 'prev'))
  if (last === undefined ? more : page < last) links.push(to(page + 1, 'next'))
  if (last !== undefined) links.push(to(last, 'last'))
  const field = links.join(', ')
  return {
    ...(total === undefined ? {} : { [header.totalCount]: String(total) }),
    ...(field.length > longestLinks ? {} : { [header.link]: field }),
  }
}

/** What is left of a `Link` field without the links to other pages, for the problem that takes the place of a list. */
export function withoutPages(links: string): string {
  return links.replace(/(?:^|, )<[^>]*>; rel="(?:first|prev|next|last)"(?=, |$)/g, '').replace(/^, /, '')
}
