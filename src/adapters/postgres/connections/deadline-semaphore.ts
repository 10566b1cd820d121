/** The order in which calls get the available connections: the earliest deadline first. */

interface Waiting {
  /** The deadline of the call's request, as a time of `performance.now()`. */
  readonly deadline: number
  readonly isWanted: () => boolean
  readonly begin: () => void
}

/**
 * The longest remaining time, in milliseconds, that affects the order of calls. A call with more
 * time, or without a time limit, is treated as if it had this much time left.
 */
const unlimited = 30_000

/**
 * A fixed number of places for calls. A free place goes to the waiting call with the earliest
 * deadline. A running request makes further calls, for example to read linked records. If calls
 * were served in the order of arrival, these further calls would wait behind the first call of
 * every other request. Under load, few requests would then finish in time. Requests usually have
 * the same time limit, so the call with the earliest deadline belongs to the oldest request.
 */
export class DeadlineSemaphore {
  readonly places: number
  #free: number
  /** Sorted by deadline, the earliest at the end. */
  readonly #waiting: Waiting[] = []
  /** The number of waiting calls at which abandoned calls are removed. */
  #crowded = 64

  constructor(places: number) {
    this.places = places
    this.#free = places
  }

  /** The number of waiting calls, including abandoned ones that have not been removed yet. */
  get waiting(): number {
    return this.#waiting.length
  }

  /**
   * Takes a place. Returns `undefined` if a place is free, and otherwise a promise that resolves
   * when the call gets a place. `left`: the remaining time of the call, in milliseconds. A call
   * that is no longer wanted is skipped when its turn comes.
   */
  acquire(left: number, isWanted: () => boolean): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free -= 1
      return undefined
    }
    const deadline = performance.now() + Math.min(left, unlimited)
    return new Promise((begin) => this.#insert({ deadline, isWanted, begin }))
  }

  /** Releases a place to the next call that is still wanted. */
  release(): void {
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      if (!next.isWanted()) continue
      next.begin()
      return
    }
    this.#free += 1
  }

  #insert(one: Waiting): void {
    const waiting = this.#waiting
    if (waiting.length >= this.#crowded) {
      waiting.splice(0, waiting.length, ...waiting.filter(({ isWanted }) => isWanted()))
      this.#crowded = Math.max(64, 2 * waiting.length)
    }
    // Insert the call after all calls with later deadlines. Calls with equal deadlines are served
    // in the order of arrival.
    let low = 0
    let high = waiting.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((waiting[middle] as Waiting).deadline > one.deadline) low = middle + 1
      else high = middle
    }
    waiting.splice(low, 0, one)
  }
}

const known = new WeakMap<object, DeadlineSemaphore>()

/**
 * Returns the semaphore of a pool or of a single connection. All adapters that use the pool or the
 * connection share its semaphore.
 */
export function semaphoreOf(owner: object, places: number): DeadlineSemaphore {
  const found = known.get(owner)
  if (found !== undefined) return found
  const made = new DeadlineSemaphore(places)
  known.set(owner, made)
  return made
}
