/** What was asked for lately, at the price of a look in a map or two: the memory of everything that is worth keeping and must not fill the process. */

export class RecentMap<K, V> {
  readonly #most: number
  readonly #weigh: (value: V) => number
  #recent = new Map<K, V>()
  #before = new Map<K, V>()
  #weight = 0

  /** `most` is how much of it is kept at least, by number, or by what `weigh` says; at most there is twice as much. */
  constructor(most: number, weigh: (value: V) => number = () => 1) {
    this.#most = most
    this.#weigh = weigh
  }

  get(key: K): V | undefined {
    const found = this.#recent.get(key)
    if (found !== undefined) return found
    const old = this.#before.get(key)
    // What is asked for again stays when the others of its time go.
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: K, value: V): void {
    this.#weight += this.#weigh(value)
    if (this.#weight > this.#most) {
      this.#before = this.#recent
      this.#recent = new Map()
      this.#weight = this.#weigh(value)
    }
    this.#recent.set(key, value)
  }
}
