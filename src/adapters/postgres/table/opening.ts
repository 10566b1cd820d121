/** A resource's table, asked of the database once, and again when it turns out to have changed. */
import type { ResourceDefinition } from '../../../definition/resource.js'
import type { AdapterCall, Refused } from '../../contract.js'
import type { Wait } from '../connections/client.js'
import type { Databases } from '../connections/database.js'
import { patiently, stateOf, unavailable } from '../connections/failures.js'
import { answerTime, within } from '../connections/waits.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import { waitOf } from '../transactions/statements.js'
import type { KeptRows } from './kept-rows.js'
import { openTable } from './open-table.js'
import type { Table } from './table.js'

/**
 * Thrown where a refusal shows that the table has changed since it was described: described anew,
 * it may take the record.
 */
export class Outdated extends Error {
  readonly refused: Refused

  constructor(refused: Refused) {
    super('The table has changed since it was described.')
    this.refused = refused
  }
}

/** What all requests wait for is not cut short by one of them. */
export const unhurried: Wait = { left: () => 30_000, signal: undefined }

export class Opening {
  readonly #definition: ResourceDefinition
  readonly #options: PostgresAdapterOptions
  readonly #rows: KeptRows
  /** The table, once the database has answered, until it is doubted. */
  table: Table | undefined
  #opening: Promise<Table> | undefined

  constructor(definition: ResourceDefinition, options: PostgresAdapterOptions, rows: KeptRows) {
    this.#rows = rows
    this.#definition = definition
    this.#options = options
  }

  /** Asks. Until the database has answered, the table is what it was. */
  again(databases: Databases): Promise<Table> {
    this.#opening ??= patiently(() => openTable(this.#definition, this.#options, databases, unhurried, this.#rows), {
      writes: false,
      wait: unhurried,
    })
      .then((table) => {
        this.table = table
        return table
      })
      .finally(() => {
        this.#opening = undefined
      })
    return this.#opening
  }

  /** The table for one call, which waits no longer than its time. */
  async within(call: AdapterCall, databases: Databases): Promise<Table> {
    if (this.table !== undefined) return this.table
    const wait = waitOf(call)
    try {
      return await within(wait, answerTime(wait), () => this.again(databases))
    } catch (error) {
      throw unavailable(error, false)
    }
  }

  /** Whether a statement fits the table no more, which shows that it was changed. */
  doubt(error: unknown): boolean {
    const changed =
      error instanceof Outdated || ['42703', '42P01', '42804', '42883', '0A000'].includes(stateOf(error) ?? '')
    if (changed) this.table = undefined
    return changed
  }
}
