/**
 * Authentication and permissions: tokens for the private API, one account for the public API, and
 * permissions by token scope.
 */
import { randomBytes } from 'node:crypto'
import {
  type Claims,
  hashPassword,
  type Permission,
  scopePermission,
  type TokenKey,
  tokenIssuer,
} from 'express-rest-conventions/auth'

/**
 * A caller, as described by the claims of its token. `scope` lists the caller's permissions, such
 * as `pre-piezas:read contratos:write`, or `*:read *:write`.
 */
export interface Caller {
  readonly sub?: string
  readonly scope: string
}

/** An account of the public API. It contains the hash of the password, not the password. */
interface Account {
  readonly hash: string
  readonly principal: Caller & { readonly sub: string }
}

export interface Access {
  readonly key: TokenKey
  /**
   * The audience of the tokens that the public login issues. These tokens are valid only for the
   * public API, because the private API rejects tokens with this audience (RFC 8725 3.9).
   */
  readonly publicAudience: string
  readonly find: (user: string) => Account | undefined
  /**
   * Creates a token that has all permissions for the private API. The token is printed when the
   * service starts.
   */
  readonly privateToken: () => string
  /**
   * The account of the public API, which is printed when the service starts. Undefined if both its
   * user and its password were set.
   */
  readonly madeUp: { readonly user: string; readonly password: string } | undefined
}

export interface AccessSettings {
  readonly tokenSecret?: string
  readonly publicUser?: string
  readonly publicPassword?: string
}

/** The permissions of users of the public API. */
const publicScope =
  'pre-piezas:read pre-piezas:write componentes:read contratos:read clientes:read codigos-postales:read'

/**
 * The lifetime of a private token in seconds: twelve hours, so that the printed token works for a
 * working day.
 */
const lifetime = 12 * 60 * 60

export async function openAccess({ tokenSecret, publicUser, publicPassword }: AccessSettings): Promise<Access> {
  const key: TokenKey = { algorithm: 'HS256', key: tokenSecret ?? randomBytes(32) }
  const user = publicUser ?? 'demo'
  const password = publicPassword ?? randomBytes(12).toString('base64url')
  const account: Account = { hash: await hashPassword(password), principal: { sub: user, scope: publicScope } }
  const issue = tokenIssuer({ key, lifetime })
  return {
    key,
    publicAudience: 'public',
    find: (name) => (name === user ? account : undefined),
    privateToken: () => issue({ sub: 'operator', scope: '*:read *:write' }),
    madeUp: publicUser === undefined || publicPassword === undefined ? { user, password } : undefined,
  }
}

/**
 * Returns the caller of a verified token. If the token has no `scope`, the caller is authenticated,
 * but may only search (see `permission`).
 */
export const callerOf = ({ sub, scope }: Claims): Caller => ({
  ...(sub === undefined ? {} : { sub }),
  scope: typeof scope === 'string' ? scope : '',
})

const byScopes = scopePermission()

/**
 * Grants permissions by token scope. All callers may search, but the search covers only collections
 * that the caller may list.
 */
export const permission: Permission<Caller> = (caller, action, resource) =>
  resource === 'search' ? 'allow' : byScopes(caller, action, resource)
