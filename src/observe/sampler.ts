/** Selects the requests to examine: a share of them, within a budget of time. */

/**
 * Milliseconds whose share may be spent at once. The first examinations are slow, before the code is compiled: with a short
 * window they would use up the time of all that follow.
 */
const window = 60_000

export class Sampler {
  readonly #sample: number
  readonly #budget: number
  #left: number
  #asked = performance.now()
  #passed = 0

  /** Both from 0 to 1. */
  constructor(sample: number, budget: number) {
    this.#sample = sample
    this.#budget = budget
    this.#left = budget * window
  }

  /** How many requests the next one counts for: itself and those skipped since the last. 0 if it is skipped. */
  take(): number {
    this.#passed += 1
    if (this.#sample < 1 && Math.random() >= this.#sample) return 0
    const now = performance.now()
    this.#left = Math.min(this.#budget * window, this.#left + (now - this.#asked) * this.#budget)
    this.#asked = now
    if (this.#left <= 0) return 0
    const amount = this.#passed
    this.#passed = 0
    return amount
  }

  /** Subtracts the milliseconds that an examination took. */
  spend(time: number): void {
    this.#left -= time
  }
}
