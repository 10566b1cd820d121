/** The database of the stores: a PostgreSQL server, or PostgreSQL in the process. */
import type { SqlClient } from 'express-rest-conventions/postgres'

export interface Database {
  /** The client for the adapters. */
  readonly client: SqlClient
  /** Whether the adapters may prepare statements by name. Default true. */
  readonly prepare?: boolean
  /** Runs statements in one transaction. */
  transaction<T>(work: (run: Run) => Promise<T>): Promise<T>
  /** Resolves if the database responds. Does not wait for a connection that requests use. */
  ask(): Promise<void>
  /** Closes everything. Resolves when running statements have ended and everything is closed. */
  close(): Promise<void>
}

/**
 * Runs a statement and returns its rows. Without values, several statements are allowed, and the
 * rows are those of the last one.
 */
export type Run = (text: string, values?: readonly string[]) => Promise<readonly Readonly<Record<string, unknown>>[]>
