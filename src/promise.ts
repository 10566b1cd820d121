/**
 * Functions for values that may be promises. Synchronous values are handled synchronously, without
 * creating a promise.
 */

/** Whether a value is a promise or another thenable. */
export const isPromise = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function'

/**
 * Returns the result of a service's function unchanged, for a caller that does not await the
 * result. If the result is a promise that rejects, the rejection is ignored, because an unhandled
 * rejection would end the process.
 */
export function unawaited<T>(value: T): T {
  if (isPromise(value)) Promise.resolve(value).catch(() => {})
  return value
}

/**
 * Calls `then` with the value: synchronously if the value is not a promise, and otherwise when the
 * promise resolves.
 */
export function settled<T, U>(value: T | Promise<T>, then: (value: T) => U | Promise<U>): U | Promise<U> {
  return isPromise(value) ? (value as Promise<T>).then(then) : then(value as T)
}

/**
 * Calls `make` for each item, and returns the results in the same order. If no result is a promise,
 * the results are returned synchronously. If `make` throws, the returned promise rejects. A
 * synchronous exception would leave rejections of the other items' promises unhandled.
 */
export function together<T, U>(
  all: readonly T[],
  make: (one: T) => U | Promise<U>,
): readonly U[] | Promise<readonly U[]> {
  const results: (U | Promise<U>)[] = []
  let hasPromises = false
  for (const one of all) {
    try {
      const value = make(one)
      hasPromises ||= isPromise(value)
      results.push(value)
    } catch (error) {
      hasPromises = true
      results.push(Promise.reject(error))
    }
  }
  return hasPromises ? Promise.all(results) : (results as U[])
}
