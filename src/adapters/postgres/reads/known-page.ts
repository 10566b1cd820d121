/**
 * Pages of rows that are kept. After many consecutive lists whose rows were all kept, a list
 * selects
 * only the keys and the versions of its rows. The database then formats, and the process parses, a
 * few
 * cells of each row in place of all: for 25 rows of 22 columns, 74 us of the process in place of
 * 105,
 * and 525 of the database in place of 685. If one of the rows is not kept in that version, the
 * whole
 * page is read again, so every page is of one state of the table. That costs one more statement, so
 * it
 * is not tried while rows of the table change between lists.
 */
import type { Cells } from '../connections/client.js'
import type { ListStatement } from '../table/list-statement.js'
import type { Table } from '../table/table.js'

/** A list whose statement was sent. `size` is the maximum number of rows of the page. */
export interface Asked {
  readonly table: Table
  readonly statement: ListStatement
  readonly size: number
}

/**
 * Restores all cells of rows that were read with the columns `table.slimNames`. `undefined` if a
 * row of the page is not kept.
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
    // A page without rows has one row that only holds the total.
    const isShown = i !== further && row[here] !== null
    const cells = isShown ? kept.cells(shape, row, places, epoch) : noCells
    if (cells === undefined) return undefined
    found.push([...cells, ...row.slice(places.length)])
  }
  return found
}

/** The index of the extra row that only shows whether there are more, or -1. */
function furtherRow({ page }: ListStatement, count: number, size: number): number {
  if (page.from === 'end' || count <= size) return -1
  return page.from === 'before' ? 0 : count - 1
}
