/** The data of a plain adapter. */
import type { Row } from '../../src/testing/index.js'

export interface Item {
  readonly value: Row
  readonly version: string
}

export interface Kept {
  readonly fingerprint: string
  readonly item: Item
}

/** The conditions of a scope. */
export type ScopedMethod = 'list' | 'count' | 'read' | 'replace' | 'remove' | 'attach' | 'detach'

/** Several adapters may share one. */
export class Store {
  readonly rows = new Map<string, Item>()
  /** Parent -> keys of what is attached to it. */
  readonly sets = new Map<string, Set<string>>()
  /** Idempotency keys, by id. */
  readonly kept = new Map<string, Kept>()
  versions = 0
  lastNumber = 0
}
