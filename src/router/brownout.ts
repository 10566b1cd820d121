/**
 * Answers requests during a brownout of their version: before authentication, unless some clients
 * are exempt (VER-3).
 */
import { type Brownout, brownoutFields, isExempt } from '../middleware/brownouts.js'
import type { Lifecycle } from '../middleware/lifecycle.js'
import { notify } from '../notify.js'
import { problemAnswer } from '../representation/answer.js'
import type { Answered, Received } from './stages.js'

/** The answer if no client is exempt. With exemptions, the principal must be known first. */
export const brownoutForAll = (exchange: Received, life: Lifecycle): Answered | undefined =>
  answered(exchange, life, ({ exempt }) => exempt.length > 0)

/** The answer to a principal that is not exempt. */
export const brownoutFor = (exchange: Received, life: Lifecycle, principal: unknown): Answered | undefined =>
  answered(exchange, life, (brownout) => isExempt(brownout, principal))

function answered(
  exchange: Received,
  life: Lifecycle,
  isSkipped: (brownout: Brownout) => boolean,
): Answered | undefined {
  const { hooks } = exchange.service
  const brownout = life.brownouts?.at(Date.now(), isSkipped, (error) =>
    notify(
      hooks.onError,
      () => ({ ...exchange.event(), status: 500, code: 'internal', clause: 'VER-3', step: 'version', error }),
      exchange.req,
    ),
  )
  return brownout === undefined ? undefined : answerOf(exchange, life, brownout)
}

/**
 * Bypasses the step `fail`: a brownout is announced, not a failure, and thousands of log lines
 * about it would hide real failures.
 */
function answerOf(exchange: Received, { brownouts }: Lifecycle, brownout: Brownout): Answered {
  const now = Date.now()
  if (brownout.status === 410) return { answer: { status: 410, headers: brownoutFields(brownout, now) } }
  const { service, headers, requestId, progress } = exchange
  const problem = brownouts?.problem(brownout, now)
  if (problem === undefined) throw new Error('A version is switched off, and has no brownouts.')
  progress.setProblem(problem)
  const representation = service.formats.ofProblem(headers.accept)
  return {
    answer: problemAnswer(problem, {
      representation,
      base: service.problemBase,
      instance: exchange.instance,
      requestId,
      vary: service.vary,
    }),
  }
}
