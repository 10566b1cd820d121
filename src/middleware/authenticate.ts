/**
 * Authentication: turns the credentials in one request header into a principal, or responds with
 * 401 (AUTH-1, AUTH-3, AUTH-4).
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Awaitable } from '../adapters/contract.js'
import { isNoPrincipal } from '../auth/no-principal.js'
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

/** The options of `authenticate()`: where credentials are sent, and how to identify the caller. */
export interface AuthenticateOptions<P> {
  /** The request header that contains the credentials, such as `X-Api-Key`. */
  readonly field: string
  /**
   * The value of `WWW-Authenticate` on a 401, such as `ApiKey realm="courier"` (RFC 9110 11.6.1).
   */
  readonly challenge: string
  /**
   * Returns the principal for these credentials (the field value as it was sent), or `undefined`,
   * null or false if they are not valid (401). Exceptions become the response; throw `Unavailable`
   * if a dependency is down. `req` may be typed as Express's request.
   */
  // Declared as a method, here and in other options, so that a callback may declare a narrower
  // parameter type, such as Express's request.
  identify(credentials: string, req: IncomingMessage): Awaitable<P | undefined | null | false>
}

/**
 * The return value of `authenticate()`, `bearer()` and `publicToken()`: a middleware, and a value
 * for the option `authenticate` of `api` and `resourceRouter`.
 */
export interface Authenticate<P = unknown> extends Middleware {
  /**
   * The principal of a request that passed this middleware, or that `api` authenticated before its
   * hand-written routes. Throws `ConfigurationError` if the request was not authenticated.
   */
  of(req: IncomingMessage): P
  /**
   * Authenticates a request. Returns synchronously if nothing is asynchronous. Throws or rejects
   * with the problem `unauthenticated` (401).
   */
  identify(req: IncomingMessage): Awaitable<P>
  /** The request header that contains the credentials. Responses vary by it (HDR-6). */
  readonly field: string
  /**
   * The value of `WWW-Authenticate` for a request without credentials, such as `Bearer realm="api"`
   * (RFC 9110 11.6.1).
   */
  readonly challenge: string
  /** The format of the credentials, if the library verifies them itself. Shown in documents. */
  readonly format?: 'JWT'
}

/**
 * Creates a middleware that authenticates requests with `identify`. Other requests get 401 with
 * `WWW-Authenticate` (AUTH-4). Responses are `private, no-cache` and vary by the field, unless a
 * handler sets these headers itself (HDR-6). A repeated field is refused, since a proxy may have
 * checked a different one of the two values.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid
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
      requirePrincipal(principal, () => unauthenticated(challenge, 'invalid', field)),
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

/** Creates the middleware for a function that identifies requests. */
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
    // A 401 depends on the credentials too.
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
 * The principals of authenticated requests, set by any middleware or router. Shared by all copies
 * of the library: otherwise a request authenticated by one copy would be anonymous to another.
 */
export const principals = requestState<{ readonly principal: unknown }>(
  'authenticate()',
  sharedRegistry('principals', () => new WeakMap()),
)

/**
 * Returns the principal, or throws if there is none: stores often return null for an unknown
 * caller, and a membership test returns false.
 */
export function requirePrincipal<P>(principal: P | undefined | null | false, refusal: () => HttpProblem): P {
  if (isNoPrincipal(principal)) throw refusal()
  return principal
}

/** `Cache-Control` of responses for one principal (HDR-6). */
export const privateCaching = 'private, no-cache'

/**
 * Makes the response that a handler is about to write private to the caller, and sets `Vary`. Keeps
 * a `Cache-Control` that is already set (HDR-6).
 */
export function keepPrivate(res: ServerResponse, vary: string): void {
  res.setHeader(header.vary, mergeVary(res.getHeader(header.vary), vary))
  if (!res.hasHeader(header.cacheControl)) res.setHeader(header.cacheControl, privateCaching)
}

/**
 * 401 with the challenge (AUTH-4; RFC 9110 15.5.2). The detail says that credentials are missing or
 * not valid, but never which part is wrong. `why` is passed to hooks only, and must contain no
 * credentials.
 */
export function unauthenticated(challenge: string, what: 'none' | 'invalid', field: string, why?: string): HttpProblem {
  // Of the fields used for credentials, only `Authorization` starts with a scheme (RFC 9110
  // 11.6.2).
  const scheme = field === header.authorization ? `${challenge.split(' ', 1)[0]} ` : ''
  const detail =
    what === 'none'
      ? `The request has no credentials. Send them as "${field}: ${scheme}...".`
      : `The credentials in ${field} are not valid: they are malformed, unknown, expired, revoked or meant for ` +
        'another service. Get new ones.'
  return new HttpProblem('unauthenticated', {
    detail,
    headers: { [header.wwwAuthenticate]: challenge },
    ...(why === undefined ? {} : { cause: stated(new Error(why)) }),
  })
}
