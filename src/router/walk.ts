/** One request walks the steps, in the one right order. */
import { Streamed } from '../representation/streamed.js'
import type { Exchange } from './exchange.js'
import { notify } from './hooks.js'
import { admit } from './steps/admit.js'
import { allow } from './steps/allow.js'
import { authenticate } from './steps/authenticate.js'
import { execute } from './steps/execute.js'
import { fail } from './steps/fail.js'
import { login } from './steps/login.js'
import { negotiate } from './steps/negotiate.js'
import { parse } from './steps/parse.js'
import { precondition } from './steps/precondition.js'
import { preflight } from './steps/preflight.js'
import { represent } from './steps/represent.js'
import { respond } from './steps/respond.js'
import { route } from './steps/route.js'
import type { Step } from './steps/step.js'
import { throttle } from './steps/throttle.js'
import { version } from './steps/version.js'

type Steps = readonly (readonly [name: string, step: Step])[]

/** The steps by name: the names of their files, of docs/lifecycle.md and of `onStep` events. */
export const steps: Steps = Object.freeze(
  Object.entries({ version, preflight, admit, authenticate, throttle, route, allow, negotiate, parse, precondition, execute, represent }),
)

/** Those of a login: it is no version's, and asks itself who comes. */
export const loginSteps: Steps = Object.freeze(Object.entries({ preflight, login }))

/** Walks a request through its steps, from `from` on. Never throws and never rejects: what goes wrong is answered. */
export function walk(exchange: Exchange, path = steps, from = 0): void | Promise<void> {
  try {
    const watched = exchange.service.hooks.onStep !== undefined
    for (let at = from; at < path.length && exchange.answer === undefined; at += 1) {
      const one = path[at] as Steps[number]
      const pending = watched ? observed(exchange, one[0], one[1]) : one[1](exchange)
      // Synchronous steps cost no promise; the first that waits hands over to the next turn.
      if (pending !== undefined) {
        return pending.then(
          () => walk(exchange, path, at + 1),
          (error: unknown) => end(exchange, { error }),
        )
      }
    }
  } catch (error) {
    return end(exchange, { error })
  }
  end(exchange)
}

/** Runs a step and tells `onStep` of it, also where it fails: a trace ends at the step that went wrong. */
function observed(exchange: Exchange, name: string, step: Step): void | Promise<void> {
  const { onStep } = exchange.service.hooks
  if (onStep === undefined) return step(exchange)
  const started = performance.now()
  const told = (failed: boolean): void =>
    notify(onStep, () => ({ ...exchange.event(), step: name, duration: performance.now() - started, failed }))
  const failing = (error: unknown): never => {
    told(true)
    throw error
  }
  try {
    const pending = step(exchange)
    if (pending !== undefined) return pending.then(() => told(false), failing)
  } catch (error) {
    failing(error)
  }
  told(false)
}

function end(exchange: Exchange, failure?: { readonly error: unknown }): void {
  // An export executes until its last row is written, or until it is cut.
  if (failure === undefined && exchange.answer?.body instanceof Streamed) exchange.answer.body.closed.then(() => exchange.leave())
  else exchange.leave()
  try {
    if (failure !== undefined) observed(exchange, 'fail', () => fail(exchange, failure.error))
    observed(exchange, 'respond', respond)
  } catch (error) {
    endAnyway(exchange, error)
  }
}

/** An answer that can't be written (a team's header with a line break, say) is replaced; where that fails too, the connection ends and not the process. */
function endAnyway(exchange: Exchange, error: unknown): void {
  const { res, answer } = exchange
  try {
    if (answer?.body instanceof Streamed) answer.body.discard()
    for (const name of Object.keys(answer?.headers ?? {})) res.removeHeader(name)
    fail(exchange, error)
    respond(exchange)
  } catch {
    res.destroy()
  }
}
