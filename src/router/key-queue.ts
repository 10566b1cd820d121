/** Updates without a precondition wait for each other, key by key, so that none is lost and none starves (design: the adapter contract). */
import { Unavailable } from '../problem.js'
import { SerialQueue } from '../serial-queue.js'
import { withTimeout } from '../timeout.js'

export class KeyQueue {
  readonly #queues = new WeakMap<object, SerialQueue<string>>()

  /**
   * Runs `work` when all earlier work of this key is over: at once where there is none. `limit`: milliseconds it may wait for its turn; throws `Unavailable` where that
   * does not come in time.
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
    detail: 'Too many clients change this resource at once. Nothing was changed: try again in a moment.',
    unchanged: true,
  })
