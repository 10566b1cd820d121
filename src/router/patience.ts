/** How long a request waits for a team's code, and how that code learns that nobody waits any more. */
import { Unavailable, unknownOutcome } from '../problem.js'
import { isPromise } from '../promise.js'
import type { Exchange } from './exchange.js'

export interface Patience {
  /** Milliseconds that are left; 0 when the time is up. */
  left(): number
  /** Fires when the time is up and, on reads, when the client goes away. Made when first asked for. */
  signal(): AbortSignal
  /** The answer, or `Unavailable` when the time is up: whatever it comes to after that is ignored. */
  settle<T>(answer: T | PromiseLike<T>): T | Promise<T>
}

/** The patience of one request: every wait of it is counted from its start. */
export const withinTime = (exchange: Exchange): Patience => new RequestPatience(exchange)

const outOfTime = unknownOutcome('The service did not answer in time')

class RequestPatience implements Patience {
  readonly #exchange: Exchange
  #controller: AbortController | undefined

  constructor(exchange: Exchange) {
    this.#exchange = exchange
  }

  left(): number {
    const { service, started } = this.#exchange
    return Math.max(0, service.timeout - (performance.now() - started))
  }

  signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal
    const { reads, res } = this.#exchange
    const made = new AbortController()
    this.#controller = made
    const gone = (): void => {
      if (!res.writableFinished) made.abort(new Error('The client went away.'))
    }
    if (this.left() === 0) made.abort(this.#expired())
    // A write goes on when its client leaves: half a change helps nobody.
    else if (reads && res.destroyed) gone()
    else if (reads) res.once('close', gone)
    return made.signal
  }

  settle<T>(answer: T | PromiseLike<T>): T | Promise<T> {
    return isPromise(answer) ? this.#wait(answer) : answer
  }

  #wait<T>(answer: PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const expire = (): void => {
        const cause = this.#expired()
        this.#controller?.abort(cause)
        reject(new Unavailable({ cause, ...(this.#exchange.change === 'none' ? {} : { detail: outOfTime }) }))
      }
      const timer = setTimeout(expire, this.left())
      // What only looks like a promise may give nothing back from its `then`, or throw in it.
      Promise.resolve(answer)
        .then(resolve, reject)
        .then(() => clearTimeout(timer))
    })
  }

  #expired(): Error {
    return new Error(`No answer within ${this.#exchange.service.timeout} ms.`)
  }
}
