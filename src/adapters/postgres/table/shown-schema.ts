/**
 * Detects schema changes that change shown values without writing rows: a renamed enumeration label
 * or column, a column that is dropped and added again, another table with the same name. They
 * change neither the version nor the `xmin` of a row, and the server sends no notification. So the
 * catalog is queried from time to time, in parallel with requests, while rows are read.
 */
import type { Database, Wait } from '../connections/client.js'

/** Milliseconds for which an answer is valid, from the time of its query. */
const validFor = 2_000
/** Milliseconds after which the query is repeated, so that the next answer arrives in time. */
const refreshAfter = 1_000

/** The table that has the name, and the last change of each of its columns and of all labels. */
const text = `
SELECT encode(sha256(convert_to(concat_ws(';',
  to_regclass($1::text)::oid,
  (SELECT string_agg(concat_ws(':', a.attnum, a.xmin), ',' ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = to_regclass($1::text)),
  (SELECT string_agg(concat_ws(':', e.oid, e.xmin), ',' ORDER BY e.oid) FROM pg_enum e)
), 'UTF8')), 'hex') AS c0`

/** The time limit of the query, for which no caller waits. */
const wait: Wait = { left: () => validFor, signal: undefined }

export class ShownSchema {
  readonly #relation: string
  #epoch = -1
  #state: string | undefined
  #askedAt = Number.NEGATIVE_INFINITY
  #validUntil = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | undefined

  /** `relation`: the name of the table, quoted. */
  constructor(relation: string) {
    this.#relation = relation
  }

  /**
   * A number that changes with each detected change, or -1 if the last answer has expired. Two
   * statements that read one row show the same values if this was the same number before both of
   * them and after the first.
   */
  epoch(database: Database): number {
    const now = performance.now()
    if (now - this.#askedAt > refreshAfter) void this.ask(database)
    return now < this.#validUntil ? this.#epoch : -1
  }

  /** Sends the query. Never rejects: without an answer the state expires. */
  ask(database: Database): Promise<void> {
    const askedAt = performance.now()
    this.#askedAt = askedAt
    this.#asking ??= database
      .query(text, [this.#relation], wait)
      .then(
        ([row]) => {
          const state = row?.c0 ?? undefined
          if (state === undefined) return
          if (state !== this.#state) this.#epoch += 1
          this.#state = state
          this.#validUntil = askedAt + validFor
        },
        () => undefined,
      )
      .finally(() => {
        this.#asking = undefined
      })
    return this.#asking
  }
}
