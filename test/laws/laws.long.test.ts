/** The tests of `laws.test.ts` in their long form. */
import './laws.test.js'
