/**
 * Writes a report as SARIF. SARIF viewers show a result at a line of a file, so each result points
 * to the line of the OpenAPI document or target file that describes the path. The path itself is
 * the logical location. `webRequest` and `webResponse` contain the last request of the evidence and
 * its response.
 */
import { clauses } from '../../clauses.js'
import type { Exchange } from '../client/exchange.js'
import type { Result } from '../verdict.js'
import { libraryFixes } from './library-fixes.js'
import { breakOf, brokenIn, gatewayText, rateOf } from './report.js'
import type { RunReport } from './run-report.js'
import { type SarifFinding, type SarifRule, sarifText, type WebExchange } from './sarif-log.js'
import { byName, shownExchange } from './shown.js'
import { sarifStanding } from './standing.js'

export function sarifOf(run: RunReport): string {
  const { report, helpBase, started, ended, exitCode } = run
  const { base, results, counts, requests } = report
  const ids = [...new Set(results.map(({ clause }) => clause))]
  return sarifText({
    command: 'check',
    subject: base,
    rules: ids.map((id): SarifRule => ({ id, title: clauses[id].title, text: clauses[id].text })),
    helpBase,
    findings: brokenIn(results).map((result) => findingOf(result, run)),
    notes: results.flatMap(({ check, where, outcome }) =>
      outcome.verdict === 'unchecked' ? [`${check} at ${where} could not be checked: ${outcome.because}`] : [],
    ),
    started,
    ended,
    exitCode,
    properties: { base, requests, counts },
  })
}

function findingOf(result: Result, { principals, standingOf, placeOf }: RunReport): SarifFinding {
  const { check, where, clause, rule, why, fix, outcome } = result
  const found = breakOf(result)
  if (found === undefined) throw new TypeError(`${check} at ${where} has no violation.`)
  const rate = rateOf(outcome)
  const gateway = gatewayText(result)
  const requests = found.evidence.map(({ request, answer }) => `${request.method} ${request.url} -> ${answer.status}`)
  const standing = standingOf?.(result)
  const text = [
    `${where}: expected ${found.expected}; seen ${found.seen}${rate === undefined ? '' : ` (${rate})`}.`,
    `Rule: ${rule}`,
    ...requests,
    ...(gateway === undefined ? [] : [`Gateway: ${gateway}`]),
    `Fix: ${fix}`,
    `With express-rest-conventions: ${libraryFixes[clause]}`,
  ].join('\n')
  return {
    ruleId: clause,
    level: outcome.verdict === 'flaky' ? 'warning' : 'error',
    message: { text },
    place: placeOf(where),
    part: where,
    identity: [check, where],
    ...(standing === undefined ? {} : { standing: sarifStanding(standing) }),
    exchange: webExchangeOf(found.evidence.at(-1) as Exchange, principals),
    properties: { check, rule, why, fix, requests },
  }
}

function webExchangeOf(exchange: Exchange, principals: RunReport['principals']): WebExchange {
  const { request, answer } = shownExchange(exchange, byName(principals))
  const { protocol } = new URL(request.url)
  return {
    webRequest: {
      protocol: protocol.replace(':', ''),
      version: '1.1',
      target: request.url.replace(/^[a-z]+:\/\/[^/]*/, ''),
      method: request.method,
      headers: request.headers,
      ...(request.body === undefined ? {} : { body: { text: request.body } }),
    },
    webResponse: { statusCode: answer.status, headers: answer.headers, body: { text: answer.body } },
  }
}
