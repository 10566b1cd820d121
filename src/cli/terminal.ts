/** What commands know of the world around them: tests give another one. */
import type { Documents } from '../contract/compare-services.js'

export interface Terminal {
  readonly cwd: string
  out(text: string): void
  error(text: string): void
  now(): Date
  /** The documents of the service that a module exports, by version. */
  documentsOf(file: string): Promise<Documents>
  /** The service that a module exports. */
  serviceOf(file: string): Promise<object>
  /** Resolves when the process is asked to end. */
  ended(): Promise<void>
}
