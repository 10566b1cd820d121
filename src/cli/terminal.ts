/** The environment of a command. Tests replace it with their own. */
import type { Documents } from '../contract/compare-services.js'
import type { UsageReport } from '../report/report.js'
import type { Usage } from '../usage/usage.js'

export interface Terminal {
  readonly cwd: string
  out(text: string): void
  error(text: string): void
  now(): Date
  /**
   * Imports a module that exports a service. Returns the OpenAPI documents of the service, by
   * version.
   */
  documentsOf(file: string): Promise<Documents>
  /** The service that a module exports. */
  serviceOf(file: string): Promise<object>
  /** The `Usage` object that a module exports. */
  usageOf(file: string): Promise<Usage>
  /** Fetches the report of a `usagePage()` from its URL. */
  reportAt(address: string): Promise<UsageReport>
  /** Resolves when the process receives a signal to end. */
  ended(): Promise<void>
}
