/**
 * The time limit of a request or job, which applies to adapters and to the service's own functions.
 */
import { loggable } from '../failures/loggable.js'
import { Unavailable, unknownOutcome } from '../problem.js'
import { isPromise } from '../promise.js'
import { withTimeout } from '../timeout.js'
import type { Exchange } from './exchange.js'
import type { Change, Progress } from './progress.js'

export interface TimeLimit {
  /** Returns the milliseconds that are left, or 0 after the time limit. */
  left(): number
  /**
   * Sets the time limit to `limit` milliseconds from now. An export does this for each page.
   */
  restart(limit: number): void
  /**
   * Returns a signal that aborts at the time limit. For a request that only reads, it also aborts
   * when the client disconnects. For a job, it also aborts when the job's own signal does. The
   * signal is created on first use.
   */
  signal(): AbortSignal
  /**
   * Returns the value of `result`. Throws `Unavailable` at the time limit. If `result` settles
   * after that, its value or error is ignored.
   */
  waitFor<T>(result: T | PromiseLike<T>): T | Promise<T>
}

/** The time limit of a request, counted from its start. */
export const requestTimeLimit = (exchange: Exchange): TimeLimit => new RequestTimeLimit(exchange)

/**
 * The time limit of `records()` outside a request. It starts when `ownTimeLimit` is called. The
 * signal `ended` can abort the work earlier.
 */
export const ownTimeLimit = (timeout: number, ended: AbortSignal | undefined, progress: Progress): OwnTimeLimit =>
  new OwnTimeLimit(timeout, ended, progress)

const outOfTime = unknownOutcome('The service did not respond in time')

abstract class Countdown implements TimeLimit {
  #controller: AbortController | undefined
  #anew: { readonly from: number; readonly limit: number } | undefined

  /** The time limit in milliseconds, until `restart` sets another. */
  protected abstract get timeout(): number
  protected abstract get started(): number
  protected abstract get change(): Change
  /** Arranges for `made` to abort when the result is no longer needed. */
  protected abstract watch(made: AbortController): void

  left(): number {
    const { from, limit } = this.#anew ?? { from: this.started, limit: this.timeout }
    return Math.max(0, limit - (performance.now() - from))
  }

  restart(limit: number): void {
    this.#anew = { from: performance.now(), limit }
  }

  signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal
    const made = new AbortController()
    this.#controller = made
    if (this.left() === 0) made.abort(this.#expired())
    else this.watch(made)
    return made.signal
  }

  waitFor<T>(result: T | PromiseLike<T>): T | Promise<T> {
    return isPromise(result) ? withTimeout(result, this.left(), () => this.#late()) : result
  }

  #late(): Unavailable {
    const cause = this.#expired()
    this.#controller?.abort(cause)
    return new Unavailable({ cause, ...(this.change === 'none' ? {} : { detail: outOfTime }) })
  }

  #expired(): Error {
    return loggable(new Error(`No response within ${Math.round(this.#anew?.limit ?? this.timeout)} ms.`), 'slow-filter')
  }
}

class RequestTimeLimit extends Countdown {
  readonly #exchange: Exchange

  constructor(exchange: Exchange) {
    super()
    this.#exchange = exchange
  }

  protected get timeout(): number {
    return this.#exchange.timeout
  }

  protected get started(): number {
    return this.#exchange.started
  }

  protected get change(): Change {
    return this.#exchange.progress.change
  }

  protected watch(made: AbortController): void {
    const { reads, res } = this.#exchange
    const gone = (): void => {
      if (!res.writableFinished) made.abort(new Error('The client disconnected.'))
    }
    // A write continues after its client disconnects, because stopping it could leave a partial
    // change.
    if (reads && res.destroyed) gone()
    else if (reads) res.once('close', gone)
  }
}

export class OwnTimeLimit extends Countdown {
  protected readonly started = performance.now()
  readonly #ended: AbortSignal | undefined
  readonly #progress: Progress
  #abort: (() => void) | undefined

  constructor(
    protected readonly timeout: number,
    ended: AbortSignal | undefined,
    progress: Progress,
  ) {
    super()
    this.#ended = ended
    this.#progress = progress
  }

  /**
   * Removes the listener from the signal of the job. Must be called when the work is done. Each
   * method call starts a time limit, and a call that creates several records starts one for each
   * record. Each of these time limits can add a listener to the signal. Without this method, the
   * listeners would accumulate on a signal that exists as long as the process.
   */
  end(): void {
    if (this.#abort !== undefined) this.#ended?.removeEventListener('abort', this.#abort)
  }

  protected get change(): Change {
    return this.#progress.change
  }

  protected watch(made: AbortController): void {
    const ended = this.#ended
    const abort = (): void => made.abort(ended?.reason)
    this.#abort = abort
    if (ended?.aborted) abort()
    else ended?.addEventListener('abort', abort, { once: true })
  }
}
