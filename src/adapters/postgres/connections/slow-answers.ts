/**
 * Remembers how long slow statements took, by their results. Fast statements have no measurable
 * cost.
 */

/**
 * The duration from which a statement is slow, in milliseconds. The wait for a connection does not
 * count.
 */
export const slowFrom = 1_000

const slow = new WeakMap<object, number>()

/** Stores how long a slow result took, in milliseconds. */
export function keepSlow(answer: unknown, took: number): void {
  if (typeof answer === 'object' && answer !== null) slow.set(answer, took)
}

/** How long a result took, in milliseconds; `undefined` if it was not slow. */
export const tookLong = (answer: object): number | undefined => slow.get(answer)
