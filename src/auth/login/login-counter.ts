/**
 * A counter of failed logins that keeps working during outages (AUTH-6). It uses the counts of the
 * store that all processes share, such as Redis. Without such a store, or while the store is down,
 * the counter uses the counts of this process.
 */
import { ProcessStore } from '../../limits/process-store.js'
import type { Quota, WindowCount } from '../../limits/store.js'
import type { GuardedStore } from '../../limits/store-guard.js'

/** An attempt that is counted as a failure, unless `release` is called. */
export interface Reservation {
  /** Whether the limit had already been reached before this attempt. */
  readonly over: boolean
  /** The end of the window, in milliseconds since 1970. */
  readonly ends: number
  /**
   * Removes the attempt from the count, unless its window is about to end (see `margin`). Never
   * rejects.
   */
  release(): Promise<void>
}

/**
 * The length of the last part of a window, in milliseconds. During this part, no attempt is removed
 * from the count. If a window is shorter than ten seconds, the part is a tenth of the window. If
 * attempts were removed until the end, the next window might begin before the store removes an
 * attempt. The store would then decrement the count of the next window.
 */
const margin = 1000

export class LoginCounter {
  readonly #own: ProcessStore

  constructor(
    private readonly limit: Quota,
    private readonly shared: GuardedStore | undefined,
  ) {
    this.#own = new ProcessStore(limit.window)
  }

  /**
   * Counts an attempt before its password is checked, so that simultaneous attempts cannot exceed
   * the limit.
   */
  async reserve(key: string): Promise<Reservation> {
    // The attempt is always counted in this process too. If the shared store fails, the process
    // continues with its own counts.
    const own = { ...this.#own.increment(key) }
    const shared = await this.shared?.increment(key).catch(toUndefined)
    const { totalHits, resetTime } = shared ?? own
    const ends = resetTime?.getTime() ?? Date.now() + this.limit.window
    const release = async (): Promise<void> => {
      if (Date.now() > ends - Math.min(margin, this.limit.window / 10)) return
      // The window of this process's own count may have ended earlier than the shared window. If
      // so, the own count no longer contains this attempt, and must not be decremented.
      if (Date.now() < (own.resetTime?.getTime() ?? 0)) this.#own.decrement(key)
      if (shared === undefined) return
      // If the key no longer exists in Redis, decrementing it would create a key that never
      // expires.
      if (isCounted(await this.shared?.get(key).catch(toUndefined)))
        await this.shared?.decrement(key).catch(toUndefined)
    }
    return { over: totalHits > this.limit.limit, ends, release }
  }

  /** Removes the count of a key. Never rejects. */
  async clear(key: string): Promise<void> {
    this.#own.resetKey(key)
    await this.shared?.resetKey(key).catch(toUndefined)
  }

  /** Whether a key has a count. */
  async has(key: string): Promise<boolean> {
    if (this.shared === undefined) return isCounted(this.#own.get(key))
    return this.shared.get(key).then(isCounted, () => isCounted(this.#own.get(key)))
  }

  /**
   * Starts a new window for a key if the key has no count, or if less than half of its window is
   * left. Never rejects.
   */
  async renew(key: string): Promise<void> {
    if (!this.#isFresh(this.#own.get(key))) {
      this.#own.resetKey(key)
      this.#own.increment(key)
    }
    const { shared } = this
    if (shared === undefined) return
    try {
      if (this.#isFresh(await shared.get(key))) return
      await shared.resetKey(key)
      await shared.increment(key)
    } catch {
      // While the shared store is down, the count of this process is used.
    }
  }

  #isFresh(hits: WindowCount | undefined): boolean {
    return isCounted(hits) && (hits?.resetTime?.getTime() ?? 0) > Date.now() + this.limit.window / 2
  }
}

/**
 * Whether a key has a count. For an unknown key, the `RedisStore` of `rate-limit-redis` returns a
 * count that is `NaN`.
 */
const isCounted = (hits: WindowCount | undefined): boolean => (hits?.totalHits ?? 0) >= 1

const toUndefined = (): undefined => undefined
