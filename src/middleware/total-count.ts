/** Pagination headers for hand-written lists (QUERY-7). */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { checkOptions, invalidOption } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import { mergeLinks } from '../representation/header-fields.js'
import { paginationHeaders } from '../representation/pagination.js'
import { header } from '../wire.js'
import { type BaseAddressOptions, baseAddress, baseAddressKinds, malformedHost, requestPath } from './base-address.js'
import { type ConventionsOptions, conventionsKinds, RouteConventions } from './conventions.js'
import { findListQuery } from './list-query.js'
import type { Middleware } from './middleware.js'
import { requestState } from './request-state.js'

/** The options of `totalCount()`. */
export interface TotalCountOptions extends BaseAddressOptions, ConventionsOptions<'QUERY-7'> {}

export const totalCountKinds: Kinds<TotalCountOptions> = { ...baseAddressKinds, ...conventionsKinds }

/** The return value of `totalCount()`: a middleware with a function that sets the total. */
export interface TotalCount extends Middleware {
  /**
   * Sets `x-total-count` if QUERY-7 is enforced for the request (see the option `conventions`). If
   * `listQuery()` has run, also sets `Link` with the links to the other pages. Call this function
   * before you send the body. If `exact` is false, the total is an estimate, and there is no link
   * to the last page. Throws `ConfigurationError` if this middleware did not run, or if the total
   * is not an integer of at least 0.
   */
  set(req: IncomingMessage, res: ServerResponse, total: number, exact?: boolean): void
}

/**
 * Creates a middleware whose function `set` adds two header fields to the response to a list: the
 * total number of items, and links to the other pages (QUERY-7). If `baseUrl` is not set, the URLs
 * of the links are derived from the request. A request with a malformed host then gets 400.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid
 *
 * @example
 * const count = totalCount()
 * app.get('/sucursales', query, count, (req, res) => {
 *   const { rows, total } = select(query.of(req))
 *   count.set(req, res, total)
 *   res.json(rows)
 * })
 */
export function totalCount(options: TotalCountOptions = {}): TotalCount {
  checkOptions('totalCount()', options, totalCountKinds)
  const baseOf = baseAddress(options)
  const conventions = new RouteConventions(options, { what: 'totalCount()', clauses: ['QUERY-7'] })
  const bases = requestState<string>('totalCount()')
  const totalCountMiddleware: Middleware = (req, _res, next) => {
    const base = baseOf(req)
    if (base === undefined) return next(malformedHost())
    bases.set(req, base)
    next()
  }
  return Object.assign(totalCountMiddleware, {
    set(req: IncomingMessage, res: ServerResponse, total: number, exact = true): void {
      const url = bases.of(req) + requestPath(req)
      if (!Number.isSafeInteger(total) || total < 0)
        throw invalidOption(`The total is ${total}. Pass an integer of at least 0.`)
      const legacy = conventions.legacy('QUERY-7', req)
      if (legacy === undefined) res.setHeader(header.totalCount, String(total))
      else legacy.found(header.totalCount)
      const query = findListQuery(req)
      if (query === undefined) return
      const { [header.link]: links } = paginationHeaders(url, query, {
        total,
        exact,
        more: query.page * query.size < total,
      })
      if (links !== undefined) res.setHeader(header.link, mergeLinks(res.getHeader(header.link), links))
    },
  })
}
