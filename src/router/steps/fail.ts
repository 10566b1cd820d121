/**
 * Converts an error to a problem. `onError` gets the cause of the error, and the client never sees
 * it (ERR-3). If the request has already changed something, the response is still a success, or a
 * 503 that says that the change was made (VERB-13).
 */

import { type ProblemFacts, type WrittenShape, writeShape } from '../../conventions/shape.js'
import { notify } from '../../notify.js'
import { HttpProblem, isUnavailable, problemBody, toProblem, tryAgain, unknownOutcome } from '../../problem.js'
import { type Answer, problemAnswer } from '../../representation/answer.js'
import { header } from '../../wire.js'
import type { AnyStage } from '../stages.js'
import { bodilessSuccess, changeMadeProblem } from '../unshown.js'

export function fail(exchange: AnyStage, error: unknown): Answer {
  const { change } = exchange.progress
  if (change === 'made') return failAfterChange(exchange, error)
  const problem = toProblem(error)
  report(exchange, problem, problem.cause ?? error)
  return answerOf(exchange, change === 'unknown' && isSilent(exchange, problem) ? withUnknownOutcome(problem) : problem)
}

function failAfterChange(exchange: AnyStage, error: unknown): Answer {
  report(exchange, { status: 500, code: 'internal', clause: 'VERB-13' }, toProblem(error).cause ?? error)
  return successOf(exchange) ?? answerOf(exchange, changeMadeProblem(error))
}

/**
 * Returns the result of `bodilessSuccess`, or `undefined` if `bodilessSuccess` throws. The error of
 * `bodilessSuccess` is not reported, because another error with the same cause, such as a missing
 * record in the outcome, was already reported.
 */
function successOf(exchange: AnyStage): Answer | undefined {
  try {
    return bodilessSuccess(exchange)
  } catch {
    return undefined
  }
}

/**
 * Reports an error of the step `fail` itself. Returns a problem in JSON that uses no function of
 * the service, such as `shape`, because this function may have thrown the error.
 */
export function failPlainly(exchange: AnyStage, error: unknown): Answer & { readonly body: string } {
  const { service, requestId, instance, progress } = exchange
  const base = service.problemBase
  const detail = progress.change === 'none' ? undefined : unknownOutcome('The request failed')
  const problem = new HttpProblem('internal', { cause: error, ...(detail === undefined ? {} : { detail }) })
  report(exchange, problem, error)
  progress.setProblem(problem)
  return {
    status: problem.status,
    headers: {
      [header.contentType]: 'application/problem+json',
      [header.cacheControl]: 'no-store',
      [header.vary]: service.vary,
      [header.requestId]: requestId,
    },
    body: JSON.stringify(problemBody(problem, { ...(base === undefined ? {} : { base }), instance, requestId })),
  }
}

function report(
  exchange: AnyStage,
  { status, code, clause }: Pick<HttpProblem, 'status' | 'code' | 'clause'>,
  error: unknown,
): void {
  exchange.progress.failure = { error }
  notify(
    exchange.service.hooks.onError,
    () => ({ ...exchange.event(), status, code, clause, step: exchange.progress.failedStep, error }),
    exchange.req,
  )
}

/**
 * Returns true for a 500 or 503 that does not say whether anything was changed. For an endpoint,
 * also returns true for a 503 with `unchanged`. In an endpoint, `unchanged` says only that a single
 * call of an adapter or of `records()` changed nothing. The endpoint may have made changes in other
 * calls.
 */
function isSilent({ operation }: AnyStage, problem: HttpProblem): boolean {
  if (problem.code === 'internal') return true
  if (problem.code !== 'unavailable') return false
  if (problem.detail === undefined || problem.detail === tryAgain) return true
  return operation?.body === 'endpoint' && isUnavailable(problem) && problem.unchanged
}

const withUnknownOutcome = ({ code, cause, headers }: HttpProblem): HttpProblem =>
  new HttpProblem(code === 'internal' ? code : 'unavailable', {
    cause,
    headers,
    detail: unknownOutcome('The request failed'),
  })

function answerOf(exchange: AnyStage, problem: HttpProblem): Answer {
  const { service, headers, requestId, progress } = exchange
  progress.setProblem(problem)
  return problemAnswer(problem, {
    representation: service.formats.ofProblem(headers.accept),
    base: service.problemBase,
    instance: exchange.instance,
    requestId,
    vary: service.vary,
    challenge: service.authenticate?.challenge,
    shaped: service.shape === undefined ? undefined : (facts) => shapedAs(exchange, facts),
  })
}

/**
 * Returns the error in the form that the service used before it adopted the conventions, if that
 * form still applies to this request (ERR-3).
 */
function shapedAs(exchange: AnyStage, facts: ProblemFacts): WrittenShape | undefined {
  const { shape } = exchange.service
  const legacy = exchange.legacy('ERR-3')
  if (shape === undefined || legacy === undefined) return undefined
  legacy.found(facts.code)
  return writeShape(shape, facts, exchange.req)
}
