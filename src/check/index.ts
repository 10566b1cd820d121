/**
 * `express-rest-conventions/conformance`: checks whether a running service, written in any
 * language, follows the conventions.
 */

export { checkService, removeLeftovers } from './check-service.js'
export type { Account, Principal } from './client/principals.js'
export type { CheckServiceOptions } from './options.js'
export type { CheckReport } from './report/report.js'
export type { Break, Outcome, Result, Verdict } from './verdict.js'
export type { Leftover } from './write/cleanup.js'
