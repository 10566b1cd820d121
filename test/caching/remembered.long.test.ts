/** The tests of `remembered.test.ts` in their long form. */
import './remembered.test.js'
