/** The shared state of the methods of one adapter. */
import type { ResourceDefinition } from '../../../definition/resource.js'
import type { AdapterCall } from '../../contract.js'
import type { Databases } from '../connections/database.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import { type Opening, Outdated } from '../table/opening.js'
import type { Table } from '../table/table.js'
import { callbackErrors } from '../transactions/callback-errors.js'
import type { Hooks } from './hooks.js'
import type { SeenRows } from './seen-rows.js'

export interface Shared {
  readonly definition: ResourceDefinition
  readonly options: PostgresAdapterOptions
  readonly databases: Databases
  readonly opening: Opening
  readonly hooks: Hooks
  readonly seen: SeenRows
}

/**
 * Runs a method on the table. If an error shows that the table has changed, runs the method once
 * more with a new description of the table. If the last run throws `Outdated`, returns the refusal
 * that this error contains.
 */
export async function withTable<R>(
  { opening, databases }: Shared,
  call: AdapterCall,
  work: (table: Table) => Promise<R>,
): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    const table = opening.table ?? (await opening.within(call, databases))
    try {
      return await work(table)
    } catch (error) {
      const isLast = attempt > 1 || databases.write.mayBeNested
      if (error instanceof Outdated && isLast) return error.refused as R
      // A failed statement has changed nothing, so the method can run again. In a caller's
      // transaction, the method can't run again, because the failure has aborted the transaction.
      // An error of the service's own function does not concern the table.
      if ((error instanceof Error && callbackErrors.has(error)) || !opening.doubt(error) || isLast) throw error
    }
  }
}
