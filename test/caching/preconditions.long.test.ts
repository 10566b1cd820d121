/** The tests of `preconditions.test.ts` in their long form. */
import './preconditions.test.js'
