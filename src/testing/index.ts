/**
 * `express-rest-conventions/testing`: the adapter contract as checks that any test runner can run.
 */
export type { OptionalMethod } from './check.js'
export { ContractError } from './contract-error.js'
export { clients, contracts, lines, orders, parcels, readings } from './fixtures.js'
export type { Row } from './row.js'
export type { AnyAdapter } from './stage.js'
export {
  type AdapterCheck,
  type AdapterFixture,
  type AdapterSuite,
  type AdapterSuiteOptions,
  adapterSuite,
  type MadeAdapter,
  type MakeAdapter,
  type SuiteSubject,
} from './suite.js'
