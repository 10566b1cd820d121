/** Runs the tests of `cached-patch.test.ts` with more cases. */
import './cached-patch.test.js'
