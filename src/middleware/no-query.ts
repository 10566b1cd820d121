/** Refuses query parameters on routes that take none (QUERY-8). */
import { type ParameterOptions, parameterKinds, resolveParameters } from '../conventions/parameters.js'
import { splitTarget } from '../http/targets.js'
import { checkOptions } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import { refuseQuery } from '../plan/query-pairs.js'
import { queryRules, withoutAliases } from '../plan/query-rules.js'
import { type ConventionsOptions, conventionsKinds, RouteConventions } from './conventions.js'
import type { Middleware } from './middleware.js'

/** The options of `noQuery()`. */
export interface NoQueryOptions extends ConventionsOptions<'QUERY-8'> {
  /** Parameters that are ignored, such as `{ ignore: ['_', 'utm_*'] }`. */
  readonly parameters?: Pick<ParameterOptions, 'ignore'>
}

export const noQueryKinds: Kinds<NoQueryOptions> = {
  ...conventionsKinds,
  parameters: { options: { ignore: parameterKinds.ignore } },
}

/**
 * Creates a middleware that refuses every query parameter that `parameters` does not ignore. The
 * response is one 400 problem that lists up to 50 of the refused parameters.
 *
 * @example app.delete('/sucursales/:id', noQuery(), remove)
 */
export function noQuery(options: NoQueryOptions = {}): Middleware {
  checkOptions('noQuery()', options, noQueryKinds)
  const conventions = new RouteConventions(options, { what: 'noQuery()', clauses: ['QUERY-8'] })
  const names = resolveParameters('noQuery()', options.parameters)
  return function noQueryMiddleware(req, _res, next) {
    try {
      const rules = withoutAliases(queryRules(names, conventions.legacy('QUERY-8', req), undefined))
      const notes = refuseQuery(splitTarget(req.url ?? '/').query, rules) ?? []
      for (const { clause, detail } of notes) conventions.finding(clause, detail, req)
    } catch (error) {
      return next(error)
    }
    next()
  }
}
