/** Runs the tests of `remembered.test.ts` with more cases. */
import './remembered.test.js'
