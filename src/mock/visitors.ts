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
  /**
   * `off`: every request is permitted, with any credentials or none, and is treated as a request
   * from `principal`. `keep`: the service's own authentication and permission apply.
   */
  readonly auth: 'off' | 'keep'
  /**
   * The principal of all requests. With `keep`, it is used only to generate the example records:
   * their scope and rules depend on it.
   */
  readonly principal: unknown
  /**
   * Whether `principal` was given explicitly. If it was not given, `principal` is the default
   * principal.
   */
  readonly isNamed: boolean
}

/** The default principal. */
export const usualPrincipal = Object.freeze({ sub: 'mock', scope: '*:read *:write' })

const omitted = [
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
 * Returns the options of a service without those that concern its deployment: the base URL, the
 * `servers` of `describe`, the rate limits, the usage counts and the hooks. So links point to the
 * mock, and the hooks of the real service are not called. With `off`, every request is also
 * authenticated as `principal`, and permitted.
 */
export function mockOptions(given: ApiOptions, { auth, principal }: Visitors): Partial<ApiOptions> {
  const options: Record<string, unknown> = { ...given }
  for (const name of omitted) delete options[name]
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

/**
 * Returns the members that the scope of a resource sets for the principal. With `keep`, returns an
 * empty object if no principal was given explicitly. Throws `ConfigurationError` if the scope fails
 * for this principal, or returns no value for a member.
 */
export function fixedByScope(
  { collection, scope }: ResourceDefinition,
  { auth, principal, isNamed }: Visitors,
): JsonObject {
  if (scope === undefined || (auth === 'keep' && !isNamed)) return {}
  const fail = (why: string): never => {
    throw invalidOption(
      `The scope of "${collection}" ${why} for the principal ${JSON.stringify(principal)}. ` +
        `Pass a principal that the scope accepts, such as --principal '{"sub":"ana","tenant":"north"}'.`,
    )
  }
  let fixed: Readonly<Record<string, Scalar>> = {}
  try {
    fixed = scope(principal)
  } catch (error) {
    fail(`fails with "${error instanceof Error ? error.message : String(error)}"`)
  }
  const empty = Object.keys(fixed).find((member) => (own(fixed, member) ?? null) === null)
  if (empty !== undefined) fail(`returns no "${empty}"`)
  return { ...fixed }
}
