/** What the adapter asks of a connection to PostgreSQL, and what it takes for one. No driver is imported: clients are known by their shape. */

/**
 * What every client has: a `Pool`, `Client` or `PoolClient` of `pg`, a `PGlite` or its transaction. Values are texts and nulls; columns come back as texts and
 * nulls, whatever type parsers are set.
 */
export interface SqlClient {
  // biome-ignore lint/suspicious/noExplicitAny: drivers disagree on the types of values and rows, and none of them matters here
  query(text: string, values?: any[]): Promise<{ rows: any[] }>
}

/** A client of a team's own making, with what it can do beyond one statement. */
export interface CustomClient extends SqlClient {
  /** Runs `work` in a transaction of its own and ends it: committed where `work` resolves, else rolled back. Without it, there is nothing beyond single statements. */
  transaction?<T>(work: (tx: SqlClient) => Promise<T>): Promise<T>
}

/** Where to read and where to write, if those are two. What a write reads first comes from `write`. */
export interface SplitClient {
  readonly read: SqlClient
  readonly write: SqlClient
}

export type PostgresClient = SqlClient | SplitClient

/** How long a statement may take, and who might leave meanwhile. */
export interface Wait {
  /** Milliseconds until the time is up; Infinity where nobody waits. */
  left(): number
  /** Fires when nobody waits any more. Asked for by what takes long alone: often it is made only then. */
  readonly signal: AbortSignal | undefined
  /** Whether nobody waits any more, as far as that can be told without having a signal made. */
  readonly gone?: boolean
}

/** What a statement came to. Every column was cast to text. */
export type TextRow = Readonly<Record<string, string | null>>

/** The same, as its cells alone: in the order of the columns that were named. */
export type Cells = readonly (string | null)[]

/** Statements on one connection. */
export interface Session {
  query(text: string, values: readonly (string | null)[]): Promise<readonly TextRow[]>
  /** A statement whose first columns are these. */
  cells(text: string, columns: readonly string[], values: readonly (string | null)[]): Promise<readonly Cells[]>
  /** The driver's own connection or transaction, for a team's statements. */
  readonly native: SqlClient
  /** Whether this is a part of a transaction that the caller has open, and ends. */
  readonly callers: boolean
  /** The statement that the transaction began with, where it was asked for and this is not a caller's transaction. */
  readonly first?: string | undefined
}

/** The cells of rows that a driver gives as objects. */
export const cellsOf = (rows: readonly TextRow[], columns: readonly string[]): readonly Cells[] =>
  rows.map((row) => columns.map((column) => row[column] ?? null))

/** A database as this adapter uses it. */
export interface Database {
  /** One statement, alone. */
  query(text: string, values: readonly (string | null)[], wait: Wait): Promise<readonly TextRow[]>
  /** The same of a statement whose first columns are these. */
  cells(
    text: string,
    columns: readonly string[],
    values: readonly (string | null)[],
    wait: Wait,
  ): Promise<readonly Cells[]>
  /**
   * The same of a short statement that only reads and that many requests ask for. Those that ask at the same time may
   * share a trip to the server. Absent: none do.
   */
  shared?(
    text: string,
    columns: readonly string[],
    values: readonly (string | null)[],
    wait: Wait,
  ): Promise<readonly Cells[]>
  /**
   * Statements that take place together or not at all. `optional`: it is a single one, which does
   * without where the client has no transactions. `first`: a statement without a result that the
   * transaction begins with, unless it is the caller's.
   */
  transaction<T>(work: (session: Session) => Promise<T>, wait: Wait, optional?: boolean, first?: string): Promise<T>
  /** PostgreSQL in the process, which may start over with it and then counts as before. */
  readonly embedded: boolean
  /** Whether statements already run in a transaction that the caller ends: then a failure is not repeated here. */
  readonly nested: boolean
  /** Each statement alone goes to a connection of a pool, on which no transaction is open. */
  readonly pooled?: boolean
  /** It asks each connection once whether the replica has reached the floor, and throws `Behind` where it has not. */
  readonly checksFloor?: boolean
  /** The client has no transactions of its own: outside of the caller's, each statement is committed by itself. */
  readonly single?: boolean
}
