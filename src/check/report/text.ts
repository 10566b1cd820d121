/** A report for a terminal. */
import { clauses } from '../../clauses.js'
import { isGatewayFault, type Result } from '../verdict.js'
import type { CheckReport } from './report.js'
import { breakOf } from './scripts.js'

const width = 100

/** All breaks with their reason, what could not be checked in groups, and the counts. */
export function textOf({ base, requests, results, counts }: CheckReport): string {
  const broken = results.filter((result) => breakOf(result) !== undefined)
  const lines = [
    ...broken.flatMap(brokenLines),
    ...reasons('Could not be checked', results, 'unchecked'),
    ...reasons('Not applicable', results, 'not-applicable'),
    `${base}: ${counts.holds} hold, ${counts.breaks} break, ${counts.flaky} break sometimes, ${counts.unchecked} could not be checked, ${counts['not-applicable']} do not apply (${requests} requests).`,
  ]
  return `${lines.join('\n')}\n`
}

function brokenLines(result: Result): readonly string[] {
  const { check, clause, where, rule, why, fix, outcome } = result
  const found = breakOf(result)
  if (found === undefined) return []
  const rate = outcome.verdict === 'flaky' ? `${outcome.broken} of ${outcome.runs} runs` : ''
  return [
    `${outcome.verdict === 'flaky' ? 'BREAKS SOMETIMES' : 'BREAKS'}  ${check}  ${where}${rate === '' ? '' : `  (${rate})`}`,
    `  rule      ${rule}`,
    `  clause    ${clause}, ${clauses[clause].title}`,
    ...found.evidence.map(({ request, answer }) => `  request   ${request.method} ${request.url} -> ${answer.status}`),
    `  expected  ${found.expected}`,
    `  seen      ${found.seen}`,
    ...(result.direct === undefined ? [] : [`  gateway   ${gatewayText(result)}`]),
    `  why       ${why}`,
    `  fix       ${fix}`,
    '',
  ]
}

/** What the same check without the gateway says. */
const gatewayText = (result: Result): string =>
  isGatewayFault(result)
    ? 'the rule holds without the gateway: its settings are to be changed, not the service'
    : result.direct === 'breaks' || result.direct === 'flaky'
      ? 'the rule breaks without the gateway, too'
      : 'without the gateway the rule could not be checked'

/** What was not decided, each reason once with the checks that it holds for. */
function reasons(
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
    ...[...checks].map(([because, names]) => `  ${because}: ${shortened([...names].join(', '))}`),
    '',
  ]
}

const shortened = (text: string): string => (text.length > width ? `${text.slice(0, width)}...` : text)
