/**
 * Counts which clauses an existing service violates, and for which clients, without changing its
 * responses.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { splitTarget } from '../http/targets.js'
import type { ExpressRequest, Middleware } from '../middleware/middleware.js'
import { fromVersion, splitVersion } from '../middleware/version-names.js'
import { notify } from '../notify.js'
import { checkOptions } from '../options/check.js'
import { type Kinds, withMethod } from '../options/kinds.js'
import { unawaited } from '../promise.js'
import { followParameters } from '../telemetry/express-route.js'
import { callItself, followCounts, isCounted } from '../usage/counted.js'
import { boundedName } from '../usage/names.js'
import type { Usage } from '../usage/usage.js'
import { parameter } from '../wire.js'
import { ObservedAnswer } from './answer.js'
import { BodyWatch } from './body-watch.js'
import { callerOf } from './caller.js'
import { isCollectionName, judgePath } from './path-rules.js'
import { isBehindExpress, RouteFinder, readable, segmentsOf, takesAnyPath } from './route-of.js'
import { type Finding, judge } from './rules.js'
import { Sampler } from './sampler.js'

export interface ObserveOptions {
  /** The result of `usage()`, which counts the findings. */
  readonly usage: Usage
  /** The share of requests that are examined, above 0 and up to 1. Default 1. */
  readonly sample?: number
  /**
   * The maximum share of the process's time that is spent on examining requests, above 0 and up to
   * 1. If this time is used up, requests are not examined. Default 0.01.
   */
  readonly budget?: number
  /**
   * Returns the route template of a request, such as `/v1/orders/{id}`, for services that do not
   * route with Express. This function is called after the response. Default: the route that Express
   * matched.
   */
  route?(req: IncomingMessage): string | undefined
  /**
   * Returns true for requests that do not belong to the API, for example `(req) =>
   * req.url.startsWith('/assets')`. Default: all requests belong to the API.
   */
  skip?(req: IncomingMessage): boolean
  /**
   * The query parameters of routes, keyed by template, in addition to `sort`, `q`, `offest`,
   * `limit` and `expand`. Any other parameter in a successful GET violates QUERY-8. `utm_*` matches
   * all names that start with `utm_`. The parameters of routes that are not listed here are not
   * checked.
   */
  readonly parameters?: Readonly<Record<string, readonly string[]>>
  /**
   * Path segments that are accepted although they violate a naming rule, such as the names of
   * documented endpoints (PATH-8).
   */
  readonly allow?: readonly string[]
  /** Whether changes without `If-Match` violate HDR-3. Default false. */
  readonly requireIfMatch?: boolean
  /**
   * Whether calls are counted too, by version, route and client. If `api` or a router after this
   * middleware counts a call in the same `usage`, this middleware does not count the call again.
   * Default false.
   */
  readonly calls?: boolean
  /** Called once, with the first error of `observe()` itself. Default: `console.error`. */
  onError?(error: unknown): void
}

const share = { from: 0, above: true, to: 1 } as const

export const observeKinds: Kinds<ObserveOptions> = {
  usage: { required: withMethod('the result of usage()', 'countBreak') },
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
 * Creates a middleware to mount before all others. It counts which clauses the responses violate,
 * by route and client. `usage` reports these counts as `would_break`. The middleware changes no
 * byte of any response, and never throws. It records no values of members, parameters or header
 * fields, except the client names that you choose with the option `client` of `usage()`.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid
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
        new Error('observe() could not examine a response; this is reported only once. The service is not affected.', {
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
  /** Maps the value of each Express path parameter to the name of the parameter. */
  readonly names: ReadonlyMap<unknown, string>
  readonly body: BodyWatch
  /** The number of requests that this examined request represents. */
  readonly amount: number
}

class Observer {
  readonly #options: ObserveOptions
  readonly #routes: RouteFinder
  readonly #allow: ReadonlySet<string>
  readonly #parameters: ReadonlyMap<string, readonly string[]>
  /**
   * The results of `judgePath`, by template. The map stays small, because `RouteFinder` limits the
   * number of templates.
   */
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
    // A 404 without a route, or from a route that ends with a wildcard, violates nothing.
    if (res.statusCode === 404 && (!isRouted || takesAnyPath(template))) return
    const isKnownCollection = isCollectionName(segmentsOf(template).at(-1)) && this.#routes.isCollection(template)
    const answer = new ObservedAnswer({ req, res, method, path, query, template, isKnownCollection, body: body.form })
    const isRoute = isRouted || from === 'learned' || !isBehindExpress(req) || isFromApi(answer)
    const judged = [
      ...judge(answer, isRoute),
      ...(isRoute ? this.#pathFindings(answer, from === 'shape') : []),
      ...this.#byOptions(answer),
    ]
    // If another part of the library has already counted this clause for the request, the finding
    // is dropped, because the other count has more information.
    const found = judged.filter(({ clause }) => !isCounted(req, usage, clause))
    if (found.length === 0 && !calls) return
    const client = usage.clientOf(callerOf(req, res.statusCode), req)
    for (const { clause, detail } of found)
      usage.countBreak({ clause, method, route: template, detail, client, amount })
    if (calls && !isCounted(req, usage, callItself)) usage.countCall({ ...placeOf(template), method, client, amount })
  }

  /**
   * `isGuessed`: the template was derived from the path of a request, and a word in it might be an
   * id. Only a successful response confirms such a template.
   */
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
      answer.requestField('if-match') === undefined
    )
      found.push({ clause: 'HDR-3', detail: 'If-Match' })
    const declared = this.#parameters.get(template)
    if (declared !== undefined && method === 'GET' && isSuccess) {
      const undeclared = new Set(answer.parameters.map(([name]) => name).filter((name) => !isDeclared(name, declared)))
      for (const name of [...undeclared].slice(0, maxUndeclared))
        found.push({ clause: 'QUERY-8', detail: boundedName(name) })
    }
    return found
  }
}

/**
 * Whether a response without a matched Express route belongs to the API. Responses to POST, PUT,
 * PATCH and DELETE do, and so do responses in JSON or XML. Other responses may be files, or
 * redirects by a middleware.
 */
const isFromApi = ({ method, isFile, isJson, isXml }: ObservedAnswer): boolean =>
  ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) || (!isFile && (isJson || isXml))

/**
 * Splits a template into the version and the route below it. Calls are counted by version and
 * route.
 */
function placeOf(template: string): { readonly version: string; readonly route: string } {
  const below = splitVersion(fromVersion(template))
  return below === undefined
    ? { version: '', route: template }
    : { version: below.name, route: below.rest === '' ? '/' : below.rest }
}

/** The maximum number of undeclared names counted per request. */
const maxUndeclared = 5

const standard: readonly string[] = [parameter.sort, parameter.search, parameter.page, parameter.size, parameter.expand]

const isDeclared = (name: string, declared: readonly string[]): boolean =>
  standard.includes(name) ||
  declared.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name))
