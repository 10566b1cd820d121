/** Writes a report as JSON, without tokens. */
import { clauses } from '../../clauses.js'
import type { Principal } from '../client/principals.js'
import type { Result } from '../verdict.js'
import { breakOf, type CheckReport } from './report.js'
import { byName, shownExchange } from './shown.js'

export function jsonOf(report: CheckReport, principals: readonly Principal[]): string {
  const known = byName(principals)
  const shown = ({ outcome, ...rest }: Result): object => {
    const { text } = clauses[rest.clause]
    const found = breakOf({ outcome, ...rest })
    if (found === undefined) return { ...rest, text, ...outcome }
    const evidence = found.evidence.map((exchange) => shownExchange(exchange, known))
    // `sign` and `trace` are left out, because only scripts use them.
    return { ...rest, text, ...outcome, evidence, sign: undefined, trace: undefined }
  }
  return `${JSON.stringify({ ...report, results: report.results.map(shown) }, undefined, 2)}\n`
}
