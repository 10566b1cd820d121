/** Runs the tests of `records.test.ts` with more cases. */
import './records.test.js'
