/**
 * Serializes updates without a precondition, key by key, so that no update is lost and none starves
 * (design: the adapter contract).
 */
import { Unavailable } from '../problem.js'
import { SerialQueue } from '../serial-queue.js'
import { withTimeout } from '../timeout.js'

export class KeyQueue {
  readonly #queues = new WeakMap<object, SerialQueue<string>>()

  /**
   * Runs `work` after all earlier work of this key: immediately if there is none. `limit`:
   * milliseconds to wait for its turn; throws `Unavailable` after that.
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
