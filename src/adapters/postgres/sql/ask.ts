/** Sends the statements of a call. */
import type { Cells, Database, Session, TextRow } from '../connections/client.js'
import type { Parameters } from './sql.js'

/** Runs the statements of one call. */
export interface Ask {
  /** The database, if each statement is sent separately. */
  readonly database?: Database
  /**
   * Whether rows that it reads may be kept: they are committed, and come from the database for
   * reads.
   */
  readonly keeps?: boolean
  /**
   * Whether rows that its writes return may be kept: they are committed by the time they arrive.
   */
  readonly keepsWritten?: boolean
  query(text: string, parameters?: Parameters): Promise<readonly TextRow[]>
  /** Runs a statement whose first columns are `columns`. */
  cells(text: string, columns: readonly string[], values: readonly (string | null)[]): Promise<readonly Cells[]>
  /**
   * Like `cells`, for a short read-only statement, which may share a round trip with those of other
   * requests.
   */
  shared(text: string, columns: readonly string[], values: readonly (string | null)[]): Promise<readonly Cells[]>
}

/** Runs the statements on one connection. */
export const asking = (session: Session): Ask => ({
  query: (text, parameters) => session.query(text, parameters?.values ?? []),
  cells: (text, columns, values) => session.cells(text, columns, values),
  shared: (text, columns, values) => session.cells(text, columns, values),
})
