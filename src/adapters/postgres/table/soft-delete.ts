/** Soft deletes: removed rows stay in the table, marked by a column (option `softDelete`). */

import type { PostgresAdapterOptions } from '../options/options.js'
import { quote, row } from '../sql/sql.js'
import { unfit } from '../unfit.js'
import type { Relation } from './catalog.js'

/** The mark of deleted rows, and the condition that a row is not deleted. */
export interface Deletion {
  readonly column: string
  readonly sql: string
  readonly alive: string
}

/** Throws `ConfigurationError` if there is no such column, or if each new row would be marked. */
export function deletionOf({ softDelete: given }: PostgresAdapterOptions, relation: Relation): Deletion | undefined {
  if (given === undefined) return undefined
  const { column, deleted } = typeof given === 'string' ? { column: given, deleted: undefined } : given
  const found = relation.columns.get(column)
  if (found === undefined) throw unfit(`there is no column "${column}" to mark deleted rows by. Check "softDelete"`)
  const sql = `${row}.${quote(column)}`
  const { default: initial } = found
  const isBornDeleted = initial !== null && (found.type === 'boolean' ? initial === 'true' : !/^NULL\b/.test(initial))
  if (isBornDeleted && !relation.guarded)
    throw unfit(
      `each new row would be marked as deleted, by the default of "${column}", ${initial}. ALTER COLUMN ` +
        `${quote(column)} DROP DEFAULT`,
    )
  if (found.type === 'boolean')
    return { column, sql: deleted ?? 'true', alive: found.notNull ? `NOT ${sql}` : `${sql} IS NOT TRUE` }
  if (deleted === undefined && !/^(?:timestamp|date)/.test(found.type)) {
    throw unfit(`"${column}" is a ${found.type}: set softDelete.deleted to the SQL value that marks a row as deleted`)
  }
  return { column, sql: deleted ?? 'statement_timestamp()', alive: `${sql} IS NULL` }
}
