/** Which statements a server is asked to keep prepared: those that come again, and never more than a bounded number. */
import { createHash } from 'node:crypto'

/** Prepared statements a connection keeps at most. */
const mostNames = 200
/** Texts whose first coming is remembered. */
const mostSeen = 2_000

/** Names for the texts that are worth one. One registry serves all connections of a pool. */
export class StatementNames {
  readonly #names = new Map<string, string | undefined>()
  #seen = new Set<string>()

  /** The name under which a text is kept prepared, or `undefined` while it is not. A text gets one when it comes again, so that what comes but once uses up none. */
  of(text: string): string | undefined {
    if (this.#names.has(text) || this.#names.size >= mostNames) return this.#names.get(text)
    if (!this.#seen.has(text)) {
      if (this.#seen.size >= mostSeen) this.#seen = new Set()
      this.#seen.add(text)
      return undefined
    }
    this.#seen.delete(text)
    const name = `rest_${createHash('sha1').update(text).digest('base64url').slice(0, 20)}`
    this.#names.set(text, name)
    return name
  }

  /** Where a name can't be prepared anew, its text goes on without one. */
  never(text: string): void {
    this.#names.set(text, undefined)
  }
}
