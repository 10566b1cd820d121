/** The way from a token's text to its claims (AUTH-5; RFC 7519 7.2, RFC 8725 3). */
import jsonwebtoken from 'jsonwebtoken'
import type { Awaitable } from '../../adapters/contract.js'
import type { Cache } from '../../cache.js'
import { invalidOption } from '../../options/check.js'
import type { HttpProblem } from '../../problem.js'
import { settled } from '../../promise.js'
import { asked } from './asked.js'
import { type ClaimRules, type Claims, claimFault, readClaims, validUntil } from './claims.js'
import type { KeyQuestion, KeyRing } from './key-ring.js'
import type { PreparedKey } from './keys.js'
import { readToken, type UnverifiedToken } from './token-text.js'

/** A verified token: its claims hold as long as its time and its key do. */
interface VerifiedToken {
  readonly claims: Claims
  /** What the keys are asked by. */
  readonly header: KeyQuestion
  /** The key that it was verified with. */
  readonly key: PreparedKey
  /** Seconds since 1970; from then on it has to be verified again, and will be refused. */
  readonly until: number
}

/** What a verifier goes by, all of it resolved. */
export interface VerifierPlan extends ClaimRules {
  /** What it is called in messages: `bearer()`. */
  readonly what: string
  readonly keys: KeyRing
  /** The `typ` that headers must have, as `mediaTypeOf` writes it. */
  readonly type: string | undefined
  readonly revoked: ((claims: Claims) => Awaitable<boolean>) | undefined
  /** Verified tokens by their text: looking one up costs a hundredth of verifying it. */
  readonly cache: Cache<string, VerifiedToken>
  /** The refusal of a token. `why` holds nothing of it. */
  readonly refuse: (why: string) => HttpProblem
}

/** The claims of a token, at once where nothing waits. Throws or rejects with what `refuse` gives, or `Unavailable` where a question to the team's code fails. */
export type TokenVerifier = (token: string) => Awaitable<Claims>

/** A verifier by this plan. */
export function tokenVerifier(plan: VerifierPlan): TokenVerifier {
  const { keys, refuse, type, cache } = plan

  /** The claims of a token that one of these keys has signed. */
  const verify = (
    token: string,
    { header, payload }: UnverifiedToken,
    candidates: readonly PreparedKey[],
    now: number,
  ): Claims => {
    if (candidates.length === 0) throw refuse('There is no key of this algorithm and kid.')
    const key = candidates.find((candidate) => signed(token, candidate))
    if (key === undefined) throw refuse('The signature is not of the keys that there are.')
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
    if (type !== undefined && unverified.type !== type) throw refuse('The token is of another type (typ) than "type".')
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
        asked(() => revoked(claims)),
        (gone) => unlessRevoked(plan, claims, gone),
      ),
    )
}

/** Anything but `false` bars the way: an answer of another kind is a mistake, and must not let a revoked token pass. */
function unlessRevoked({ what, refuse }: VerifierPlan, claims: Claims, gone: unknown): Claims {
  if (gone === false) return claims
  if (gone === true) throw refuse('The token is revoked.')
  throw invalidOption(`The function revoked of ${what} gave ${kindOf(gone)}. Let it give true or false.`)
}

const kindOf = (value: unknown): string => (value === null ? 'null' : `a value of type ${typeof value}`)

/**
 * Whether this key has signed the token. The algorithm is the key's, never the token's (RFC 8725 3.1). What the library says on a failure may quote the token: it is
 * dropped. Times are looked at afterwards, by our own rules.
 */
function signed(token: string, { key, algorithm }: PreparedKey): boolean {
  try {
    jsonwebtoken.verify(token, key, { algorithms: [algorithm], ignoreExpiration: true, ignoreNotBefore: true })
    return true
  } catch {
    return false
  }
}
