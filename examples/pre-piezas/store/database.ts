/** What the stores stand on: a PostgreSQL server, or PostgreSQL in the process. */
import type { SqlClient } from 'express-rest-conventions/postgres'

export interface Database {
  /** For the adapters. */
  readonly client: SqlClient
  /** Whether the adapters may prepare statements by name. Absent: they may. */
  readonly prepare?: boolean
  /** Statements that take place together or not at all. */
  transaction<T>(work: (run: Run) => Promise<T>): Promise<T>
  /** Resolves where the database answers. Requests can't keep it waiting. */
  ask(): Promise<void>
  /** Resolves when what is under way has ended and nothing is open any more. */
  close(): Promise<void>
}

/** Runs a statement and gives its rows; without values, it may be several, and the rows are those of the last. */
export type Run = (text: string, values?: readonly string[]) => Promise<readonly Readonly<Record<string, unknown>>[]>
