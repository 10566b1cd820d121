/**
 * Rules that are checked for all responses of a run, with functions that the middleware `observe()`
 * also uses.
 */

import type { ClauseId } from '../../clauses.js'
import { parseQueryString } from '../../http/query-string.js'
import { splitTarget } from '../../http/targets.js'
import { type JudgedAnswer, judge } from '../../observe/rules.js'
import { header } from '../../wire.js'
import type { Exchange } from '../client/exchange.js'
import { breaks, holds, type Outcome, type Result, unscripted } from '../verdict.js'

interface AnswerRule {
  readonly id: `${ClauseId}/${string}`
  readonly rule: string
  readonly why: string
  readonly fix: string
  /** Whether the rule applies to a response. */
  readonly applies: (exchange: Exchange) => boolean
  readonly expected: string
  /**
   * Whether the rule is broken only after many requests, such as the requests that exceed a rate
   * limit. No script is written for such a violation.
   */
  readonly needsMany?: true
  /** The reason that reports give if the rule applies to no response of the run. */
  readonly otherwise: string
}

const rules: readonly AnswerRule[] = [
  {
    id: 'ERR-1/statuses',
    rule: 'Every status is one that the conventions use, and a 503 has `Retry-After`.',
    why: 'Clients handle a few statuses, each with one meaning.',
    fix: 'Answer with the status that the conventions define for the case.',
    applies: () => true,
    expected: 'a status of the conventions',
    otherwise: 'there was no response',
  },
  {
    id: 'LIMIT-1/retry-after',
    rule: 'A 429 has `Retry-After`.',
    why: 'Clients wait for the time in `Retry-After` instead of retrying at once.',
    fix: 'Send Retry-After with every 429.',
    applies: ({ answer }) => answer.status === 429,
    needsMany: true,
    expected: `${header.retryAfter} with 429`,
    otherwise: 'no response was 429',
  },
  {
    id: 'VER-3/fields',
    rule: '`Deprecation` and `Sunset` are well-formed.',
    why: 'Client tools use these dates to warn in time.',
    fix: 'Write Deprecation as @seconds (RFC 9745), and Sunset as an HTTP date (RFC 8594).',
    applies: ({ answer }) =>
      answer.field(header.deprecation) !== undefined || answer.field(header.sunset) !== undefined,
    expected: 'well-formed dates',
    otherwise: 'no response has Deprecation or Sunset',
  },
]

/** The ids of the checks of all responses. */
export const answerCheckIds: readonly string[] = rules.map(({ id }) => id)

/** Applies the rules to all requests and responses of a run. Returns one result for each rule. */
export function judgeAnswers(exchanges: readonly Exchange[]): readonly Result[] {
  return rules.map(({ id, rule, why, fix, applies, needsMany, expected, otherwise }) => {
    const clause = id.split('/', 1)[0] as ClauseId
    const judged = exchanges.filter(applies)
    let outcome: Outcome = judged.length === 0 ? { verdict: 'not-applicable', because: otherwise } : holds
    for (const exchange of judged) {
      const found = judge(judgedOf(exchange), true).find((one) => one.clause === clause)
      if (found === undefined) continue
      outcome = (needsMany ? unscripted : breaks)(expected, found.detail, exchange)
      break
    }
    return { check: id, clause, where: 'service', rule, why, fix, outcome }
  })
}

/** Converts a request and its response to the argument of `judge()`. */
function judgedOf({ request, answer }: Exchange): JudgedAnswer {
  const { path, query } = splitTarget(request.url.replace(/^https?:\/\/[^/]*/, ''))
  const { status, type } = answer
  return {
    method: request.method,
    path,
    template: path,
    status,
    hasBody: answer.body !== '',
    body: Array.isArray(answer.json)
      ? 'array'
      : typeof answer.json === 'object'
        ? 'object'
        : answer.body === ''
          ? 'empty'
          : 'other',
    isItem: false,
    isFile: false,
    isKnownCollection: false,
    isSuccess: status >= 200 && status < 300,
    field: (name) => answer.field(name),
    requestField: (name) => Object.entries(request.headers).find(([one]) => one.toLowerCase() === name)?.[1],
    type,
    isJson: answer.isJson,
    isXml: /[/+]xml$/.test(type),
    parameters: parseQueryString(query ?? '').pairs,
  }
}
