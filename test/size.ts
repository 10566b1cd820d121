/**
 * How much a test does: little in `npm test`, and much in `npm run test:long`. CI runs
 * `TEST_LONG=short npm run test:long`, which is in between.
 */

/** Whether this is a full run of `npm run test:long`. */
export const isLong = process.env.TEST_SIZE === 'long'

/** Whether this is a run of `npm run test:long` with `TEST_LONG=short`. */
const isShort = process.env.TEST_SIZE === 'short'

/**
 * The number of cases that a test tries. It must not change what the test claims. A quick test file
 * that imports this module needs a long form: a file with the ending `.long.test.ts` that imports
 * the quick file. With `TEST_LONG=short`, the number is the geometric mean of `quick` and `long`.
 */
export const size = (quick: number, long: number): number => {
  if (isLong) return long
  return isShort ? Math.ceil(Math.sqrt(quick * long)) : quick
}

/**
 * The cases of a test. `npm test` uses `few`, and the full long run uses all cases. With
 * `TEST_LONG=short`, the long run divides the cases into `parts` parts, and uses one of them.
 * `TEST_SEED` selects the part. In CI, each commit has a seed of its own, so that different commits
 * try different cases.
 */
export function share<T>(cases: readonly T[], parts: number, few: readonly T[] = cases): readonly T[] {
  if (isLong) return cases
  const seed = Number(process.env.TEST_SEED)
  return isShort ? cases.filter((_, index) => (index + seed) % parts === 0) : few
}
