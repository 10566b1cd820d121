/** The representation that a request asks for (HDR-1; RFC 9110 12.5.1). */

import type { IncomingMessage } from 'node:http'
import { negotiator } from '../http/accept.js'
import { checkArgument } from '../options/check.js'
import { HttpProblem } from '../problem.js'
import { mergeVary } from '../representation/header-fields.js'
import { header, mediaType } from '../wire.js'
import type { Middleware } from './middleware.js'
import { requestState } from './request-state.js'

/** The refusal of an `Accept` that names nothing there is: 415, as the conventions have it, and not 406. */
export function unsupportedAccept(offers: readonly string[]): HttpProblem {
  const detail = `Accept names nothing that is offered here. Offered: ${offers.join(', ')}.`
  return new HttpProblem('unsupported-accept', {
    detail,
    errors: [{ header: header.accept, detail, allowed: offers, code: 'unsupported', clause: 'HDR-1' }],
  })
}

const latest = requestState<string>('negotiate()')

/** The media type that was chosen last on the way, if any was: two of them have two entity tags. */
export const findNegotiated: (req: IncomingMessage) => string | undefined = latest.find

/** The middleware that `negotiate()` makes, and what it has chosen. */
export interface Negotiate extends Middleware {
  /** The media type chosen for this request, as it was offered. Throws `ConfigurationError` where this middleware did not run before. */
  of(req: IncomingMessage): string
}

/**
 * Chooses among the media types a route can answer with, before its handler changes anything: 415 where none is acceptable, `Vary: Accept` always (HDR-1).
 * OPTIONS is let through. Default offer: `application/json`. Throws `ConfigurationError` where an offer is no media type.
 *
 * @example
 * const format = negotiate('application/json', 'text/csv')
 * app.get('/sucursales', format, (req, res) => (format.of(req) === 'text/csv' ? res.type('csv').send(csv()) : res.json(all())))
 */
export function negotiate(...offers: readonly string[]): Negotiate {
  checkArgument('the offers of negotiate()', offers, { each: 'string' })
  const offered = offers.length === 0 ? [mediaType.json] : offers
  const choose = negotiator(offered)
  const states = requestState<string>('negotiate()')
  const negotiateMiddleware: Middleware = (req, res, next) => {
    res.setHeader(header.vary, mergeVary(res.getHeader(header.vary), header.accept))
    const chosen = req.method === 'OPTIONS' ? offered[0] : choose(req.headers.accept)
    if (chosen === undefined) return next(unsupportedAccept(offered))
    states.set(req, chosen)
    latest.set(req, chosen)
    next()
  }
  return Object.assign(negotiateMiddleware, { of: states.of })
}
