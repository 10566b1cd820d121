/**
 * The number of requests that a service executes concurrently. It is limited so that started
 * requests finish in time (ERR-1). Plain data, since every request reads and changes it.
 */

/** The default maximum of concurrently executing requests. */
export const defaultMaxConcurrent = 1_000

export interface Load {
  /** The maximum of concurrently executing requests; `Infinity`: unlimited. */
  readonly maxConcurrent: number
  /** Requests between the step `execute` and their response. */
  executing: number
}
