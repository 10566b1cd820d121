/** How much a test does: little in `npm test`, much in `npm run test:long`. */

/** Whether this is a run of `npm run test:long`. */
export const isLong = process.env.TEST_SIZE === 'long'

/**
 * A number of runs, for tests whose numbers say how much is tried and not what is claimed. A file in
 * which it stands runs again in `test:long`, by a file of its name that ends in `.long.test.ts` and
 * imports it.
 */
export const size = (quick: number, long: number): number => (isLong ? long : quick)
