/** The data of `PlainAdapter`, the second reference adapter of the tests. */
import type { Row } from '../../src/testing/index.js'

export interface Item {
  readonly value: Row
  readonly version: string
}

export interface Kept {
  readonly fingerprint: string
  readonly item: Item
}

/** The operations that select records by the scope. */
export type ScopedMethod = 'list' | 'count' | 'read' | 'replace' | 'remove' | 'attach' | 'detach'

/** The data of a `PlainAdapter`. Several adapters may share one store. */
export class Store {
  readonly rows = new Map<string, Item>()
  /** The keys of the attached records, by parent. */
  readonly sets = new Map<string, Set<string>>()
  /** The stored results of creates, by idempotency id. */
  readonly kept = new Map<string, Kept>()
  versions = 0
  lastNumber = 0
}
