/** Statements that took long, by what they answered: a look at this costs nothing that is measured. */

/** Milliseconds from which on a statement is slow. Its wait for a connection does not count. */
export const slowFrom = 1_000

const slow = new WeakMap<object, number>()

/** Keeps how many milliseconds a slow answer took. */
export function keepSlow(answer: unknown, took: number): void {
  if (typeof answer === 'object' && answer !== null) slow.set(answer, took)
}

/** Milliseconds that an answer took; `undefined` where it was not slow. */
export const tookLong = (answer: object): number | undefined => slow.get(answer)
