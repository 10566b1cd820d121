/** Runs the tests of `equal.test.ts` with more cases. */
import './equal.test.js'
