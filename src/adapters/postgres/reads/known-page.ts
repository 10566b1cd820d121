/**
 * Pages of rows that are kept. After many lists in a row whose rows were all kept, a list asks for the
 * keys and the versions of its rows only. One that is asked for anew costs a statement more, so tables
 * whose rows change as often as they are listed are asked for whole rows. The database then formats, and the process
 * parses, a few cells of each row in place of all. Where one of the rows is not kept in that version,
 * the whole page is asked for anew, so every page is of one state of the table. 25 rows of 22 columns:
 * 74 us of the process in place of 105, and 525 of the database in place of 685.
 */
import type { Cells } from '../connections/client.js'
import type { ListStatement } from '../table/list-statement.js'
import type { Table } from '../table/table.js'

/** What is asked for: the statement, and how many rows the page has at most. */
export interface Asked {
  readonly table: Table
  readonly statement: ListStatement
  readonly size: number
}

/** The rows of an answer to `statement.slim` with all their cells; `undefined` where one of the page is not kept. */
export function knownRows({ table, statement, size }: Asked, rows: readonly Cells[], epoch: number): readonly Cells[] | undefined {
  const { shape, besides, rows: kept } = table
  const places = shape.keyPlaces.map((_, i) => i)
  const here = places.length + besides.names.length
  const further = furtherRow(statement, rows.length, size)
  const found: Cells[] = []
  for (const [i, row] of rows.entries()) {
    // A page without rows is a row that has the total alone.
    const isShown = i !== further && row[here] !== null
    const cells = isShown ? kept.cells(shape, row, places, epoch) : statement.noCells
    if (cells === undefined) return undefined
    found.push([...cells, ...row.slice(places.length)])
  }
  return found
}

/** The place of the row that only tells whether there is more. */
function furtherRow({ page }: ListStatement, count: number, size: number): number {
  if (page.from === 'end' || count <= size) return -1
  return page.from === 'before' ? 0 : count - 1
}
