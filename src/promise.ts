/** Values that may be there at once or later: what is there at once never waits for a promise. */

/** Whether a value has to be waited for. */
export const isPromise = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function'

/** Goes on with a value: at once where it is there. */
export function settled<T, U>(value: T | Promise<T>, then: (value: T) => U | Promise<U>): U | Promise<U> {
  return isPromise(value) ? (value as Promise<T>).then(then) : then(value as T)
}
