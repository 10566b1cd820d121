/**
 * `express-rest-conventions/middleware`: middlewares for hand-written routes, and middlewares that
 * `api()` and `resourceRouter()` take as options.
 */
export type { BudgetOptions, BudgetsOptions } from '../limits/budgets.js'
export type { LimitStore, Quota, StoreOptions, StoreOutage, WindowCount } from '../limits/store.js'
export type { ListQuery } from '../plan/list-grammar.js'
export { exposedHeaders } from '../wire.js'
export type { BrownoutOptions, BrownoutsOption } from './brownouts.js'
export type { ConventionsOptions } from './conventions.js'
export { type CrossOrigin, type CrossOriginOptions, crossOrigin } from './cross-origin.js'
export {
  checkVersion,
  expectedVersions,
  type IfMatchOptions,
  ifMatch,
  preconditionFailed,
  sendTag,
} from './if-match.js'
export type { LifecycleOptions } from './lifecycle.js'
export { type ListQueryMiddleware, type ListQueryOptions, listQuery } from './list-query.js'
export { type MethodRulesOptions, methodRules } from './methods.js'
export { type Negotiate, type NegotiateOptions, negotiate } from './negotiate.js'
export { type NoQueryOptions, noQuery } from './no-query.js'
export { returnPreference } from './prefer.js'
export { type CountedRequest, type RateLimit, type RateLimitOptions, rateLimit } from './rate-limit.js'
export { type RecordAnswer, recordAnswer } from './record-answer.js'
export { type RecordBody, type RecordBodyOptions, recordBody } from './record-body.js'
export { type SecureHeadersOptions, secureHeaders } from './secure-headers.js'
export { type TotalCount, type TotalCountOptions, totalCount } from './total-count.js'
export {
  type HandlerEntry,
  type VersionEntry,
  type VersionHandler,
  type VersionsOptions,
  versions,
} from './versions.js'
