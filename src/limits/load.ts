/** How many requests of a service execute at once. Plain data, since every request reads and changes it. */

/** Requests that may execute at once, unless a service says otherwise. */
export const defaultMaxConcurrent = 1_000

export interface Load {
  /** Requests that may execute at once; `Infinity` is no bound. */
  readonly most: number
  /** Requests that are between the step `execute` and their answer. */
  executing: number
}
