/**
 * Authentication: turns the credentials in one request header field into a principal, or responds
 * with 401 (AUTH-1, AUTH-3, AUTH-4).
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Awaitable } from '../adapters/contract.js'
import { isNoPrincipal } from '../auth/no-principal.js'
import { sharedRegistry } from '../brand.js'
import { loggableError } from '../failures/loggable.js'
import { soleField } from '../http/sole-field.js'
import { checkOptions } from '../options/check.js'
import { declareFactory } from '../options/factories.js'
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
  /** The request header field that contains the credentials, such as `X-Api-Key`. */
  readonly field: string
  /**
   * The value of `WWW-Authenticate` in a 401, such as `ApiKey realm="courier"` (RFC 9110 11.6.1).
   */
  readonly challenge: string
  /**
   * Returns the principal for these credentials. Returns `undefined`, null or false if the
   * credentials are not valid. The response is then 401. `credentials` is the field value as it was
   * sent. If the function throws, the error becomes the response, so throw `Unavailable` if a
   * dependency is down. You may declare `req` as Express's request.
   */
  // The callback is declared as a method, so that a service may declare a narrower parameter type,
  // such as Express's request. The callbacks in other options are declared as methods for the same
  // reason.
  identify(credentials: string, req: IncomingMessage): Awaitable<P | undefined | null | false>
}

/**
 * The return value of `authenticate()`, `bearer()` and `publicToken()`. It is a middleware, and can
 * also be passed as the option `authenticate` of `api` and `resourceRouter`.
 */
// This is an intersection and not an interface that extends `Middleware`. If a generic function
// returns a callable interface, TypeScript does not infer `P` from a call of the function inside
// the options of `api`.
export type Authenticate<P = unknown> = Middleware & Identifies<P>

/** The members of an authenticating middleware. */
interface Identifies<P> {
  /**
   * Returns the principal of a request that passed this middleware, or that `api` authenticated
   * before it called a hand-written route. Throws `ConfigurationError` if the request was not
   * authenticated.
   */
  of(req: IncomingMessage): P
  /**
   * Authenticates a request and returns its principal, synchronously if no callback returns a
   * promise. Throws or rejects with `unauthenticated` (401) if the credentials are missing or not
   * valid.
   */
  identify(req: IncomingMessage): Awaitable<P>
  /**
   * The request header field that contains the credentials. Responses list it in `Vary` (HDR-6).
   */
  readonly field: string
  /**
   * The value of `WWW-Authenticate` for a request without credentials, such as `Bearer realm="api"`
   * (RFC 9110 11.6.1).
   */
  readonly challenge: string
  /**
   * The format of the credentials, if the library verifies them itself. OpenAPI documents contain
   * the format.
   */
  readonly format?: 'JWT'
}

/**
 * Creates a middleware that authenticates requests with `identify`. A request without valid
 * credentials gets 401 with `WWW-Authenticate` (AUTH-4). The middleware adds the field name to
 * `Vary`. It also sets `Cache-Control: private, no-cache`, which a handler may replace (HDR-6). A
 * request that contains the field more than once also gets 401, because a proxy in front of the
 * service may have checked only one of the values.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid
 * @example
 * const authenticated = authenticate({
 *   field: 'X-Api-Key',
 *   challenge: 'ApiKey realm="courier"',
 *   identify: (key) => callers.get(key),
 * })
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

declareFactory(authenticate, 'authenticate({ ... })')

export const authenticateKinds: Kinds<AuthenticateOptions<unknown>> = {
  field: { required: headerName },
  challenge: {
    required: { a: 'a challenge in printable ASCII, such as \'ApiKey realm="courier"\'', like: /^[!-~][ -~]*$/ },
  },
  identify: { required: 'function' },
}

/** Creates the middleware from a function that returns the principal of a request. */
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
    // A 401 depends on the credentials too, so the 401 also needs this `Vary`.
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
 * The principals of authenticated requests. Any middleware or router may set a principal. All
 * copies of the library in a process share the principals. Otherwise a request that one copy has
 * authenticated would be anonymous to another copy.
 */
export const principals = requestState<{ readonly principal: unknown }>(
  'authenticate()',
  sharedRegistry('principals', () => new WeakMap()),
)

/**
 * Returns the principal, or throws if there is none. Every falsy value counts as none. For example,
 * a store often returns null for an unknown caller, and a test such as `callers.has(key)` returns
 * false.
 */
export function requirePrincipal<P>(principal: P | undefined | null | false, refusal: () => HttpProblem): P {
  if (isNoPrincipal(principal)) throw refusal()
  return principal
}

/** The `Cache-Control` of responses that only one principal may see (HDR-6). */
export const privateCaching = 'private, no-cache'

/**
 * Prepares the response of a later handler: sets `Cache-Control` so that shared caches do not store
 * the response, and adds a field name to `Vary`. A `Cache-Control` that is already set is kept
 * (HDR-6).
 */
export function keepPrivate(res: ServerResponse, vary: string): void {
  res.setHeader(header.vary, mergeVary(res.getHeader(header.vary), vary))
  if (!res.hasHeader(header.cacheControl)) res.setHeader(header.cacheControl, privateCaching)
}

/**
 * The 401 with the challenge (AUTH-4; RFC 9110 15.5.2). `detail` says that the credentials are
 * missing, of another scheme or not valid, but never which part of them is wrong. `why` becomes the
 * `cause` of the problem. Hooks get the cause, and the client does not. `why` must contain no
 * credentials.
 */
export function unauthenticated(
  challenge: string,
  what: keyof typeof faults,
  field: string,
  why?: string,
): HttpProblem {
  // The value of `Authorization` starts with a scheme (RFC 9110 11.6.2). The values of other fields
  // usually do not.
  const scheme = field === header.authorization ? `${challenge.split(' ', 1)[0]} ` : ''
  return new HttpProblem('unauthenticated', {
    detail: faults[what](field, scheme),
    headers: { [header.wwwAuthenticate]: challenge },
    ...(why === undefined ? {} : { cause: loggableError(why) }),
  })
}

const faults = {
  none: (field: string, scheme: string) => `The request has no credentials. Send them as "${field}: ${scheme}...".`,
  // The scheme is public, so this detail reveals nothing about credentials.
  scheme: (field: string, scheme: string) =>
    `The value of ${field} does not begin with the scheme ${scheme.trim()}. Send "${field}: ${scheme}<token>".`,
  invalid: (field: string) =>
    `The credentials in ${field} are not valid: they are malformed, unknown, expired, revoked or meant for another ` +
    'service. Get new ones.',
}
