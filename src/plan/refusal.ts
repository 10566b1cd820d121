/** How much a problem tells of what is wrong: an answer must not be much larger than its question (ERR-3). */
import type { Violation } from '../problem.js'

/** A body with thousands of mistakes gets the first of them. */
export const mostViolations = 100

/** So does a query, whose text is shorter by far. */
export const mostQueryViolations = 50

/** The `detail` of a problem: the first three violations, and how many more there are. */
export function summaryOf(found: readonly Violation[]): string {
  const told = found.slice(0, 3).map((violation) => violation.detail)
  return `${told.join(' ')}${found.length > 3 ? ` And ${found.length - 3} more.` : ''}`
}
