/** Runs the tests of `laws.test.ts` with more cases. */
import './laws.test.js'
