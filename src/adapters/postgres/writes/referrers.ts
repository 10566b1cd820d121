/**
 * Maps tables to collections. The error for a violated constraint names the referring table, but
 * the users of the API know only collections. Each database client has its own map.
 */
import type { DatabaseFailure } from '../connections/failures.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import { type RelationName, relationName } from '../sql/sql.js'

interface Resident {
  readonly collection: string
  readonly table: RelationName
}

const byClient = new WeakMap<object, Resident[]>()
const byOptions = new WeakMap<PostgresAdapterOptions, readonly Resident[]>()

/**
 * Registers the table of a collection for all adapters of this database client. `referrersOf` finds
 * the database client by this `options` object, so it must get the same object.
 */
export function registerTable(client: object, options: PostgresAdapterOptions, collection: string): void {
  const residents = byClient.get(client) ?? []
  byClient.set(client, residents)
  byOptions.set(options, residents)
  residents.push({ collection, table: relationName(options.table) })
}

/** The collections whose records are stored in the table that a `DatabaseFailure` names. */
export function referrersOf(options: PostgresAdapterOptions, { table, schema }: DatabaseFailure): readonly string[] {
  const residents = byOptions.get(options) ?? []
  const there = residents.filter((one) => one.table.name === table && (one.table.schema ?? schema) === schema)
  return [...new Set(there.map(({ collection }) => collection))]
}
