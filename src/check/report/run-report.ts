/** A report, with further data for the functions that write it. */
import type { Principal } from '../client/principals.js'
import type { Result } from '../verdict.js'
import type { CheckReport } from './report.js'
import type { SarifPlace } from './sarif-log.js'
import type { BaselineState } from './standing.js'

export interface RunReport {
  readonly report: CheckReport
  readonly principals: readonly Principal[]
  readonly started: Date
  readonly ended: Date
  readonly exitCode: number
  /**
   * Returns the state of a violation in the baseline, which is the list of known violations. Absent
   * if there is no baseline.
   */
  readonly standingOf?: (result: Result) => BaselineState | undefined
  /**
   * Returns the position at which the document or the target file describes a collection. `where`
   * is the path template of the collection, such as `/v1/orders`, or `service`.
   */
  readonly placeOf: (where: string) => SarifPlace
  /** The URL of a page with an anchor for each clause. */
  readonly helpBase?: string | undefined
}
