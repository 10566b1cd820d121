/** The database of the stores: a PostgreSQL server, or PostgreSQL in the process. */
import type { SqlClient } from 'express-rest-conventions/postgres'

export interface Database {
  /** The client for the adapters. */
  readonly client: SqlClient
  /** Whether the adapters can use named prepared statements. Default true. */
  readonly prepare?: boolean
  /** Runs statements in one transaction. */
  transaction<T>(work: (run: Run) => Promise<T>): Promise<T>
  /**
   * Resolves if the database responds. Does not use the connections of requests, so it never waits
   * for a free one.
   */
  ask(): Promise<void>
  /**
   * Closes all connections. Resolves when running statements have ended and all connections are
   * closed.
   */
  close(): Promise<void>
}

/**
 * Runs a statement and returns its rows. Without `values`, the text can contain several statements.
 * In that case, do not use the result, because it depends on the database.
 */
export type Run = (text: string, values?: readonly string[]) => Promise<readonly Readonly<Record<string, unknown>>[]>
