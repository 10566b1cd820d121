/**
 * Soft deletes: removed rows stay in the table, and a column marks them as deleted (option
 * `softDelete`).
 */

import type { PostgresAdapterOptions } from '../options/options.js'
import { quote, rowAlias } from '../sql/sql.js'
import { unfit } from '../unfit.js'
import type { Relation } from './catalog.js'

/**
 * The column that marks deleted rows, the SQL of the value that marks a row (`sql`), and the SQL
 * condition for rows that are not deleted (`alive`).
 */
export interface Deletion {
  readonly column: string
  readonly sql: string
  readonly alive: string
}

/**
 * Returns the column and the SQL of the option `softDelete`. Throws `ConfigurationError` if the
 * column does not exist, or if its default would mark each new row as deleted. The default is
 * accepted if the table has a BEFORE INSERT trigger, because the trigger may replace the value. A
 * column that is neither a boolean, a date nor a timestamp needs the option `softDelete.deleted`.
 */
export function deletionOf({ softDelete: given }: PostgresAdapterOptions, relation: Relation): Deletion | undefined {
  if (given === undefined) return undefined
  const { column, deleted } = typeof given === 'string' ? { column: given, deleted: undefined } : given
  const found = relation.columns.get(column)
  if (found === undefined) throw unfit(`there is no column "${column}" to mark deleted rows by. Check "softDelete"`)
  const sql = `${rowAlias}.${quote(column)}`
  const { default: initial } = found
  const isBornDeleted = initial !== null && (found.type === 'boolean' ? initial === 'true' : !/^NULL\b/.test(initial))
  if (isBornDeleted && !relation.hasInsertTrigger)
    throw unfit(
      `each new row would be marked as deleted: the default of "${column}" is ${initial}. ALTER COLUMN ` +
        `${quote(column)} DROP DEFAULT`,
    )
  if (found.type === 'boolean')
    return { column, sql: deleted ?? 'true', alive: found.notNull ? `NOT ${sql}` : `${sql} IS NOT TRUE` }
  if (deleted === undefined && !/^(?:timestamp|date$)/.test(found.type)) {
    throw unfit(
      `"${column}" has the type ${found.type}: set softDelete.deleted to the SQL value that marks a row as deleted`,
    )
  }
  return { column, sql: deleted ?? 'statement_timestamp()', alive: `${sql} IS NULL` }
}
