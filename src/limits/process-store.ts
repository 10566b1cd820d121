/** Counters in the process: for one process, and for as long as a shared store is down (LIMIT-1). */
import type { LimitStore, WindowCount } from './store.js'

interface Counter {
  totalHits: number
  readonly resetTime: Date
}

/** Keys that a store in the process holds at most, so that nobody who makes up addresses or names fills the memory: some 20 MB. */
const capacity = 100_000

/**
 * Counts in this process, with windows that begin with a key's first count. `most`: how many keys it holds at most, default 100,000; beyond, it forgets those that
 * nobody has counted for the longest time, so that a key which is under attack stays.
 */
export class ProcessStore implements LimitStore {
  // Two generations instead of a list in the order of use: what is touched moves to the young one, and the old one goes as a whole.
  #young = new Map<string, Counter>()
  #old = new Map<string, Counter>()
  #turned = Date.now()

  constructor(
    private readonly window: number,
    private readonly most = capacity,
  ) {}

  /** `now`: the time, where the caller has read it. Reading it takes up to a quarter of a microsecond. */
  increment(key: string, now = Date.now()): WindowCount {
    const found = this.#find(key, now)
    if (found !== undefined) {
      found.totalHits++
      return found
    }
    const counter = { totalHits: 1, resetTime: new Date(now + this.window) }
    this.#young.set(key, counter)
    return counter
  }

  decrement(key: string): void {
    const counter = this.#find(key)
    if (counter !== undefined && counter.totalHits > 0) counter.totalHits--
  }

  resetKey(key: string): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }

  get(key: string): WindowCount | undefined {
    return this.#find(key)
  }

  /** How many keys it holds. */
  get size(): number {
    return this.#young.size + this.#old.size
  }

  #find(key: string, now = Date.now()): Counter | undefined {
    this.#turn(now)
    const young = this.#young.get(key)
    const counter = young ?? this.#old.get(key)
    if (counter === undefined) return undefined
    if (counter.resetTime.getTime() <= now) {
      this.resetKey(key)
      return undefined
    }
    if (young === undefined) {
      this.#old.delete(key)
      this.#young.set(key, counter)
    }
    return counter
  }

  /** Every window that was running when the old generation turned old is over by the time it goes, unless there are too many keys. */
  #turn(now: number): void {
    if (this.#young.size < this.most / 2 && now - this.#turned < this.window) return
    this.#old = this.#young
    this.#young = new Map()
    this.#turned = now
  }
}
