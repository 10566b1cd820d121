/** How a call's statements are sent. */
import type { Cells, Database, Session, TextRow } from '../connections/client.js'
import type { Parameters } from './sql.js'

/** Runs one statement. */
export interface Ask {
  /** Where each statement stands alone: the database that it is sent to. */
  readonly database?: Database
  /** Whether its rows may be kept: they are committed, and come from the database that reads go to. */
  readonly keeps?: boolean
  /** The same of rows that its writes give: once they have arrived, they are committed. */
  readonly keepsWritten?: boolean
  query(text: string, parameters?: Parameters): Promise<readonly TextRow[]>
  /** The cells of a statement whose first columns are these. */
  cells(text: string, columns: readonly string[], values: readonly (string | null)[]): Promise<readonly Cells[]>
  /** The same of a short statement that only reads, which may share a trip with those of other requests. */
  shared(text: string, columns: readonly string[], values: readonly (string | null)[]): Promise<readonly Cells[]>
}

/** Those of one connection. */
export const asking = (session: Session): Ask => ({
  query: (text, parameters) => session.query(text, parameters?.values ?? []),
  cells: (text, columns, values) => session.cells(text, columns, values),
  shared: (text, columns, values) => session.cells(text, columns, values),
})
