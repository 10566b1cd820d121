/** The tests of `hostile.test.ts` in their long form. */
import './hostile.test.js'
