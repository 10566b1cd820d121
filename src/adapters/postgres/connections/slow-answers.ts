/**
 * Remembers, for the result of each slow statement, how long the statement took. For fast
 * statements, this has no measurable cost.
 */

/**
 * The duration from which a statement counts as slow, in milliseconds. The wait for a connection is
 * not included.
 */
export const slowFrom = 1_000

const slow = new WeakMap<object, number>()

/** Stores how long the statement of a slow result took, in milliseconds. */
export function keepSlow(answer: unknown, took: number): void {
  if (typeof answer === 'object' && answer !== null) slow.set(answer, took)
}

/**
 * Returns how long the statement of a result took, in milliseconds, or `undefined` if it was not
 * slow.
 */
export const tookLong = (answer: object): number | undefined => slow.get(answer)
