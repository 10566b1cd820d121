/**
 * Rate limits (LIMIT-1). Requests are counted by principal, or by IP address if they have no
 * principal. Failed authentications are counted by IP address.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Caches, owning } from '../cache.js'
import { splitTarget } from '../http/targets.js'
import { type Budgets, type BudgetsOptions, budgetsKinds, fittingBudget, resolveBudgets } from '../limits/budgets.js'
import { type Engine, makeEngine } from '../limits/engine.js'
import { addressKey, nameKey, principalKey } from '../limits/keys.js'
import { storeKinds, storeMaker } from '../limits/limit-options.js'
import { ProcessStore } from '../limits/process-store.js'
import type { StoreOptions } from '../limits/store.js'
import { StoreDown, StoreGuard, type StoreMessages } from '../limits/store-guard.js'
import { checkOptions, invalidOption } from '../options/check.js'
import { declareFactory } from '../options/factories.js'
import type { Kinds } from '../options/kinds.js'
import { isProblem, Unavailable } from '../problem.js'
import type { Headers } from '../representation/answer.js'
import { principals } from './authenticate.js'
import type { ErrorMiddleware, Middleware } from './middleware.js'
import { splitVersion } from './version-names.js'

/** The options of `rateLimit()`: the limits, and the store that counts requests. */
export interface RateLimitOptions extends BudgetsOptions, StoreOptions {
  /**
   * Returns the name by which a request with a principal is counted. If the name is `undefined`,
   * the request is counted by the client's IP address. Default: the principal's `sub` with its
   * `iss`, or the principal itself if it is a string or a number. You may declare narrower types
   * for both parameters.
   */
  key?(principal: unknown, req: IncomingMessage): string | undefined
  /**
   * How requests are treated while the store is down: `pass` lets them pass, and `refuse` responds
   * with 503. Default `pass`.
   */
  readonly whenStoreFails?: 'pass' | 'refuse'
}

/** The properties of a request that determine how it is counted. */
export interface CountedRequest {
  /** The principal. If it is `undefined`, the request is counted by the client's IP address. */
  readonly principal: unknown
  /** The path below the version, still percent-encoded. */
  readonly path: string
  /**
   * Whether the credentials of the request were missing or not valid. If so, the request is counted
   * against `failures`, by the client's IP address.
   */
  readonly failed: boolean
}

/**
 * The return value of `rateLimit()`. It is a middleware, and can also be passed as the option
 * `rateLimit` of `api` and `resourceRouter`.
 */
export interface RateLimit extends Middleware {
  /**
   * Counts one request and returns the header fields for its response. Rejects with the problem
   * `too-many-requests` (429) or `Unavailable` (503).
   */
  count(req: IncomingMessage, counted: CountedRequest): Promise<Headers>
  /**
   * Resolves when the initialization of all stores has ended. If a store is down at that time,
   * first waits at most two seconds for its recovery. `ready()` of `api` waits for this promise, so
   * that the first requests are counted. Never rejects.
   */
  ready(): Promise<void>
  /**
   * The `routes` of all budgets, as they are written in the options. `api` throws if no version
   * serves a path that begins with one of these routes, unless a version has hand-written routes.
   */
  readonly routes: readonly string[]
  /**
   * An error middleware that counts failed authentications (401) by the client's IP address. If an
   * IP address exceeds the limit of `failures`, the response is 429 instead of 401. Other errors
   * are passed on. Mount it with `app.use` after all routes.
   */
  readonly failures: ErrorMiddleware
}

/**
 * Creates a middleware that limits the number of requests per window (LIMIT-1). Requests are
 * counted by the principal of a preceding `authenticate()`. Without a principal, they are counted
 * by the client's IP address, as determined by the Express setting `trust proxy`. Responses have
 * the number of remaining requests in `RateLimit`, and the limit in `RateLimit-Policy`. A 429 has
 * the waiting time in `Retry-After`. A window starts with a caller's first request and has a fixed
 * length. While a shared store is down, requests pass by default. The failure and the recovery are
 * each reported once. After the recovery, the limits apply again.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid
 *
 * @example
 * const limit = rateLimit({
 *   limit: 600,
 *   budgets: [{ name: 'search', routes: ['search'], limit: 60 }],
 *   failures: { limit: 20 },
 * })
 * app.use(authenticated, limit)
 * app.use(limit.failures, problems())
 */
