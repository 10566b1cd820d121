/** Who may use the service, and how much of it: tokens of the private side, one account of the public side, permission by scopes. */
import { randomBytes } from 'node:crypto'
import {
  type Claims,
  hashPassword,
  type Permission,
  scopePermission,
  type TokenKey,
  tokenIssuer,
} from 'express-rest-conventions/auth'

/** A caller, as its token tells: what it may do stands in `scope`, such as `pre-piezas:read contratos:write`, or `*:read *:write`. */
export interface Caller {
  readonly sub?: string
  readonly scope: string
}

/** An account of the public side. Passwords are kept hashed. */
interface Account {
  readonly hash: string
  readonly principal: Caller & { readonly sub: string }
}

export interface Access {
  readonly key: TokenKey
  /** Tokens of public logins are meant for the public side alone: the private one refuses what is meant for others (RFC 8725 3.9). */
  readonly publicAudience: string
  readonly find: (user: string) => Account | undefined
  /** A token for the private side, with every right, for whoever starts the service. */
  readonly privateToken: () => string
  /** What to show whoever starts the service: set where the account was made up. */
  readonly madeUp: { readonly user: string; readonly password: string } | undefined
}

export interface AccessSettings {
  readonly tokenSecret?: string
  readonly publicUser?: string
  readonly publicPassword?: string
}

/** What the public side lets its users do. */
const publicScope =
  'pre-piezas:read pre-piezas:write componentes:read contratos:read clientes:read codigos-postales:read'

/** Twelve hours, so that what was printed at start works for a day at a desk. */
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

/** The caller of a verified token. One without scopes is known, and may do nothing. */
export const callerOf = ({ sub, scope }: Claims): Caller => ({
  ...(sub === undefined ? {} : { sub }),
  scope: typeof scope === 'string' ? scope : '',
})

const byScopes = scopePermission()

/** By scopes; the search, which is no collection, is for everybody and looks only into what the caller may list. */
export const permission: Permission<Caller> = (caller, action, resource) =>
  resource === 'search' ? 'allow' : byScopes(caller, action, resource)
