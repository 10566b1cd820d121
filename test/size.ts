/**
 * How much a test does: little in `npm test`, much in `npm run test:long`, and something in between
 * with `TEST_LONG=short npm run test:long`, the form that CI runs.
 */

/** Whether this is a run of `npm run test:long`, in its full form. */
export const isLong = process.env.TEST_SIZE === 'long'

/** Whether this is a run of `npm run test:long` with `TEST_LONG=short`. */
const isShort = process.env.TEST_SIZE === 'short'

/**
 * A number of runs, for tests whose numbers say how much is tried and not what is claimed. A quick
 * file that calls it has a long form, a file with the ending `.long.test.ts` that imports it. The
 * short form takes the geometric mean of the two numbers.
 */
export const size = (quick: number, long: number): number => {
  if (isLong) return long
  return isShort ? Math.ceil(Math.sqrt(quick * long)) : quick
}

/**
 * The cases of a test: `few` in `npm test`, all in the long run, and one part of `parts` in its short
 * form. `TEST_SEED` selects the part, so CI tries other cases with each commit.
 */
export function share<T>(cases: readonly T[], parts: number, few: readonly T[] = cases): readonly T[] {
  if (isLong) return cases
  const seed = Number(process.env.TEST_SEED)
  return isShort ? cases.filter((_, index) => (index + seed) % parts === 0) : few
}
