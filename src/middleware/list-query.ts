/** Parses the query of a list in a hand-written route (QUERY-1..8). */

import type { IncomingMessage } from 'node:http'
import { type ParameterOptions, parameterKinds, resolveParameters } from '../conventions/parameters.js'
import { pageKinds } from '../definition/resolve-resource.js'
import { checkDefinition, type PageOptions, type ResourceDefinition } from '../definition/resource.js'
import { splitTarget } from '../http/targets.js'
import { checkOptions } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import { compileListGrammar, type ListQuery, parseListQuery } from '../plan/list-grammar.js'
import { queryRules } from '../plan/query-rules.js'
import { type ConventionsOptions, conventionsKinds, RouteConventions } from './conventions.js'
import type { Middleware } from './middleware.js'
import { requestState } from './request-state.js'

const latest = requestState<ListQuery>('listQuery()')

/**
 * Returns the query that the last `listQuery()` parsed for a request, if any. Pagination links
 * repeat this query.
 */
export const findListQuery: (req: IncomingMessage) => ListQuery | undefined = latest.find

/** The options of `listQuery()`. */
export interface ListQueryOptions extends PageOptions, ConventionsOptions<'QUERY-5' | 'QUERY-8'> {
  /**
   * Aliases of parameters, and parameters that are ignored. Example:
   * `{ offest: ['page'], ignore: ['_'] }`.
   */
  readonly parameters?: ParameterOptions
}

export const listQueryKinds: Kinds<ListQueryOptions> = {
  ...pageKinds,
  ...conventionsKinds,
  parameters: { options: parameterKinds },
}

/** The return value of `listQuery()`: a middleware with an accessor for the parsed query. */
export interface ListQueryMiddleware extends Middleware {
  /**
   * Returns the query of a request. Its values are typed, and its page size is limited. Throws
   * `ConfigurationError` if this middleware did not run.
   */
  of(req: IncomingMessage): ListQuery
}

/**
 * Creates a middleware that parses the query of a list. The definition determines which filters,
 * sort fields and links the query may use (QUERY-1..8). If the query has errors, the response is
 * one 400 problem that lists up to 50 of them. The parsed query has `expand` and the members that
 * adapters get: `where`, `sort`, `page`, `size`, `offset` and `search`. The parsed `sort` includes
 * the key. For a search without the parameter `sort`, the parsed `sort` is empty. A page setting in
 * `options` applies only if the definition does not set it. Only the routers support cursors (the
 * parameter `after`). With this middleware, a request with `after` gets 400.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid
 *
 * @example
 * const query = listQuery(sucursales)
 * app.get('/sucursales', query, (req, res) => res.json(select(query.of(req))))
 */
export function listQuery(definition: ResourceDefinition, options: ListQueryOptions = {}): ListQueryMiddleware {
  checkOptions('listQuery()', options, listQueryKinds)
  checkDefinition('listQuery()', definition)
  const grammar = compileListGrammar(definition, options)
  const conventions = new RouteConventions(options, { what: 'listQuery()', clauses: ['QUERY-5', 'QUERY-8'] })
  const names = resolveParameters('listQuery()', options.parameters)
  // Each middleware has its own state. If two of these middlewares run for one request, each
  // returns its own query.
  const states = requestState<ListQuery>('listQuery()')
  const listQueryMiddleware: Middleware = (req, _res, next) => {
    let parsed: ListQuery
    try {
      // The raw query is parsed, because Express's parsed query has lost the plus signs and the
      // order of the parameters, and may have turned repeated parameters into arrays.
      const terms = queryRules(names, conventions.legacy('QUERY-8', req), conventions.legacy('QUERY-5', req))
      parsed = parseListQuery(splitTarget(req.url ?? '/').query, grammar, undefined, terms)
    } catch (error) {
      return next(error)
    }
    for (const { clause, detail } of parsed.notes ?? []) conventions.finding(clause, detail, req)
    states.set(req, parsed)
    latest.set(req, parsed)
    next()
  }
  return Object.assign(listQueryMiddleware, { of: states.of })
}
