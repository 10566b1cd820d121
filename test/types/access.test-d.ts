/**
 * Type tests of authentication and permissions. They use typical code of a service: Express's own
 * request, and a database that returns null for an unknown user. They are checked in the same way
 * as `definition.test-d.ts`.
 */
import type { IncomingMessage } from 'node:http'
import { api } from 'express-rest-conventions'
import {
  authenticate,
  bearer,
  login,
  type Permission,
  publicToken,
  scopePermission,
  type TokenKey,
  tokenIssuer,
} from 'express-rest-conventions/auth'
import { methodRules, rateLimit } from 'express-rest-conventions/middleware'

interface User {
  sub: string
  roles: string[]
}
/**
 * The parts of Express's request that these tests use. The library promises to pass only an
 * `IncomingMessage`.
 */
interface Request extends IncomingMessage {
  ip: string | undefined
  params: { id: string }
  user?: User
}
declare const req: Request
declare const keys: TokenKey
declare const db: {
  byKey(key: string): Promise<User | null>
  byName(name: string): Promise<{ hash: string; principal: User } | null>
  byPassword(name: string, password: string): Promise<User | null>
}
const toUser = (found: User): readonly string[] => found.roles

// For an unknown caller, a function such as `identify` returns null or undefined. The principal of
// an authenticated request is never null or undefined.
const byKey = authenticate({ field: 'X-Api-Key', challenge: 'ApiKey', identify: (key) => db.byKey(key) })
toUser(byKey.of(req))
toUser(bearer({ keys, principal: ({ sub = '' }) => db.byKey(sub) }).of(req))
login({ find: (name) => db.byName(name), token: (user) => user.roles.join() })
login({ verify: (name, password) => db.byPassword(name, password), token: tokenIssuer({ key: keys }) })

// The result `false` also means that the caller is unknown.
declare const valid: ReadonlySet<string>
const known: true = authenticate({ field: 'X-Api-Key', challenge: 'ApiKey', identify: (key) => valid.has(key) }).of(req)
if (known) login({ verify: (name) => valid.has(name) && name, token: (name) => name.trim() })

// The functions in these options can declare the types of their parameters: Express's request, and
// the service's own principal.
authenticate({
  field: 'X-Api-Key',
  challenge: 'ApiKey',
  identify: (key, { ip }: Request) => (ip === '::1' ? { sub: key } : undefined),
})
rateLimit({ limit: 1, key: ({ sub }: User) => sub })
rateLimit({ limit: 1, key: (_principal, { ip }: Request) => ip })
scopePermission({ of: ({ roles }: User) => roles })
api({ principal: ({ user }: Request) => user, versions: {} })
const permission: Permission<User> = ({ roles }) => (roles.includes('admin') ? 'allow' : 'forbidden')
methodRules({ on: 'item', allow: ['GET'], permission, resource: 'notas', key: ({ params }: Request) => params.id })
// @ts-expect-error the second argument is the request, not a string
rateLimit({ limit: 1, key: (_principal: User, name: string) => name })

// A permission function gets an authenticated caller, unless it declares that the caller may be
// unknown.
api({ authenticate: byKey, permission, versions: {} })
api({ authenticate: byKey, permission: ({ roles }) => (roles.length > 0 ? 'allow' : 'forbidden'), versions: {} })
api({ authenticate: bearer({ keys }), permission: scopePermission(), versions: {} })
api({ permission, versions: {} })
api({ principal: (): User => ({ sub: '', roles: [] }), permission, versions: {} })
// @ts-expect-error claims are not users
api({ authenticate: bearer({ keys }), permission, versions: {} })
// @ts-expect-error the caller may be unknown
api({ principal: ({ user }: Request) => user, permission, versions: {} })
// @ts-expect-error a permission function returns a string such as 'allow', not a boolean
api({ authenticate: byKey, permission: () => true, versions: {} })

// The type of the principal is also inferred if a function such as `bearer()` is called inside the
// options.
api({
  authenticate: bearer({ keys, issuer: 'https://login.example' }),
  permission: (claims, action) => (action === 'list' || claims.sub === 'x' ? 'allow' : 'forbidden'),
  idempotencyOwner: (claims) => claims.exp.toFixed(),
  versions: {},
})
api({
  authenticate: bearer({ keys }),
  // @ts-expect-error a token may have no `sub`
  permission: ({ sub }) => (sub.length > 0 ? 'allow' : 'forbidden'),
  versions: {},
})
api({
  authenticate: publicToken({ keys, issuer: 'https://login.example' }),
  permission: (claims, action) => (action === 'list' || claims.sub === 'x' ? 'allow' : 'forbidden'),
  idempotencyOwner: (claims) => claims.exp.toFixed(),
  versions: {},
})
api({
  authenticate: publicToken({ keys }),
  // @ts-expect-error a token may have no `sub`
  permission: ({ sub }) => (sub.length > 0 ? 'allow' : 'forbidden'),
  versions: {},
})
api({
  authenticate: bearer({ keys, principal: ({ sub = '' }) => db.byKey(sub) }),
  permission: ({ roles }) => (roles.includes('admin') ? 'allow' : 'forbidden'),
  idempotencyOwner: ({ sub }) => sub,
  versions: {},
})
api({
  authenticate: authenticate({ field: 'X-Api-Key', challenge: 'ApiKey', identify: (key) => db.byKey(key) }),
  permission: ({ roles }) => (roles.includes('admin') ? 'allow' : 'forbidden'),
  idempotencyOwner: ({ sub }) => sub,
  versions: {},
})

// These options of a service accept `undefined`.
declare const some: boolean
const limit = rateLimit({ limit: 1 })
api({
  authenticate: some ? byKey : undefined,
  permission: some ? permission : undefined,
  rateLimit: some ? limit : undefined,
  versions: {},
})
api({
  login: some ? login({ find: (name) => db.byName(name), token: () => '' }) : undefined,
  cors: undefined,
  versions: {},
})

// Claims are not users, unless `principal` maps claims to users.
bearer({ keys }).of(req).exp.toFixed()
bearer<{ readonly sub?: string }>({ keys }).of(req).sub?.length
// @ts-expect-error there is no mapping from claims to users
bearer<User>({ keys })
// @ts-expect-error there is no mapping from claims to users
publicToken<User>({ keys })
// @ts-expect-error a string is not a user
bearer<User>({ keys, principal: ({ sub }) => sub })
toUser(publicToken<User>({ keys, principal: ({ sub = '' }) => ({ sub, roles: [] }) }).of(req))
