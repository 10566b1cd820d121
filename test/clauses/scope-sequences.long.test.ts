/** Runs the tests of `scope-sequences.test.ts` with more sequences. */
import './scope-sequences.test.js'
