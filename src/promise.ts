/** Values that may be there at once or later: what is there at once never waits for a promise. */

/** Whether a value has to be waited for. */
export const isPromise = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function'

/** Goes on with a value: at once where it is there. */
export function settled<T, U>(value: T | Promise<T>, then: (value: T) => U | Promise<U>): U | Promise<U> {
  return isPromise(value) ? (value as Promise<T>).then(then) : then(value as T)
}

/** What comes of all these side by side, in their order: at once where none waits. Where one throws, no promise of another is left without its hearer. */
export function together<T, U>(all: readonly T[], make: (one: T) => U | Promise<U>): readonly U[] | Promise<readonly U[]> {
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
