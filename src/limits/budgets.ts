/** Which budget a request counts against: options resolved when the service is built, looked up by path and method (LIMIT-1). */

import { safeMethods } from '../http/safe-methods.js'
import { decodeSegments } from '../http/targets.js'
import { invalidOption } from '../options/check.js'
import type { Kind, Kinds } from '../options/kinds.js'
import { limitKinds, limitOf } from './limit-options.js'
import type { Quota } from './store.js'

/** A limit of its own for some routes or methods. */
export interface BudgetOptions {
  /** Its name in the header fields and in the store: letters, digits, `.`, `_` and `-`. */
  readonly name: string
  /** What paths below the version begin with, such as `search` or `tax/facturas`, in segments. Default: all. */
  readonly routes?: readonly string[]
  /** `read`: GET, HEAD and OPTIONS; `write`: the others. Default: all. */
  readonly methods?: 'read' | 'write'
  /** Requests a window. */
  readonly limit: number
  /** Milliseconds of a window. Default: that of the default budget. */
  readonly window?: number
}

/** What the budgets of a service are made from. */
export interface BudgetsOptions {
  /** Requests a window, where no other budget fits. May be left out where a budget of `budgets` fits every request. */
  readonly limit?: number
  /** Milliseconds of a window. Default 60,000. */
  readonly window?: number
  /** The first that fits a request counts it, and no other. */
  readonly budgets?: readonly BudgetOptions[]
  /** Failed authentications of one address. Default: `limit` and `window`. */
  readonly failures?: { readonly limit: number; readonly window?: number }
}

/** A budget, resolved. */
export interface Budget extends Quota {
  readonly name: string
  readonly routes: readonly (readonly string[])[] | undefined
  readonly methods: 'read' | 'write' | undefined
}

/** All budgets of a service: `all` in the order in which they are asked, the last of them fits what no other does. */
export interface Budgets {
  readonly all: readonly Budget[]
  readonly failures: Budget
}

/** Throws `ConfigurationError` where an option makes no sense. */
export function resolveBudgets(options: BudgetsOptions): Budgets {
  const { limit, window = 60_000, budgets = [], failures } = options
  const all = budgets.map((given) => resolveBudget(given, window))
  const whole = { routes: undefined, methods: undefined }
  if (limit !== undefined) all.push({ name: 'default', ...whole, limit, window })
  else if (!coversAll(all)) {
    throw invalidOption(
      'limit of rateLimit() is missing, and no budget fits every request. Give how many requests a window may have.',
    )
  }
  if (limit === undefined && failures?.limit === undefined) {
    throw invalidOption(
      'The option "failures.limit" of rateLimit() is missing. Give it where there is no limit that fits every request.',
    )
  }
  const { limit: otherwise } = all.at(-1) as Budget
  const failed: Budget = { name: 'failures', ...whole, ...limitOf(failures, { limit: otherwise, window }) }
  const names = [...all, failed].map(({ name }) => name)
  const twice = names.find((name, at) => names.indexOf(name) < at)
  if (twice !== undefined)
    throw invalidOption(
      `Two budgets of rateLimit() are named "${twice}". Name each its own; "default" and "failures" are taken.`,
    )
  return { all, failures: failed }
}

/** It stands in a quoted string of a header field (RFC 9651 3.3.3). */
const nameKind: Kind = { a: 'a name of at most 64 letters, digits, ".", "_" and "-"', like: /^[\w.-]{1,64}$/ }

const routeKind: Kind = {
  a: 'the segments of a path below the version, such as "tax/facturas"',
  like: /^[^/]+(?:\/[^/]+)*$/,
}

export const budgetKinds: Kinds<BudgetOptions> = {
  name: { required: nameKind },
  routes: { each: routeKind, least: 1, a: 'a list of routes such as "tax/facturas", or leave it out for all' },
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
  return { name, routes: routes?.map((route) => route.split('/').map(folded)), methods, limit, window: own ?? window }
}

function coversAll(budgets: readonly Budget[]): boolean {
  const whole = budgets.filter(({ routes }) => routes === undefined).map(({ methods }) => methods)
  return whole.includes(undefined) || (whole.includes('read') && whole.includes('write'))
}

/**
 * Which of the budgets counts a request. `path`: below the version, still encoded; one that can't be decoded is on no route. The method is looked at where a budget goes
 * by it: behind Express each look at a request is slow on Node 20.
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
    segments ??= (decodeSegments(path) ?? []).map(folded)
    return routes.some((route) => route.every((segment, at) => segment === segments?.[at]))
  })
}

/** Express finds a route in either case, unless told otherwise: a budget must not be got round by that. */
const folded = (segment: string): string => segment.toLowerCase()
