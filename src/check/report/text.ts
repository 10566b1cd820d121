/** Writes a report for a terminal. */

import { clauses } from '../../clauses.js'
import { cutText } from '../../cut-text.js'
import type { Result } from '../verdict.js'
import { breakOf, brokenIn, type CheckReport, gatewayText, rateOf } from './report.js'
import { type BaselineState, standingText } from './standing.js'
import { visibleText } from './visible-text.js'

/** The maximum size of a list of checks in characters. */
const longestList = 100

type StandingOf = (result: Result) => BaselineState | undefined

/**
 * Lists all violations, the checks that are `unchecked` or `not-applicable` (grouped by reason),
 * and the counts. `standingOf` returns the state of a violation in the baseline.
 */
export function textOf(
  { base, requests, results, counts }: CheckReport,
  standingOf: StandingOf = () => undefined,
): string {
  const lines = [
    ...brokenIn(results).flatMap((result) => brokenLines(result, standingOf(result))),
    ...undecided('Could not be checked', results, 'unchecked'),
    ...undecided('Not applicable', results, 'not-applicable'),
    `${base}: ${counts.holds} hold, ${counts.breaks} break, ${counts.flaky} break sometimes, ${counts.unchecked} ` +
      `could not be checked, ${counts['not-applicable']} do not apply (${requests} requests).`,
  ]
  return `${lines.map((line) => visibleText(line.replaceAll('\n', ' '))).join('\n')}\n`
}

function brokenLines(result: Result, standing: BaselineState | undefined): readonly string[] {
  const { check, clause, where, rule, why, fix, outcome } = result
  const found = breakOf(result)
  if (found === undefined) return []
  const gateway = gatewayText(result)
  const notes = [rateOf(outcome), standing === undefined ? undefined : standingText(standing)]
  const brackets = notes.flatMap((note) => (note === undefined ? [] : [`  (${note})`])).join('')
  return [
    `${outcome.verdict === 'flaky' ? 'BREAKS SOMETIMES' : 'BREAKS'}  ${check}  ${where}${brackets}`,
    `  rule      ${rule}`,
    `  clause    ${clause}, ${clauses[clause].title}`,
    ...found.evidence.map(({ request, answer }) => `  request   ${request.method} ${request.url} -> ${answer.status}`),
    `  expected  ${found.expected}`,
    `  seen      ${found.seen}`,
    ...(gateway === undefined ? [] : [`  gateway   ${gateway}`]),
    `  why       ${why}`,
    `  fix       ${fix}`,
    '',
  ]
}

/** Lists each reason once, with the checks that have it. */
function undecided(
  title: string,
  results: readonly Result[],
  verdict: 'unchecked' | 'not-applicable',
): readonly string[] {
  const checks = new Map<string, Set<string>>()
  for (const { check, outcome } of results) {
    if (outcome.verdict !== verdict) continue
    const found = checks.get(outcome.because) ?? new Set()
    checks.set(outcome.because, found.add(check))
  }
  if (checks.size === 0) return []
  return [
    `${title}:`,
    ...[...checks].map(([because, names]) => `  ${because}: ${cutText([...names].join(', '), longestList)}`),
    '',
  ]
}
