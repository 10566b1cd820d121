/** The tests of `tags-law.test.ts` in their long form. */
import './tags-law.test.js'
