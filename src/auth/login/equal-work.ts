/** Checks of passwords that take the same time whoever is asked for, so that time tells nobody which users there are (AUTH-6). */
import { randomBytes } from 'node:crypto'
import { hashing } from './hashing-queue.js'
import { type Cost, type PasswordHash, todaysCost, workOf } from './password-hash.js'
import { matches } from './passwords.js'
import { derive } from './scrypt-threads.js'

/** Of the work of a whole check: what is left below that is within the noise. */
const negligible = 1 / 50

/** Checks one password of one service. */
export class EqualWork {
  /** The strongest parameters that a stored hash was seen to have, or today's: what every check costs. */
  #strongest: Cost = todaysCost
  readonly #salt = randomBytes(16)

  /**
   * Throws `Unavailable` (503) where a check would wait too long. It does not depend on the user,
   * so it reveals nothing about one.
   */
  refuseIfFull(): void {
    hashing.refuseIfFull(workOf(this.#strongest))
  }

  /**
   * Whether a prepared password is the stored one; never for `undefined`, which costs as much.
   * Rejects as `hashing.run` does, for each user alike.
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
 * The hashing that together with one of `done` takes as long as one of `whole`; `undefined` where nothing is left. It has the whole's own N where that comes out even, else
 * the next smaller one that does.
 */
export function rest(whole: Cost, done: Cost | undefined): Cost | undefined {
  if (done === undefined) return whole
  const all = weightOf(whole, whole)
  const left = all - weightOf(done, whole)
  const { r } = whole
  for (let { ln } = whole; ln > 0 && left > all * negligible; ln--) {
    const p = Math.round(left / weightOf({ ln, r, p: 1 - taking }, whole) - taking)
    if (p > 0 && Math.abs(weightOf({ ln, r, p }, whole) - left) < all * negligible) return { ln, r, p }
  }
  return undefined
}

/**
 * How long a hashing takes, in steps of the size of `whole`. Time is proportional to N r p (RFC 7914 2), but for the memory: it is taken from the system once, and where it is
 * less, more of it is in the processor's caches.
 */
function weightOf({ ln, r, p }: Cost, whole: Cost): number {
  const halvings = whole.ln - ln + Math.log2(whole.r / r)
  return 2 ** ln * r * (p + taking) * perHalving ** halvings
}

/** What taking the memory costs, as a part of filling it once: measured from 4 to 256 MiB. */
const taking = 0.15

/** What a step in half the memory takes of the time: measured likewise, 0.9 to 1. */
const perHalving = 0.955
