/** The tests of `scope-sequences.test.ts` in their long form. */
import './scope-sequences.test.js'
