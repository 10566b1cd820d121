/** The steps of a request, in their order, and the loop that runs them. */

import type { Answer } from '../representation/answer.js'
import { Streamed } from '../representation/streamed.js'
import type { Exchange } from './exchange.js'
import { type Watch, watchStep } from './observed.js'
import { type PipelineStep, pipeline, type StepResult } from './pipeline.js'
import type { Received } from './stages.js'
import { admit } from './steps/admit.js'
import { allow } from './steps/allow.js'
import { authenticate } from './steps/authenticate.js'
import { execute } from './steps/execute.js'
import { fail, failPlainly } from './steps/fail.js'
import { login } from './steps/login.js'
import { negotiate } from './steps/negotiate.js'
import { parse } from './steps/parse.js'
import { precondition } from './steps/precondition.js'
import { preflight } from './steps/preflight.js'
import { represent } from './steps/represent.js'
import { respond } from './steps/respond.js'
import { route } from './steps/route.js'
import { throttle } from './steps/throttle.js'
import { version } from './steps/version.js'

/** The steps of a request, each with the fields that it adds. */
export const steps = pipeline<Received>()
  .step('preflight', preflight)
  .step('version', version, (exchange, added) => {
    exchange.version = added.version
  })
  .step('admit', admit)
  .step('authenticate', authenticate, (exchange, added) => {
    exchange.principal = added.principal
    exchange.authenticated = added.authenticated
  })
  .step('throttle', throttle)
  .step('route', route, (exchange, added) => {
    exchange.route = added.route
    exchange.keys = added.keys
    exchange.endpointMethod = added.endpointMethod
  })
  .step('allow', allow, (exchange, added) => {
    exchange.operation = added.operation
    exchange.allow = added.allow
  })
  .step('negotiate', negotiate, (exchange, added) => {
    exchange.representation = added.representation
  })
  .step('parse', parse, (exchange, added) => {
    exchange.query = added.query
    exchange.expand = added.expand
    exchange.body = added.body
    exchange.idempotency = added.idempotency
  })
  .step('precondition', precondition, (exchange, added) => {
    exchange.conditions = added.conditions
  })
  .step('execute', execute, (exchange, added) => {
    exchange.outcome = added.outcome
  })
  .end('represent', represent)

/**
 * The steps of a login. A login belongs to no version, and the step `login` itself checks the
 * user's password.
 */
export const loginSteps = pipeline<Received>().step('preflight', preflight).end('login', login)

/**
 * Runs the steps of a request, and sets the fields that each step adds. Never throws and never
 * rejects, because errors become responses, or end the connection. If a step returns a promise,
 * `walk` calls itself when the promise resolves. In that call, `from` is the index of the step, and
 * `resumed` holds its result.
 */
export function walk(
  exchange: Exchange,
  pipelineSteps: readonly PipelineStep[],
  from = 0,
  resumed?: Resumed,
): void | Promise<void> {
  const watches = exchange.progress.watchesSteps
  let at = from
  let watch = resumed?.watch
  try {
    for (; at < pipelineSteps.length; at += 1) {
      const current = pipelineSteps[at]
      if (current === undefined) break
      let result: StepResult | Promise<StepResult | undefined> | undefined
      if (resumed !== undefined && at === from) result = resumed.result
      else if (watches) {
        watch = watchStep(exchange, current.name)
        result = watch.run(current.step)
      } else result = current.step(exchange)
      // Only an asynchronous step returns a promise. After a synchronous step, the loop continues
      // at once.
      if (result?.then !== undefined) {
        return result.then(
          (later) => walk(exchange, pipelineSteps, at, { result: later, watch }),
          (error: unknown) => {
            watch?.end({ error })
            endFailed(exchange, error, pipelineSteps[at])
          },
        )
      }
      if (result?.answer !== undefined) {
        watch?.end()
        return end(exchange, result.answer)
      }
      if (result !== undefined) current.add(exchange, result)
      watch?.end()
      watch = undefined
    }
    throw new Error('The steps of a request ended without a response.')
  } catch (error) {
    watch?.end({ error })
    endFailed(exchange, error, pipelineSteps[at])
  }
}

/**
 * The result and the trace of a step whose promise has resolved.
 */
interface Resumed {
  readonly result: StepResult | undefined
  readonly watch: Watch | undefined
}

function end(exchange: Exchange, answer: Answer): void {
  // An export counts as executing until its last row is written or the export is interrupted.
  if (answer.body instanceof Streamed) answer.body.closed.then(() => exchange.progress.release())
  else exchange.progress.release()
  send(exchange, answer)
}

function endFailed(exchange: Exchange, error: unknown, step: PipelineStep | undefined): void {
  exchange.progress.release()
  exchange.progress.failedStep = step?.name
  try {
    send(
      exchange,
      watched(exchange, 'fail', () => fail(exchange, error)),
    )
  } catch (another) {
    endAnyway(exchange, undefined, another)
  }
}

function send(exchange: Exchange, answer: Answer): void {
  try {
    // This check avoids creating a closure for a response that nobody observes.
    if (!exchange.progress.watchesSteps) respond(exchange, answer)
    else watched(exchange, 'respond', () => respond(exchange, answer))
  } catch (error) {
    endAnyway(exchange, answer, error)
  }
}

function watched<T>(exchange: Exchange, name: string, step: () => T): T {
  if (!exchange.progress.watchesSteps) return step()
  const watch = watchStep(exchange, name)
  try {
    const result = watch.run(step)
    watch.end()
    return result
  } catch (error) {
    watch.end({ error })
    throw error
  }
}

/**
 * Sends the result of the step `fail` instead of a response that can't be written, such as a
 * response with a line break in a header field. If this result can't be written either, sends a
 * 500 that depends on nothing else. If the response has already begun, closes the connection. An
 * error never ends the process, and is always reported.
 */
function endAnyway(exchange: Exchange, answer: Answer | undefined, error: unknown): void {
  const { res } = exchange
  try {
    if (answer?.body instanceof Streamed) answer.body.discard()
    for (const name of Object.keys(answer?.headers ?? {})) res.removeHeader(name)
    exchange.progress.failedStep = 'respond'
    respond(exchange, fail(exchange, error))
  } catch (another) {
    try {
      const { status, headers, body } = failPlainly(exchange, another)
      if (res.headersSent) throw another
      for (const name of res.getHeaderNames()) res.removeHeader(name)
      for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
      res.statusCode = status
      res.end(exchange.req.method === 'HEAD' ? undefined : body)
    } catch {
      res.destroy()
    }
  }
}
