/** The list query of a hand-written route (QUERY-1..8). */

import type { IncomingMessage } from 'node:http'
import { pageKinds } from '../definition/resolve-resource.js'
import { checkDefinition, type PageOptions, type ResourceDefinition } from '../definition/resource.js'
import { splitTarget } from '../http/targets.js'
import { checkOptions } from '../options/check.js'
import { compileListGrammar, type ListQuery, parseListQuery } from '../plan/list-grammar.js'
import type { Middleware } from './middleware.js'
import { requestState } from './request-state.js'

const latest = requestState<ListQuery>('listQuery()')

/** The query that the last `listQuery()` on the way has parsed, if there was one: pagination links repeat it. */
export const findListQuery: (req: IncomingMessage) => ListQuery | undefined = latest.find

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
export function listQuery(definition: ResourceDefinition, options: PageOptions = {}): ListQueryMiddleware {
  checkOptions('listQuery()', options, pageKinds)
  checkDefinition('listQuery()', definition)
  const grammar = compileListGrammar(definition, options)
  // Its own state, so that one of two on a request never answers with the query of the other.
  const states = requestState<ListQuery>('listQuery()')
  const listQueryMiddleware: Middleware = (req, _res, next) => {
    let parsed: ListQuery
    try {
      // The raw query: what Express has made of it has lost repeats, order and pluses.
      parsed = parseListQuery(splitTarget(req.url ?? '/').query, grammar)
    } catch (error) {
      return next(error)
    }
    states.set(req, parsed)
    latest.set(req, parsed)
    next()
  }
  return Object.assign(listQueryMiddleware, { of: states.of })
}
