/**
 * A counter of failed logins that works during outages: in the shared store if there is one, and in
 * the process while that store is down (AUTH-6).
 */
import { ProcessStore } from '../../limits/process-store.js'
import type { Quota, WindowCount } from '../../limits/store.js'
import type { GuardedStore } from '../../limits/store-guard.js'

/** An attempt that is counted as a failure until its outcome is known. */
export interface Reservation {
  /** Whether the limit had already been reached. */
  readonly over: boolean
  /** When the window ends, in milliseconds since 1970. */
  readonly ends: number
  /** Removes the attempt from the count. Never rejects. */
  release(): Promise<void>
}

/**
 * Milliseconds before a window's end in which nothing is released, since the next window might be
 * decremented.
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
   * Counts an attempt before it is checked, so that attempts at the same time can't pass together.
   */
  async reserve(key: string): Promise<Reservation> {
    // Always counts in both: if the shared store fails, the process continues with its own counts.
    const own = { ...this.#own.increment(key) }
    const shared = await this.shared?.increment(key).catch(toUndefined)
    const { totalHits, resetTime } = shared ?? own
    const ends = resetTime?.getTime() ?? Date.now() + this.limit.window
    const release = async (): Promise<void> => {
      if (Date.now() > ends - Math.min(margin, this.limit.window / 10)) return
      this.#own.decrement(key)
      if (shared === undefined) return
      // Redis would create a key without expiry if the key does not exist.
      if (isCounted(await this.shared?.get(key).catch(toUndefined)))
        await this.shared?.decrement(key).catch(toUndefined)
    }
    return { over: totalHits > this.limit.limit, ends, release }
  }

  /** Removes a key. Never rejects. */
  async clear(key: string): Promise<void> {
    this.#own.resetKey(key)
    await this.shared?.resetKey(key).catch(toUndefined)
  }

  /** Whether a key has a count. */
  async has(key: string): Promise<boolean> {
    if (this.shared === undefined) return isCounted(this.#own.get(key))
    return this.shared.get(key).then(isCounted, () => isCounted(this.#own.get(key)))
  }

  /** Starts a new window for a key if less than half of its window is left. Never rejects. */
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
      // The process's own count is used meanwhile.
    }
  }

  #isFresh(hits: WindowCount | undefined): boolean {
    return isCounted(hits) && (hits?.resetTime?.getTime() ?? 0) > Date.now() + this.limit.window / 2
  }
}

/** For an unknown key, RedisStore returns a count that is not a number. */
const isCounted = (hits: WindowCount | undefined): boolean => (hits?.totalHits ?? 0) >= 1

const toUndefined = (): undefined => undefined
