/** Statement texts that come again as the very same strings: a long text that is put together anew is hashed and compared anew by whoever looks it up. */

/** Texts kept of one kind. */
const mostTexts = 500
/** Characters of what varies in a text that is kept. */
const longest = 2_000

/** Statements that vary in their middle alone. */
export class Texts {
  readonly #before: string
  readonly #after: string
  readonly #texts = new Map<string, string>()

  constructor(before: string, after = '') {
    this.#before = before
    this.#after = after
  }

  of(middle: string): string {
    const known = this.#texts.get(middle)
    if (known !== undefined) return known
    const text = `${this.#before}${middle}${this.#after}`
    if (middle.length > longest) return text
    if (this.#texts.size >= mostTexts) this.#texts.clear()
    this.#texts.set(middle, text)
    return text
  }
}
