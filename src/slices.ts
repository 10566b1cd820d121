/**
 * Splits work on many records into slices, so that other requests can be processed between two
 * slices.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * The length of a slice in milliseconds. A slice that has lasted longer ends before the next
 * record.
 */
const longestSlice = 20

export class Slices {
  #began = performance.now()

  /**
   * Call this method before each record. If the time of the slice is over, it returns a promise,
   * which the caller must await. Otherwise, it returns `undefined`.
   */
  pause(): Promise<void> | undefined {
    return performance.now() - this.#began > longestSlice ? this.#resumed() : undefined
  }

  async #resumed(): Promise<void> {
    await nextTurn()
    this.#began = performance.now()
  }
}
