/** What a plain adapter keeps. */
import type { Row } from '../../src/testing/index.js'

export interface Item {
  readonly value: Row
  readonly version: string
}

/** What a scope is applied by. */
export type ScopedMethod = 'list' | 'count' | 'read' | 'replace' | 'remove' | 'attach' | 'detach'

/** Several adapters may share one. */
export class Store {
  readonly rows = new Map<string, Item>()
  /** Parent -> keys of what is attached to it. */
  readonly sets = new Map<string, Set<string>>()
  versions = 0
  lastNumber = 0
}
