/** What creates with an `Idempotency-Key` made, as it was then, for repeats to come (VERB-12). */
import type { AdapterCall, Repeated, Stored } from '../contract.js'
import type { Row } from './entry.js'

/** How much is kept for repeats, and how long. */
export interface MemoryIdempotencyOptions {
  /** Seconds for which a repeat is known. Default 86,400: a day. */
  readonly ttl?: number
  /** The most creates that are known; beyond, the oldest are forgotten. Default 10,000. */
  readonly most?: number
}

interface Kept {
  readonly fingerprint: string
  readonly stored: Stored<Row>
  /** By a clock that nobody sets. */
  readonly until: number
}

/** In the order in which they were made, which is the one in which they end. */
export class KeptRecords {
  readonly #kept = new Map<string, Kept>()
  readonly #ttl: number
  readonly #most: number

  constructor({ ttl = 86_400, most = 10_000 }: MemoryIdempotencyOptions) {
    this.#ttl = ttl * 1_000
    this.#most = most
  }

  /** What is kept for a call; `undefined` where nothing is, or it has no key. */
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
      if (until > now && this.#kept.size <= this.#most) return
      this.#kept.delete(id)
    }
  }
}
