/**
 * The number of requests that a service executes concurrently. The number is limited, so that the
 * executing requests can finish in time (ERR-1). For speed, the number is kept in a plain object,
 * because nearly every request reads and changes it.
 */

/** The default maximum number of concurrently executing requests. */
export const defaultMaxConcurrent = 1_000

export interface Load {
  /** The maximum number of concurrently executing requests; `Infinity` if there is no limit. */
  readonly maxConcurrent: number
  /**
   * The number of executing requests. A request counts from the step `execute`, which calls the
   * adapter or the handler, until its response is ready to be sent. An export counts until its last
   * row is written or the export is interrupted.
   */
  executing: number
}
