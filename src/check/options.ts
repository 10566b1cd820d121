/** The options of `checkService()`. */
import { checkOptions, invalidOption } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import type { Exchange } from './client/exchange.js'
import type { Account, Principal } from './client/principals.js'
import { productionLimits } from './client/production.js'
import { variableKind } from './target/target-file.js'
import type { Result } from './verdict.js'

/** The options of `checkService()`. Some of them also apply to `removeLeftovers()`. */
export interface CheckServiceOptions {
  /**
   * The base URL to which the paths of the document are appended, such as
   * `http://127.0.0.1:3000/v1`.
   */
  readonly base: string
  /** An OpenAPI 3.0 or 3.1 document, or the content of a target file. */
  readonly target: unknown
  /**
   * The callers, with their tokens. The first one must have permission to read everything that is
   * checked. Default: none.
   */
  readonly principals?: readonly Principal[]
  /**
   * A user that can log in, for the checks of the login (AUTH-2, AUTH-3, AUTH-6). Default: none.
   */
  readonly account?: Account
  /**
   * The maximum number of requests per second. It also applies when the checks remove their own
   * records at the end. Default 50, or 10 with `production`.
   */
  readonly rate?: number
  /**
   * The maximum number of requests of the checks. Checks that would exceed this number are reported
   * as not checked. Default 3,000.
   */
  readonly budget?: number
  /**
   * The path of the ledger file. If it is given, checks that write are run too. They create, change
   * and remove only their own records, and the ledger lists these records. Default: no checks that
   * write.
   */
  readonly write?: string
  /**
   * Sends nothing that could lock accounts, exhaust limits or overload the service: no altered
   * tokens, no wrong passwords, no races, no large bodies, no long URLs, at most 10 requests per
   * second and 3,000 in total, and no requests after the first 429 response. Checks that need such
   * requests are reported as not checked. Default false.
   */
  readonly production?: boolean
  /**
   * Declares that all data of the service may be destroyed. Checks then also send DELETE, PUT and
   * PATCH to whole collections, writes without credentials, and logins with wrong passwords.
   * Requires `write`. Default false.
   */
  readonly disposable?: boolean
  /**
   * The ids of the clauses or checks to run, such as `QUERY-7` or `QUERY-7/total`. Default: all.
   */
  readonly only?: readonly string[]
  /**
   * The URL with which links begin, if this URL is not `base`. Default: the URL of the first server
   * in the document.
   */
  readonly published?: string
  /**
   * The URL of the service itself, if `base` is the URL of a gateway in front of the service. Most
   * checks that find a violation are also run at this URL, and their results say whether the
   * gateway is the cause. Default: none.
   */
  readonly direct?: string
  /**
   * Called with each result. If the function throws, the run ends and removes the records that it
   * has created.
   */
  readonly onResult?: (result: Result) => void
  /**
   * Called with each request and its response. If the function throws, the run ends and removes the
   * records that it has created.
   */
  readonly onExchange?: (exchange: Exchange) => void
}

export const defaults = { rate: 50, budget: 3_000 } as const

/** The defaults, with or without `production`. */
export const defaultsOf = (production: boolean): { readonly rate: number; readonly budget: number } =>
  production ? { ...defaults, rate: productionLimits.rate } : defaults

export const principalKinds: Kinds<Principal> = {
  name: { required: 'string' },
  token: { required: { a: 'a token', like: /^\S+$/ } },
  header: 'string',
  variable: variableKind,
  forbidden: { each: 'string' },
  expired: 'boolean',
  readOnly: 'boolean',
}

export const accountKinds: Kinds<Account> = {
  user: { required: 'string' },
  password: { required: 'string' },
}

export const checkServiceKinds: Kinds<CheckServiceOptions> = {
  base: {
    required: {
      a: 'an absolute address such as "http://127.0.0.1:3000/v1"',
      like: /^https?:\/\/[^/?#]+(?:\/[^?#]*)?$/,
    },
  },
  target: { required: 'table' },
  principals: { each: { options: principalKinds } },
  account: { options: accountKinds },
  rate: { from: 0, above: true },
  budget: { from: 1, whole: true },
  write: 'string',
  production: 'boolean',
  disposable: 'boolean',
  only: { each: 'string' },
  published: { a: 'an absolute address', like: /^https?:\/\/[^/?#]+(?:\/[^?#]*)?$/ },
  direct: { a: 'an absolute address', like: /^https?:\/\/[^/?#]+(?:\/[^?#]*)?$/ },
  onResult: 'function',
  onExchange: 'function',
}

/**
 * Checks and returns the options. `what` is the function name in error messages. Throws
 * `ConfigurationError` if an option is invalid.
 */
export function resolveCheckOptions(what: string, options: CheckServiceOptions): CheckServiceOptions {
  const resolved = checkOptions<CheckServiceOptions>(what, options, checkServiceKinds)
  const { production = false, disposable = false, write, rate = 0, budget = 0 } = resolved
  if (disposable && write === undefined)
    throw invalidOption(`${what} has "disposable" without "write". Give the path of the ledger file as "write".`)
  const conflict = productionConflict({ production, disposable, rate, budget })
  if (conflict === undefined) return resolved
  throw invalidOption(`${what}: ${conflict}`)
}

/** The reason why the options can't be combined with `production`. `undefined` if they can. */
export function productionConflict({
  production,
  disposable,
  rate,
  budget,
}: Required<Pick<CheckServiceOptions, 'production' | 'disposable' | 'rate' | 'budget'>>): string | undefined {
  if (!production) return undefined
  if (disposable)
    return (
      '"production" and "disposable" are both given. "production" protects a service that is in use. ' +
      '"disposable" says that all data of the service may be destroyed. Give only one of them.'
    )
  if (rate > productionLimits.rate)
    return (
      `"rate" is ${rate}, and "production" sends at most ${productionLimits.rate} requests per second, because ` +
      'more could overload the service. Give a lower rate, or leave out "production".'
    )
  if (budget > productionLimits.budget)
    return (
      `"budget" is ${budget}, and "production" sends at most ${productionLimits.budget} requests, because more ` +
      'could exhaust a limit. Give a lower budget, or leave out "production".'
    )
  return undefined
}
