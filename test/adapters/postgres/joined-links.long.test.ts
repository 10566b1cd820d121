/** The tests of `joined-links.test.ts` in their long form. */
import './joined-links.test.js'
