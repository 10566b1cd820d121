/** The tests of `cached-patch.test.ts` in their long form. */
import './cached-patch.test.js'
