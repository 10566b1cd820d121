/** The public names, grouped. */

// Declaring

export type { KeyValue } from './definition/key.js'
export {
  defineResource,
  type ExternalLinkOptions,
  type FilterOperator,
  type FilterOptions,
  type LinkOptions,
  type PageOptions,
  type ResourceDefinition,
  type ResourceOptions,
  type RuleContext,
  type RuleViolation,
  type SubLinkOptions,
  type ToLinkOptions,
} from './definition/resource.js'
export type { FromSchema, JsonSchema, MemberName, MemberPath } from './definition/schema-types.js'

// Data

export type {
  Adapter,
  Answer,
  Call,
  Condition,
  Created,
  Idempotency,
  ListRequest,
  Operator,
  Page,
  ParentKey,
  Refused,
  Repeated,
  Scalar,
  Seek,
  SortTerm,
  Stored,
  WriteAction,
  WriteMethod,
} from './adapters/contract.js'
export { type ViewOptions, view } from './adapters/view.js'

// Mounting

export {
  type Endpoint,
  type EndpointCall,
  type EndpointItem,
  type EndpointOptions,
  endpoint,
  type Reply,
  reply,
} from './plan/endpoint.js'
export type { EndpointLimits, EndpointMethod, EndpointMethods, EndpointQuery } from './plan/endpoint-types.js'
export { type Mount, type MountOptions, mount } from './plan/mount.js'
export type { UnboundAdapter } from './plan/mounted-adapter.js'
export type {
  ChangeOptions,
  JobOptions,
  JobRecords,
  LinkValue,
  RecordPatch,
  Records,
  RecordsOf,
  RecordsOptions,
  RecordValue,
  RefusedRecord,
  RefusedRecords,
  RowsOptions,
  WrittenRecord,
} from './plan/records.js'
export type { ExportOptions, TransferFormat } from './plan/transfer-format.js'
export { type Api, type ApiOptions, api, type VersionOptions } from './router/api.js'
export type { ErrorEvent, Hooks, QueryEvent, RequestEvent, ResponseEvent, StepEvent } from './router/hooks.js'
export { type ResourceRouterOptions, resourceRouter } from './router/resource-router.js'
export type { ServiceOptions } from './router/service.js'

// Formats

export {
  type CustomRepresentation,
  type RepresentationCall,
  type RepresentationOptions,
  type Represented,
  representation,
} from './plan/custom-representation.js'

// Who asks

export type { AttemptsOptions } from './auth/login/login-throttle.js'
export type { PasswordCheckOptions, StoredUser } from './auth/login/password-check.js'
export { checkPassword, hashPassword, needsRehash, type PasswordOptions } from './auth/login/passwords.js'
export type { TokenAlgorithm } from './auth/tokens/algorithms.js'
export type { Claims } from './auth/tokens/claims.js'
export type { Jwk } from './auth/tokens/jwk.js'
export { type JwksOptions, type JwksSource, jwks } from './auth/tokens/jwks.js'
export type { KeyFinder, KeyQuestion, Keys } from './auth/tokens/key-ring.js'
export type { TokenKey } from './auth/tokens/keys.js'
export { type TokenIssuer, type TokenIssuerOptions, tokenIssuer } from './auth/tokens/token-issuer.js'
export { type Authenticate, type AuthenticateOptions, authenticate } from './middleware/authenticate.js'
export { bearer, publicToken, type TokenOptions } from './middleware/bearer.js'
export { type Login, type LoginOptions, login } from './middleware/login.js'

// Who may do what, and how often

export type { Action, Decided, Decision, Permission } from './auth/permission.js'
export { type ScopesOptions, scopes } from './auth/scopes.js'
export type { BudgetOptions, BudgetsOptions } from './limits/budgets.js'
export type { Hits, Limit, LimitStore, StoreOptions, StoreOutage } from './limits/store.js'
export { type CountedRequest, type RateLimit, type RateLimitOptions, rateLimit } from './middleware/rate-limit.js'

// Middlewares that stand alone

export { type CrossOrigin, type CrossOriginOptions, crossOrigin } from './middleware/cross-origin.js'
export { checkVersion, expected, type IfMatchOptions, ifMatch, sendTag, stale } from './middleware/if-match.js'
export { type ListQueryMiddleware, listQuery } from './middleware/list-query.js'
export { type MethodsOptions, methods } from './middleware/methods.js'
export type { ErrorMiddleware, Middleware, Next } from './middleware/middleware.js'
export { type Negotiate, negotiate } from './middleware/negotiate.js'
export { noQuery } from './middleware/no-query.js'
export { returnPreference } from './middleware/prefer.js'
export { type ProblemsOptions, problems } from './middleware/problems.js'
export { type RecordAnswer, recordAnswer } from './middleware/record-answer.js'
export { type RecordBody, type RecordBodyOptions, recordBody } from './middleware/record-body.js'
export { type SecureHeadersOptions, secureHeaders } from './middleware/secure-headers.js'
export { type TotalCount, type TotalCountOptions, totalCount } from './middleware/total-count.js'
export { type LifecycleOptions, type VersionEntry, type VersionHandler, type VersionsOptions, versions } from './middleware/versions.js'
export type { ListQuery } from './plan/list-grammar.js'
export { exposedHeaders } from './wire.js'

// Errors

export {
  type ConfigurationCode,
  ConfigurationError,
  type CustomProblem,
  HttpProblem,
  type HttpProblemOptions,
  type ProblemCode,
  Unavailable,
  type UnavailableOptions,
} from './problem.js'
export type { KnownViolation, ParamValue, Violation, ViolationCode, ViolationParams } from './violation.js'
