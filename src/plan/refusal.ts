/**
 * Limits the number of violations in a problem, because a response must not be much larger than its
 * request (ERR-3).
 */
import type { Violation } from '../problem.js'

/** Maximum number of violations reported for a body. */
export const maxViolations = 100

/** Maximum number of violations reported for a query, which is much shorter than a body. */
export const maxQueryViolations = 50

/** The `detail` of a problem: the first three violations, and the number of further violations. */
export function summaryOf(found: readonly Violation[]): string {
  const details = found.slice(0, 3).map((violation) => violation.detail)
  return `${details.join(' ')}${found.length > 3 ? ` And ${found.length - 3} more.` : ''}`
}
