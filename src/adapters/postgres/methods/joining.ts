/**
 * Runs a read whose statement also joins the records that the links point to. If the database
 * refuses the joins, runs the read again without joins.
 */
import type { AdapterCall } from '../../contract.js'
import { Joins } from '../links/joins.js'
import type { Table } from '../table/table.js'
import type { Shared } from './shared.js'

export function joining<R>(
  { databases }: Shared,
  table: Table,
  call: AdapterCall,
  read: (joins: Joins | undefined) => Promise<R>,
): Promise<R> {
  const joins = Joins.of(table, databases, call)
  if (joins === undefined) return read(undefined)
  return read(joins).catch((error: unknown) => {
    if (!joins.mayHaveFailed(error)) throw error
    return read(undefined)
  })
}
