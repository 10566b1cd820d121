/**
 * `express-rest-conventions/conformance`: holds a live service, in whatever language it is written,
 * against the conventions.
 */

export { checkService, removeLeftovers } from './check-service.js'
export type { Account, Principal } from './client/principals.js'
export type { CheckServiceOptions } from './options.js'
export type { CheckReport } from './report/report.js'
export type { Break, Outcome, Result, Verdict } from './verdict.js'
export type { Leftover } from './write/cleanup.js'
