/** Rate limits: requests are counted by principal, failed authentications by address (LIMIT-1). */

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
import type { Kinds } from '../options/kinds.js'
import { isProblem, Unavailable } from '../problem.js'
import type { Headers } from '../representation/answer.js'
import { principals } from './authenticate.js'
import type { ErrorMiddleware, Middleware } from './middleware.js'
import { splitVersion } from './version-names.js'

/** The options of `rateLimit()`: the limits, and the store that counts requests. */
export interface RateLimitOptions extends BudgetsOptions, StoreOptions {
  /**
   * The name by which a request is counted. Default: the principal's `sub` with its `iss`, or the
   * principal itself if it is a string or a number. Return undefined to count the client's address
   * instead. Both parameters may have narrower types.
   */
  key?(principal: unknown, req: IncomingMessage): string | undefined
  /** Whether requests `pass` or are refused with 503 while the store is down. Default `pass`. */
  readonly whenStoreFails?: 'pass' | 'refuse'
}

/** The properties of a request that determine how it is counted. */
export interface CountedRequest {
  /** `undefined` if there is none; the client's address is counted then. */
  readonly principal: unknown
  /** The path below the version, still encoded. */
  readonly path: string
  /**
   * Whether its credentials were missing or not valid. Its address is then counted against
   * `failures`.
   */
  readonly failed: boolean
}

/**
 * The return value of `rateLimit()`: a middleware, and the option `rateLimit` of `api` and
 * `resourceRouter`.
 */
export interface RateLimit extends Middleware {
  /**
   * Counts one request and returns the header fields for its response. Rejects with the problem
   * `too-many-requests` (429) or `Unavailable` (503).
   */
  count(req: IncomingMessage, of: CountedRequest): Promise<Headers>
  /**
   * Resolves when the store works, or after two seconds. `ready()` of `api` awaits it, so that the
   * first requests are counted. Never rejects.
   */
  ready(): Promise<void>
  /**
   * The routes named in budgets, as they were written. `api` refuses names of routes that it does
   * not serve.
   */
  readonly routes: readonly string[]
  /**
   * Counts failed authentications (401) by address, and replaces those over the limit with 429.
   * Passes on other errors. Mount it with `app.use` after all routes.
   */
  readonly failures: ErrorMiddleware
}

/**
 * Limits the requests per window, counted by the principal of a preceding `authenticate()`, or else
 * by the client's address, subject to `trust proxy` (LIMIT-1). Responses have the remaining
 * requests in `RateLimit` and `RateLimit-Policy`; a 429 has the waiting time in `Retry-After`. A
 * window starts with a caller's first request and has a fixed length. While a shared store is down,
 * requests pass by default; the failure and the recovery are each reported once, and limits apply
 * again after the recovery.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid
 *
 * @example
 * const limit = rateLimit({ limit: 600, budgets: [{ name: 'search', routes: ['search'], limit: 60 }], failures: { limit: 20 } })
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
    // Each promise between the engine and the response costs every request a microtask, so this
    // creates none.
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
    const of = { principal: principals.find(req)?.principal, path: splitVersion(path)?.rest ?? path, failed: false }
    count(req, of)
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

export const rateLimitKinds: Kinds<RateLimitOptions> = {
  ...budgetsKinds,
  ...storeKinds,
  key: 'function',
  whenStoreFails: { oneOf: ['pass', 'refuse'] },
}

/**
 * A value that is not a string, such as a promise, would become one name and thus one limit for all
 * callers.
 */
function nameOf(name: unknown): string | undefined {
  if (name === undefined || name === null) return undefined
  if (typeof name === 'string') return name
  throw invalidOption(
    `The function key of rateLimit() returned a value of type ${typeof name}. Return a string synchronously, or ` +
      'undefined to count the address.',
  )
}

const messages: Record<'pass' | 'refuse', StoreMessages> = {
  pass: {
    failed: 'The store of rateLimit() does not work: requests pass without a limit until it recovers.',
    recovered: (time) => `Rate limits were off for ${time}: the store of rateLimit() did not work.`,
  },
  refuse: {
    failed: 'The store of rateLimit() does not work: requests are refused until it recovers.',
    recovered: (time) => `Requests were refused for ${time}: the store of rateLimit() did not work.`,
  },
}

/** How long a starting service waits for a failing store, in milliseconds. */
const startTimeout = 2000

interface Engines {
  readonly engines: readonly Engine[]
  readonly failures: Engine
  readonly guard: StoreGuard
}

/**
 * Creates an engine for each budget, in order, and one for failures. All stores share one outage
 * state.
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
    const store = make === undefined ? new ProcessStore(budget.window) : guard.add(make(budget.name), budget.window)
    return makeEngine(budget, store, uncounted, caches)
  })
  return { engines: engines.slice(0, -1), failures: engines.at(-1) as Engine, guard }
}

/** Adds the fields of a limit. If a request has two limits, they list both (RFC 9651 3.1). */
function addFields(res: ServerResponse, fields: Headers): void {
  for (const [name, value] of Object.entries(fields)) {
    const before = res.getHeader(name)
    res.setHeader(name, before === undefined ? value : `${before}, ${value}`)
  }
}
