/**
 * The number of requests that a service executes concurrently. The number is limited, so that each
 * request that was started can finish in time (ERR-1). The number is kept in a plain object for
 * speed, because every request reads and changes it.
 */

/** The default maximum number of concurrently executing requests. */
export const defaultMaxConcurrent = 1_000

export interface Load {
  /** The maximum number of concurrently executing requests; `Infinity` if there is no limit. */
  readonly maxConcurrent: number
  /**
   * The number of executing requests. A request counts from the step `execute`, which calls the
   * adapter or the handler, until its response.
   */
  executing: number
}
