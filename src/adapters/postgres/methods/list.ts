/** The method `list`: returns one page (QUERY-1..7). */
import type { AdapterCall, ListRequest, Page, Refused } from '../../contract.js'
import { listPage, refusedPage } from '../reads/list.js'
import { incomparable, isDataException, refusedValue } from '../reads/refused-values.js'
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
      return refusedList(shared, table, request, call, error)
    }
  })

/**
 * Returns a refused page if the server could not parse the search text, or refuses a value of the
 * request. Rethrows every other error, for example if an SQL expression fails on the data of a
 * stored row.
 */
async function refusedList(
  { databases, options }: Shared,
  table: Table,
  request: ListRequest,
  call: AdapterCall,
  error: unknown,
): Promise<Found> {
  const why = request.search === undefined ? undefined : searchFault(error)
  if (why !== undefined) return refusedPage(table, { refused: 'rule', members: [], why })
  // The library can't foresee every value that the server refuses. Examples are a character that
  // the database's encoding lacks, and an enum label that was renamed after the table was
  // described.
  if (!isDataException(error)) throw error
  const members = request.where.map(({ field }) => field)
  // `refusedValue` sends the values again, to find the one that the server refuses. In a caller's
  // transaction, sending them again fails, because the first failure has aborted the transaction.
  // The refusal then names all members that the request filters by.
  const unclear: Refused | undefined =
    members.length === 0 ? undefined : { refused: 'rule', members, why: incomparable }
  const sending = { databases, options, call }
  const refused = await refusedValue(table, request, sending).catch(() =>
    databases.read.mayBeNested ? unclear : undefined,
  )
  if (refused === undefined) throw error
  return refusedPage(table, refused)
}
