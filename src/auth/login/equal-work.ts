/**
 * Checks passwords in equal time for all users, existing or not, so that timing does not reveal
 * which users exist (AUTH-6).
 */
import { randomBytes } from 'node:crypto'
import { hashing } from './hashing-queue.js'
import { type Cost, currentCost, type PasswordHash, workOf } from './password-hash.js'
import { matches } from './passwords.js'
import { derive } from './scrypt-threads.js'

/** The part of a check's work that is lost in timing noise. */
const negligible = 1 / 50

/** Checks the passwords of one service. */
export class EqualWork {
  /**
   * The cost of every check: the strongest parameters of any stored hash seen so far, at least the
   * current ones.
   */
  #strongest: Cost = currentCost
  readonly #salt = randomBytes(16)

  /**
   * Throws `Unavailable` (503) if a check would wait too long. This does not depend on the user, so
   * it reveals nothing about one.
   */
  refuseIfFull(): void {
    hashing.refuseIfFull(workOf(this.#strongest))
  }

  /**
   * Whether a prepared password matches the stored hash. False for `undefined`, after the same
   * amount of work. Rejects as `hashing.run` does, regardless of the user.
   */
  check(prepared: string, stored: PasswordHash | undefined, isGone?: () => boolean): Promise<boolean> {
    if (stored !== undefined && workOf(stored) > workOf(this.#strongest)) {
      const { ln, r, p } = stored
      this.#strongest = { ln, r, p }
    }
    const strongest = this.#strongest
    const work = async (): Promise<boolean> => {
      const right = stored !== undefined && (await matches(prepared, stored))
      const left = rest(strongest, stored)
      if (left !== undefined) await derive(prepared, this.#salt, 32, left)
      return right
    }
    return hashing.run(workOf(strongest), work, isGone)
  }
}

/**
 * The cost of a second hash that, together with one of cost `done`, takes as long as one of cost
 * `whole`; `undefined` if nothing remains. Uses the N of `whole` if that matches closely enough,
 * else the largest smaller N that does.
 */
export function rest(whole: Cost, done: Cost | undefined): Cost | undefined {
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
 * The duration of a hash, in steps of the size of `whole`. Time is proportional to N r p (RFC 7914
 * 2), except for memory effects: memory is allocated once, and a smaller amount fits the
 * processor's caches better.
 */
function weightOf({ ln, r, p }: Cost, whole: Cost): number {
  const halvings = whole.ln - ln + Math.log2(whole.r / r)
  return 2 ** ln * r * (p + allocation) * perHalving ** halvings
}

/** The cost of allocating the memory, relative to filling it once. Measured from 4 to 256 MiB. */
const allocation = 0.15

/** The relative duration of a step with half the memory. Measured likewise: 0.9 to 1. */
const perHalving = 0.955
