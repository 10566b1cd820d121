/** A queue for hashing passwords. It limits how long each hash waits (AUTH-6). */
import { inSeconds } from '../../limits/duration.js'
import { HttpProblem, Unavailable } from '../../problem.js'
import { currentCost, workOf } from './password-hash.js'
import { maxConcurrentHashes } from './scrypt-threads.js'

/** The maximum expected wait, in milliseconds. A hash that would wait longer is refused. */
const maxExpectedWait = 4000

/**
 * The maximum actual wait, in milliseconds. A hash that has waited this long is refused. The actual
 * wait is longer than the expected wait if a busy machine hashes more slowly than before.
 */
const longestWait = 5000

/**
 * When a hash is refused because it has waited for `longestWait`, each hash that has waited for at
 * least `longestWait` minus this many milliseconds is refused too. So callers that arrived together
 * are refused together, although their timers fire at slightly different times.
 */
const timerSlack = 20

/**
 * Until a hash has been measured, the queue assumes that a hash of `steps` steps (units of work of
 * scrypt) takes `time` milliseconds.
 */
const assumed = { time: 250, steps: workOf(currentCost) }

/**
 * When a hash has finished, the weight of all earlier hashes in the estimates is multiplied by this
 * factor.
 */
const decay = 0.7

/**
 * The estimated time in `Retry-After` is multiplied by this factor, because a busy machine may hash
 * more slowly than estimated.
 */
const safetyFactor = 1.5

/** The maximum `Retry-After`, in milliseconds. */
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
 * Runs hashes in order of arrival, at most `concurrency` at a time. A new hash is refused if its
 * estimated wait is too long. The number of waiting hashes is not limited, because the same number
 * can mean a wait of seconds on one machine and of a minute on another.
 */
export class HashingQueue {
  readonly #running = new Set<Running>()
  readonly #waiting = new Set<Waiting>()
  /**
   * The weighted sums of the durations (in milliseconds) and of the steps of finished hashes. Older
   * hashes have less weight.
   */
  #past = assumed
  /**
   * The earliest time at which the next refused caller may retry, in milliseconds of
   * `performance.now()`.
   */
  #nextRetry = 0

  constructor(private readonly concurrency: number) {}

  /**
   * Runs `work` when its turn comes. `steps` is the size of the work, as computed by `workOf`. If
   * the caller no longer waits for the result when the turn comes (`isGone` returns true), `work`
   * does not run, and the promise rejects. Also rejects with `Unavailable` (503) if the wait is too
   * long. `Retry-After` then says when to retry.
   */
  async run<T>(steps: number, work: () => Promise<T>, isGone: () => boolean = () => false): Promise<T> {
    const running = this.#running.size < this.concurrency ? this.#begin(steps) : await this.#wait(steps, isGone)
    try {
      if (isGone()) throw clientGone()
      const result = await work()
      this.#past = this.#pastWith(running, performance.now())
      return result
    } finally {
      this.#running.delete(running)
      this.#next()
    }
  }

  /**
   * Throws `Unavailable` (503) if new work would wait too long. `steps`, the size of the new work,
   * affects only `Retry-After`.
   */
  refuseIfFull(steps: number): void {
    if (this.#expectedWait() <= maxExpectedWait) return
    for (const waiting of this.#waiting) if (waiting.isGone()) this.#take(waiting).fail(clientGone())
    if (this.#expectedWait() > maxExpectedWait) throw this.#refusal(steps)
  }

  /**
   * Registers the work as running. This happens synchronously, so that no other work can start
   * between the check of `concurrency` and the registration.
   */
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
      waiting.fail(clientGone())
    }
  }

  /**
   * Refuses all work that has waited too long. All of this work is removed from the queue first, so
   * that it does not count in the estimates for `Retry-After`.
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

  /** The estimated number of milliseconds until new work would start. */
  #expectedWait(): number {
    if (this.#running.size < this.concurrency) return 0
    const now = performance.now()
    const pace = this.#pace(now)
    let left = 0
    for (const { steps, began } of this.#running) left += Math.max(0, steps * pace - (now - began))
    for (const { steps } of this.#waiting) left += steps * pace
    return left / this.concurrency
  }

  #pastWith({ steps, began }: Running, now: number): { readonly time: number; readonly steps: number } {
    return { time: decay * this.#past.time + (now - began), steps: decay * this.#past.steps + steps }
  }

  /**
   * Milliseconds per step. A hash that is still running counts with its duration so far if it is
   * slower than the hashes before it.
   */
  #pace(now: number): number {
    let pace = this.#past.time / this.#past.steps
    for (const running of this.#running) {
      const { time, steps } = this.#pastWith(running, now)
      pace = Math.max(pace, time / steps)
    }
    return pace
  }

  /**
   * Creates the 503 for a refused caller. Refused callers are told to retry one after another: if
   * all of them retried at once, the queue would be full again.
   */
  #refusal(steps: number): Unavailable {
    const now = performance.now()
    const own = (safetyFactor * steps * this.#pace(now)) / this.concurrency
    const room = now + own + safetyFactor * Math.max(0, this.#expectedWait() - maxExpectedWait)
    const retryAt = Math.min(Math.max(room, this.#nextRetry), now + longestRetryAfter)
    this.#nextRetry = retryAt + own
    // Rounds up to whole seconds. The subtraction has a small rounding error. Without the 1e-6,
    // this error could add a second.
    const seconds = Math.max(1, Math.ceil((retryAt - now) / 1000 - 1e-6))
    return new Unavailable({
      detail: `Too many passwords are being checked. Try again in ${inSeconds(seconds)}.`,
      retryAfter: seconds,
    })
  }
}

const clientGone = (): HttpProblem =>
  new HttpProblem('bad-request', { detail: 'The client has closed the connection.' })

/** The queue of this process. */
export const hashing = new HashingQueue(maxConcurrentHashes)
