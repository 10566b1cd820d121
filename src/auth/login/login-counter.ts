/** A counter of failed logins that always counts: in the shared store where there is one, and in the process for as long as that is down (AUTH-6). */
import { ProcessStore } from '../../limits/process-store.js'
import type { Quota, WindowCount } from '../../limits/store.js'
import type { GuardedStore } from '../../limits/store-guard.js'

/** An attempt that is counted as a failure until it is known better. */
export interface Reservation {
  /** There were as many before as there may be. */
  readonly over: boolean
  /** Milliseconds since 1970. */
  readonly ends: number
  /** Counts it no longer. Never rejects. */
  giveBack(): Promise<void>
}

/** Milliseconds before its end in which a window is left as it is: what is given back must not count for the next one. */
const margin = 1000

export class LoginCounter {
  readonly #own: ProcessStore

  constructor(
    private readonly limit: Quota,
    private readonly shared: GuardedStore | undefined,
  ) {
    this.#own = new ProcessStore(limit.window)
  }

  /** Counts an attempt before it is checked, so that attempts at the same time can't pass together. */
  async reserve(key: string): Promise<Reservation> {
    // In both, always: when the shared store fails, the process goes on from what it has seen itself.
    const own = { ...this.#own.increment(key) }
    const shared = await this.shared?.increment(key).catch(nothing)
    const { totalHits, resetTime } = shared ?? own
    const ends = resetTime?.getTime() ?? Date.now() + this.limit.window
    const giveBack = async (): Promise<void> => {
      if (Date.now() > ends - Math.min(margin, this.limit.window / 10)) return
      this.#own.decrement(key)
      if (shared === undefined) return
      // Redis would make a key that never ends of one that is not there.
      if (isCounted(await this.shared?.get(key).catch(nothing))) await this.shared?.decrement(key).catch(nothing)
    }
    return { over: totalHits > this.limit.limit, ends, giveBack }
  }

  /** Forgets a key. Never rejects. */
  async clear(key: string): Promise<void> {
    this.#own.resetKey(key)
    await this.shared?.resetKey(key).catch(nothing)
  }

  /** Whether a key is counted at all. */
  async has(key: string): Promise<boolean> {
    if (this.shared === undefined) return isCounted(this.#own.get(key))
    return this.shared.get(key).then(isCounted, () => isCounted(this.#own.get(key)))
  }

  /** Counts a key anew where less than half of its window is left. Never rejects. */
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
      // The process knows it meanwhile.
    }
  }

  #isFresh(hits: WindowCount | undefined): boolean {
    return isCounted(hits) && (hits?.resetTime?.getTime() ?? 0) > Date.now() + this.limit.window / 2
  }
}

/** RedisStore has a count that is no number for what is not there. */
const isCounted = (hits: WindowCount | undefined): boolean => (hits?.totalHits ?? 0) >= 1

const nothing = (): undefined => undefined
