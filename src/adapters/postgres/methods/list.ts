/** The method `list`: returns one page (QUERY-1..7). */
import type { AdapterCall, ListRequest, Page } from '../../contract.js'
import { stateOf } from '../connections/failures.js'
import { listPage, refusedPage } from '../reads/list.js'
import { searchFault } from '../reads/search.js'
import type { Table } from '../table/table.js'
import { reading } from '../transactions/statements.js'
import { joining } from './joining.js'
import { type Shared, withTable } from './shared.js'

type Found = Page<Record<string, unknown>>

export const listRecords = (shared: Shared, request: ListRequest, call: AdapterCall): Promise<Found> =>
  withTable(shared, call, async (table) => {
    try {
      return await joining(shared, table, call, (joins) =>
        reading(shared.databases, shared.options, call, (ask) => listPage(table, request, call, ask, joins)),
      )
    } catch (error) {
      return refusedList(table, request, error)
    }
  })

/**
 * Returns a refused page if the error shows that the server could not parse the search text, or
 * could not compare a column with a value. Rethrows every other error.
 */
function refusedList(table: Table, { search, where }: ListRequest, error: unknown): Found {
  const why = search === undefined ? undefined : searchFault(error)
  if (why !== undefined) return refusedPage(table, { refused: 'rule', members: [], why })
  const members = where.map(({ field }) => field)
  // The library can't foresee every value that the server refuses. An example is the range `[5,1]`,
  // whose bounds are in the wrong order.
  if (members.length > 0 && stateOf(error)?.startsWith('22'))
    return refusedPage(table, { refused: 'rule', members, why: 'holds a value that the store cannot compare' })
  throw error
}
