/** The list query of a hand-written route (QUERY-1..8). */

import type { IncomingMessage } from 'node:http'
import { type ParameterOptions, parameterKinds, resolveParameters } from '../conventions/parameters.js'
import { pageKinds } from '../definition/resolve-resource.js'
import { checkDefinition, type PageOptions, type ResourceDefinition } from '../definition/resource.js'
import { splitTarget } from '../http/targets.js'
import { checkOptions } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import { compileListGrammar, type ListQuery, parseListQuery } from '../plan/list-grammar.js'
import { queryTerms } from '../plan/query-terms.js'
import { type ConventionsOptions, conventionsKinds, RouteConventions } from './conventions.js'
import type { Middleware } from './middleware.js'
import { requestState } from './request-state.js'

const latest = requestState<ListQuery>('listQuery()')

/** The query parsed by the last `listQuery()` that ran, if any. Pagination links repeat it. */
export const findListQuery: (req: IncomingMessage) => ListQuery | undefined = latest.find

/** The options of `listQuery()`. */
export interface ListQueryOptions extends PageOptions, ConventionsOptions<'QUERY-5' | 'QUERY-8'> {
  /**
   * Other names of parameters, and names that are ignored: `{ offest: ['page'], ignore: ['_'] }`.
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
   * The query of a request: typed, bounded and totally ordered. Throws `ConfigurationError` if this
   * middleware did not run.
   */
  of(req: IncomingMessage): ListQuery
}

/**
 * Parses the query of a list by the filters, sort fields and links of a definition (QUERY-1..8).
 * All errors are reported in one 400 problem that names every invalid parameter. The result has the
 * form that adapters get: `where`, `sort` (the key last), `page`, `size`, `offset`, `search`,
 * `expand`. `options` apply where the definition does not configure its pages. Hints (`after`) are
 * supported only by the routers; here they are 400.
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
  // A state of its own: with two middlewares on one request, each must return its own query.
  const states = requestState<ListQuery>('listQuery()')
  const listQueryMiddleware: Middleware = (req, _res, next) => {
    let parsed: ListQuery
    try {
      // The raw query: Express's parsed query has lost repeats, order and plus signs.
      const terms = queryTerms(names, conventions.legacy('QUERY-8', req), conventions.legacy('QUERY-5', req))
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
