/**
 * Runs work of the same key one after another, in order of arrival. All such queues of the library
 * use it.
 */
import { isPromise } from './promise.js'

/** Promises by key. Each resolves when all work queued so far has ended, and never rejects. */
export interface Tails<K> {
  get(key: K): Promise<unknown> | undefined
  set(key: K, tail: Promise<unknown>): unknown
  delete(key: K): boolean
}

/**
 * Waits for the earlier work, for example with a time limit. If it rejects, the work leaves the
 * queue.
 */
type WaitForTurn = (before: Promise<unknown>) => Promise<unknown>

/** A queue for each key. Empty queues use no memory. */
export class SerialQueue<K> {
  readonly #tails: Tails<K>

  /** `tails`: a map that several queues share, or a weak map. Default: a new map. */
  constructor(tails: Tails<K> = new Map<K, Promise<unknown>>()) {
    this.#tails = tails
  }

  /**
   * Resolves when all work queued so far has ended; `undefined` if there is none. Never rejects.
   */
  tail(key: K): Promise<unknown> | undefined {
    return this.#tails.get(key)
  }

  /**
   * Runs `work` after all earlier work of this key. Without earlier work it runs at once, and
   * `wait` is not called.
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
   * Takes the last place in the queue. Resolves when its turn comes, with the function that ends
   * the turn.
   */
  async enter(key: K, wait: WaitForTurn): Promise<() => void> {
    let leave = noop
    const over = new Promise<void>((resolve) => {
      leave = resolve
    })
    const before = this.#tails.get(key) ?? Promise.resolve()
    // The tail waits for `before` too: if this entry gives up while waiting, the next one must not
    // overtake work that is still running.
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
