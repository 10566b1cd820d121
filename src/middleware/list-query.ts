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

/** The query that the last `listQuery()` on the way has parsed, if there was one: pagination links repeat it. */
export const findListQuery: (req: IncomingMessage) => ListQuery | undefined = latest.find

/** How a list is read. */
export interface ListQueryOptions extends PageOptions, ConventionsOptions<'QUERY-5' | 'QUERY-8'> {
  /** Other names of parameters, and names that are ignored: `{ offest: ['page'], ignore: ['_'] }`. */
  readonly parameters?: ParameterOptions
}

export const listQueryKinds: Kinds<ListQueryOptions> = {
  ...pageKinds,
  ...conventionsKinds,
  parameters: { options: parameterKinds },
}

/** The middleware that `listQuery()` makes, and what it has read. */
export interface ListQueryMiddleware extends Middleware {
  /** The query: typed, bounded and totally ordered. Throws `ConfigurationError` where this middleware did not run before. */
  of(req: IncomingMessage): ListQuery
}

/**
 * Parses the query of a list by the filters, sort fields and links of a definition (QUERY-1..8); what is wrong with it is one 400 problem that names every
 * parameter. The result is what an adapter gets: `where`, `sort` (the key last), `page`, `size`, `offset`, `search`, `expand`. `options` hold where the definition
 * itself says nothing of its pages. Hints (`after`) are those of the routers: here one is 400, since nothing would heed it. Throws `ConfigurationError` where an option
 * makes no sense.
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
  // Its own state, so that one of two on a request never answers with the query of the other.
  const states = requestState<ListQuery>('listQuery()')
  const listQueryMiddleware: Middleware = (req, _res, next) => {
    let parsed: ListQuery
    try {
      // The raw query: what Express has made of it has lost repeats, order and pluses.
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
