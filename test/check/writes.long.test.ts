/** Runs the tests of `writes.test.ts` with every fault that violates a rule for writes. */
import './writes.test.js'
