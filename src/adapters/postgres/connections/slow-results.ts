/**
 * Remembers, for the result of each slow statement, how long the statement took. Fast statements
 * are not slowed down measurably.
 */

/**
 * The duration from which a statement counts as slow, in milliseconds. The wait for a connection is
 * not included.
 */
export const slowFrom = 1_000

const slow = new WeakMap<object, number>()

/** Stores how long the statement of a slow result took, in milliseconds. */
export function keepSlow(result: unknown, took: number): void {
  if (typeof result === 'object' && result !== null) slow.set(result, took)
}

/**
 * Returns how long the statement of a result took, in milliseconds, or `undefined` if it was not
 * slow.
 */
export const tookLong = (result: object): number | undefined => slow.get(result)
