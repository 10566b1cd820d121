/** The tests of `records.test.ts` in their long form. */
import './records.test.js'
