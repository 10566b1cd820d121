/** Time limits. All of the library's waits with a limit use these functions. */

/** The longest time, in milliseconds, that a timer of Node takes; longer ones fire at once. */
export const longestTimer = 2 ** 31 - 1

/**
 * The value of `answer`, or a rejection with what `late` makes when it has not come within `limit`
 * milliseconds; `Infinity` is no limit. What arrived while the event loop was blocked is read before
 * `late` is called. The timer never outlives the answer, and what the answer comes to after the
 * limit is ignored, a rejection too. Only an object with a `then` is waited for.
 *
 * @example await withTimeout(store.get(key), 500, () => new Error('The store took longer than 500 ms.'))
 */
export function withTimeout<T>(answer: T | PromiseLike<T>, limit: number, late: () => unknown): Promise<T> {
  const promise = Promise.resolve(answer)
  if (limit === Number.POSITIVE_INFINITY) return promise
  return new Promise<T>((resolve, reject) => {
    let immediate: NodeJS.Immediate | undefined
    const timer = setTimeout(
      () => {
        immediate = setImmediate(() => reject(late()))
      },
      coarse(limit),
    )
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

/** Milliseconds that a long timer may be late by. */
const grain = 32

/**
 * The length of the timer for a limit. Limits of a second and more are rounded up to a multiple of
 * `grain`: Node keeps a list for each length of a timer, and to make and drop a list for each wait
 * costs two thirds more than the timer alone.
 */
const coarse = (limit: number): number =>
  Math.min(limit < 1_000 ? limit : Math.ceil(limit / grain) * grain, longestTimer)

/**
 * The result of `work`, with a limit as `withTimeout` has it. The signal that `work` is given aborts
 * at the limit, with the same error. An exception of `work` is a rejection.
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

/** A timer that is later than this, in milliseconds, shows that the event loop was blocked. */
const standstill = 20

/**
 * Calls back when `limit` milliseconds have passed in which an answer could have been read. While
 * the event loop was blocked, the answer may have arrived, or the question may not have left; that
 * says nothing about who was asked. The limit starts again only once, so that it also ends in a
 * process whose event loop is always late. Returns a function that cancels it.
 */
export function deadline(limit: number, passed: () => void): () => void {
  let timer: NodeJS.Timeout
  let immediate: NodeJS.Immediate | undefined
  let isSecond = false
  const start = (wait: number): void => {
    const due = performance.now() + wait
    timer = setTimeout(() => {
      const late = performance.now() - due
      if (late > standstill && !isSecond) {
        isSecond = true
        start(limit)
      }
      // A timer that is set after long work counts from before it.
      else if (late < -1) start(-late)
      // Timers run before what has arrived is read.
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
 * Milliseconds to wait before another attempt, after so many: at random below a bound, so that two
 * processes that met once do not keep meeting. The bound is `first`, doubled with each attempt up to
 * `longest`.
 */
export const backoff = (attempts: number, first: number, longest: number): number =>
  Math.random() * Math.min(longest, first * 2 ** attempts)
