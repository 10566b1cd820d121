/**
 * `express-rest-conventions/usage`: counts which clients call which version, and which clients
 * violate which clause, across all processes.
 */
export { type ObserveOptions, observe } from '../observe/observe.js'
export {
  type ReportedClause,
  type ReportedClient,
  type ReportedPlace,
  type ReportedVersion,
  reportOf,
  type UsageReport,
} from '../report/report.js'
export { type UsagePageOptions, usagePage } from '../report/usage-page.js'
export type { ClientNamer } from './clients.js'
export { type RedisUsageStoreOptions, redisUsageStore } from './redis-store.js'
export {
  type DueEnd,
  type DueEndsOptions,
  dueEnds,
  type RemainingCaller,
  type ScheduledEnd,
  scheduledEnds,
} from './retirements.js'
export {
  type BreakCount,
  type CallCount,
  type Count,
  type Coverage,
  coverageOf,
  type UsageGap,
  type UsageSnapshot,
} from './snapshot.js'
export { memoryUsageStore, type StoredUsage, type StoredWriter, type UsageStore, type UsageWrite } from './store.js'
export { type CountedBreak, type CountedCall, type Usage, type UsageEvent, type UsageOptions, usage } from './usage.js'
