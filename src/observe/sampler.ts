/** Selects the requests to examine: a share of all requests, within a time budget. */

/**
 * The period of the time budget, in milliseconds. The whole budget of a period can be spent at
 * once. The period is long, because the first examinations are slow: their code is not compiled
 * yet. They would exhaust the budget of a shorter period.
 */
const window = 60_000

export class Sampler {
  readonly #sample: number
  readonly #budget: number
  #left: number
  #lastTaken = performance.now()
  #passed = 0

  /**
   * `sample`: the share of requests to examine. `budget`: the share of time that examinations may
   * take. Both are from 0 to 1.
   */
  constructor(sample: number, budget: number) {
    this.#sample = sample
    this.#budget = budget
    this.#left = budget * window
  }

  /**
   * Decides whether the next request is examined. Returns 0 if the request is skipped. Otherwise
   * returns the number of requests that the request represents: itself, and the requests that were
   * skipped since the last examined request.
   */
  take(): number {
    this.#passed += 1
    if (this.#sample < 1 && Math.random() >= this.#sample) return 0
    const now = performance.now()
    this.#left = Math.min(this.#budget * window, this.#left + (now - this.#lastTaken) * this.#budget)
    this.#lastTaken = now
    if (this.#left <= 0) return 0
    const amount = this.#passed
    this.#passed = 0
    return amount
  }

  /** Subtracts the milliseconds spent on an examination from the budget. */
  spend(time: number): void {
    this.#left -= time
  }
}
