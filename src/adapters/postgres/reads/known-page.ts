/**
 * Reads pages whose rows are in the cache (`cached-rows.ts`). If all rows of many consecutive pages
 * were in the cache, the statement for the next page selects only the keys and the versions of its
 * rows. The database then has fewer cells to format, and the process has fewer cells to parse. For
 * 25 rows of 22 columns, this reduces the time in the process from 105 to 74 microseconds, and in
 * the database from 685 to 525 microseconds.
 *
 * If the current version of one row is not in the cache, a second statement reads the whole page
 * again, so that all rows of the page come from the same state of the table. After a second
 * statement, pages are read with all their cells, until all rows of many consecutive pages have
 * been in the cache again. So second statements are rare even if rows change often.
 */
import type { Cells } from '../connections/client.js'
import type { ListStatement } from '../table/list-statement.js'
import type { Table } from '../table/table.js'

/**
 * A request for a page whose SQL statement was sent. `size` is the maximum number of rows of the
 * page.
 */
export interface Asked {
  readonly table: Table
  readonly statement: ListStatement
  readonly size: number
}

/**
 * Takes rows that were read with only the columns `table.slimNames`, and returns them with all
 * their cells. Returns `undefined` if a row of the page is not in the cache.
 */
export function knownRows(
  { table, statement, size }: Asked,
  rows: readonly Cells[],
  epoch: number,
): readonly Cells[] | undefined {
  const { layout, shape, besides, rows: kept } = table
  const places = shape.keyPlaces.map((_, i) => i)
  const noCells = layout.names.map(() => null)
  const here = places.length + besides.names.length
  const further = furtherRow(statement, rows.length, size)
  const found: Cells[] = []
  for (const [i, row] of rows.entries()) {
    // If the page is empty and the statement counts the matching rows, the result has one row,
    // which holds only the total.
    const isShown = i !== further && row[here] !== null
    const cells = isShown ? kept.cells(shape, row, places, epoch) : noCells
    if (cells === undefined) return undefined
    found.push([...cells, ...row.slice(places.length)])
  }
  return found
}

/**
 * Returns the index of the extra row that only shows whether there are more rows, or -1 if the
 * result has no such row.
 */
function furtherRow({ page }: ListStatement, count: number, size: number): number {
  if (page.foundBy === 'end' || count <= size) return -1
  return page.foundBy === 'before' ? 0 : count - 1
}
