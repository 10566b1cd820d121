/**
 * The interfaces of PostgreSQL clients. No driver is imported: clients are recognized by their
 * shape.
 */

/**
 * The common part of all clients: a `Pool`, `Client` or `PoolClient` of `pg`, a `PGlite` or its
 * transaction. Values are texts and nulls. Columns are returned as texts and nulls, regardless of
 * the type parsers that are set.
 */
export interface SqlClient {
  // biome-ignore lint/suspicious/noExplicitAny: drivers disagree on these types
  query(text: string, values?: any[]): Promise<{ rows: any[] }>
}

/** A client of the team's own, with optional support for transactions. */
export interface CustomClient extends SqlClient {
  /**
   * Runs `work` in a new transaction: commits if `work` resolves, otherwise rolls back. Without
   * this method, only single statements are possible.
   */
  transaction?<T>(work: (tx: SqlClient) => Promise<T>): Promise<T>
}

/** Separate clients for reads and writes. A read that a write depends on uses `write`. */
export interface SplitClient {
  readonly read: SqlClient
  readonly write: SqlClient
}

export type PostgresClient = SqlClient | SplitClient

/** The time limit of a call, and the signal that aborts it. */
export interface Wait {
  /** Milliseconds until the timeout. Infinity if there is none. */
  left(): number
  /**
   * Fires when the caller no longer waits. Only slow operations read it, because it is often
   * created on first access.
   */
  readonly signal: AbortSignal | undefined
  /** Whether the caller no longer waits, as far as this is known without creating the signal. */
  readonly gone?: boolean
}

/** A row of a result. Every column was cast to text. */
export type TextRow = Readonly<Record<string, string | null>>

/** A row of a result as an array of cells, in the order of the named columns. */
export type Cells = readonly (string | null)[]

/** Statements on one connection. */
export interface Session {
  query(text: string, values: readonly (string | null)[]): Promise<readonly TextRow[]>
  /** Runs a statement whose first columns are `columns`. */
  cells(text: string, columns: readonly string[], values: readonly (string | null)[]): Promise<readonly Cells[]>
  /**
   * The driver's own connection or transaction, to which a team's function sends its statements.
   */
  readonly native: SqlClient
  /** Whether this is part of a transaction that the caller has opened and will end. */
  readonly callers: boolean
  /**
   * The statement that the transaction began with, if one was given and the transaction is not the
   * caller's.
   */
  readonly first?: string | undefined
}

/** Converts rows that a driver returns as objects to arrays of cells. */
export const cellsOf = (rows: readonly TextRow[], columns: readonly string[]): readonly Cells[] =>
  rows.map((row) => columns.map((column) => row[column] ?? null))

/** The operations of a database that the adapter uses. */
export interface Database {
  /** Runs a single statement outside of transactions. */
  query(text: string, values: readonly (string | null)[], wait: Wait): Promise<readonly TextRow[]>
  /** Runs a single statement whose first columns are `columns`. */
  cells(
    text: string,
    columns: readonly string[],
    values: readonly (string | null)[],
    wait: Wait,
  ): Promise<readonly Cells[]>
  /**
   * Like `cells`, for a short read-only statement that many requests use. Reads that are requested
   * at the same time may share a round trip to the server. Absent: they do not.
   */
  shared?(
    text: string,
    columns: readonly string[],
    values: readonly (string | null)[],
    wait: Wait,
  ): Promise<readonly Cells[]>
  /**
   * Runs statements in one transaction. `optional`: the work is a single statement, which needs no
   * transaction if the client has none. `first`: a statement without a result that the transaction
   * begins with, unless the transaction is the caller's.
   */
  transaction<T>(work: (session: Session) => Promise<T>, wait: Wait, optional?: boolean, first?: string): Promise<T>
  /**
   * True for PostgreSQL inside this process. Its transaction ids and sequences may start over with
   * the process.
   */
  readonly embedded: boolean
  /**
   * Whether statements already run in a transaction that the caller ends. A failed operation is not
   * retried then.
   */
  readonly nested: boolean
  /** Whether each single statement uses a connection of a pool, on which no transaction is open. */
  readonly pooled?: boolean
  /**
   * Asks each connection once whether the replica has reached the floor, and throws `Behind` if it
   * has not.
   */
  readonly checksFloor?: boolean
  /**
   * The client has no transactions of its own. Outside of the caller's transaction, each statement
   * is committed separately.
   */
  readonly single?: boolean
}
