/** Runs the tests of `kept-rows-law.test.ts` with more cases. */
import './kept-rows-law.test.js'
