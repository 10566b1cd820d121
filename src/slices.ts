/**
 * Splits work on many records into slices, so that other requests can be processed between two
 * slices.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Milliseconds after which a slice ends, before the next record. */
const longestSlice = 20

export class Slices {
  #began = performance.now()

  /**
   * Call this method before each record. It returns a promise to await if the time of the slice is
   * over, and `undefined` otherwise.
   */
  pause(): Promise<void> | undefined {
    return performance.now() - this.#began > longestSlice ? this.#resumed() : undefined
  }

  async #resumed(): Promise<void> {
    await nextTurn()
    this.#began = performance.now()
  }
}
