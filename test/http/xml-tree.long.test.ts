/** Runs the tests of `xml-tree.test.ts` with more cases. */
import './xml-tree.test.js'
