/** Work on many records in slices, between which other requests get their turn. */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Milliseconds for which the event loop is held at once. */
const longestSlice = 20

export class Slices {
  #began = performance.now()

  /** To be called before each record: what to wait for where the slice is over, else undefined. */
  pause(): Promise<void> | undefined {
    return performance.now() - this.#began > longestSlice ? this.#resumed() : undefined
  }

  async #resumed(): Promise<void> {
    await nextTurn()
    this.#began = performance.now()
  }
}
