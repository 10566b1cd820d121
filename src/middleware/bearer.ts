/**
 * Authentication by a JSON Web Token (AUTH-1, AUTH-3, AUTH-5). Private APIs read the token from
 * `Authorization`, and public APIs read it from `x-authorization-token`.
 */

import type { IncomingMessage } from 'node:http'
import type { Awaitable } from '../adapters/contract.js'
import type { Claims } from '../auth/tokens/claims.js'
import { keyRing, type VerificationKeys } from '../auth/tokens/key-ring.js'
import { frozenList, oneOrMore, soleText } from '../auth/tokens/token-options.js'
import { longestToken, mediaTypeOf } from '../auth/tokens/token-text.js'
import { type TokenVerifier, tokenVerifier } from '../auth/tokens/token-verifier.js'
import { Caches, owning } from '../cache.js'
import { soleField } from '../http/sole-field.js'
import { checkOptions } from '../options/check.js'
import { declareFactory } from '../options/factories.js'
import type { Kinds } from '../options/kinds.js'
import type { HttpProblem } from '../problem.js'
import { settled } from '../promise.js'
import { header } from '../wire.js'
import { type Authenticate, makeAuthenticate, requirePrincipal, unauthenticated } from './authenticate.js'
import { realmKind } from './options.js'

/** Which tokens are valid, and the principal for each. */
export interface TokenOptions<P = Claims> {
  /**
   * The verification keys, each for one algorithm, or a function that finds keys, such as the
   * result of `jwks()`.
   */
  readonly keys: VerificationKeys
  /**
   * One or several accepted values of the claim `iss`. Default: any issuer. The token must still be
   * signed with one of `keys`.
   */
  readonly issuer?: string | readonly string[]
  /**
   * One or several names by which the claim `aud` refers to this service. Default: none, so that a
   * token with an audience is refused (RFC 7519 4.1.3).
   */
  readonly audience?: string | readonly string[]
  /** The accepted clock difference in seconds, at most 600. Default 0. */
  readonly clockTolerance?: number
  /**
   * The maximum time since the `iat` of a token, in seconds. This limit applies in addition to
   * `exp`. If `maxAge` is set, `iat` is required. Default: no maximum.
   */
  readonly maxAge?: number
  /**
   * The required `typ` in the token's header, such as `at+jwt` (RFC 9068 2.1). Case and a prefix
   * `application/` are ignored. Default: any type.
   */
  readonly type?: string
  /**
   * Looks up whether a token has been revoked, for example by its `jti`. Called for every request
   * with an otherwise valid token, even if the token is cached. If the function fails, the response
   * is 503, so that no request passes unchecked.
   */
  readonly revoked?: (claims: Claims) => Awaitable<boolean>
  /**
   * Returns the principal for these claims, or `undefined`, null or false if the principal no
   * longer exists. The response is then 401. Called for every request with a valid token. Default:
   * the claims are the principal.
   */
  principal?(claims: Claims, req: IncomingMessage): Awaitable<P | undefined | null | false>
  /**
   * The maximum number of verified tokens in the cache. When the cache is full, its tokens are
   * visited in turn, and the first one that was not used since its last visit is evicted (the CLOCK
   * algorithm). An expired token is never accepted from the cache. 0 disables the cache. Default
   * 1,000.
   */
  readonly cache?: number
  /** The realm in `WWW-Authenticate`. Default `api`. */
  readonly realm?: string
}

/**
 * Makes the option `principal` required if claims alone are not a valid principal of type `P`. If
 * the option were optional, a `bearer<User>()` without `principal` would compile. Its `of(req)`
 * would have the return type `User`, but would return claims.
 */
export type MakesPrincipal<P> = Claims extends P ? unknown : Pick<Required<TokenOptions<P>>, 'principal'>

/**
 * Any value of `keys` is valid here. `keyRing` validates `keys` later, and its messages never
 * contain a key.
 */
export const tokenKinds: Kinds<TokenOptions<unknown>> = {
  keys: 'any',
  issuer: oneOrMore,
  audience: oneOrMore,
  clockTolerance: { from: 0, to: 600, unit: 'seconds' },
  maxAge: { from: 1, to: Number.MAX_SAFE_INTEGER, unit: 'seconds' },
  type: soleText,
  revoked: 'function',
  principal: 'function',
  cache: { from: 0, to: 1_000_000, whole: true, unit: 'tokens' },
  realm: realmKind,
}

