/** The contract of stores that count requests, and the options for using them (LIMIT-1). */
import type { Awaitable } from '../adapters/contract.js'

/** The count of a key in its window. */
export interface WindowCount {
  readonly totalHits: number
  /** When the window ends. */
  readonly resetTime: Date | undefined
}

/**
 * A store of counters, one for each key. The window of a key begins with its first count. All
 * windows have the same length. Compatible with the stores of `express-rate-limit`, such as
 * `RedisStore` of `rate-limit-redis`. A store reports failures by exceptions or rejections. A store
 * that fails or does not respond is not used until it recovers.
 */
export interface LimitStore {
  /**
   * Called when the service is built, and again by each probe of a store that is down. `windowMs`
   * is in milliseconds.
   */
  init?(options: { readonly windowMs: number }): Awaitable<void>
  /** Adds 1 to the count of a key, and returns the count. */
  increment(key: string): Awaitable<WindowCount>
  /** Subtracts 1 from the count of a key. */
  decrement(key: string): Awaitable<void>
  /** Removes a key. */
  resetKey(key: string): Awaitable<void>
  /**
   * The current count of a key. If the key has no count, the result is `undefined`, or an object
   * whose `totalHits` is not a positive number. `login` requires this method.
   */
  get?(key: string): Awaitable<WindowCount | undefined>
}

/** A past outage of a store. */
export interface StoreOutage {
  /**
   * One sentence for a log, such as
   * `Rate limits were off for 12.3 seconds, because the store of rateLimit() was down.`
   */
  readonly message: string
  /** Milliseconds from the failure until the store worked again. */
  readonly duration: number
}

/** The store of a limit, and the handling of its outages. */
export interface StoreOptions {
  /**
   * Creates one store for each limit, such as a budget, when the service is built. `name` is the
   * name of the limit. Use it as the prefix of the keys, so that no two stores share a key.
   * Processes that use the same database, such as one Redis, share one limit. Default: stores in
   * this process, each with at most 100,000 keys.
   */
  readonly store?: (name: string) => LimitStore
  /** Milliseconds that a store may take to respond before it is considered down. Default 500. */
  readonly storeTimeout?: number
  /**
   * Called once at the start of each outage, when the store fails or does not respond in time
   * (LIMIT-1). Exceptions and rejections of the callback are written to `console.error`. Default:
   * the error is written to `console.error`.
   */
  readonly onStoreFailure?: (error: unknown) => void
  /**
   * Called once at the end of each outage, with its duration (LIMIT-1). Exceptions and rejections
   * of the callback are written to `console.error`. Default: the message is written to
   * `console.error`.
   */
  readonly onStoreRecovery?: (outage: StoreOutage) => void
}

/** A number of requests per window. */
export interface Quota {
  /** The maximum number of requests per window. */
  readonly limit: number
  /** The length of a window in milliseconds. */
  readonly window: number
}
