/** Authentication by a JSON Web Token: in `Authorization` for private APIs, in `x-authorization-token` for public ones (AUTH-1, AUTH-3, AUTH-5). */

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
import type { Kinds } from '../options/kinds.js'
import type { HttpProblem } from '../problem.js'
import { settled } from '../promise.js'
import { header } from '../wire.js'
import { type Authenticate, known, makeAuthenticate, unauthenticated } from './authenticate.js'
import { realmKind } from './options.js'

/** Which tokens are valid, and which principal each stands for. */
export interface TokenOptions<P = Claims> {
  /** The keys that tokens may be signed with, each with its one algorithm; or the function that finds them, such as `jwks()`. */
  readonly keys: VerificationKeys
  /** Who may have issued the token, its claim `iss`: one or several. Default: anybody who has a key. */
  readonly issuer?: string | readonly string[]
  /** What this service is called in the claim `aud`: one name or several. Default none; then a token that has an audience is refused (RFC 7519 4.1.3). */
  readonly audience?: string | readonly string[]
  /** Seconds by which clocks may differ, at most 600. Default 0. */
  readonly clockTolerance?: number
  /** Seconds since `iat` that a token is taken, whatever its `exp`; `iat` is then required. Default: as long as `exp` says. */
  readonly maxAge?: number
  /** The `typ` that the header must have, such as `at+jwt` (RFC 9068 2.1); `application/` and case do not count. Default: any. */
  readonly type?: string
  /** Whether a token has been revoked, by its `jti` for one. Asked on every request. What it throws is 503, so that nobody passes unasked. */
  readonly revoked?: (claims: Claims) => Awaitable<boolean>
  /** The principal that these claims stand for; `undefined`, null or false where there is none such any more (401). It runs on every request. Default: the claims. */
  principal?(claims: Claims, req: IncomingMessage): Awaitable<P | undefined | null | false>
  /** The most verified tokens that are kept, never past their `exp`; those not used lately go first. 0 keeps none. Default 1,000. */
  readonly cache?: number
  /** The realm in `WWW-Authenticate`. Default `api`. */
  readonly realm?: string
}

/** A principal that is more than claims has to be made of them: without `principal`, `bearer<User>()` would call claims a user. */
export type MakesPrincipal<P> = Claims extends P ? unknown : Pick<Required<TokenOptions<P>>, 'principal'>

/** What keys may be, `keyRing` says: no message may hold any of them. */
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
 * Lets through whoever has a valid token in `Authorization: Bearer` (AUTH-1, AUTH-5; RFC 6750 2.1): signed by one of the keys, with `exp`, and as the options ask.
 * Anybody else is 401. Throws `ConfigurationError` where an option makes no sense or a key is unfit.
 *
 * @example
 * const authenticated = bearer({ keys: jwks('https://login.example/jwks.json'), issuer: 'https://login.example', audience: 'courier', type: 'at+jwt' })
 * app.use(authenticated)
 * app.get('/me', (req, res) => res.json(authenticated.of(req).sub))
 */
export function bearer<P = Claims>(options: TokenOptions<P> & MakesPrincipal<P>): Authenticate<P> {
  return byToken('bearer()', options, header.authorization, 'Bearer', bearerToken)
}

/**
 * Lets through whoever has a valid token in `x-authorization-token`, as `login` gives it to clients of public APIs (AUTH-3, AUTH-5). The rules and options are those
 * of `bearer`. Throws `ConfigurationError` where an option makes no sense or a key is unfit.
 *
 * @example app.use(publicToken({ keys: { kid: '2026-11', algorithm: 'ES256', key: publicPem }, issuer: 'https://api.example', audience: 'courier' }))
 */
export function publicToken<P = Claims>(options: TokenOptions<P> & MakesPrincipal<P>): Authenticate<P> {
  return byToken('publicToken()', options, header.token, header.token, (field) => field)
}

/** The token in `Authorization`; `undefined` where that is of another scheme. Schemes know no case (RFC 9110 11.1). */
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
  // RFC 6750 3.1: the error is told to who sent a token, not to who sent none.
  const refuse = (why: string): HttpProblem =>
    unauthenticated(`${challenge}, error="invalid_token"`, 'invalid', field, why)
  const caches = new Caches()
  const verify = verifierOf(what, options, refuse, caches)
  const { principal } = options

  const made = makeAuthenticate<P>(field, challenge, (req) => {
    const sent = soleField(req, field)
    if (sent === undefined) throw unauthenticated(challenge, 'none', field)
    if (typeof sent !== 'string') throw refuse('The field stands more than once.')
    if (sent.length > longestToken + scheme.length + 1)
      throw refuse(`The field is longer than a token of ${longestToken} characters.`)
    const token = tokenOf(sent)
    if (token === undefined)
      throw unauthenticated(challenge, 'invalid', field, 'The credentials are of another scheme.')
    const claims = verify(token)
    if (principal === undefined) return claims as Awaitable<P>
    return settled(claims, (verified) =>
      settled(principal(verified, req), (found) =>
        known(found, () => refuse('The function principal knows nobody of these claims.')),
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
