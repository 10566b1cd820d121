/**
 * How many requests of a service execute at once, so that those that have begun are finished in time
 * (ERR-1). Plain data, since every request reads and changes it.
 */

/** Requests that may execute at once, by default. */
export const defaultMaxConcurrent = 1_000

export interface Load {
  /** Requests that may execute at once; `Infinity` is no bound. */
  readonly maxConcurrent: number
  /** Requests that are between the step `execute` and their answer. */
  executing: number
}
