/** The authentication of a mock. */
import type { Scalar } from '../adapters/contract.js'
import { type JsonObject, own } from '../definition/json.js'
import type { ResourceDefinition } from '../definition/resource.js'
import { makeAuthenticate } from '../middleware/authenticate.js'
import type { Login } from '../middleware/login.js'
import { invalidOption } from '../options/check.js'
import type { ApiOptions } from '../router/api.js'
import { header } from '../wire.js'

export interface Visitors {
  /** `off`: every request is treated as one of the principal, with any credentials or none, and is permitted. `keep`: as in the service. */
  readonly auth: 'off' | 'keep'
  /** The principal of the requests, or with `keep` of the records. */
  readonly principal: unknown
  /** Whether the principal was given explicitly. */
  readonly isNamed: boolean
}

/** The default principal. */
export const usualPrincipal = Object.freeze({ sub: 'mock', scope: '*:read *:write' })

const left = [
  'baseUrl',
  'rateLimit',
  'usage',
  'onStep',
  'onQuery',
  'onResponse',
  'onError',
  'onFinding',
  'onConventionExpired',
] as const

/**
 * The options of a service without what is of its place: its address, its limits, its hooks, and with `off` also its authentication and
 * permission. Links lead to the mock, and nothing is reported to what watches the real service.
 */
export function openOptions(given: ApiOptions, { auth, principal }: Visitors): Partial<ApiOptions> {
  const options: Record<string, unknown> = { ...given }
  for (const name of left) delete options[name]
  if (typeof options.describe === 'object') {
    const { servers: _, ...describe } = options.describe as JsonObject
    options.describe = describe
  }
  if (auth === 'keep') return options
  delete options.permission
  options.idempotencyOwner = () => 'mock'
  if (given.authenticate === undefined) options.principal = () => principal
  else options.authenticate = makeAuthenticate(given.authenticate.field, given.authenticate.challenge, () => principal)
  if (given.login !== undefined) options.login = openLogin
  return options as Partial<ApiOptions>
}

/** A login that accepts any credentials. */
const openLogin: Login = Object.assign((_req: unknown, _res: unknown, next: () => void): void => next(), {
  answer: async ({ method }: { readonly method?: string | undefined }) =>
    method === 'OPTIONS'
      ? { status: 204, headers: { [header.allow]: 'GET, HEAD, OPTIONS' } }
      : { status: 200, headers: { [header.token]: 'mock', [header.cacheControl]: 'no-store' } },
}) as Login

/** The members that the scope of the principal gives the records. Throws `ConfigurationError` where it can not be asked for this one. */
export function fixedByScope(
  { collection, scope }: ResourceDefinition,
  { auth, principal, isNamed }: Visitors,
): JsonObject {
  if (scope === undefined || (auth === 'keep' && !isNamed)) return {}
  const fail = (why: string): never => {
    throw invalidOption(
      `The scope of "${collection}" ${why} for the principal ${JSON.stringify(principal)}. Name one that it knows, such as --principal '{"sub":"ana","tenant":"north"}'.`,
    )
  }
  let fixed: Readonly<Record<string, Scalar>> = {}
  try {
    fixed = scope(principal)
  } catch (error) {
    fail(`fails with "${error instanceof Error ? error.message : String(error)}"`)
  }
  const empty = Object.keys(fixed).find((member) => (own(fixed, member) ?? null) === null)
  if (empty !== undefined) fail(`gives "${empty}" no value`)
  return { ...fixed }
}
