/** Builds statements that have the same beginning and end, and differ only in the middle. */
export class StatementTexts {
  readonly #before: string
  readonly #after: string

  constructor(before: string, after = '') {
    this.#before = before
    this.#after = after
  }

  of(middle: string): string {
    return `${this.#before}${middle}${this.#after}`
  }
}
