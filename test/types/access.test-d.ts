/** What the compiler says about who asks and what they may: typical code of a service, with Express's own request and a database that says null. Checked as `definition.test-d.ts` is. */
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
/** Express's request, as far as it matters here: more than what the library promises to give. */
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

// Nobody is null as well as undefined, and no principal of a request that has passed.
const byKey = authenticate({ field: 'X-Api-Key', challenge: 'ApiKey', identify: (key) => db.byKey(key) })
toUser(byKey.of(req))
toUser(bearer({ keys, principal: ({ sub = '' }) => db.byKey(sub) }).of(req))
login({ find: (name) => db.byName(name), token: (user) => user.roles.join() })
login({ verify: (name, password) => db.byPassword(name, password), token: tokenIssuer({ key: keys }) })

// A check that says no is nobody either.
declare const valid: ReadonlySet<string>
const known: true = authenticate({ field: 'X-Api-Key', challenge: 'ApiKey', identify: (key) => valid.has(key) }).of(req)
if (known) login({ verify: (name) => valid.has(name) && name, token: (name) => name.trim() })

// Express's request, and the service's own principal.
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
// @ts-expect-error an endpoint's name is no principal
rateLimit({ limit: 1, key: (_principal: User, name: string) => name })

// A permission is for those who are found to ask, and says so where it is for others.
api({ authenticate: byKey, permission, versions: {} })
api({ authenticate: byKey, permission: ({ roles }) => (roles.length > 0 ? 'allow' : 'forbidden'), versions: {} })
api({ authenticate: bearer({ keys }), permission: scopePermission(), versions: {} })
api({ permission, versions: {} })
api({ principal: (): User => ({ sub: '', roles: [] }), permission, versions: {} })
// @ts-expect-error claims are no users
api({ authenticate: bearer({ keys }), permission, versions: {} })
// @ts-expect-error nobody may be asking
api({ principal: ({ user }: Request) => user, permission, versions: {} })
// @ts-expect-error a permission says one of three words
api({ authenticate: byKey, permission: () => true, versions: {} })

// What a service may do without.
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

// Claims are no users, until something makes them so.
bearer({ keys }).of(req).exp.toFixed()
bearer<{ readonly sub?: string }>({ keys }).of(req).sub?.length
// @ts-expect-error nothing makes a user of the claims
bearer<User>({ keys })
// @ts-expect-error nothing makes a user of the claims
publicToken<User>({ keys })
// @ts-expect-error a text is no user
bearer<User>({ keys, principal: ({ sub }) => sub })
toUser(publicToken<User>({ keys, principal: ({ sub = '' }) => ({ sub, roles: [] }) }).of(req))
