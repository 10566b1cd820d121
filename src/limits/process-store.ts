/**
 * Counters in the memory of the process (LIMIT-1). They are used if a service has no shared store,
 * and by `login()` while its shared store is down.
 */
import type { LimitStore, WindowCount } from './store.js'

interface Counter {
  totalHits: number
  readonly resetTime: Date
}

/**
 * The default maximum number of keys, which take about 20 MB. Without the limit, clients could
 * exhaust the memory by using many IP addresses or made-up names.
 */
const defaultCapacity = 100_000

/**
 * A store that keeps its counts in the memory of this process. A window begins with the first count
 * of a key. `capacity` is the maximum number of keys, default 100,000. If there are too many keys,
 * the least recently used keys are removed. The most recently used keys, up to half of `capacity`,
 * are kept. So a key that is counted often, as during an attack, is kept.
 */
export class ProcessStore implements LimitStore {
  // There are two generations instead of a list in order of use. A key that is used moves to the
  // young generation, and the old generation is dropped as a whole.
  #young = new Map<string, Counter>()
  #old = new Map<string, Counter>()
  #turned = Date.now()

  constructor(
    private readonly window: number,
    private readonly capacity = defaultCapacity,
  ) {}

  increment(key: string): WindowCount {
    const found = this.#find(key)
    if (found !== undefined) {
      found.totalHits++
      return found
    }
    const counter = { totalHits: 1, resetTime: new Date(Date.now() + this.window) }
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

  /** The number of keys. */
  get size(): number {
    return this.#young.size + this.#old.size
  }

  #find(key: string): Counter | undefined {
    const now = Date.now()
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

  /**
   * Drops the old generation and makes the young generation the old one, if the young generation
   * contains half of `capacity` keys or is at least one window old. If the young generation is one
   * window old, all windows of the dropped counters have ended.
   */
  #turn(now: number): void {
    if (this.#young.size < this.capacity / 2 && now - this.#turned < this.window) return
    this.#old = this.#young
    this.#young = new Map()
    this.#turned = now
  }
}
