/** What `joined-links.test.ts` tries, many times as often. */
import './joined-links.test.js'
