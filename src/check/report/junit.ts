/**
 * Writes a report as JUnit XML, with a test suite for each collection and one for the service as a
 * whole. Each result becomes a test case.
 */
import { clauses } from '../../clauses.js'
import type { Result } from '../verdict.js'
import { junitXml, type TestCase } from './junit-xml.js'
import type { CheckReport } from './report.js'
import { breakOf, gatewayText, rateOf } from './report.js'

/**
 * Writes a report as JUnit XML. `isAccepted` returns whether a baseline accepts a violation. An
 * accepted violation becomes a skipped test case. By default, no violation is accepted.
 */
export const junitOf = (
  { base, results }: CheckReport,
  isAccepted: (result: Result) => boolean = () => false,
): string =>
  junitXml(
    base,
    results.map((result) => caseOf(result, isAccepted(result))),
  )

function caseOf(result: Result, isAccepted: boolean): TestCase {
  const { check: name, where: group, clause, fix, outcome } = result
  const found = breakOf(result)
  if (found === undefined)
    return { name, group, ...('because' in outcome ? { skipped: `${outcome.verdict}: ${outcome.because}` } : {}) }
  const rate = rateOf(outcome)
  const message = `expected ${found.expected}; seen ${found.seen}${rate === undefined ? '' : ` (${rate})`}`
  if (isAccepted) return { name, group, skipped: `accepted by the baseline: ${message}` }
  const requests = found.evidence.map(({ request, answer }) => `${request.method} ${request.url} -> ${answer.status}`)
  const gateway = gatewayText(result)
  return {
    name,
    group,
    failure: {
      message,
      text: [
        `${clause}: ${clauses[clause].text}`,
        ...requests,
        ...(gateway === undefined ? [] : [`Gateway: ${gateway}`]),
        `Fix: ${fix}`,
      ].join('\n'),
    },
  }
}
