/** The tests of `equal.test.ts` in their long form. */
import './equal.test.js'
