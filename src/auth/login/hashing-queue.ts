/** A queue of password hashes that limits the time a login may wait (AUTH-6). */
import { inSeconds } from '../../limits/duration.js'
import { HttpProblem, Unavailable } from '../../problem.js'
import { currentCost, workOf } from './password-hash.js'
import { lanes } from './scrypt-threads.js'

/** The longest expected wait, in milliseconds, for which a hash is still queued. */
const longestEstimate = 4000

/**
 * The longest actual wait, in milliseconds, if the estimate was too low: hashing is slower on a
 * busy machine.
 */
const longestWait = 5000

/**
 * The accepted time difference, in milliseconds, between timers of callers that arrived together.
 */
const timerSlack = 20

/** Used as the latest hash until one has been measured. */
const assumed = { time: 250, steps: workOf(currentCost) }

/** The weight of the earlier hashes relative to the latest one. */
const decay = 0.7

/** Multiplies the `Retry-After` of a refused caller, since a busy machine hashes more slowly. */
const safetyFactor = 1.5

/** The longest `Retry-After`, in milliseconds. */
const longestRetryAfter = 30_000

interface Running {
  readonly steps: number
  readonly began: number
}

interface Waiting {
  readonly since: number
  readonly steps: number
  readonly isGone: () => boolean
  readonly begin: (running: Running) => void
  readonly fail: (problem: HttpProblem) => void
  readonly timer: NodeJS.Timeout
}

/**
 * Runs hashes in order of arrival, `lanes` at a time. The queue is limited by the estimated wait of
 * a new hash: a limit on the number of hashes would mean seconds on one machine and a minute on
 * another.
 */
export class HashingQueue {
  readonly #running = new Set<Running>()
  readonly #waiting = new Set<Waiting>()
  /** Milliseconds and steps of the latest hashes; older ones have less weight. */
  #past = assumed
  /** When the next refused caller may retry, as a `performance.now()` time in milliseconds. */
  #nextRetry = 0

  constructor(private readonly lanes: number) {}

  /**
   * Runs `work` when its turn comes. `steps`: its size, by `workOf`. `isGone`: whether the caller
   * no longer waits for the result; `work` is not run then. Rejects with `Unavailable` (503) if the
   * wait is too long; its `Retry-After` says when to retry.
   */
  async run<T>(steps: number, work: () => Promise<T>, isGone: () => boolean = () => false): Promise<T> {
    const running = this.#running.size < this.lanes ? this.#begin(steps) : await this.#wait(steps, isGone)
    try {
      if (isGone()) throw gone()
      const result = await work()
      this.#past = this.#pastWith(running, performance.now())
      return result
    } finally {
      this.#running.delete(running)
      this.#next()
    }
  }

  /** Throws `Unavailable` (503) if new work of this size would wait too long. */
  refuseIfFull(steps: number): void {
    if (this.#expectedWait() <= longestEstimate) return
    for (const waiting of this.#waiting) if (waiting.isGone()) this.#take(waiting).fail(gone())
    if (this.#expectedWait() > longestEstimate) throw this.#refusal(steps)
  }

  /** Added synchronously, so that no other work can start in between. */
  #begin(steps: number): Running {
    const running = { steps, began: performance.now() }
    this.#running.add(running)
    return running
  }

  async #wait(steps: number, isGone: () => boolean): Promise<Running> {
    this.refuseIfFull(steps)
    return new Promise((begin, fail) => {
      const timer = setTimeout(() => this.#expire(), longestWait)
      const waiting: Waiting = { since: performance.now(), steps, isGone, begin, fail, timer }
      this.#waiting.add(waiting)
    })
  }

  #next(): void {
    for (const waiting of this.#waiting) {
      this.#take(waiting)
      if (!waiting.isGone()) {
        waiting.begin(this.#begin(waiting.steps))
        return
      }
      waiting.fail(gone())
    }
  }

  /**
   * Refuses all work that has waited too long in one step, so that expired work does not affect the
   * estimates for the others.
   */
  #expire(): void {
    const latest = performance.now() - longestWait + timerSlack
    const expired = [...this.#waiting].filter(({ since }) => since <= latest)
    for (const waiting of expired) this.#take(waiting)
    for (const { fail, steps } of expired) fail(this.#refusal(steps))
  }

  #take(waiting: Waiting): Waiting {
    clearTimeout(waiting.timer)
    this.#waiting.delete(waiting)
    return waiting
  }

  /** Milliseconds until new work would start. */
  #expectedWait(): number {
    if (this.#running.size < this.lanes) return 0
    const now = performance.now()
    const pace = this.#pace(now)
    let left = 0
    for (const { steps, began } of this.#running) left += Math.max(0, steps * pace - (now - began))
    for (const { steps } of this.#waiting) left += steps * pace
    return left / this.lanes
  }

  #pastWith({ steps, began }: Running, now: number): { readonly time: number; readonly steps: number } {
    return { time: decay * this.#past.time + (now - began), steps: decay * this.#past.steps + steps }
  }

  /** Milliseconds per step. A slow hash counts before it ends. */
  #pace(now: number): number {
    let pace = this.#past.time / this.#past.steps
    for (const running of this.#running) {
      const { time, steps } = this.#pastWith(running, now)
      pace = Math.max(pace, time / steps)
    }
    return pace
  }

  /**
   * Assigns each refused caller a different time: if all retried at once, the queue would be full
   * again.
   */
  #refusal(steps: number): Unavailable {
    const now = performance.now()
    const own = (safetyFactor * steps * this.#pace(now)) / this.lanes
    const room = now + own + safetyFactor * Math.max(0, this.#expectedWait() - longestEstimate)
    const retryAt = Math.min(Math.max(room, this.#nextRetry), now + longestRetryAfter)
    this.#nextRetry = retryAt + own
    // Rounded up, except for the rounding error of the subtraction.
    const seconds = Math.max(1, Math.ceil((retryAt - now) / 1000 - 1e-6))
    return new Unavailable({
      detail: `Too many passwords are being checked. Try again in ${inSeconds(seconds)}.`,
      retryAfter: seconds,
    })
  }
}

const gone = (): HttpProblem => new HttpProblem('bad-request', { detail: 'The client has closed the connection.' })

/** The queue of this process. */
export const hashing = new HashingQueue(lanes)
