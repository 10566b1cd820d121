/** Chooses the representation of a response (HDR-1; RFC 9110 12.5.1). */

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

/**
 * Returns the problem for an `Accept` that matches none of the offered media types. The status is
 * 415, because the conventions require 415 instead of 406. If `legacy` is 406, the status is 406.
 */
export function unsupportedAccept(offers: readonly string[], legacy?: 406 | 'json'): HttpProblem {
  const detail = `Accept matches no media type offered here. Offered: ${offers.join(', ')}.`
  return new HttpProblem(legacy === 406 ? notAcceptable : 'unsupported-accept', {
    detail,
    errors: [{ header: header.accept, detail, allowed: offers, code: 'unsupported', clause: 'HDR-1' }],
  })
}

const latest = requestState<string>('negotiate()')

/**
 * Returns the media type that the last `negotiate()` chose for a request, if any. The entity tag
 * depends on this media type.
 */
export const findNegotiated: (req: IncomingMessage) => string | undefined = latest.find

/** The options of `negotiate()`. */
export interface NegotiateOptions extends ConventionsOptions<'HDR-1'> {
  /**
   * The media types that the route can send. If the client accepts several of them equally, the one
   * that is listed first is used. Default: `application/json`.
   */
  readonly offers?: readonly string[]
}

export const negotiateKinds: Kinds<NegotiateOptions> = { ...conventionsKinds, offers: { each: 'string' } }

/** The return value of `negotiate()`: a middleware with an accessor for the chosen media type. */
export interface Negotiate extends Middleware {
  /**
   * Returns the media type that was chosen for this request, as it is spelled in the offers. Throws
   * `ConfigurationError` if this middleware did not run.
   */
  of(req: IncomingMessage): string
}

/**
 * Creates a middleware that chooses one of the media types that a route can send, before the
 * handler changes anything. If none is acceptable, the response is 415. The middleware always adds
 * `Accept` to `Vary` (HDR-1). OPTIONS requests always pass. Default offer: `application/json`.
 *
 * @throws ConfigurationError `invalid-option` if an offer is not a media type
 *
 * @example
 * const format = negotiate('application/json', 'text/csv')
 * app.get('/sucursales', format, (req, res) =>
 *   format.of(req) === 'text/csv' ? res.type('csv').send(csv()) : res.json(all()),
 * )
 */
export function negotiate(...offers: readonly string[]): Negotiate
export function negotiate(options: NegotiateOptions): Negotiate
export function negotiate(...given: readonly (string | NegotiateOptions)[]): Negotiate {
  const [first] = given
  const options: NegotiateOptions =
    isObject(first) && given.length === 1 ? first : { offers: given as readonly string[] }
  if (options === first) checkOptions('negotiate()', options, negotiateKinds)
  const { offers = [] } = options
  checkArgument('the list of offers of negotiate()', offers, { each: 'string' })
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
