/** The tests of `xml-tree.test.ts` in their long form. */
import './xml-tree.test.js'
