/** Sends the statements of one call of the adapter. */
import type { Cells, Database, Session, TextRow } from '../connections/client.js'
import type { Parameters } from './sql.js'

/** Sends the statements of one call, either separately or on one connection. */
export interface StatementSender {
  /**
   * The database, if each statement is sent to it separately. Absent if all statements are sent on
   * one connection.
   */
  readonly database?: Database
  /**
   * Whether the adapter is allowed to cache the rows that it reads. True only if the rows are
   * committed, and come from the read database (`Databases.read`).
   */
  readonly keeps?: boolean
  /**
   * Whether the adapter is allowed to cache the rows that writes return. True only if a write is
   * committed before its rows arrive.
   */
  readonly keepsWritten?: boolean
  query(text: string, parameters?: Parameters): Promise<readonly TextRow[]>
  /**
   * Runs a statement. `columns` contains the names of the first columns of the result, in order.
   * Returns each row as an array of cells.
   */
  cells(text: string, columns: readonly string[], values: readonly (string | null)[]): Promise<readonly Cells[]>
  /**
   * Like `cells`, for a short read-only statement. The statement can share a round trip to the
   * server with the statements of other requests.
   */
  shared(text: string, columns: readonly string[], values: readonly (string | null)[]): Promise<readonly Cells[]>
}

/** Sends the statements of one call on the connection of `session`. */
export const senderOf = (session: Session): StatementSender => ({
  query: (text, parameters) => session.query(text, parameters?.values ?? []),
  cells: (text, columns, values) => session.cells(text, columns, values),
  shared: (text, columns, values) => session.cells(text, columns, values),
})
