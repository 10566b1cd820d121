/** Time limits for waits, and pauses between attempts. */

/** The longest delay of a Node timer, in milliseconds. Timers with a longer delay fire at once. */
export const longestTimer = 2 ** 31 - 1

/**
 * Resolves or rejects as `result` does. If `result` has not settled within `limit` milliseconds,
 * rejects with the error that `late` returns. A `limit` of `Infinity` means no limit. Input that
 * arrived while the event loop was blocked is processed before `late` is called. The timer is
 * cleared when `result` settles. A value or rejection after the limit is ignored. If `result` is
 * not a thenable, the returned promise resolves with it at once.
 *
 * @example await withTimeout(store.get(key), 500, () => new Error('The store took longer than 500 ms.'))
 */
export function withTimeout<T>(result: T | PromiseLike<T>, limit: number, late: () => unknown): Promise<T> {
  const promise = Promise.resolve(result)
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
 * The delay of the timer for a limit. Limits of a second and more are rounded up, so that many
 * timers have the same delay. Node keeps a list of timers for each delay. A timer that needs a new
 * list costs two thirds more than a timer in an existing list.
 */
const timerDelay = (limit: number): number =>
  Math.min(limit < 1_000 ? limit : Math.ceil(limit / granularity) * granularity, longestTimer)

/**
 * Runs `work` with a limit, as `withTimeout` does. At the limit, the signal that was passed to
 * `work` aborts with the error that `late` returns. If `work` throws, the promise rejects.
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

/** If a timer fires more than this number of milliseconds late, the event loop was blocked. */
const blockedAfter = 20

/**
 * Calls `passed` after `limit` milliseconds. If the event loop was blocked at the end of that time,
 * the limit starts again: the process could not send the request or read the response while the
 * event loop was blocked, so the delay may not be the fault of the peer. The limit starts again
 * only once, because a process whose event loop is always late would otherwise never reach the
 * deadline. Returns a function that cancels the deadline.
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
      // If a timer is set after long synchronous work, Node counts the delay from before that work,
      // so the timer fires too early.
      else if (late < -1) start(-late)
      // Node runs timers before it reads input that has arrived.
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
 * The pause in milliseconds before the next attempt, after `attempts` attempts. It is a random
 * number below a bound, so that two processes do not collide repeatedly. The bound is `first`,
 * doubled with each attempt, and at most `longest`.
 */
export const backoff = (attempts: number, first: number, longest: number): number =>
  Math.random() * Math.min(longest, first * 2 ** attempts)