export function rateLimit(options: RateLimitOptions): RateLimit {
  checkOptions('rateLimit()', options, rateLimitKinds)
  const { key, whenStoreFails = 'pass' } = options
  const budgets = resolveBudgets(options)
  const uncounted = (error: unknown): Headers => {
    if (!(error instanceof StoreDown)) throw error
    if (whenStoreFails === 'refuse')
      throw new Unavailable({ detail: 'Requests cannot be counted at present. Try again in a moment.' })
    return {}
  }
  const caches = new Caches()
  const { engines, failures, guard } = makeEngines(budgets, options, uncounted, caches)
  const keyOf = (principal: unknown, req: IncomingMessage): string => {
    if (principal === undefined) return addressKey(req)
    if (key === undefined) return principalKey(principal) ?? addressKey(req)
    const name = nameOf(key(principal, req))
    return name === undefined ? addressKey(req) : nameKey(name)
  }
  const count = (req: IncomingMessage, { principal, path, failed }: CountedRequest): Promise<Headers> => {
    // Each additional promise would cost every request a microtask, so this function is not async.
    try {
      if (failed) return failures(addressKey(req))
      const key = keyOf(principal, req)
      return (engines[fittingBudget(budgets.all, req, path)] as Engine)(key)
    } catch (error) {
      return Promise.reject(error)
    }
  }
  const rateLimitMiddleware: Middleware = (req, res, next) => {
    const { path } = splitTarget(req.url ?? '/')
    const counted = {
      principal: principals.find(req)?.principal,
      path: splitVersion(path)?.rest ?? path,
      failed: false,
    }
    count(req, counted)
      .then((fields) => addFields(res, fields))
      .then(() => next(), next)
  }
  const rateLimitFailuresMiddleware: ErrorMiddleware = (error, req, res, next) => {
    if (!isProblem(error) || error.status !== 401) return next(error)
    count(req, { principal: undefined, path: '/', failed: true })
      .then((fields) => addFields(res, fields))
      .then(() => next(error), next)
  }
  const routes = (options.budgets ?? []).flatMap((budget) => budget.routes ?? [])
  const made = Object.assign(rateLimitMiddleware, {
    count,
    ready: () => guard.ready(startTimeout),
    routes,
    failures: rateLimitFailuresMiddleware,
  })
  return owning(made, caches)
}

declareFactory(rateLimit, 'rateLimit({ limit: 600 })')

export const rateLimitKinds: Kinds<RateLimitOptions> = {
  ...budgetsKinds,
  ...storeKinds,
  key: 'function',
  whenStoreFails: { oneOf: ['pass', 'refuse'] },
}

/**
 * Returns the name of a caller, or `undefined` if the caller has no name. Throws if the name is not
 * a string. A promise, for example, would be converted to the same string for all callers, so all
 * callers would share one limit.
 */
function nameOf(name: unknown): string | undefined {
  if (name === undefined || name === null) return undefined
  if (typeof name === 'string') return name
  throw invalidOption(
    `The function "key" of rateLimit() returned a value of type ${typeof name}. Return a string synchronously, or ` +
      "undefined to count the request by the client's IP address.",
  )
}

const messages: Record<'pass' | 'refuse', StoreMessages> = {
  pass: {
    failed: 'The store of rateLimit() is down. Requests pass without a limit until it recovers.',
    recovered: (time) => `Rate limits were off for ${time}, because the store of rateLimit() was down.`,
  },
  refuse: {
    failed: 'The store of rateLimit() is down. Requests are refused until it recovers.',
    recovered: (time) => `Requests were refused for ${time}, because the store of rateLimit() was down.`,
  },
}

/** How long `ready()` waits for a store that failed to start, in milliseconds. */
const startTimeout = 2000

interface Engines {
  readonly engines: readonly Engine[]
  readonly failures: Engine
  readonly guard: StoreGuard
}

/**
 * Creates one engine (a function that counts requests) for each budget, in the order of the
 * budgets, and one for failures. The stores share one guard, so if one of the stores is down, all
 * are treated as down.
 */
function makeEngines(
  { all, failures }: Budgets,
  options: RateLimitOptions,
  uncounted: (error: unknown) => Headers,
  caches: Caches,
): Engines {
  const { store: factory, whenStoreFails = 'pass' } = options
  const make = factory === undefined ? undefined : storeMaker('rateLimit()', factory)
  const guard = new StoreGuard(messages[whenStoreFails], options)
  const engines = [...all, failures].map((budget) => {
    const store =
      make === undefined ? new ProcessStore(budget.window) : guard.add(make(budget.name, budget.window), budget.window)
    return makeEngine(budget, store, uncounted, caches)
  })
  return { engines: engines.slice(0, -1), failures: engines.at(-1) as Engine, guard }
}

/**
 * Adds the header fields of a limit. If a request counts against two limits, each field lists both
 * limits (RFC 9651 3.1).
 */
function addFields(res: ServerResponse, fields: Headers): void {
  for (const [name, value] of Object.entries(fields)) {
    const before = res.getHeader(name)
    res.setHeader(name, before === undefined ? value : `${before}, ${value}`)
  }
}
