/** Counts which clauses an existing service breaks, and for which clients, without changing a byte of its answers. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { splitTarget } from '../http/targets.js'
import type { ExpressRequest, Middleware } from '../middleware/middleware.js'
import { fromVersion, splitVersion } from '../middleware/version-names.js'
import { notify } from '../notify.js'
import { checkOptions } from '../options/check.js'
import { type Kinds, withMethod } from '../options/kinds.js'
import { unawaited } from '../promise.js'
import { followParameters } from '../telemetry/express-route.js'
import { followCounts, isCounted, theCall } from '../usage/counted.js'
import { boundedName } from '../usage/names.js'
import type { Usage } from '../usage/usage.js'
import { parameter } from '../wire.js'
import { ObservedAnswer } from './answer.js'
import { BodyWatch } from './body-watch.js'
import { callerOf } from './caller.js'
import { isNameOfThings, judgePath } from './path-rules.js'
import { isBehindExpress, RouteFinder, readable, segmentsOf, takesAnyPath } from './route-of.js'
import { type Finding, judge } from './rules.js'
import { Sampler } from './sampler.js'

export interface ObserveOptions {
  /** Where findings are counted: the result of `usage()`. */
  readonly usage: Usage
  /** The share of requests that are examined, above 0 and up to 1. Default 1. */
  readonly sample?: number
  /** The maximum share of the time of the process that examining may take, above 0 and up to 1. When it is used up, requests are skipped. Default 0.01. */
  readonly budget?: number
  /** The template of an answered request, such as `/v1/orders/{id}`, for services that don't route with Express. Default: what Express has matched. */
  route?(req: IncomingMessage): string | undefined
  /** Returns true for requests that do not belong to the API: `(req) => req.url.startsWith('/assets')`. Default: none. */
  skip?(req: IncomingMessage): boolean
  /**
   * The query parameters of routes, beside `sort`, `q`, `offest`, `limit` and `expand`: any other one in a successful GET breaks QUERY-8. `utm_*` stands for all names that begin
   * so. Default: parameters are not looked at.
   */
  readonly parameters?: Readonly<Record<string, readonly string[]>>
  /** Path segments that are accepted although they break a naming rule: documented endpoints that do not fit a resource (PATH-8). */
  readonly allow?: readonly string[]
  /** Changes without `If-Match` break HDR-3. Default false. */
  readonly requireIfMatch?: boolean
  /** Counts the calls too, by version, route and client, except those that `api` or a router behind it counts in the same `usage`. Default false. */
  readonly calls?: boolean
  /** Called once if observing itself fails. Default: `console.error`. */
  onError?(error: unknown): void
}

const share = { from: 0, above: true, to: 1 } as const

export const observeKinds: Kinds<ObserveOptions> = {
  usage: { required: withMethod('what usage() made', 'countBreak') },
  sample: share,
  budget: share,
  route: 'function',
  skip: 'function',
  parameters: { values: { each: 'string' } },
  allow: { each: 'string' },
  requireIfMatch: 'boolean',
  calls: 'boolean',
  onError: 'function',
}

/**
 * A middleware to use before every other one. It counts, as `would_break` of `usage`, which clauses the answers break, by route and client. It changes no byte of
 * any answer, records no value of a member, a parameter or a header, and never throws. The factory throws `ConfigurationError` if an option is invalid.
 *
 * @example
 * const counts = usage({ client: 'token' })
 * app.use(observe({ usage: counts, sample: 0.01 }))
 */
export function observe(options: ObserveOptions): Middleware {
  checkOptions('observe()', options, observeKinds)
  const { usage, skip, sample = 1, budget = 0.01, onError = (error: unknown) => console.error(error) } = options
  const sampler = new Sampler(sample, budget)
  const observer = new Observer(options)
  let hasFailed = false
  const failed = (cause: unknown): void => {
    if (hasFailed) return
    hasFailed = true
    notify(
      onError,
      () =>
        new Error('observe() could not examine an answer; this is reported only once. The service answers as before.', {
          cause,
        }),
    )
  }
  return function observeMiddleware(req, res, next): void {
    try {
      const amount = sampler.take()
      if (amount > 0) watch(req, res, amount)
    } catch (error) {
      failed(error)
    }
    next()
  }

  function watch(req: IncomingMessage, res: ServerResponse, amount: number): void {
    const began = performance.now()
    usage.start()
    if (unawaited(skip?.(req)) !== true) {
      const { method = 'GET' } = req
      const { path, query } = splitTarget((req as ExpressRequest).originalUrl ?? req.url ?? '/')
      const body = new BodyWatch(res)
      followCounts(req)
      const names = followParameters(req)
      res.once('finish', () => {
        const ended = performance.now()
        try {
          observer.ended({ req, res, method, path, query, names, body, amount })
        } catch (error) {
          failed(error)
        }
        sampler.spend(performance.now() - ended)
      })
    }
    sampler.spend(performance.now() - began)
  }
}

