/** Updates without a precondition wait for each other, key by key, so that none is lost and none starves (design: the adapter contract). */
import { Unavailable } from '../problem.js'
import { isPromise } from '../promise.js'
import { withTimeout } from '../timeout.js'

type Lines = Map<string, Promise<unknown>>

export class KeyQueue {
  readonly #lines = new WeakMap<object, Lines>()

  /**
   * Runs `work` when all earlier work of this key is over: at once where there is none, and then what is done at once leaves no line behind. `patience`: milliseconds it may
   * wait for its turn; throws `Unavailable` where that does not come in time.
   */
  run<T>(owner: object, key: string, patience: number, work: () => T | Promise<T>): T | Promise<T> {
    const lines = this.#linesOf(owner)
    const before = lines.get(key)
    if (before !== undefined) return this.#inLine(lines, key, before, patience, work)
    // Nobody else comes in while this runs; who comes while it waits finds it in the line.
    const result = work()
    if (!isPromise(result)) return result
    const running = result as Promise<T>
    // What its work has begun itself stands in the line already.
    const others = lines.get(key)
    const done = running.then(passed, passed)
    this.#stand(lines, key, others === undefined ? done : others.then(() => done))
    return running
  }

  async #inLine<T>(lines: Lines, key: string, before: Promise<unknown>, patience: number, work: () => T | Promise<T>): Promise<T> {
    let leave = (): void => {}
    const turn = new Promise<void>((resolve) => {
      leave = resolve
    })
    // Not before all of the line is through: one who gave up must not let others in beside who is at work.
    this.#stand(
      lines,
      key,
      before.then(() => turn),
    )
    try {
      await withTimeout(before, patience, tooMany)
      return await work()
    } finally {
      leave()
    }
  }

  #stand(lines: Lines, key: string, tail: Promise<unknown>): void {
    lines.set(key, tail)
    void tail.then(() => lines.get(key) === tail && lines.delete(key))
  }

  #linesOf(owner: object): Lines {
    const known = this.#lines.get(owner)
    if (known !== undefined) return known
    const made: Lines = new Map()
    this.#lines.set(owner, made)
    return made
  }
}

const passed = (): void => {}

const tooMany = (): Unavailable =>
  new Unavailable({
    detail: 'Too many clients change this resource at once. Nothing was changed: try again in a moment.',
    unchanged: true,
  })
