/**
 * Reads the description of a resource's table once, and again if an error shows that the table has
 * changed.
 */
import type { ResourceDefinition } from '../../../definition/resource.js'
import type { AdapterCall, Refused } from '../../contract.js'
import type { Wait } from '../connections/client.js'
import type { Databases } from '../connections/database.js'
import { stateOf, unavailable, withRetries } from '../connections/failures.js'
import { answerTime, within } from '../connections/waits.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import { waitOf } from '../transactions/statements.js'
import { ofResource } from '../unfit.js'
import type { CachedRows } from './cached-rows.js'
import { openTable } from './open-table.js'
import type { Table } from './table.js'

/**
 * Thrown if the database refuses a write with an error which shows that the table has changed since
 * its description was read. With a new description, the write might succeed.
 */
export class Outdated extends Error {
  readonly refused: Refused

  constructor(refused: Refused) {
    super('The table has changed since it was described.')
    this.refused = refused
  }
}

/**
 * The time limit for work whose result several requests share. The time limit of a single request
 * does not apply to such work.
 */
export const sharedWait: Wait = { left: () => 30_000, signal: undefined }

export class Opening {
  readonly #definition: ResourceDefinition
  readonly #options: PostgresAdapterOptions
  readonly #rows: CachedRows
  /**
   * The description of the table. Set when the database has provided it, and cleared when an error
   * shows that the table has changed.
   */
  table: Table | undefined
  #opening: Promise<Table> | undefined

  constructor(definition: ResourceDefinition, options: PostgresAdapterOptions, rows: CachedRows) {
    this.#rows = rows
    this.#definition = definition
    this.#options = options
  }

  /**
   * Reads the description of the table. If a read is already in progress, returns the promise of
   * that read. `table` is replaced only when the database has responded.
   */
  again(databases: Databases): Promise<Table> {
    this.#opening ??= withRetries(() => openTable(this.#definition, this.#options, databases, sharedWait, this.#rows), {
      writes: false,
      wait: sharedWait,
    })
      .then((table) => {
        this.table = table
        return table
      })
      .catch((error) => {
        throw ofResource(error, this.#definition.collection)
      })
      .finally(() => {
        this.#opening = undefined
      })
    return this.#opening
  }

  /** The description of the table for one call. Waits no longer than the call's time limit. */
  async within(call: AdapterCall, databases: Databases): Promise<Table> {
    if (this.table !== undefined) return this.table
    const wait = waitOf(call)
    try {
      return await within(wait, answerTime(wait), () => this.again(databases))
    } catch (error) {
      throw unavailable(error, false)
    }
  }

  /**
   * Whether an error shows that the table has changed. If so, the next call reads the description
   * of the table again.
   */
  doubt(error: unknown): boolean {
    const changed =
      error instanceof Outdated || ['42703', '42P01', '42804', '42883', '0A000'].includes(stateOf(error) ?? '')
    if (changed) this.table = undefined
    return changed
  }
}
