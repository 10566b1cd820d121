/** The order in which calls get the few connections that there are: the oldest request first. */

interface Waiting {
  /** When the time of its request is up, on the clock of `performance.now()`. */
  readonly deadline: number
  readonly isWanted: () => boolean
  readonly begin: () => void
}

/** Milliseconds after which a call that has no time limit counts as one whose time is up. */
const unlimited = 30_000

/**
 * A number of places for calls, given to the oldest request first. A request that has begun needs
 * further calls, such as reads of linked records. In the order of arrival these would wait behind
 * the first call of every other request, and under load no request would finish in time. All
 * requests have the same time to be answered, so the one whose deadline comes first is the oldest.
 */
export class Turns {
  readonly places: number
  #free: number
  /** Sorted by deadline, the earliest at the end. */
  readonly #waiting: Waiting[] = []
  /** The length at which calls that are no longer wanted are removed. */
  #crowded = 64

  constructor(places: number) {
    this.places = places
    this.#free = places
  }

  /** Calls that wait, with those that may have given up and are not removed yet. */
  get waiting(): number {
    return this.#waiting.length
  }

  /**
   * Takes a place: `undefined` where one is free, else a promise of the turn. A call that is no
   * longer wanted when its turn comes is passed over.
   */
  take(left: number, isWanted: () => boolean): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free -= 1
      return undefined
    }
    const deadline = performance.now() + Math.min(left, unlimited)
    return new Promise((begin) => this.#insert({ deadline, isWanted, begin }))
  }

  /** Gives a place back, to the next call that is still wanted. */
  give(): void {
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
    // Insert after all later deadlines. Of equal deadlines, the first to come has the first turn.
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

const known = new WeakMap<object, Turns>()

/** The turns of a pool or of a single connection: all adapters over it share them. */
export function turnsOf(owner: object, places: number): Turns {
  const found = known.get(owner)
  if (found !== undefined) return found
  const made = new Turns(places)
  known.set(owner, made)
  return made
}
