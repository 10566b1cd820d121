/** Removes credentials from reports, because a service may repeat them in a response. */
import { header } from '../../wire.js'
import { Answer, type Exchange } from '../client/exchange.js'
import { type Account, alteredLength, basicOf, type Principal } from '../client/principals.js'
import type { Evidence, Outcome, Result } from '../verdict.js'
import type { CheckReport } from './report.js'

/** The string that replaces a secret. */
const hidden = '(hidden)'

/** Response header fields that carry credentials. */
const credentialFields: ReadonlySet<string> = new Set(['set-cookie', header.token])

/**
 * The minimum length of a secret that is replaced, in characters. A shorter string could also occur
 * by chance in ordinary text.
 */
const shortestSecret = 8

/**
 * Returns the report with `hidden` in place of each secret in responses and in the texts of
 * results. The secrets are the tokens of the principals, the password of the account, its Basic
 * credentials, and the values of `credentialFields`.
 */
export function withoutSecrets(
  report: CheckReport,
  principals: readonly Principal[],
  account: Account | undefined,
): CheckReport {
  // The beginning of each token is replaced too, because an altered token begins like the real
  // token.
  const tokens = principals.flatMap(({ token }) => [token, token.slice(0, -alteredLength)])
  const credentials = account === undefined ? [] : [account.password, basicOf(account).replace(/^Basic /, '')]
  const secrets = [...tokens, ...credentials].filter((text) => text.length >= shortestSecret)
  const clean = (text: string): string => secrets.reduce((left, secret) => left.replaceAll(secret, hidden), text)
  return { ...report, results: report.results.map((result) => cleanResult(result, clean)) }
}

type Clean = (text: string) => string

const cleanResult = (result: Result, clean: Clean): Result => ({
  ...result,
  outcome: cleanOutcome(result.outcome, clean),
})

function cleanOutcome(outcome: Outcome, clean: Clean): Outcome {
  if ('because' in outcome) return { ...outcome, because: clean(outcome.because) }
  if (outcome.verdict === 'holds') return outcome
  const { expected, seen, evidence, trace } = outcome
  // The evidence and the trace contain the same objects, and scripts find the evidence in the trace
  // by identity. So each exchange is replaced only once.
  const replaced = new Map<Exchange, Exchange>()
  const replace = (exchange: Exchange): Exchange => {
    const next = replaced.get(exchange) ?? cleanExchange(exchange, clean)
    replaced.set(exchange, next)
    return next
  }
  return {
    ...outcome,
    expected: clean(expected),
    seen: clean(seen),
    evidence: evidence.map(replace) as unknown as Evidence,
    ...(trace === undefined ? {} : { trace: { ...trace, exchanges: trace.exchanges.map(replace) } }),
  }
}

function cleanExchange(exchange: Exchange, clean: Clean): Exchange {
  const { status, fields, body } = exchange.answer
  const cleaned = fields.map(([name, value]) => [name, credentialFields.has(name) ? hidden : clean(value)] as const)
  return { ...exchange, answer: new Answer(status, new Map(cleaned), clean(body)) }
}
