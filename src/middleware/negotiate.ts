/** The representation that a request asks for (HDR-1; RFC 9110 12.5.1). */

import type { IncomingMessage } from 'node:http'
import { isObject } from '../definition/json.js'
import { negotiator } from '../http/accept.js'
import { checkArgument, checkOptions } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import { notAcceptable } from '../plan/legacy-endings.js'
import { HttpProblem } from '../problem.js'
import { mergeVary } from '../representation/header-fields.js'
import { header, mediaType } from '../wire.js'
import { type ConventionsOptions, conventionsKinds, RouteConventions } from './conventions.js'
import type { Middleware, NextFunction } from './middleware.js'
import { requestState } from './request-state.js'

/** The refusal of an `Accept` that names nothing there is: 415, as the conventions have it, and not 406, unless that is what the service did before. */
export function unsupportedAccept(offers: readonly string[], legacy?: 406 | 'json'): HttpProblem {
  const detail = `Accept names nothing that is offered here. Offered: ${offers.join(', ')}.`
  return new HttpProblem(legacy === 406 ? notAcceptable : 'unsupported-accept', {
    detail,
    errors: [{ header: header.accept, detail, allowed: offers, code: 'unsupported', clause: 'HDR-1' }],
  })
}

const latest = requestState<string>('negotiate()')

/** The media type that was chosen last on the way, if any was: two of them have two entity tags. */
export const findNegotiated: (req: IncomingMessage) => string | undefined = latest.find

/** What a route can answer with. */
export interface NegotiateOptions extends ConventionsOptions<'HDR-1'> {
  /** Media types, the usual one first. Default: `application/json`. */
  readonly offers?: readonly string[]
}

export const negotiateKinds: Kinds<NegotiateOptions> = { ...conventionsKinds, offers: { each: 'string' } }

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
export function negotiate(...offers: readonly string[]): Negotiate
export function negotiate(options: NegotiateOptions): Negotiate
export function negotiate(...given: readonly (string | NegotiateOptions)[]): Negotiate {
  const [first] = given
  const options: NegotiateOptions =
    isObject(first) && given.length === 1 ? first : { offers: given as readonly string[] }
  if (options === first) checkOptions('negotiate()', options, negotiateKinds)
  const { offers = [] } = options
  checkArgument('the offers of negotiate()', offers, { each: 'string' })
  const offered = offers.length === 0 ? [mediaType.json] : offers
  const conventions = new RouteConventions(options, { what: 'negotiate()', clauses: ['HDR-1'] })
  const choose = negotiator(offered)
  const states = requestState<string>('negotiate()')
  const negotiateMiddleware: Middleware = (req, res, next) => {
    res.setHeader(header.vary, mergeVary(res.getHeader(header.vary), header.accept))
    const chosen = req.method === 'OPTIONS' ? offered[0] : choose(req.headers.accept)
    if (chosen !== undefined) return use(req, chosen, next)
    const legacy = conventions.legacy('HDR-1', req)
    legacy?.found(header.accept)
    if (legacy?.settings.as === 'json')
      return use(req, offered.find((offer) => offer === mediaType.json) ?? (offered[0] as string), next)
    next(unsupportedAccept(offered, legacy?.settings.as))
  }
  const use = (req: IncomingMessage, chosen: string, next: NextFunction): void => {
    states.set(req, chosen)
    latest.set(req, chosen)
    next()
  }
  return Object.assign(negotiateMiddleware, { of: states.of })
}
