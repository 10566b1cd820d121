/** Tokens that have been verified (AUTH-5): looking one up costs a hundredth of verifying it. */
import type { Claims } from './claims.js'
import type { KeyQuestion } from './key-ring.js'
import type { PreparedKey } from './keys.js'

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

/** Verified tokens by their text. */
export interface TokenCache {
  /** The token, where it is there and its time, in seconds since 1970, has not come. */
  get(token: string, now: number): VerifiedToken | undefined
  set(token: string, verified: VerifiedToken): void
  delete(token: string): void
}

/** Keeps up to `size` tokens; the oldest goes first. 0 keeps none. */
export function tokenCache(size: number): TokenCache {
  const kept = new Map<string, VerifiedToken>()
  return {
    get(token, now) {
      const verified = kept.get(token)
      if (verified === undefined || now < verified.until) return verified
      kept.delete(token)
      return undefined
    },
    set(token, verified) {
      if (size === 0) return
      if (kept.size >= size && !kept.has(token)) kept.delete(kept.keys().next().value as string)
      kept.set(token, verified)
    },
    delete: (token) => void kept.delete(token),
  }
}
