/** The options of `checkService()`. */
import { checkOptions } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import type { Exchange } from './client/exchange.js'
import type { Account, Principal } from './client/principals.js'
import { variableKind } from './target/target-file.js'
import type { Result } from './verdict.js'

/** What is to be checked, and how. */
export interface CheckServiceOptions {
  /** The address before the paths of the document, such as `http://127.0.0.1:3000/v1`. */
  readonly base: string
  /** An OpenAPI 3.0 or 3.1 document, or what a target file holds. */
  readonly target: unknown
  /** Who calls. The first one must be able to read everything that is to be checked. Default: nobody. */
  readonly principals?: readonly Principal[]
  /** A user that can log in, for the checks of the login (AUTH-2, AUTH-3). Default: none. */
  readonly account?: Account
  /** Requests per second. Default 50. */
  readonly rate?: number
  /** Requests in all: what is left then could not be checked. Default 3,000. */
  readonly budget?: number
  /**
   * Runs checks that write, too: they create, change and remove records of their own, and nothing
   * else. The value is the path of the ledger file, which tells what they create. Default: none.
   */
  readonly write?: string
  /** Ids of clauses or checks, such as `QUERY-7` or `QUERY-7/total`. Default: all. */
  readonly only?: readonly string[]
  /** The address that links begin with, where the service does not answer with `base`. Default: the server of the document. */
  readonly published?: string
  /** Called with each result as it comes. */
  readonly onResult?: (result: Result) => void
  /** Called with each exchange as it comes. */
  readonly onExchange?: (exchange: Exchange) => void
}

export const defaults = { rate: 50, budget: 3_000 } as const

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
  only: { each: 'string' },
  published: { a: 'an absolute address', like: /^https?:\/\/[^/?#]+(?:\/[^?#]*)?$/ },
  onResult: 'function',
  onExchange: 'function',
}

/** The options of `what`. Throws `ConfigurationError`. */
export const resolveCheckOptions = (what: string, options: CheckServiceOptions): CheckServiceOptions =>
  checkOptions<CheckServiceOptions>(what, options, checkServiceKinds)
