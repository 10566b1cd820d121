/** The long form of the tests in `records.test.ts`. */
import './records.test.js'
