/** Responds to errors of hand-written routes with problem bodies (RFC 9457; ERR-1..3). */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Caches } from '../cache.js'
import { type ProblemFacts, type ProblemShape, type WrittenShape, withShape, writeShape } from '../conventions/shape.js'
import { failureLine } from '../failures/line.js'
import { requestIdOf } from '../http/request-id.js'
import { notify } from '../notify.js'
import { checkOptions } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import { HttpProblem, toProblem } from '../problem.js'
import { type ProblemContext, problemAnswer, send } from '../representation/answer.js'
import { json, problemOffers } from '../representation/encoding.js'
import { removeRepresentationFields } from '../representation/representation-fields.js'
import { expressRoute } from '../telemetry/express-route.js'
import { requestPath } from './base-address.js'
import { isBrownoutProblem } from './brownouts.js'
import { type ConventionsOptions, conventionsKinds, RouteConventions } from './conventions.js'
import type { ErrorMiddleware, Middleware } from './middleware.js'
import { unversionedDetail } from './unversioned.js'

/** The options of `problems()`. */
export interface ProblemsOptions extends ConventionsOptions<'ERR-3'> {
  /**
   * The prefix of `type` in problems: the URL at which the service publishes docs/errors.md.
   * Default `tag:express-rest-conventions,2026:errors`, which cannot be fetched.
   */
  readonly problemBase?: string
  /**
   * Converts problems to the format in which the service sent errors before it followed ERR-3.
   * `shape` applies wherever `conventions` does not enforce ERR-3. If `shape` is set, the default
   * for ERR-3 is `off`, which reports no findings. `shape` is called with the RFC 9457 problem:
   * `(problem) => ({ body: { error: problem.title } })`.
   */
  readonly shape?: ProblemShape
  /**
   * Called for every problem except those of brownouts, with the value that was thrown or passed to
   * `next`. If the problem has a `cause`, the callback gets the cause instead. Exceptions and
   * rejections of the callback are written to `console.error`. Default: `failureLine` formats each
   * 5xx as one line, which is written to `console.error`.
   */
  readonly onError?: (error: unknown, problem: HttpProblem) => void
}

/**
 * Returns two middlewares as one list for `app.use`. Mount them last. A request to which no handler
 * responded gets a 404 problem. Errors that were thrown or passed to `next` become problems. An
 * `HttpProblem` is sent as it is. A 4xx or 503 error of Express, http-errors or body-parser keeps
 * its status. All other errors become a 500 that discloses nothing (ERR-3). If a response has
 * started but not ended, the middleware closes the connection, as Express does.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid
 *
 * @example app.use(problems())
 */
export function problems(
  options: ProblemsOptions = {},
): readonly [Middleware, ErrorMiddleware] & (Middleware | ErrorMiddleware)[] {
  checkOptions('problems()', options, problemsKinds)
  const { onError, problemBase, shape } = options
  const conventions = new RouteConventions(withShape(options), {
    what: 'problems()',
    clauses: ['ERR-3'],
    shaped: shape !== undefined,
  })
  const shapedAs = (facts: ProblemFacts, req: IncomingMessage): WrittenShape | undefined => {
    const legacy = shape === undefined ? undefined : conventions.legacy('ERR-3', req)
    if (shape === undefined || legacy === undefined) return undefined
    legacy.found(facts.code)
    return writeShape(shape, facts, req)
  }
  const offers = problemOffers(new Caches())
  const report = (error: unknown, problem: HttpProblem, req: IncomingMessage): void => {
    const cause = problem.cause ?? error
    if (onError === undefined) reportToConsole(cause, problem, req)
    else
      notify(
        () => onError(cause, problem),
        () => undefined,
      )
  }
  // A handler may send a response and then call next().
  const unansweredMiddleware: Middleware = (req, res, next) =>
    res.headersSent ? undefined : next(new HttpProblem('unknown-path', unversionedDetail(req)))
  const problemsMiddleware: ErrorMiddleware = (error, req, res, _next) => {
    const problem = toProblem(error)
    if (!isBrownoutProblem(error)) report(error, problem, req)
    if (res.headersSent) {
      if (!res.writableEnded) res.destroy()
      return
    }
    removeRepresentationFields(res)
    const representation = offers.choose(req.headers.accept) ?? json
    const context: ProblemContext = {
      representation,
      base: problemBase,
      instance: requestPath(req),
      requestId: undefined,
      shaped: shape === undefined ? undefined : (facts) => shapedAs(facts, req),
    }
    try {
      sendProblem(problem, context, req, res)
    } catch (failure) {
      // A problem may be impossible to write, for example because a header field contains a line
      // break. The response is then a 500.
      const internal = new HttpProblem('internal', { cause: failure })
      report(failure, internal, req)
      sendProblem(internal, context, req, res)
    }
  }
  return [unansweredMiddleware, problemsMiddleware]
}

export const problemsKinds: Kinds<ProblemsOptions> = {
  problemBase: 'string',
  onError: 'function',
  shape: 'function',
  ...conventionsKinds,
}

function sendProblem(problem: HttpProblem, context: ProblemContext, req: IncomingMessage, res: ServerResponse): void {
  send(res, problemAnswer(problem, context), req.method === 'HEAD')
}

function reportToConsole(error: unknown, { status, code, clause }: HttpProblem, req: IncomingMessage): void {
  if (status < 500) return
  const { method = 'GET', headers } = req
  const requestId = requestIdOf(req, headers, () => undefined)
  console.error(
    failureLine({ method, httpRoute: expressRoute(req), status, code, clause, step: undefined, requestId, error }),
  )
}
