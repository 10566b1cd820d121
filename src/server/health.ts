/** `health()` and `probes()`: liveness and readiness. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { HttpProblem, problemBody, Unavailable } from '../problem.js'
import { unawaited } from '../promise.js'
import { header, mediaType } from '../wire.js'
import { serverOf } from './connections.js'
import {
  type HealthOptions,
  type ProbesOptions,
  type ResolvedHealth,
  resolveHealth,
  resolveProbes,
} from './health-options.js'
import { problemResponse } from './problem-response.js'
import { type CheckResult, readinessCheck } from './readiness-check.js'

/**
 * A middleware that can also be used as a request listener. If it is called without `next`, it
 * responds with 404 to all paths except those of the two probes.
 */
export type HealthMiddleware = (req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void) => void

/** The type of the result of `probes()`, which is the same as that of `health()`. */
export type ProbesMiddleware = HealthMiddleware

/**
 * Responds to GET and HEAD on two paths, and passes on requests for all other paths. `/live`
 * responds with 204 as long as the event loop runs. `/ready` responds with 204 if the service is
 * ready. If the service is starting or shutting down, or a required check fails or times out,
 * `/ready` responds with a 503 problem with `Retry-After`. If `shows` returns true, the response of
 * `/ready` contains the names and results of the checks as JSON, and a ready service responds with
 * 200 instead of 204. For other methods, both paths respond with 405. Mount the middleware before
 * everything else, so that no rate limit, authentication or overload control refuses a probe.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid
 *
 * @example app.use(health({ checks: { database: () => readiness.query('SELECT 1') } }))
 */
export const health = (options: HealthOptions = {}): HealthMiddleware => handlerOf(resolveHealth(options))

/**
 * `health()` with at most one check, which has no name, and without the options `started` and
 * `shows`.
 *
 * @example app.use(probes({ check: () => readiness.query('SELECT 1') }))
 */
export const probes = (options: ProbesOptions = {}): ProbesMiddleware => handlerOf(resolveProbes(options))

/** Whether a service is ready, or the reason why it is not. */
type State = 'ready' | 'starting' | 'draining' | 'failing'

const details: Readonly<Record<Exclude<State, 'ready'>, string>> = {
  starting: 'The service is starting.',
  draining: 'The server is shutting down.',
  failing: 'A dependency of the service does not work.',
}

/** The checks as shown in responses. */
type Shown = Readonly<
  Record<string, { readonly works: boolean; readonly required: boolean; readonly duration: number }>
>

function handlerOf(options: ResolvedHealth): HealthMiddleware {
  const { livePath, readyPath, problemBase, shows } = options
  const readiness = readinessOf(options)
  const refuse = (req: IncomingMessage, res: ServerResponse, problem: HttpProblem, more?: object): void => {
    const instance = pathOf(req)
    const place = problemBase === undefined ? { instance } : { instance, base: problemBase }
    const { head } = problemResponse(problem, place)
    send(req, res, problem.status, { ...problemBody(problem, place), ...more }, head)
  }
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { state, checks } = await readiness(req)
    const shown = shows !== undefined && holds(() => shows(req)) ? { state, checks } : undefined
    if (state !== 'ready') refuse(req, res, new Unavailable({ detail: details[state] }), shown)
    else if (shown === undefined) pass(res)
    else send(req, res, 200, shown, { [header.contentType]: mediaType.json, [header.typeOptions]: 'nosniff' })
  }
  return function healthMiddleware(req, res, next) {
    const path = pathOf(req)
    if (path !== livePath && path !== readyPath) {
      if (next === undefined) refuse(req, res, new HttpProblem('unknown-path'))
      else next()
    } else if (req.method !== 'GET' && req.method !== 'HEAD') {
      refuse(req, res, new HttpProblem('method-not-allowed', { headers: { [header.allow]: 'GET, HEAD' } }))
    } else if (path === livePath) pass(res)
    else void answer(req, res)
  }
}

/**
 * Returns a function that determines the readiness of the service for a request. The function never
 * rejects.
 */
function readinessOf({ server, started, checks, ...checking }: ResolvedHealth) {
  const runs = checks.map((one) => ({ ...one, run: readinessCheck(one, checking) }))
  const isDraining = (req: IncomingMessage): boolean => (server ?? serverOf(req.socket))?.draining === true
  return async (req: IncomingMessage): Promise<{ readonly state: State; readonly checks: Shown }> => {
    if (isDraining(req)) return { state: 'draining', checks: {} }
    if (!holds(started ?? always)) return { state: 'starting', checks: {} }
    const results: readonly CheckResult[] = await Promise.all(runs.map(({ run }) => run()))
    const shown = Object.fromEntries(
      runs.map(({ name, required }, i) => [name, { ...(results[i] as CheckResult), required }]),
    )
    // The shutdown may have begun while the checks were running.
    if (isDraining(req)) return { state: 'draining', checks: shown }
    const fails = runs.some(({ required }, i) => required && results[i]?.works === false)
    return { state: fails ? 'failing' : 'ready', checks: shown }
  }
}

const always = (): boolean => true

/** Whether one of the service's own functions returns true. False if the function throws. */
function holds(test: () => boolean): boolean {
  try {
    return unawaited(test()) === true
  } catch {
    return false
  }
}

function pass(res: ServerResponse): void {
  res.writeHead(204, { [header.cacheControl]: 'no-store' }).end()
}

function send(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  content: object,
  head: Readonly<Record<string, string>>,
): void {
  const body = JSON.stringify(content)
  res.writeHead(status, {
    ...head,
    [header.contentLength]: String(Buffer.byteLength(body)),
    [header.cacheControl]: 'no-store',
  })
  res.end(req.method === 'HEAD' ? undefined : body)
}

function pathOf({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?')
  return query === -1 ? url : url.slice(0, query)
}
