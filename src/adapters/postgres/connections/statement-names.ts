/**
 * The names of the statements that the server keeps prepared. Only repeated statements get a name,
 * and the number of names is limited.
 */
import { createHash } from 'node:crypto'

/** The maximum number of prepared statements per connection. */
const maxNames = 200
/** The maximum number of statement texts that are remembered after their first use. */
const maxSeen = 2_000

/** The names of statement texts. One object of this class serves all connections of a pool. */
export class StatementNames {
  readonly #names = new Map<string, string | undefined>()
  #seen = new Set<string>()

  /**
   * Returns the name of a statement, or `undefined` if the statement is not prepared. A statement
   * gets a name at its second use, so that statements that are used only once take no names.
   */
  of(text: string): string | undefined {
    if (this.#names.has(text) || this.#names.size >= maxNames) return this.#names.get(text)
    if (!this.#seen.has(text)) {
      if (this.#seen.size >= maxSeen) this.#seen = new Set()
      this.#seen.add(text)
      return undefined
    }
    this.#seen.delete(text)
    const name = `rest_${createHash('sha1').update(text).digest('base64url').slice(0, 20)}`
    this.#names.set(text, name)
    return name
  }

  /**
   * Stops preparing a statement. Needed if the server has lost the statement and the driver can't
   * prepare it again under the same name.
   */
  never(text: string): void {
    this.#names.set(text, undefined)
  }
}
