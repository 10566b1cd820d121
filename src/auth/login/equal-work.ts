/**
 * Checks passwords. A check takes the same time whether or not the user exists, so that timing does
 * not reveal which users exist (AUTH-6).
 */
import { randomBytes } from 'node:crypto'
import { hashing } from './hashing-queue.js'
import { type Cost, currentCost, type PasswordHash, workOf } from './password-hash.js'
import { matches } from './passwords.js'
import { derive } from './scrypt-threads.js'

/**
 * If the durations of two checks differ by less than this share of the whole duration, timing noise
 * hides the difference.
 */
const negligible = 1 / 50

/** Checks the passwords of one service. */
export class EqualWork {
  /**
   * The cost of every check. It is the cost of the most expensive stored hash so far, but never
   * less than the cost of a new hash.
   */
  #strongest: Cost = currentCost
  readonly #salt = randomBytes(16)

  /**
   * Throws `Unavailable` (503) if a check would wait too long. The result does not depend on the
   * user, so it does not reveal whether a user exists.
   */
  refuseIfFull(): void {
    hashing.refuseIfFull(workOf(this.#strongest))
  }

  /**
   * Whether a normalized password matches the stored hash. If `stored` is `undefined`, the result
   * is false, after the same amount of work. Rejects whenever `hashing.run` rejects, whether or not
   * the user exists.
   */
  check(prepared: string, stored: PasswordHash | undefined, isGone?: () => boolean): Promise<boolean> {
    if (stored !== undefined && workOf(stored) > workOf(this.#strongest)) {
      const { ln, r, p } = stored
      this.#strongest = { ln, r, p }
    }
    const strongest = this.#strongest
    const work = async (): Promise<boolean> => {
      const right = stored !== undefined && (await matches(prepared, stored))
      const left = remainingCost(strongest, stored)
      if (left !== undefined) await derive(prepared, this.#salt, 32, left)
      return right
    }
    return hashing.run(workOf(strongest), work, isGone)
  }
}

/**
 * Returns the cost of a second hash. A hash of cost `done` followed by this second hash takes about
 * as long as one hash of cost `whole`. Returns `undefined` if no noticeable work remains. Tries
 * values of N (RFC 7914 2), from the N of `whole` downwards, and takes the first one with which the
 * two durations are close enough.
 */
export function remainingCost(whole: Cost, done: Cost | undefined): Cost | undefined {
  if (done === undefined) return whole
  const all = weightOf(whole, whole)
  const left = all - weightOf(done, whole)
  const { r } = whole
  for (let { ln } = whole; ln > 0 && left > all * negligible; ln--) {
    const p = Math.round(left / weightOf({ ln, r, p: 1 - allocation }, whole) - allocation)
    if (p > 0 && Math.abs(weightOf({ ln, r, p }, whole) - left) < all * negligible) return { ln, r, p }
  }
  return undefined
}

/**
 * Estimates the duration of a hash. The unit is the duration of one step (see `workOf`) of a hash
 * of cost `whole`. The duration is proportional to N * r * p (RFC 7914 2), apart from two effects
 * of memory. Memory is allocated once per hash, and a smaller amount of memory fits better into the
 * processor's caches.
 */
function weightOf({ ln, r, p }: Cost, whole: Cost): number {
  const halvings = whole.ln - ln + Math.log2(whole.r / r)
  return 2 ** ln * r * (p + allocation) * perHalving ** halvings
}

/**
 * The cost of allocating the memory, relative to the cost of filling it once. Measured with 4 to
 * 256 MiB.
 */
const allocation = 0.15

/**
 * The duration of a step with half the memory, relative to a step with all of the memory.
 * Measurements with 4 to 256 MiB were between 0.9 and 1.
 */
const perHalving = 0.955
