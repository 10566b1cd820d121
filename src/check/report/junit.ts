/** A report as JUnit XML, which build servers show test by test. */
import { clauses } from '../../clauses.js'
import { isGatewayFault, type Result } from '../verdict.js'
import type { CheckReport } from './report.js'
import { breakOf } from './scripts.js'

/** A suite for each collection, a case for each check. */
export function junitOf({ base, results, counts }: CheckReport): string {
  const places = [...new Set(results.map(({ where }) => where))]
  const suites = places.map((place) => {
    const own = results.filter(({ where }) => where === place)
    const failures = own.filter((one) => breakOf(one) !== undefined).length
    const skipped = own.filter(
      ({ outcome }) => outcome.verdict === 'unchecked' || outcome.verdict === 'not-applicable',
    ).length
    const cases = own.map(caseOf).join('')
    return `<testsuite name="${escaped(place)}" tests="${own.length}" failures="${failures}" skipped="${skipped}">${cases}\n</testsuite>`
  })
  const head = `<testsuites name="${escaped(base)}" tests="${results.length}" failures="${counts.breaks + counts.flaky}">`
  return `<?xml version="1.0" encoding="UTF-8"?>\n${head}\n${suites.join('\n')}\n</testsuites>\n`
}

function caseOf(result: Result): string {
  const { check, where, clause, fix, outcome } = result
  const start = `\n<testcase name="${escaped(check)}" classname="${escaped(where)}"`
  const found = breakOf(result)
  if (found !== undefined) {
    const rate = outcome.verdict === 'flaky' ? ` (${outcome.broken} of ${outcome.runs} runs)` : ''
    const message = `expected ${found.expected}; seen ${found.seen}${rate}`
    const requests = found.evidence.map(({ request, answer }) => `${request.method} ${request.url} -> ${answer.status}`)
    const gateway = isGatewayFault(result) ? ['The rule holds without the gateway.'] : []
    const text = [`${clause}: ${clauses[clause].text}`, ...requests, ...gateway, `Fix: ${fix}`].join('\n')
    return `${start}><failure message="${escaped(message)}">${escaped(text)}</failure></testcase>`
  }
  if ('because' in outcome)
    return `${start}><skipped message="${escaped(`${outcome.verdict}: ${outcome.because}`)}"/></testcase>`
  return `${start}/>`
}

/** Characters that XML can not hold become spaces. */
const escaped = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 holds none of them.
  text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, ' ').replace(/[&<>"\n]/g, (one) => `&#${one.charCodeAt(0)};`)
