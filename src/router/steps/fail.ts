/**
 * Anything thrown becomes a problem; its cause goes to the hook and never to the client (ERR-3).
 * After a change the answer stays a success (VERB-13).
 */
import { HttpProblem, isUnavailable, toProblem, tryAgain, unknownOutcome } from '../../problem.js'
import { problemAnswer } from '../../representation/answer.js'
import { representationOfProblem } from '../../representation/encoding.js'
import type { Exchange } from '../exchange.js'
import { notify } from '../hooks.js'
import { notShown, unshownAnswer } from '../unshown.js'

export function fail(exchange: Exchange, error: unknown): void {
  if (exchange.change === 'made') {
    failAfterChange(exchange, error)
    return
  }
  const problem = toProblem(error)
  report(exchange, problem, problem.cause ?? error)
  answerWith(exchange, exchange.change === 'unknown' && isSilent(exchange, problem) ? withUnknownOutcome(problem) : problem)
}

function failAfterChange(exchange: Exchange, error: unknown): void {
  const answer = unshownAnswer(exchange)
  report(exchange, { status: 500, code: 'internal', clause: 'VERB-13' }, error)
  if (answer === undefined) answerWith(exchange, notShown(error))
  else exchange.answer = answer
}

function report(exchange: Exchange, { status, code, clause }: Pick<HttpProblem, 'status' | 'code' | 'clause'>, error: unknown): void {
  notify(exchange.service.hooks.onError, () => ({ ...exchange.event(), status, code, clause, error }))
}

/**
 * Whether a problem says nothing about the change, or nothing about all of it: an endpoint may have
 * made several.
 */
function isSilent({ operation }: Exchange, problem: HttpProblem): boolean {
  if (problem.code === 'internal') return true
  if (problem.code !== 'unavailable') return false
  return problem.detail === tryAgain || (operation?.body === 'endpoint' && isUnavailable(problem) && problem.unchanged)
}

const withUnknownOutcome = ({ code, cause, headers }: HttpProblem): HttpProblem =>
  new HttpProblem(code === 'internal' ? code : 'unavailable', {
    cause,
    headers,
    detail: unknownOutcome('The request failed'),
  })

function answerWith(exchange: Exchange, problem: HttpProblem): void {
  const { service, headers, requestId } = exchange
  exchange.problem = problem
  exchange.answer = problemAnswer(problem, {
    representation: representationOfProblem(headers.accept),
    base: service.problemBase,
    instance: exchange.instance,
    requestId,
    vary: service.vary,
  })
}
