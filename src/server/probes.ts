/** `probes()`: liveness and readiness, before everything else. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { HttpProblem, Unavailable } from '../problem.js'
import { header } from '../wire.js'
import { serverOf } from './connections.js'
import { type ProbesOptions, resolveProbesOptions } from './probes-options.js'
import { problemResponse } from './problem-response.js'
import { readinessCheck } from './readiness-check.js'

/** A middleware that is a request listener, too: without `next`, other paths are 404. */
export type ProbesMiddleware = (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void) => void

/**
 * Answers two paths, for GET and HEAD, and passes all others on. `/live` is 204 as long as the
 * event loop runs. `/ready` is 204 where `check` succeeds, and a 503 problem with `Retry-After`
 * where it fails, takes too long, or the server is shutting down. Other methods are 405. Use it
 * before everything else, so that no rate limit, authentication or overload control refuses a
 * probe. Throws `ConfigurationError` for an option that makes no sense.
 *
 * @example app.use(probes({ check: () => readiness.query('SELECT 1') }))
 */
export function probes(options: ProbesOptions = {}): ProbesMiddleware {
  const { livePath, readyPath, server, problemBase, ...checking } = resolveProbesOptions(options)
  const check = checking.check && readinessCheck({ ...checking, check: checking.check })
  const isDraining = (req: IncomingMessage): boolean => (server ?? serverOf(req.socket))?.draining === true
  const refuse = (req: IncomingMessage, res: ServerResponse, problem: HttpProblem): void => {
    const instance = pathOf(req)
    const { head, body } = problemResponse(problem, problemBase === undefined ? { instance } : { instance, base: problemBase })
    res.writeHead(problem.status, { ...head, [header.cacheControl]: 'no-store' })
    res.end(req.method === 'HEAD' ? undefined : body)
  }
  const pass = (res: ServerResponse): void => void res.writeHead(204, { [header.cacheControl]: 'no-store' }).end()
  const answerReadiness = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const works = isDraining(req) || check === undefined || (await check())
    // The drain may have begun while the check was under way.
    if (isDraining(req)) refuse(req, res, new Unavailable({ detail: 'The server is shutting down.' }))
    else if (works) pass(res)
    else refuse(req, res, new Unavailable({ detail: 'Something that the service needs does not work.' }))
  }
  return function probesMiddleware(req, res, next) {
    const path = pathOf(req)
    if (path !== livePath && path !== readyPath) {
      if (next === undefined) refuse(req, res, new HttpProblem('unknown-path'))
      else next()
    } else if (req.method !== 'GET' && req.method !== 'HEAD') {
      refuse(req, res, new HttpProblem('method-not-allowed', { headers: { [header.allow]: 'GET, HEAD' } }))
    } else if (path === livePath) pass(res)
    else void answerReadiness(req, res)
  }
}

function pathOf({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?')
  return query === -1 ? url : url.slice(0, query)
}
