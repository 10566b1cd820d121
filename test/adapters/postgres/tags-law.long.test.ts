/** Runs the tests of `tags-law.test.ts` with more cases. */
import './tags-law.test.js'
