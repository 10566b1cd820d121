/** Where requests are counted: what a store must do, and the options that every limit has about it (LIMIT-1). */
import type { Answer } from '../adapters/contract.js'

/** How often a key has been counted in its window. */
export interface Hits {
  readonly totalHits: number
  /** When the window ends. */
  readonly resetTime: Date | undefined
}

/**
 * A store of counters with one fixed window, as `express-rate-limit` has it: its stores fit, such as `RedisStore` of `rate-limit-redis`. What it can't do it throws or
 * rejects, and a store that does not answer is left alone until it does. A window begins with the first count of a key and ends by itself.
 */
export interface LimitStore {
  /** Called before the first count, and again after each outage. `windowMs`: milliseconds. */
  init?(options: { readonly windowMs: number }): Answer<void>
  /** Counts one. */
  increment(key: string): Answer<Hits>
  /** Takes one back. */
  decrement(key: string): Answer<void>
  /** Forgets the key. */
  resetKey(key: string): Answer<void>
  /** The count as it is; `login` needs it. No hits, or `undefined`, where there is none. */
  get?(key: string): Answer<Hits | undefined>
}

/** Where a limit is counted, and what happens while that place is down. */
export interface StoreOptions {
  /**
   * Makes a store for each counter, once, when the service is built; `name` keeps their keys apart. Processes that are given the same store share one limit.
   * Default: in this process, the last 100,000 keys of each counter.
   */
  readonly store?: (name: string) => LimitStore
  /** Milliseconds that a store may take to answer before it counts as down. Default 500. */
  readonly storeTimeout?: number
  /** Hears once of each outage of the store. What it throws is its own affair. Default `console.error`. */
  readonly onStoreFailure?: (error: unknown) => void
}

/** How many in how long. */
export interface Limit {
  /** How many a window. */
  readonly limit: number
  /** Milliseconds of a window. */
  readonly window: number
}
