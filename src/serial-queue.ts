/** Work that runs one after another, in the order in which it came: the one way in which the library does that. */
import { isPromise } from './promise.js'

/** The end of each line that is not empty: settles when all that stands in it is over, and never rejects. */
export interface Tails<K> {
  get(key: K): Promise<unknown> | undefined
  set(key: K, tail: Promise<unknown>): unknown
  delete(key: K): boolean
}

/** Waits until what stands before is over. Its rejection leaves the line. */
type WaitForTurn = (before: Promise<unknown>) => Promise<unknown>

/** A line for each key. Lines that are empty take no memory. */
export class SerialQueue<K> {
  readonly #tails: Tails<K>

  /** `tails`: a map that the queue shares with others, or that does not hold its keys alive. Default: its own. */
  constructor(tails: Tails<K> = new Map<K, Promise<unknown>>()) {
    this.#tails = tails
  }

  /** Settles when all that stands in the line now is over; `undefined` where nothing does. Never rejects. */
  tail(key: K): Promise<unknown> | undefined {
    return this.#tails.get(key)
  }

  /**
   * Runs `work` when all earlier work of this key is over. Where there is none it runs at once, and
   * leaves no line behind where it is done at once. `wait` is asked only where there is some.
   */
  run<T>(key: K, wait: WaitForTurn, work: () => T | Promise<T>): T | Promise<T> {
    if (this.#tails.get(key) !== undefined) return this.#runBehind(key, wait, work)
    // Nobody else comes in while this runs; who comes while it waits finds it in the line.
    const result = work()
    if (!isPromise(result)) return result
    const running = result as Promise<T>
    // What its work has begun itself stands in the line already.
    const others = this.#tails.get(key)
    const done = running.then(passed, passed)
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

  /** Takes the last place of the line at once; resolves with what gives it up when its turn has come. */
  async enter(key: K, wait: WaitForTurn): Promise<() => void> {
    let leave = passed
    const over = new Promise<void>((resolve) => {
      leave = resolve
    })
    const before = this.#tails.get(key) ?? Promise.resolve()
    // Not before all of the line is through: one who gave up must not let others in beside who is at work.
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

const passed = (): void => {}
