/**
 * Queues functions by key. Functions with equal keys run one after another, in the order of their
 * arrival.
 */
import { isPromise } from './promise.js'

/**
 * A map from keys to promises. Each promise resolves when all work queued so far under its key has
 * ended. The promises never reject.
 */
export interface Tails<K> {
  get(key: K): Promise<unknown> | undefined
  set(key: K, tail: Promise<unknown>): unknown
  delete(key: K): boolean
}

/**
 * Waits for the promise of the earlier work, for example with a time limit. If this function
 * rejects, the waiting work leaves the queue.
 */
type WaitForTurn = (before: Promise<unknown>) => Promise<unknown>

/** A queue for each key. Empty queues use no memory. */
export class SerialQueue<K> {
  readonly #tails: Tails<K>

  /** `tails` may be a map that several queues share, or a weak map. Default: a new map. */
  constructor(tails: Tails<K> = new Map<K, Promise<unknown>>()) {
    this.#tails = tails
  }

  /**
   * A promise that resolves when all work queued so far under this key has ended; `undefined` if
   * there is no such work. The promise never rejects.
   */
  tail(key: K): Promise<unknown> | undefined {
    return this.#tails.get(key)
  }

  /**
   * Runs `work` after all earlier work of this key. If there is no earlier work, `work` runs at
   * once, and `wait` is not called.
   */
  run<T>(key: K, wait: WaitForTurn, work: () => T | Promise<T>): T | Promise<T> {
    if (this.#tails.get(key) !== undefined) return this.#runBehind(key, wait, work)
    const result = work()
    if (!isPromise(result)) return result
    const running = result as Promise<T>
    // `work` may have queued other work of this key while it ran.
    const others = this.#tails.get(key)
    const done = running.then(noop, noop)
    this.#extend(key, others === undefined ? done : others.then(() => done))
    return running
  }

  async #runBehind<T>(key: K, wait: WaitForTurn, work: () => T | Promise<T>): Promise<T> {
    const leave = await this.enter(key, wait)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /**
   * Waits in the queue of a key until all earlier work of this key has ended. Returns a function
   * that the caller must call to let the next work start.
   */
  async enter(key: K, wait: WaitForTurn): Promise<() => void> {
    let leave = noop
    const over = new Promise<void>((resolve) => {
      leave = resolve
    })
    const before = this.#tails.get(key) ?? Promise.resolve()
    // The new tail waits for `before` too. If this entry stops waiting and leaves the queue, the
    // next entry must still wait for the earlier work.
    this.#extend(
      key,
      before.then(() => over),
    )
    try {
      await wait(before)
    } catch (error) {
      leave()
      throw error
    }
    return leave
  }

  #extend(key: K, tail: Promise<unknown>): void {
    this.#tails.set(key, tail)
    void tail.then(() => this.#tails.get(key) === tail && this.#tails.delete(key))
  }
}

const noop = (): void => {}
