/**
 * The interfaces of PostgreSQL clients. No driver is imported: a client is recognized by its
 * methods and properties.
 */

/**
 * The method that every client has. A client is a `Pool`, `Client` or `PoolClient` of `pg`, a
 * `PGlite`, a transaction of a `PGlite`, or a `CustomClient`. The adapter sends only strings and
 * nulls as values. Its statements cast columns to text, so they return only strings and nulls. Type
 * parsers for types other than text have no effect on the results.
 */
export interface SqlClient {
  // biome-ignore lint/suspicious/noExplicitAny: drivers disagree on these types
  query(text: string, values?: any[]): Promise<{ rows: any[] }>
}

/** A client that the service implements itself, with optional support for transactions. */
export interface CustomClient extends SqlClient {
  /**
   * Runs `work` in a new transaction. Commits if `work` resolves, and rolls back if `work` rejects.
   * Without this method, the adapter can run only single statements, unless a transaction is
   * already open on the client.
   */
  transaction?<T>(work: (tx: SqlClient) => Promise<T>): Promise<T>
}

/**
 * Separate clients for reads and writes. If a write depends on a read, the read uses `write` too.
 */
export interface SplitClient {
  readonly read: SqlClient
  readonly write: SqlClient
}

export type PostgresClient = SqlClient | SplitClient

/** The time limit of a call, and the signal that aborts it. */
export interface Wait {
  /** Milliseconds until the timeout. Infinity if there is no timeout. */
  left(): number
  /**
   * Aborts when the caller no longer waits. Only slow operations read this property, because
   * reading it for the first time often creates the signal.
   */
  readonly signal: AbortSignal | undefined
  /** Whether the caller no longer waits, as far as this is known without creating the signal. */
  readonly gone?: boolean
}

/** A row of a result. Every column was cast to text. */
export type TextRow = Readonly<Record<string, string | null>>

/** A row of a result as an array of cells, in the order of the named columns. */
export type Cells = readonly (string | null)[]

/** Sends statements on one connection. */
export interface Session {
  query(text: string, values: readonly (string | null)[]): Promise<readonly TextRow[]>
  /**
   * Runs a statement. `columns` names its first columns, in order. Returns each row as an array of
   * cells.
   */
  cells(text: string, columns: readonly string[], values: readonly (string | null)[]): Promise<readonly Cells[]>
  /**
   * The driver's own connection or transaction. The service's own functions send their statements
   * to this object.
   */
  readonly native: SqlClient
  /** Whether the statements are part of a transaction that the caller has opened and will end. */
  readonly inCallersTransaction: boolean
  /**
   * The statement that the transaction began with. Absent if no such statement was given, or if the
   * transaction is the caller's own.
   */
  readonly first?: string | undefined
}

/** Converts rows that a driver returns as objects to arrays of cells. */
export const cellsOf = (rows: readonly TextRow[], columns: readonly string[]): readonly Cells[] =>
  rows.map((row) => columns.map((column) => row[column] ?? null))

/** The operations of a database that the adapter uses. */
export interface Database {
  /** Runs a single statement, without beginning a transaction. */
  query(text: string, values: readonly (string | null)[], wait: Wait): Promise<readonly TextRow[]>
  /**
   * Runs a single statement. `columns` names its first columns, in order. Returns each row as an
   * array of cells.
   */
  cells(
    text: string,
    columns: readonly string[],
    values: readonly (string | null)[],
    wait: Wait,
  ): Promise<readonly Cells[]>
  /**
   * Like `cells`, for a short read-only statement that many requests use. Reads that are requested
   * at the same time may share a round trip to the server. Absent if reads never share a round
   * trip.
   */
  shared?(
    text: string,
    columns: readonly string[],
    values: readonly (string | null)[],
    wait: Wait,
  ): Promise<readonly Cells[]>
  /**
   * Runs `work` in one transaction. `optional`: `work` sends a single statement, which may run
   * without a transaction if the client does not support transactions. `first`: the first statement
   * of the transaction, which returns no rows. The first statement is not sent in the caller's own
   * transaction.
   */
  transaction<T>(work: (session: Session) => Promise<T>, wait: Wait, optional?: boolean, first?: string): Promise<T>
  /**
   * True if PostgreSQL runs inside this process. Its transaction ids and sequences may start over
   * when the process starts.
   */
  readonly embedded: boolean
  /**
   * Whether statements may be part of a transaction that the caller has begun and will end. If so,
   * a failed write is not retried, except in a REPEATABLE READ transaction that the adapter has
   * begun.
   */
  readonly mayBeNested: boolean
  /**
   * Whether each single statement runs on a connection of a pool, on which no transaction is open.
   */
  readonly pooled?: boolean
  /**
   * Whether this database checks the floor: the log position that a replica must have reached
   * before it serves any API client. Each connection is checked once for each floor. If its replica
   * has not reached the floor, `Behind` is thrown.
   */
  readonly checksFloor?: boolean
  /**
   * Whether the client can't begin transactions. Outside of the caller's own transaction, each
   * statement is then committed separately.
   */
  readonly lacksTransactions?: boolean
}
