/**
 * Keeps the records that were created by requests with an `Idempotency-Key`, in their original
 * state. A retry of such a request then gets the kept record (VERB-12).
 */
import type { AdapterCall, Repeated, Stored } from '../contract.js'
import type { Row } from './entry.js'

/** How many created records are kept for retries, and for how long. */
export interface MemoryIdempotencyOptions {
  /** How long a retry is recognized, in seconds. Default 86,400 (a day). */
  readonly ttl?: number
  /**
   * The maximum number of kept records. If there are more, the oldest are dropped. Default 10,000.
   */
  readonly max?: number
}

interface Kept {
  readonly fingerprint: string
  readonly stored: Stored<Row>
  /** When the record expires, as a time of `performance.now()`. */
  readonly until: number
}

/** Kept records in the order of creation, which is also the order of expiry. */
export class KeptRecords {
  readonly #kept = new Map<string, Kept>()
  readonly #ttl: number
  readonly #max: number

  constructor({ ttl = 86_400, max = 10_000 }: MemoryIdempotencyOptions) {
    this.#ttl = ttl * 1_000
    this.#max = max
  }

  /**
   * Returns the record that is kept under the call's idempotency id, or `'mismatched'` if that
   * record was kept with a different fingerprint. Returns `undefined` if no record is kept, or if
   * the call has no idempotency id.
   */
  found({ idempotency }: AdapterCall): Stored<Row> | Repeated | undefined {
    if (idempotency === undefined) return undefined
    const kept = this.#kept.get(idempotency.id)
    if (kept === undefined || kept.until <= performance.now()) return undefined
    return kept.fingerprint === idempotency.fingerprint ? kept.stored : 'mismatched'
  }

  keep({ idempotency }: AdapterCall, stored: Stored<Row>): void {
    if (idempotency === undefined) return
    const now = performance.now()
    this.#kept.delete(idempotency.id)
    this.#kept.set(idempotency.id, { fingerprint: idempotency.fingerprint, stored, until: now + this.#ttl })
    for (const [id, { until }] of this.#kept) {
      if (until > now && this.#kept.size <= this.#max) return
      this.#kept.delete(id)
    }
  }
}
