/** Values that may be promises. Synchronous values are handled synchronously, which costs no promise. */

/** Whether a value has to be waited for. */
export const isPromise = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function'

/** Passes on what a function of the team's gave where nobody waits for promises: an unhandled rejection would end the process. */
export function unawaited<T>(value: T): T {
  if (isPromise(value)) Promise.resolve(value).catch(() => {})
  return value
}

/** Calls `then` with the value: synchronously, or when its promise resolves. */
export function settled<T, U>(value: T | Promise<T>, then: (value: T) => U | Promise<U>): U | Promise<U> {
  return isPromise(value) ? (value as Promise<T>).then(then) : then(value as T)
}

/** The results of all, in their order: synchronously where none is a promise. An exception becomes a rejection, so that every promise gets a handler. */
export function together<T, U>(
  all: readonly T[],
  make: (one: T) => U | Promise<U>,
): readonly U[] | Promise<readonly U[]> {
  const made: (U | Promise<U>)[] = []
  let waits = false
  for (const one of all) {
    try {
      const value = make(one)
      waits ||= isPromise(value)
      made.push(value)
    } catch (error) {
      waits = true
      made.push(Promise.reject(error))
    }
  }
  return waits ? Promise.all(made) : (made as U[])
}
