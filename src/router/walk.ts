/** The steps of a request, in their order, and the loop that runs them. */
import type { Answer } from '../representation/answer.js'
import { Streamed } from '../representation/streamed.js'
import type { Exchange } from './exchange.js'
import { notify } from './hooks.js'
import { type Found, type PlacedStep, path } from './path.js'
import type { Received } from './stages.js'
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
import { throttle } from './steps/throttle.js'
import { version } from './steps/version.js'

/** The steps of a request, each with what it adds to the stage before it. */
export const steps = path<Received>()
  .step('version', version, (exchange, found) => {
    exchange.version = found.version
  })
  .step('preflight', preflight)
  .step('admit', admit)
  .step('authenticate', authenticate, (exchange, found) => {
    exchange.principal = found.principal
    exchange.authenticated = found.authenticated
  })
  .step('throttle', throttle)
  .step('route', route, (exchange, found) => {
    exchange.route = found.route
    exchange.keys = found.keys
    exchange.called = found.called
  })
  .step('allow', allow, (exchange, found) => {
    exchange.operation = found.operation
    exchange.allow = found.allow
  })
  .step('negotiate', negotiate, (exchange, found) => {
    exchange.representation = found.representation
  })
  .step('parse', parse, (exchange, found) => {
    exchange.query = found.query
    exchange.expand = found.expand
    exchange.body = found.body
    exchange.idempotency = found.idempotency
  })
  .step('precondition', precondition, (exchange, found) => {
    exchange.conditions = found.conditions
  })
  .step('execute', execute, (exchange, found) => {
    exchange.outcome = found.outcome
  })
  .end('represent', represent)

/** The steps of a login, which belongs to no version and authenticates by itself. */
export const loginSteps = path<Received>().step('preflight', preflight).end('login', login)

/**
 * Walks a request through its steps, from `from` on; `late` is what that step returned after a wait.
 * Only here does a request move to its next stage. Never throws and never rejects: errors become
 * answers.
 */
export function walk(exchange: Exchange, path: readonly PlacedStep[], from = 0, late?: Late): void | Promise<void> {
  const { onStep } = exchange.service.hooks
  let at = from
  let watch = late?.watch
  try {
    for (; at < path.length; at += 1) {
      const placed = path[at]
      if (placed === undefined) break
      let found: Found | Promise<Found | undefined> | undefined
      if (late !== undefined && at === from) found = late.found
      else {
        if (onStep !== undefined) watch = watchStep(exchange, placed.name)
        found = placed.step(exchange)
      }
      // Synchronous steps cost no promise. After one that waits, another call walks on.
      if (found?.then !== undefined) {
        return found.then(
          (later) => walk(exchange, path, at, { found: later, watch }),
          (error: unknown) => {
            watch?.(true)
            endFailed(exchange, error)
          },
        )
      }
      if (found?.answer !== undefined) {
        watch?.(false)
        return end(exchange, found.answer)
      }
      if (found !== undefined) placed.add(exchange, found)
      watch?.(false)
      watch = undefined
    }
    throw new Error('A request came to the end of its steps without an answer.')
  } catch (error) {
    watch?.(true)
    endFailed(exchange, error)
  }
}

/** What a step returned after a wait. */
interface Late {
  readonly found: Found | undefined
  readonly watch: Watch | undefined
}

/** Notifies `onStep` that a step has ended. */
type Watch = (failed: boolean) => void

/** Starts the clock of a step for `onStep`, which is notified of failed steps too. */
function watchStep(exchange: Exchange, name: string): Watch {
  const started = performance.now()
  return (failed) =>
    notify(exchange.service.hooks.onStep, () => ({ ...exchange.event(), step: name, duration: performance.now() - started, failed }))
}

function end(exchange: Exchange, answer: Answer): void {
  // An export executes until its last row is written, or until it is cut.
  if (answer.body instanceof Streamed) answer.body.closed.then(() => exchange.progress.ended())
  else exchange.progress.ended()
  send(exchange, answer)
}

function endFailed(exchange: Exchange, error: unknown): void {
  exchange.progress.ended()
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
    if (exchange.service.hooks.onStep === undefined) respond(exchange, answer)
    else watched(exchange, 'respond', () => respond(exchange, answer))
  } catch (error) {
    endAnyway(exchange, answer, error)
  }
}

function watched<T>(exchange: Exchange, name: string, step: () => T): T {
  const watch = watchStep(exchange, name)
  let failed = true
  try {
    const found = step()
    failed = false
    return found
  } finally {
    watch(failed)
  }
}

/**
 * Replaces an answer that can't be written, such as one with a line break in a header. Where that
 * fails too, the connection ends and not the process.
 */
function endAnyway(exchange: Exchange, answer: Answer | undefined, error: unknown): void {
  const { res } = exchange
  try {
    if (answer?.body instanceof Streamed) answer.body.discard()
    for (const name of Object.keys(answer?.headers ?? {})) res.removeHeader(name)
    respond(exchange, fail(exchange, error))
  } catch {
    res.destroy()
  }
}
