/** Statement texts that come again as the very same strings: a long text that is put together anew is hashed and compared anew by whoever looks it up. */

import { RecentMap } from '../../../recent-map.js'

/** Characters of what varies in a text that is kept. */
const longest = 2_000

/** Statements that vary in their middle alone. */
export class StatementTexts {
  readonly #before: string
  readonly #after: string
  readonly #texts = new RecentMap<string, string>(500)

  constructor(before: string, after = '') {
    this.#before = before
    this.#after = after
  }

  of(middle: string): string {
    const known = this.#texts.get(middle)
    if (known !== undefined) return known
    const text = `${this.#before}${middle}${this.#after}`
    if (middle.length > longest) return text
    this.#texts.set(middle, text)
    return text
  }
}
