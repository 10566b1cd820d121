/**
 * Runs updates of the same record one after another, if `If-Match` names no version. If these
 * updates ran at the same time, each of them would force the others to start again with the new
 * version of the record. Each update gets its turn, unless its time limit ends first.
 */
import { Unavailable } from '../problem.js'
import { SerialQueue } from '../serial-queue.js'
import { withTimeout } from '../timeout.js'

export class KeyQueue {
  readonly #queues = new WeakMap<object, SerialQueue<string>>()

  /**
   * Runs `work` after all earlier work with the same owner and key has ended. If there is no
   * earlier work, runs it immediately. `limit` is the maximum time in milliseconds that `work`
   * waits for its turn. When that time runs out, throws `Unavailable`, and `work` does not run.
   */
  run<T>(owner: object, key: string, limit: number, work: () => T | Promise<T>): T | Promise<T> {
    return this.#queueOf(owner).run(key, (before) => withTimeout(before, limit, tooMany), work)
  }

  #queueOf(owner: object): SerialQueue<string> {
    const known = this.#queues.get(owner)
    if (known !== undefined) return known
    const made = new SerialQueue<string>()
    this.#queues.set(owner, made)
    return made
  }
}

const tooMany = (): Unavailable =>
  new Unavailable({
    detail: 'Too many clients are changing this resource at once. Nothing was changed: try again in a moment.',
    unchanged: true,
  })
