/** Updates without a precondition wait for each other, key by key, so that none is lost and none starves (design: the adapter contract). */
import { Unavailable } from '../problem.js'

type Lines = Map<string, Promise<unknown>>

export class KeyQueue {
  readonly #lines = new WeakMap<object, Lines>()

  /**
   * Runs `work` when all earlier work of this key is over. `patience`: milliseconds it may wait for its turn; throws `Unavailable` where that does not come in time.
   */
  async run<T>(owner: object, key: string, patience: number, work: () => Promise<T>): Promise<T> {
    const lines = this.#linesOf(owner)
    const before = lines.get(key)
    let leave = (): void => {}
    const turn = new Promise<void>((resolve) => {
      leave = resolve
    })
    const tail = before === undefined ? turn : before.then(() => turn)
    lines.set(key, tail)
    // Not before all of the line is through: one who gave up must not let others in beside who is at work.
    void tail.then(() => lines.get(key) === tail && lines.delete(key))
    try {
      if (before !== undefined) await waitFor(before, patience)
      return await work()
    } finally {
      leave()
    }
  }

  #linesOf(owner: object): Lines {
    const known = this.#lines.get(owner)
    if (known !== undefined) return known
    const made: Lines = new Map()
    this.#lines.set(owner, made)
    return made
  }
}

function waitFor(before: Promise<unknown>, patience: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Unavailable({ detail: 'Too many clients change this resource at once. Try again in a moment.' })),
      Math.max(0, patience),
    )
    before.then(() => {
      clearTimeout(timer)
      resolve()
    }, reject)
  })
}