interface Ended {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly method: string
  readonly path: string
  readonly query: string
  /** The names of the parameters that Express has set, by their values. */
  readonly names: ReadonlyMap<unknown, string>
  readonly body: BodyWatch
  readonly amount: number
}

class Observer {
  readonly #options: ObserveOptions
  readonly #routes: RouteFinder
  readonly #allow: ReadonlySet<string>
  readonly #parameters: ReadonlyMap<string, readonly string[]>
  /** Findings that follow from the template alone. Bounded, because the finder keeps a bounded number of templates. */
  readonly #paths = new Map<string, readonly Finding[]>()

  constructor(options: ObserveOptions) {
    this.#options = options
    this.#routes = new RouteFinder(options.route)
    this.#allow = new Set(options.allow)
    this.#parameters = new Map(
      Object.entries(options.parameters ?? {}).map(([path, names]) => [
        `/${segmentsOf(readable(path)).join('/')}`,
        names,
      ]),
    )
  }

  ended({ req, res, method, path, query, names, body, amount }: Ended): void {
    const { usage, calls = false } = this.#options
    const { template, from, isRouted } = this.#routes.find(req, path, names, res.statusCode)
    // What is nowhere breaks nothing.
    if (res.statusCode === 404 && (!isRouted || takesAnyPath(template))) return
    const isKnownCollection = isNameOfThings(segmentsOf(template).at(-1)) && this.#routes.isCollection(template)
    const answer = new ObservedAnswer({ req, res, method, path, query, template, isKnownCollection, body: body.form })
    const isRoute = isRouted || from === 'learned' || !isBehindExpress(req) || isOfInterface(answer)
    const judged = [
      ...judge(answer, isRoute),
      ...(isRoute ? this.#pathFindings(answer, from === 'shape') : []),
      ...this.#byOptions(answer),
    ]
    // The part of the library that has already counted this clause knows more about it.
    const found = judged.filter(({ clause }) => !isCounted(req, usage, clause))
    if (found.length === 0 && !calls) return
    const client = usage.clientOf(callerOf(req, res.statusCode), req)
    for (const { clause, detail } of found)
      usage.countBreak({ clause, method, route: template, detail, client, amount })
    if (calls && !isCounted(req, usage, theCall)) usage.countCall({ ...placeOf(template), method, client, amount })
  }

  /** `isGuessed`: the template is derived from the path, whose words may be ids. Only successful answers confirm it. */
  #pathFindings({ template, isSuccess }: ObservedAnswer, isGuessed: boolean): readonly Finding[] {
    if (isGuessed && !isSuccess) return []
    const known = this.#paths.get(template)
    if (known !== undefined) return known
    const found = judgePath(template, this.#allow)
    this.#paths.set(template, found)
    return found
  }

  #byOptions(answer: ObservedAnswer): Finding[] {
    const { method, template, isItem, isSuccess } = answer
    const found: Finding[] = []
    const isChange = ['PUT', 'PATCH', 'DELETE'].includes(method)
    if (
      this.#options.requireIfMatch === true &&
      isChange &&
      isItem &&
      isSuccess &&
      answer.asked('if-match') === undefined
    )
      found.push({ clause: 'HDR-3', detail: 'If-Match' })
    const declared = this.#parameters.get(template)
    if (declared !== undefined && method === 'GET' && isSuccess) {
      const strangers = new Set(answer.parameters.map(([name]) => name).filter((name) => !isDeclared(name, declared)))
      for (const name of [...strangers].slice(0, mostStrangers))
        found.push({ clause: 'QUERY-8', detail: boundedName(name) })
    }
    return found
  }
}

/** Behind Express, what no route has answered may be a file, or a redirect of a middleware; a change, JSON and XML are the interface's. */
const isOfInterface = ({ method, isFile, isJson, isXml }: ObservedAnswer): boolean =>
  ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) || (!isFile && (isJson || isXml))

/** Calls are counted by their version, and the template below it. */
function placeOf(template: string): { readonly version: string; readonly route: string } {
  const below = splitVersion(fromVersion(template))
  return below === undefined
    ? { version: '', route: template }
    : { version: below.name, route: below.rest === '' ? '/' : below.rest }
}

/** Maximum number of undeclared names that are counted per request. */
const mostStrangers = 5

const standard: readonly string[] = [parameter.sort, parameter.search, parameter.page, parameter.size, parameter.expand]

const isDeclared = (name: string, declared: readonly string[]): boolean =>
  standard.includes(name) ||
  declared.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name))
