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

/** How much a caller may ask for, and where that is counted. */
export interface RateLimitOptions extends BudgetsOptions, StoreOptions {
  /**
   * The name under which a request is counted. Default: the principal's `sub`, with its `iss`, or the principal where it is a text or a number. Nothing where there is none:
   * then the client's address is counted. Both parameters may be typed as what they are in the service.
   */
  key?(principal: unknown, req: IncomingMessage): string | undefined
  /** What becomes of requests while the store is down: they `pass`, or are refused with 503. Default `pass`. */
  readonly whenStoreFails?: 'pass' | 'refuse'
}

/** A request, as it is counted. */
export interface CountedRequest {
  /** `undefined` where there is none: the client's address is counted. */
  readonly principal: unknown
  /** Below the version, still encoded. */
  readonly path: string
  /** Its credentials were missing or not valid: its address is counted, against `failures`. */
  readonly failed: boolean
}

/** What `rateLimit()` makes: a middleware, and the option `rateLimit` of `api` and `resourceRouter`. */
export interface RateLimit extends Middleware {
  /** Counts one request: the header fields of its answer. Rejects with the `too-many-requests` problem (429), or `Unavailable` (503). */
  count(req: IncomingMessage, of: CountedRequest): Promise<Headers>
  /** Resolves when the store counts, or after two seconds: `ready()` of `api` waits for it, so that the first requests are counted. Never rejects. */
  ready(): Promise<void>
  /** The routes that budgets name, as they were written: `api` knows what it serves, and refuses one that nobody could count. */
  readonly routes: readonly string[]
  /** Counts failed authentications (401) by address, and makes 429 of those over the limit; other errors pass. For `app.use`, behind all routes. */
  readonly failures: ErrorMiddleware
}

/**
 * So many requests a window, for each caller that an `authenticate()` before it has found out, else
 * for each client address as far as `trust proxy` allows (LIMIT-1). Answers say what is left in
 * `RateLimit` and `RateLimit-Policy`, a 429 when to come back in `Retry-After`. Windows begin with
 * a caller's first request and are fixed. While a shared store is down requests pass; the failure
 * and its end are reported once, and the limit comes back by itself. Throws `ConfigurationError`
 * where an option makes no sense.
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
      throw new Unavailable({ detail: 'Requests can not be counted for the moment. Try again in a moment.' })
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
    // Every promise between the engine and its answer costs each request a turn: this makes none.
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

/** One name for everybody, such as that of a promise, would be one limit for everybody. */
function nameOf(name: unknown): string | undefined {
  if (name === undefined || name === null) return undefined
  if (typeof name === 'string') return name
  throw invalidOption(
    `key of rateLimit() gave a value of type ${typeof name}. Give a text at once, or undefined to count the address.`,
  )
}

const messages: Record<'pass' | 'refuse', StoreMessages> = {
  pass: {
    failed: 'The store of rateLimit() does not count: requests pass without a limit until it does.',
    recovered: (time) => `Rate limits were off for ${time}: the store of rateLimit() did not count.`,
  },
  refuse: {
    failed: 'The store of rateLimit() does not count: requests are refused until it does.',
    recovered: (time) => `Requests were refused for ${time}: the store of rateLimit() did not count.`,
  },
}

/** Milliseconds that a start waits for a store that does not count. */
const startTimeout = 2000

interface Engines {
  readonly engines: readonly Engine[]
  readonly failures: Engine
  readonly guard: StoreGuard
}

/** An engine for each budget in its order, and the one for failures, over stores that are down together. */
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

/** Two limits on one request tell of both: the fields are lists (RFC 9651 3.1). */
function addFields(res: ServerResponse, fields: Headers): void {
  for (const [name, value] of Object.entries(fields)) {
    const before = res.getHeader(name)
    res.setHeader(name, before === undefined ? value : `${before}, ${value}`)
  }
}
