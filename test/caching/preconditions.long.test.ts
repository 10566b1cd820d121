/** Runs the tests of `preconditions.test.ts` with more cases. */
import './preconditions.test.js'
