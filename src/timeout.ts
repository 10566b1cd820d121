/** Time limits. All waits of the library that have a limit use these functions. */

/** The longest delay of a Node timer in milliseconds; timers with a longer delay fire at once. */
export const longestTimer = 2 ** 31 - 1

/**
 * Resolves with the value of `answer`, or rejects with the error that `late` returns if `answer`
 * has not settled within `limit` milliseconds (`Infinity`: no limit). Input that arrived while the
 * event loop was blocked is processed before `late` is called. The timer is cleared when `answer`
 * settles. A result or rejection after the limit is ignored. Values that are not thenables resolve
 * at once.
 *
 * @example await withTimeout(store.get(key), 500, () => new Error('The store took longer than 500 ms.'))
 */
export function withTimeout<T>(answer: T | PromiseLike<T>, limit: number, late: () => unknown): Promise<T> {
  const promise = Promise.resolve(answer)
  if (limit === Number.POSITIVE_INFINITY) return promise
  return new Promise<T>((resolve, reject) => {
    let immediate: NodeJS.Immediate | undefined
    const timer = setTimeout(() => {
      immediate = setImmediate(() => reject(late()))
    }, timerDelay(limit))
    promise.then(
      (value) => {
        clearTimeout(timer)
        clearImmediate(immediate)
        resolve(value)
      },
      (error: unknown) => {
        clearTimeout(timer)
        clearImmediate(immediate)
        reject(error)
      },
    )
  })
}

/** Limits of a second and more are rounded up to a multiple of this number of milliseconds. */
const granularity = 32

/**
 * The delay of the timer for a limit. Long limits are rounded up: Node keeps a list of timers for
 * each delay, and creating and removing a list for each wait costs two thirds more than the timer
 * alone.
 */
const timerDelay = (limit: number): number =>
  Math.min(limit < 1_000 ? limit : Math.ceil(limit / granularity) * granularity, longestTimer)

/**
 * Runs `work` with a limit, as `withTimeout` does. The signal passed to `work` aborts at the limit,
 * with the same error. An exception of `work` becomes a rejection.
 */
export function abortedAfter<T>(
  work: (signal: AbortSignal) => T | PromiseLike<T>,
  limit: number,
  late: () => Error,
): Promise<T> {
  const controller = new AbortController()
  const result = new Promise<T>((resolve) => resolve(work(controller.signal)))
  return withTimeout(result, limit, () => {
    const error = late()
    controller.abort(error)
    return error
  })
}

/** A timer that fires later than this, in milliseconds, shows that the event loop was blocked. */
const blockedAfter = 20

/**
 * Calls `passed` once `limit` milliseconds have passed in which a response could have been read.
 * While the event loop was blocked, the response may have arrived or the request may not have been
 * sent, which says nothing about the peer. The limit is restarted only once, so that it also ends
 * in a process whose event loop is always late. Returns a function that cancels the deadline.
 */
export function deadline(limit: number, passed: () => void): () => void {
  let timer: NodeJS.Timeout
  let immediate: NodeJS.Immediate | undefined
  let isSecond = false
  const start = (wait: number): void => {
    const due = performance.now() + wait
    timer = setTimeout(() => {
      const late = performance.now() - due
      if (late > blockedAfter && !isSecond) {
        isSecond = true
        start(limit)
      }
      // A timer that is set after long synchronous work counts from before that work.
      else if (late < -1) start(-late)
      // Timers run before input that has arrived is read.
      else immediate = setImmediate(passed)
    }, wait)
  }
  start(limit)
  return () => {
    clearTimeout(timer)
    clearImmediate(immediate)
  }
}

/**
 * The delay in milliseconds before the next attempt, after `attempts` attempts: random below a
 * bound, so that two processes do not collide repeatedly. The bound is `first`, doubled with each
 * attempt, and at most `longest`.
 */
export const backoff = (attempts: number, first: number, longest: number): number =>
  Math.random() * Math.min(longest, first * 2 ** attempts)
