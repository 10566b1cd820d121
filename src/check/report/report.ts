/** The report of a run, and functions that read it. */
import { type Break, isGatewayFault, type Outcome, type Result, type Verdict } from '../verdict.js'
import type { Leftover } from '../write/cleanup.js'

/** The number of results with each verdict. */
type Counts = Readonly<Record<Verdict, number>>

export interface CheckReport {
  readonly base: string
  /** The number of sent requests. */
  readonly requests: number
  readonly counts: Counts
  readonly results: readonly Result[]
  /** Records that were created and could not be removed. */
  readonly left: readonly Leftover[]
  /** False if a check found a violation, even if only in some of its runs. */
  readonly ok: boolean
}

export function reportOf(
  base: string,
  requests: number,
  results: readonly Result[],
  left: readonly Leftover[],
): CheckReport {
  const counts = { holds: 0, breaks: 0, flaky: 0, 'not-applicable': 0, unchecked: 0 }
  for (const { outcome } of results) counts[outcome.verdict] += 1
  return { base, requests, counts, results, left, ok: counts.breaks + counts.flaky === 0 }
}

/** The violation that a result reports, if there is one. */
export const breakOf = ({ outcome }: Result): Break | undefined =>
  outcome.verdict === 'breaks' || outcome.verdict === 'flaky' ? outcome : undefined

/** The results of checks that found a violation, in all of their runs or in some. */
export const brokenIn = (results: readonly Result[]): readonly Result[] =>
  results.filter((result) => breakOf(result) !== undefined)

/**
 * How often a rule was broken, such as `2 of 3 runs`. `undefined` if the rule was broken in all
 * runs or in none.
 */
export const rateOf = (outcome: Outcome): string | undefined =>
  outcome.verdict === 'flaky' ? `${outcome.broken} of ${outcome.runs} runs` : undefined

/**
 * Describes how the check of a result ended when it was run again without the gateway. `undefined`
 * if it was not run again.
 */
export function gatewayText(result: Result): string | undefined {
  if (result.direct === undefined) return undefined
  if (isGatewayFault(result))
    return 'the rule holds without the gateway: change the settings of the gateway, not the service'
  return result.direct === 'breaks' || result.direct === 'flaky'
    ? 'the rule is also broken without the gateway'
    : 'without the gateway the rule could not be checked'
}
