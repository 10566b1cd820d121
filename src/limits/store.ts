/** Where requests are counted: what a store must do, and the options that every limit has about it (LIMIT-1). */
import type { Awaitable } from '../adapters/contract.js'

/** How often a key has been counted in its window. */
export interface WindowCount {
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
  init?(options: { readonly windowMs: number }): Awaitable<void>
  /** Counts one. */
  increment(key: string): Awaitable<WindowCount>
  /** Takes one back. */
  decrement(key: string): Awaitable<void>
  /** Forgets the key. */
  resetKey(key: string): Awaitable<void>
  /** The count as it is; `login` needs it. No hits, or `undefined`, where there is none. */
  get?(key: string): Awaitable<WindowCount | undefined>
}

/** An outage of a store that has ended. */
export interface StoreOutage {
  /**
   * One sentence for a log, such as
   * `Rate limits were off for 12.3 seconds: the store of rateLimit() did not count.`
   */
  readonly message: string
  /** Milliseconds from the failure until the store counted again. */
  readonly duration: number
}

/** Where a limit is counted, and what happens while that place is down. */
export interface StoreOptions {
  /**
   * Makes a store for each counter, once, when the service is built; `name` keeps their keys apart.
   * Processes that are given the same store share one limit. Default: in this process, the last
   * 100,000 keys of each counter.
   */
  readonly store?: (name: string) => LimitStore
  /** Milliseconds that a store may take to answer before it counts as down. Default 500. */
  readonly storeTimeout?: number
  /**
   * Called once when the store fails or stops answering (LIMIT-1). Exceptions and rejections of the
   * callback go to `console.error`. Default: `console.error` of the error.
   */
  readonly onStoreFailure?: (error: unknown) => void
  /**
   * Called once when the store counts again after a failure, with how long it did not (LIMIT-1).
   * Exceptions and rejections of the callback go to `console.error`. Default: `console.error` of
   * the message.
   */
  readonly onStoreRecovery?: (outage: StoreOutage) => void
}

/** How many in how long. */
export interface Quota {
  /** How many a window. */
  readonly limit: number
  /** Milliseconds of a window. */
  readonly window: number
}
