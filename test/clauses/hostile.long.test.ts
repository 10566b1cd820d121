/** Runs the tests of `hostile.test.ts` with more cases. */
import './hostile.test.js'
