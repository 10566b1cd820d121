/** Anything thrown becomes a problem; what really happened goes to the hook and to nobody else (ERR-3). */
import { toProblem } from '../../problem.js'
import { problemAnswer } from '../../representation/answer.js'
import { representationOfProblem } from '../../representation/encoding.js'
import type { Exchange } from '../exchange.js'
import { notify } from '../hooks.js'

export function fail(exchange: Exchange, error: unknown): void {
  const problem = toProblem(error)
  const { service, headers, requestId } = exchange
  const { status, code, clause } = problem
  exchange.problem = problem
  notify(service.hooks.onError, () => ({ ...exchange.event(), status, code, clause, error: problem.cause ?? error }))
  exchange.answer = problemAnswer(problem, {
    representation: representationOfProblem(headers.accept),
    base: service.problemBase,
    instance: exchange.instance,
    requestId,
    vary: service.vary,
  })
}
