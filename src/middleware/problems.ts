/** Errors of hand-written routes as problems (ERR-1..3). */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Caches } from '../cache.js'
import { type ProblemFacts, type ProblemShape, type WrittenShape, withShape, writeShape } from '../conventions/shape.js'
import { failureLine } from '../failures/line.js'
import { requestIdOf } from '../http/request-id.js'
import { notify } from '../notify.js'
import { checkOptions } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import { HttpProblem, toProblem } from '../problem.js'
import { type ProblemTelling, problemAnswer, send } from '../representation/answer.js'
import { json, problemOffers } from '../representation/encoding.js'
import { bodyFields, removeFields } from '../representation/header-fields.js'
import { withoutPages } from '../representation/pagination.js'
import { expressRoute } from '../telemetry/express-route.js'
import { header } from '../wire.js'
import { requestPath } from './base-address.js'
import { type ConventionsOptions, conventionsKinds, RouteConventions } from './conventions.js'
import type { ErrorMiddleware, Middleware } from './middleware.js'

/** How problems are told, and who hears of them. */
export interface ProblemsOptions extends ConventionsOptions<'ERR-3'> {
  /** What `type` begins with: the address where a team publishes docs/errors.md. Default `tag:express-rest-conventions,2026:errors`, which leads nowhere. */
  readonly problemBase?: string
  /**
   * The form that errors had, for as long as ERR-3 is not enforced (`conventions`); alone, it is used for all and nothing is told. It gets the problem as RFC 9457 has
   * it: `(problem) => ({ body: { error: problem.title } })`.
   */
  readonly shape?: ProblemShape
  /** Hears of every problem with what was really thrown. Its exceptions and rejections go to `console.error`. Default: a 5xx is one line of `console.error`, as `failureLine` makes it. */
  readonly onError?: (error: unknown, problem: HttpProblem) => void
}

/**
 * The last thing an app uses: what nobody answered is a 404 problem, whatever was thrown or passed to `next` is its problem (`HttpProblem`, http-errors, body-parser's),
 * the rest a 500 that leaks nothing (ERR-3). Two middlewares in one list, as `app.use` takes it. An answer that has begun is cut off, as Express itself would.
 * Throws `ConfigurationError` for an option that there is not.
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
  // Whoever answers and then calls next() has answered all the same.
  const unansweredMiddleware: Middleware = (_req, res, next) =>
    res.headersSent ? undefined : next(new HttpProblem('unknown-path'))
  const problemsMiddleware: ErrorMiddleware = (error, req, res, _next) => {
    const problem = toProblem(error)
    report(error, problem, req)
    if (res.headersSent) {
      if (!res.writableEnded) res.destroy()
      return
    }
    forget(res)
    const representation = offers.choose(req.headers.accept) ?? json
    const telling: ProblemTelling = {
      representation,
      base: problemBase,
      instance: requestPath(req),
      requestId: undefined,
      shaped: shape === undefined ? undefined : (facts) => shapedAs(facts, req),
    }
    try {
      tell(problem, telling, req, res)
    } catch (failure) {
      // What can't be written, such as a header with a line break or a detail without end, is a failure of its own.
      const internal = new HttpProblem('internal', { cause: failure })
      report(failure, internal, req)
      tell(internal, telling, req, res)
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

/** Takes back what the handler has said of the representation that now does not come. */
function forget(res: ServerResponse): void {
  removeFields(res, representationFields)
  const links = res.getHeader(header.link)
  if (links === undefined) return
  const kept = withoutPages(String(links))
  if (kept === '') res.removeHeader(header.link)
  else res.setHeader(header.link, kept)
}

const representationFields = [
  ...bodyFields,
  header.contentLocation,
  header.etag,
  header.location,
  header.preferenceApplied,
  header.totalCount,
  'Accept-Ranges',
  'Content-Disposition',
  'Last-Modified',
]

function tell(problem: HttpProblem, telling: ProblemTelling, req: IncomingMessage, res: ServerResponse): void {
  send(res, problemAnswer(problem, telling), req.method === 'HEAD')
}

function reportToConsole(error: unknown, { status, code, clause }: HttpProblem, req: IncomingMessage): void {
  if (status < 500) return
  const { method = 'GET', headers } = req
  const requestId = requestIdOf(req, headers, () => undefined)
  console.error(
    failureLine({ method, httpRoute: expressRoute(req), status, code, clause, step: undefined, requestId, error }),
  )
}
