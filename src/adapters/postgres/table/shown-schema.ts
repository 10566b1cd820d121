/**
 * Detects schema changes after which unchanged rows show other values: an enumeration label or a
 * column is renamed, a column is dropped and added again, or another table takes the name of the
 * table. Such a change affects neither the version nor the `xmin` of a row, and the server sends no
 * notification of it. So the catalog is queried from time to time while rows are read, in parallel
 * with the requests.
 */
import type { Database, Wait } from '../connections/client.js'

/** How long the result of a query is valid, in milliseconds from the start of the query. */
const validFor = 2_000
/**
 * After this many milliseconds, the query is sent again, so that its result arrives before the last
 * result expires.
 */
const refreshAfter = 1_000

/**
 * Selects a digest that changes if another table takes the name of the table, if a column changes,
 * or if an enumeration label changes.
 */
const text = `
SELECT encode(sha256(convert_to(concat_ws(';',
  to_regclass($1::text)::oid,
  (SELECT string_agg(concat_ws(':', a.attnum, a.xmin), ',' ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = to_regclass($1::text)),
  (SELECT string_agg(concat_ws(':', e.oid, e.xmin), ',' ORDER BY e.oid) FROM pg_enum e)
), 'UTF8')), 'hex') AS c0`

/** The time limit of the query. No request waits for the query. */
const wait: Wait = { left: () => validFor, signal: undefined }

export class ShownSchema {
  readonly #relation: string
  #epoch = -1
  #state: string | undefined
  #askedAt = Number.NEGATIVE_INFINITY
  #validUntil = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | undefined

  /** `relation` is the quoted name of the table. */
  constructor(relation: string) {
    this.#relation = relation
  }

  /**
   * A number that changes with each detected change of the schema. -1 if the last result has
   * expired. If two statements get the same number, other than -1, they return the same values for
   * an unchanged row. The only exception is a schema change in the last `validFor` milliseconds.
   */
  epoch(database: Database): number {
    const now = performance.now()
    if (now - this.#askedAt > refreshAfter) void this.ask(database)
    return now < this.#validUntil ? this.#epoch : -1
  }

  /**
   * Sends the query, unless it is already in progress. Never rejects: if the query fails, the last
   * result simply expires.
   */
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
