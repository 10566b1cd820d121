/**
 * `express-rest-conventions/auth`: authentication and permissions (the clauses AUTH-1 to AUTH-6).
 */
export { type Authenticate, type AuthenticateOptions, authenticate } from '../middleware/authenticate.js'
export { bearer, publicToken, type TokenOptions } from '../middleware/bearer.js'
export { type Login, type LoginOptions, login } from '../middleware/login.js'
export type { AttemptsOptions } from './login/login-throttle.js'
export type { PasswordCheckOptions, StoredUser } from './login/password-check.js'
export { checkPassword, hashPassword, needsRehash, type PasswordOptions } from './login/passwords.js'
export type { Action, Decided, Decision, Permission } from './permission.js'
export { type ScopePermissionOptions, scopePermission } from './scopes.js'
export type { TokenAlgorithm } from './tokens/algorithms.js'
export type { Claims } from './tokens/claims.js'
export type { Jwk } from './tokens/jwk.js'
export { type JwksOptions, type JwksSource, jwks } from './tokens/jwks.js'
export type { KeyFinder, KeyQuestion, VerificationKeys } from './tokens/key-ring.js'
export type { TokenKey } from './tokens/keys.js'
export { type TokenIssuer, type TokenIssuerOptions, tokenIssuer } from './tokens/token-issuer.js'
