/** Pseudo-random numbers (mulberry32). The same seed gives the same numbers on every machine. */
export class Random {
  #state: number

  constructor(readonly seed: number) {
    this.#state = seed
  }

  /**
   * Returns a sequence of random numbers that depends on the seed and on `names`. Drawing from one
   * sequence does not affect the sequences for other names.
   */
  static of(seed: number, ...names: readonly (string | number)[]): Random {
    // The hash is FNV-1a over the UTF-16 code units. U+0001 separates the names, and no name
    // contains it.
    let hash = 0x811c9dc5 ^ seed
    for (const name of names) {
      const text = `${name}\u{1}`
      for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
    }
    return new Random(hash)
  }

  /** A number that is at least 0 and less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** An integer, at least 0 and less than `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  /** An integer, at least `minimum` and at most `maximum`. */
  between(minimum: number, maximum: number): number {
    return minimum + this.below(maximum - minimum + 1)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  one<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }

  /**
   * Returns `count` different items of a list, in random order. Returns all items if the list has
   * fewer.
   */
  some<T>(list: readonly T[], count: number): readonly T[] {
    const left = [...list]
    const taken: T[] = []
    while (taken.length < count && left.length > 0) taken.push(...left.splice(this.below(left.length), 1))
    return taken
  }
}
