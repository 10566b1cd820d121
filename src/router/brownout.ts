/** Answers for a version that is switched off for a time: before authentication, unless some clients are exempt (VER-3). */
import { type Brownout, brownoutFields, isExempt } from '../middleware/brownouts.js'
import type { Lifecycle } from '../middleware/lifecycle.js'
import { notify } from '../notify.js'
import { problemAnswer } from '../representation/answer.js'
import type { Answered, Received } from './stages.js'

/** The answer where nobody is exempt. */
export function brownoutForAll(exchange: Received, life: Lifecycle): Answered | undefined {
  const brownout = currentOf(exchange, life)
  return brownout === undefined || brownout.exempt.length > 0 ? undefined : answerOf(exchange, life, brownout)
}

/** The answer to a principal that is not exempt, where others are. */
export function brownoutFor(exchange: Received, life: Lifecycle, principal: unknown): Answered | undefined {
  const brownout = currentOf(exchange, life)
  return brownout === undefined || isExempt(brownout, principal) ? undefined : answerOf(exchange, life, brownout)
}

function currentOf(exchange: Received, { brownouts }: Lifecycle): Brownout | undefined {
  return brownouts?.at(Date.now(), (error) => {
    notify(
      exchange.service.hooks.onError,
      () => ({ ...exchange.event(), status: 500, code: 'internal', clause: 'VER-3', error }),
      exchange.req,
    )
  })
}

/** Not by way of `fail`: what was announced is no failure, and a log of thousands of them would hide those. */
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
