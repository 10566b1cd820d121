/**
 * Budgets (LIMIT-1). A budget is a rate limit for all requests, or for some routes or methods.
 * Budgets are validated when the service is built. For each request, a budget is selected by path
 * and method.
 */

import { safeMethods } from '../http/safe-methods.js'
import { decodeSegments } from '../http/targets.js'
import { invalidOption } from '../options/check.js'
import type { Kind, Kinds } from '../options/kinds.js'
import { limitKinds, limitOf } from './limit-options.js'
import type { Quota } from './store.js'

/** A separate limit for some routes or methods. */
export interface BudgetOptions {
  /**
   * The name of the budget in header fields and in the store: at most 64 letters, digits, `.`, `_`
   * and `-`.
   */
  readonly name: string
  /**
   * The paths that the budget covers, given by their leading segments below the version, such as
   * `search` or `tax/facturas`. Default: all paths.
   */
  readonly routes?: readonly string[]
  /** `read`: GET, HEAD and OPTIONS. `write`: all other methods. Default: all methods. */
  readonly methods?: 'read' | 'write'
  /** Requests per window. */
  readonly limit: number
  /** Length of a window in milliseconds. Default: the `window` of `BudgetsOptions`. */
  readonly window?: number
}

/** The options from which the budgets of a service are built. */
export interface BudgetsOptions {
  /**
   * The limit for requests that match none of `budgets`, in requests per window. Optional if
   * `budgets` cover every request and `failures` is set.
   */
  readonly limit?: number
  /** Length of a window in milliseconds. Default 60,000. */
  readonly window?: number
  /**
   * Separate limits for some routes or methods. A request counts only against the first budget that
   * it matches.
   */
  readonly budgets?: readonly BudgetOptions[]
  /**
   * The limit of failed authentications from one IP address. Default: `limit` and `window`.
   * Required if `limit` is not set.
   */
  readonly failures?: { readonly limit: number; readonly window?: number }
}

/** A resolved budget. */
export interface Budget extends Quota {
  readonly name: string
  readonly routes: readonly (readonly string[])[] | undefined
  readonly methods: 'read' | 'write' | undefined
}

/**
 * All budgets of a service. `all` lists the budgets in order of precedence. Each request matches at
 * least one of them.
 */
export interface Budgets {
  readonly all: readonly Budget[]
  readonly failures: Budget
}

/** Creates the budgets of a service. Throws `ConfigurationError` if an option is invalid. */
export function resolveBudgets(options: BudgetsOptions): Budgets {
  const { limit, window = 60_000, budgets = [], failures } = options
  const all = budgets.map((given) => resolveBudget(given, window))
  const whole = { routes: undefined, methods: undefined }
  if (limit !== undefined) all.push({ name: 'default', ...whole, limit, window })
  else if (!coversAll(all)) {
    throw invalidOption(
      'The option "limit" of rateLimit() is missing, and the budgets do not cover every request. Set the number of ' +
        'requests per window.',
    )
  }
  if (limit === undefined && failures?.limit === undefined) {
    throw invalidOption(
      'The option "failures.limit" of rateLimit() is missing. It is required if the option "limit" is not set.',
    )
  }
  const { limit: otherwise } = all.at(-1) as Budget
  const failed: Budget = { name: 'failures', ...whole, ...limitOf(failures, { limit: otherwise, window }) }
  const names = [...all, failed].map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) < at)
  if (twice !== undefined)
    throw invalidOption(
      `Two budgets of rateLimit() are named "${twice}". Use unique names; "default" and "failures" are reserved.`,
    )
  return { all, failures: failed }
}

/** The name is sent as a quoted string in a header field (RFC 9651 3.3.3). */
const nameKind: Kind = { a: 'a name of at most 64 letters, digits, ".", "_" and "-"', like: /^[\w.-]{1,64}$/ }

const routeKind: Kind = {
  a: 'the segments of a path below the version, such as "tax/facturas"',
  like: /^[^/]+(?:\/[^/]+)*$/,
}

export const budgetKinds: Kinds<BudgetOptions> = {
  name: { required: nameKind },
  routes: { each: routeKind, min: 1, a: 'a list of routes such as "tax/facturas", or omit it to cover all routes' },
  methods: { oneOf: ['read', 'write'] },
  limit: { required: limitKinds.limit },
  window: limitKinds.window,
}

export const budgetsKinds: Kinds<BudgetsOptions> = {
  ...limitKinds,
  budgets: { each: { options: budgetKinds } },
  failures: { options: limitKinds },
}

function resolveBudget({ name, routes, methods, limit, window: own }: BudgetOptions, window: number): Budget {
  return {
    name,
    routes: routes?.map((route) => route.split('/').map(lowerCased)),
    methods,
    limit,
    window: own ?? window,
  }
}

function coversAll(budgets: readonly Budget[]): boolean {
  const whole = budgets.filter(({ routes }) => routes === undefined).map(({ methods }) => methods)
  return whole.includes(undefined) || (whole.includes('read') && whole.includes('write'))
}

/**
 * The index of the budget for a request. `path` is the path below the version, still encoded. A
 * path that can't be decoded matches no route. The method is read only if a budget depends on it,
 * because reading a property of an Express request is slow on Node 20.
 */
export function fittingBudget(
  budgets: readonly Budget[],
  req: { readonly method?: string | undefined },
  path: string,
): number {
  let segments: readonly string[] | undefined
  return budgets.findIndex(({ routes, methods }) => {
    if (methods !== undefined && methods !== (safeMethods.has(req.method) ? 'read' : 'write')) return false
    if (routes === undefined) return true
    segments ??= (decodeSegments(path) ?? []).map(lowerCased)
    return routes.some((route) => route.every((segment, at) => segment === segments?.[at]))
  })
}

/**
 * Express matches routes case-insensitively by default, so a path that differs only in case must
 * not bypass a budget.
 */
const lowerCased = (segment: string): string => segment.toLowerCase()
