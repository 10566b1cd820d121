/**
 * Responds to requests during a brownout, which is a period in which a version is unavailable
 * (VER-3). The response is sent before authentication, unless some clients are exempt.
 */
import { type Brownout, brownoutFields, isExempt } from '../middleware/brownouts.js'
import type { Lifecycle } from '../middleware/lifecycle.js'
import { notify } from '../notify.js'
import { problemAnswer } from '../representation/answer.js'
import type { Answered, Received } from './stages.js'

/**
 * Returns the response if a brownout without exempt clients applies now. A brownout with exempt
 * clients is ignored here, because the principal is not known yet.
 */
export const brownoutForAll = (exchange: Received, life: Lifecycle): Answered | undefined =>
  answered(exchange, life, ({ exempt }) => exempt.length > 0)

/** Returns the response if a brownout applies now and the principal is not exempt from it. */
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
 * Builds the response without the step `fail`, so that `onError` is not called (see
 * `isBrownoutProblem`).
 */
function answerOf(exchange: Received, { brownouts }: Lifecycle, brownout: Brownout): Answered {
  const now = Date.now()
  if (brownout.status === 410) return { answer: { status: 410, headers: brownoutFields(brownout, now) } }
  const { service, headers, requestId, progress } = exchange
  const problem = brownouts?.problem(brownout, now)
  if (problem === undefined) throw new Error('A brownout applies, but the version has no brownouts.')
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