/**
 * Creates a middleware that authenticates requests by the token in `Authorization: Bearer` (AUTH-1,
 * AUTH-5; RFC 6750 2.1). The token must be signed with one of the keys, have an `exp`, and satisfy
 * the options. A request without such a token gets 401.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid, `weak-key` if a key is
 * unsuitable
 *
 * @example
 * const authenticated = bearer({
 *   keys: jwks('https://login.example/jwks.json'),
 *   issuer: 'https://login.example',
 *   audience: 'courier',
 *   type: 'at+jwt',
 * })
 * app.use(authenticated)
 * app.get('/me', (req, res) => res.json(authenticated.of(req).sub))
 */
export function bearer<P = Claims>(options: TokenOptions<P> & MakesPrincipal<P>): Authenticate<P> {
  return byToken('bearer()', options, header.authorization, 'Bearer', bearerToken)
}

declareFactory(bearer, 'bearer({ keys })')

/**
 * Creates a middleware that authenticates requests by the token in `x-authorization-token`. `login`
 * issues such tokens to clients of public APIs (AUTH-3, AUTH-5). The rules and options are the same
 * as those of `bearer`.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid, `weak-key` if a key is
 * unsuitable
 *
 * @example
 * app.use(
 *   publicToken({
 *     keys: { kid: '2026-11', algorithm: 'ES256', key: publicPem },
 *     issuer: 'https://api.example',
 *     audience: 'courier',
 *   }),
 * )
 */
export function publicToken<P = Claims>(options: TokenOptions<P> & MakesPrincipal<P>): Authenticate<P> {
  return byToken('publicToken()', options, header.token, header.token, (field) => field)
}

declareFactory(publicToken, 'publicToken({ keys })')

/**
 * Returns the token in `Authorization`, or `undefined` if the scheme is not Bearer. Schemes are
 * case-insensitive (RFC 9110 11.1).
 */
function bearerToken(field: string): string | undefined {
  const credentials = /^bearer(?: +(.*))?$/i.exec(field)
  return credentials === null ? undefined : (credentials[1] ?? '')
}

function byToken<P>(
  what: string,
  options: TokenOptions<P>,
  field: string,
  scheme: string,
  tokenOf: (field: string) => string | undefined,
): Authenticate<P> {
  checkOptions(what, options, tokenKinds)
  const challenge = `${scheme} realm="${options.realm ?? 'api'}"`
  // The challenge for a request with an invalid token has an error code. The challenge for a
  // request without a token has none (RFC 6750 3.1).
  const refuse = (why: string): HttpProblem =>
    unauthenticated(`${challenge}, error="invalid_token"`, 'invalid', field, why)
  const caches = new Caches()
  const verify = verifierOf(what, options, refuse, caches)
  const { principal } = options

  const made = makeAuthenticate<P>(field, challenge, (req) => {
    const sent = soleField(req, field)
    if (sent === undefined) throw unauthenticated(challenge, 'none', field)
    if (typeof sent !== 'string') throw refuse('The field is repeated.')
    if (sent.length > longestToken + scheme.length + 1)
      throw refuse(`The field is too long: a token has at most ${longestToken} characters.`)
    const token = tokenOf(sent)
    if (token === undefined) throw unauthenticated(challenge, 'scheme', field, 'The credentials are of another scheme.')
    const claims = verify(token)
    if (principal === undefined) return claims as Awaitable<P>
    return settled(claims, (verified) =>
      settled(principal(verified, req), (found) =>
        requirePrincipal(found, () => refuse('The option "principal" returned no principal for these claims.')),
      ),
    )
  })
  return owning(Object.assign(made, { format: 'JWT' as const }), caches)
}

function verifierOf<P>(
  what: string,
  options: TokenOptions<P>,
  refuse: (why: string) => HttpProblem,
  caches: Caches,
): TokenVerifier {
  const { issuer, audience, clockTolerance = 0, maxAge, type, cache } = options
  return tokenVerifier({
    what,
    keys: keyRing(what, options.keys, caches),
    issuers: frozenList(issuer),
    audiences: frozenList(audience),
    tolerance: clockTolerance,
    maxAge,
    type: type === undefined ? undefined : mediaTypeOf(type),
    revoked: options.revoked,
    cache: caches.make('tokens', cache === undefined ? {} : { bound: cache }),
    refuse,
  })
}
