/** The tests of `hook-sql.test.ts` in their long form. */
import './hook-sql.test.js'
