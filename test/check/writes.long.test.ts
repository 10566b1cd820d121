/** Runs the tests of `writes.test.ts` with more faults. */
import './writes.test.js'
