/** Runs the tests of `joined-links.test.ts` with more cases. */
import './joined-links.test.js'
