/**
 * Bounds how many requests of a service execute at once, so that those that have begun are finished
 * in time (ERR-1).
 */
import { Unavailable } from '../problem.js'

/** Requests that may execute at once, by default. */
export const defaultMaxConcurrent = 1_000

/** Counts the requests of one service between the step `execute` and their answer. */
export class Load {
  readonly #most: number
  #executing = 0

  /** `most`: requests that may execute at once; `Infinity` is no bound. */
  constructor(most: number) {
    this.#most = most
  }

  /** Throws `Unavailable` (503) where no further request may execute. */
  check(): void {
    if (this.#executing < this.#most) return
    throw new Unavailable({
      detail: 'Too many requests are being answered. Nothing was changed: try again in a moment.',
    })
  }

  /** Begins a request. Throws as `check` does. */
  enter(): void {
    this.check()
    this.#executing += 1
  }

  /** Ends a request that has entered. */
  leave(): void {
    this.#executing -= 1
  }
}
