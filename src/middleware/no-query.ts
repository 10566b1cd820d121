/** Routes that take no parameters say so (QUERY-8). */
import { splitTarget } from '../http/targets.js'
import { refuseQuery } from '../plan/query-pairs.js'
import type { Middleware } from './middleware.js'

/**
 * Refuses every query parameter: one 400 problem that names them all.
 *
 * @example app.delete('/sucursales/:id', noQuery(), remove)
 */
export function noQuery(): Middleware {
  return function noQueryMiddleware(req, _res, next) {
    try {
      refuseQuery(splitTarget(req.url ?? '/').query)
    } catch (error) {
      return next(error)
    }
    next()
  }
}
