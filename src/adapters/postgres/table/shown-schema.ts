/**
 * Changes of the schema that show other values of rows which nobody writes: an enumeration's label
 * or a column gets another name, a column is dropped and added again, another table gets the name.
 * Neither the version nor `xmin` of a row tells, and the server sends nothing. So the catalog is
 * asked now and then, beside the requests, while rows are read.
 */
import type { Database, Wait } from '../connections/client.js'

/** Milliseconds for which an answer is believed, from when it was asked for. */
const believedFor = 2_000
/** Milliseconds after which it is asked for again, so that it is there in time. */
const askedAfter = 1_000

/** Which table has the name, and the last change of each of its columns and of all labels. */
const text = `
SELECT encode(sha256(convert_to(concat_ws(';',
  to_regclass($1::text)::oid,
  (SELECT string_agg(concat_ws(':', a.attnum, a.xmin), ',' ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = to_regclass($1::text)),
  (SELECT string_agg(concat_ws(':', e.oid, e.xmin), ',' ORDER BY e.oid) FROM pg_enum e)
), 'UTF8')), 'hex') AS c0`

/** No caller waits for the answer. */
const wait: Wait = { left: () => believedFor, signal: undefined }

export class ShownSchema {
  readonly #relation: string
  #epoch = -1
  #state: string | undefined
  #askedAt = Number.NEGATIVE_INFINITY
  #believedUntil = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | undefined

  /** `relation`: the name of the table, quoted. */
  constructor(relation: string) {
    this.#relation = relation
  }

  /**
   * A number that is another one after each change that was seen; -1 where the last answer is too
   * old. What two statements show of one row is the same where this was the same number before both
   * of them, and after the first.
   */
  epoch(database: Database): number {
    const now = performance.now()
    if (now - this.#askedAt > askedAfter) void this.ask(database)
    return now < this.#believedUntil ? this.#epoch : -1
  }

  /** Asks. Never rejects: without an answer, nothing is believed. */
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
          this.#believedUntil = askedAt + believedFor
        },
        () => undefined,
      )
      .finally(() => {
        this.#asking = undefined
      })
    return this.#asking
  }
}
