/** Authentication: the credentials of one request header become a principal, or 401 (AUTH-1, AUTH-3, AUTH-4). */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Awaitable } from '../adapters/contract.js'
import { isNobody } from '../auth/nobody.js'
import { sharedRegistry } from '../brand.js'
import { stated } from '../failures/stated.js'
import { soleField } from '../http/sole-field.js'
import { checkOptions } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import { HttpProblem } from '../problem.js'
import { isPromise, settled } from '../promise.js'
import { mergeVary } from '../representation/header-fields.js'
import { header } from '../wire.js'
import type { Middleware } from './middleware.js'
import { headerName } from './options.js'
import { requestState } from './request-state.js'

/** How a team's own credentials become a principal. */
export interface AuthenticateOptions<P> {
  /** The request header that the credentials come in, such as `X-Api-Key`. */
  readonly field: string
  /** The value of `WWW-Authenticate` on a 401, such as `ApiKey realm="courier"` (RFC 9110 11.6.1). */
  readonly challenge: string
  /**
   * The principal of these credentials, the value of the field as it came; `undefined`, null or false where they are not valid (401). What it throws is answered: a dependency
   * that is down throws `Unavailable`. `req` may be typed as Express's own.
   */
  // A method, here and in other options: a parameter of one may be narrower than ours, as Express's request is.
  identify(credentials: string, req: IncomingMessage): Awaitable<P | undefined | null | false>
}

/** What `authenticate()`, `bearer()` and `publicToken()` make: a middleware, and the option `authenticate` of `api` and `resourceRouter`. */
export interface Authenticate<P = unknown> extends Middleware {
  /** The principal of a request that has passed here, or that `api` has found by this before its hand-written routes. Throws `ConfigurationError` where nobody has been found. */
  of(req: IncomingMessage): P
  /** The principal of a request, at once where nothing waits. Throws or rejects with the `unauthenticated` problem (401). */
  identify(req: IncomingMessage): Awaitable<P>
  /** The request header that the credentials come in: answers vary by it (HDR-6). */
  readonly field: string
  /** The value of `WWW-Authenticate` of a request without credentials, such as `Bearer realm="api"` (RFC 9110 11.6.1). */
  readonly challenge: string
  /** What the credentials are, where the library checks them itself: documents say so. */
  readonly format?: 'JWT'
}

/**
 * Lets through whoever `identify` knows; anybody else is 401 with `WWW-Authenticate` (AUTH-4). Answers are `private, no-cache` and vary by the field unless a handler
 * says otherwise (HDR-6). A field that comes twice is refused: whichever of the two a proxy has looked at, we might take the other. Throws `ConfigurationError` where
 * an option makes no sense.
 *
 * @example
 * const authenticated = authenticate({ field: 'X-Api-Key', challenge: 'ApiKey realm="courier"', identify: (key) => callers.get(key) })
 * app.use(authenticated)
 * app.get('/me', (req, res) => res.json(authenticated.of(req)))
 */
export function authenticate<P>(options: AuthenticateOptions<P>): Authenticate<P> {
  checkOptions('authenticate()', options, authenticateKinds)
  const { field, challenge, identify } = options
  return makeAuthenticate(field, challenge, (req) => {
    const credentials = soleField(req, field)
    if (typeof credentials !== 'string')
      throw unauthenticated(challenge, credentials === undefined ? 'none' : 'invalid', field)
    return settled(identify(credentials, req), (principal) =>
      known(principal, () => unauthenticated(challenge, 'invalid', field)),
    )
  })
}

export const authenticateKinds: Kinds<AuthenticateOptions<unknown>> = {
  field: { required: headerName },
  challenge: {
    required: { a: 'a challenge that a header can hold, such as \'ApiKey realm="courier"\'', like: /^[!-~][ -~]*$/ },
  },
  identify: { required: 'function' },
}

/** The middleware around a way to identify a request. */
export function makeAuthenticate<P>(
  field: string,
  challenge: string,
  identify: (req: IncomingMessage) => Awaitable<P>,
): Authenticate<P> {
  const pass = (req: IncomingMessage, res: ServerResponse, principal: P): void => {
    principals.set(req, { principal })
    keepPrivate(res, field)
  }
  const authenticateMiddleware: Middleware = (req, res, next) => {
    // A refusal varies by the credentials as well.
    res.setHeader(header.vary, mergeVary(res.getHeader(header.vary), field))
    let passed: Awaitable<void>
    try {
      passed = settled(identify(req), (principal) => pass(req, res, principal))
    } catch (error) {
      return next(error)
    }
    if (isPromise(passed)) passed.then(() => next(), next)
    else next()
  }
  return Object.assign(authenticateMiddleware, {
    of: (req: IncomingMessage) => principals.of(req).principal as P,
    identify,
    field,
    challenge,
  })
}

/**
 * The principals that requests have been found to come from, whichever middleware or router has found
 * out: also one of another copy of the library, since otherwise a caller would seem to be nobody.
 */
export const principals = requestState<{ readonly principal: unknown }>(
  'authenticate()',
  sharedRegistry('principals', () => new WeakMap()),
)

/** The principal, where there is one: what a store gives for nobody is often null, and a set that is asked for a key says false. */
export function known<P>(principal: P | undefined | null | false, refusal: () => HttpProblem): P {
  if (isNobody(principal)) throw refusal()
  return principal
}

/** `Cache-Control` of what was made for one principal (HDR-6). */
export const privateCaching = 'private, no-cache'

/** Keeps an answer that handlers are about to write to who asked, and tells caches by which fields it varies; what has been said of caching before stays (HDR-6). */
export function keepPrivate(res: ServerResponse, vary: string): void {
  res.setHeader(header.vary, mergeVary(res.getHeader(header.vary), vary))
  if (!res.hasHeader(header.cacheControl)) res.setHeader(header.cacheControl, privateCaching)
}

/**
 * 401 with the challenge (AUTH-4; RFC 9110 15.5.2). It says that credentials are missing or not valid, never which half was wrong; `why`, for the hooks alone, must
 * hold none of them.
 */
export function unauthenticated(challenge: string, what: 'none' | 'invalid', field: string, why?: string): HttpProblem {
  // Of the fields that credentials come in, `Authorization` alone begins with a scheme (RFC 9110 11.6.2).
  const scheme = field === header.authorization ? `${challenge.split(' ', 1)[0]} ` : ''
  const detail =
    what === 'none'
      ? `The request has no credentials. Send them as "${field}: ${scheme}...".`
      : `The credentials in ${field} are not valid: they are malformed, unknown, expired, revoked or meant for another service. Get new ones.`
  return new HttpProblem('unauthenticated', {
    detail,
    headers: { [header.wwwAuthenticate]: challenge },
    ...(why === undefined ? {} : { cause: stated(new Error(why)) }),
  })
}
