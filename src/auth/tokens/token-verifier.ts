/** Verifies a token and returns its claims (AUTH-5; RFC 7519 7.2, RFC 8725 3). */
import jsonwebtoken from 'jsonwebtoken'
import type { Awaitable } from '../../adapters/contract.js'
import type { Cache } from '../../cache.js'
import { invalidOption } from '../../options/check.js'
import type { HttpProblem } from '../../problem.js'
import { settled } from '../../promise.js'
import { type ClaimRules, type Claims, claimFault, readClaims, validUntil } from './claims.js'
import type { KeyQuestion, KeyRing } from './key-ring.js'
import type { PreparedKey } from './keys.js'
import { orUnavailable } from './or-unavailable.js'
import { readToken, type UnverifiedToken } from './token-text.js'

/**
 * A verified token in the cache. It is verified again after it has expired, or if its key has been
 * withdrawn.
 */
interface VerifiedToken {
  readonly claims: Claims
  /** The members of the token's header that select its key. */
  readonly header: KeyQuestion
  /** The key that verified the token. */
  readonly key: PreparedKey
  /**
   * The time at which the token expires, in seconds since 1970. From then on, the token is verified
   * again, and is refused.
   */
  readonly until: number
}

/** The resolved options of a verifier. */
export interface VerifierPlan extends ClaimRules {
  /** The name of the middleware in messages, such as `bearer()`. */
  readonly what: string
  readonly keys: KeyRing
  /** The required `typ` of the token's header, in the spelling that `mediaTypeOf` returns. */
  readonly type: string | undefined
  readonly revoked: ((claims: Claims) => Awaitable<boolean>) | undefined
  /**
   * Verified tokens, by the token string. A lookup takes about a hundredth of the time of a
   * verification.
   */
  readonly cache: Cache<string, VerifiedToken>
  /** Creates the error for a refused token. `why` contains no part of the token. */
  readonly refuse: (why: string) => HttpProblem
}

/**
 * Returns the claims of a token, synchronously if possible. If the token is not valid, throws or
 * rejects with the result of `refuse`. If one of the service's own functions fails, throws or
 * rejects with the error of `orUnavailable`, usually `Unavailable`.
 */
export type TokenVerifier = (token: string) => Awaitable<Claims>

/** Creates a verifier. */
export function tokenVerifier(plan: VerifierPlan): TokenVerifier {
  const { keys, refuse, type, cache } = plan

  /**
   * Returns the claims of a token that one of the `candidates` has signed. Throws if the token is
   * not valid.
   */
  const verify = (
    token: string,
    { header, payload }: UnverifiedToken,
    candidates: readonly PreparedKey[],
    now: number,
  ): Claims => {
    if (candidates.length === 0) throw refuse('There is no key with the algorithm and kid of the token.')
    const key = candidates.find((candidate) => signed(token, candidate))
    if (key === undefined) throw refuse('The signature does not match any key.')
    const claims = readClaims(payload)
    if (typeof claims === 'string') throw refuse(claims)
    const fault = claimFault(claims, plan, now)
    if (fault !== undefined) throw refuse(fault)
    cache.set(token, { claims, header, key, until: validUntil(claims, plan) })
    return claims
  }

  const read = (token: string): UnverifiedToken => {
    const unverified = readToken(token)
    if (typeof unverified === 'string') throw refuse(unverified)
    if (type !== undefined && unverified.type !== type)
      throw refuse('The type (typ) of the token is not the one in the option "type".')
    return unverified
  }

  const claimsOf = (token: string): Awaitable<Claims> => {
    const now = Date.now() / 1000
    const kept = cache.get(token)
    if (kept === undefined || now >= kept.until) {
      cache.delete(token)
      const unverified = read(token)
      return settled(keys(unverified.header), (candidates) => verify(token, unverified, candidates, now))
    }
    return settled(keys(kept.header), (candidates) => {
      if (candidates.includes(kept.key)) return kept.claims
      cache.delete(token)
      return verify(token, read(token), candidates, now)
    })
  }

  const { revoked } = plan
  if (revoked === undefined) return claimsOf
  return (token) =>
    settled(claimsOf(token), (claims) =>
      settled(
        orUnavailable(() => revoked(claims)),
        (gone) => unlessRevoked(plan, claims, gone),
      ),
    )
}

/**
 * Returns the claims if the token is not revoked. `gone` is the result of the service's function
 * `revoked`. A result that is not a boolean is a mistake in the service, and must not let a revoked
 * token pass.
 */
function unlessRevoked({ what, refuse }: VerifierPlan, claims: Claims, gone: unknown): Claims {
  if (gone === false) return claims
  if (gone === true) throw refuse('The token is revoked.')
  throw invalidOption(`The function "revoked" of ${what} returned ${kindOf(gone)}. It must return true or false.`)
}

const kindOf = (value: unknown): string => (value === null ? 'null' : `a value of type ${typeof value}`)

/**
 * Whether this key has signed the token. The signature is verified with the algorithm of the key,
 * never with the algorithm that the token names (RFC 8725 3.1). The error of a failed verification
 * is dropped, because it may quote the token. `claimFault` checks the claims `exp` and `nbf` later.
 */
function signed(token: string, { key, algorithm }: PreparedKey): boolean {
  try {
    jsonwebtoken.verify(token, key, { algorithms: [algorithm], ignoreExpiration: true, ignoreNotBefore: true })
    return true
  } catch {
    return false
  }
}
