/** The tests of `kept-rows-law.test.ts` in their long form. */
import './kept-rows-law.test.js'
