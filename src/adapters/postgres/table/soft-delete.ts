/**
 * Soft deletes: removed rows stay in the table, and a column marks them as deleted (option
 * `softDelete`).
 */

import type { PostgresAdapterOptions } from '../options/options.js'
import { quote, rowAlias } from '../sql/sql.js'
import { unfit } from '../unfit.js'
import type { CatalogColumn, Relation } from './catalog.js'

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
 * column does not exist, or if the column can't distinguish deleted rows from new ones.
 */
export function deletionOf({ softDelete: given }: PostgresAdapterOptions, relation: Relation): Deletion | undefined {
  if (given === undefined) return undefined
  const { column, deleted } = typeof given === 'string' ? { column: given, deleted: undefined } : given
  const found = relation.columns.get(column)
  if (found === undefined) throw unfit(`the table has no column "${column}", which "softDelete" names`)
  const deletion = found.type === 'boolean' ? booleanDeletion(found, deleted) : otherDeletion(found, deleted)
  // A BEFORE INSERT trigger may replace the default.
  if (deletion.isBornDeleted && !relation.hasInsertTrigger)
    throw unfit(
      `each new row would be marked as deleted: the default of "${column}" is ${found.default}. ${deletion.remedy}`,
    )
  return { column, sql: deletion.sql, alive: deletion.alive }
}

/**
 * The SQL of a deletion. `isBornDeleted`: whether the column's default marks each new row as
 * deleted. `remedy`: how to change such a default.
 */
interface Rule extends Omit<Deletion, 'column'> {
  readonly isBornDeleted: boolean
  readonly remedy: string
}

/**
 * Returns the rule for a boolean column: a row is deleted if the column has the value of the option
 * `softDelete.deleted` (default true).
 */
function booleanDeletion({ name, default: initial, notNull }: CatalogColumn, deleted = 'true'): Rule {
  const value = deleted.trim().toLowerCase()
  if (value !== 'true' && value !== 'false')
    throw unfit(`"${name}" is a boolean: softDelete.deleted must be 'true' or 'false', not ${deleted}`)
  const sql = `${rowAlias}.${quote(name)}`
  const other = value === 'true' ? 'false' : 'true'
  return {
    sql: value,
    // If the column is NOT NULL, the condition has the usual form of a partial index (`WHERE NOT
    // deleted`), so that PostgreSQL can use such an index.
    alive: notNull ? (value === 'true' ? `NOT ${sql}` : sql) : `${sql} IS NOT ${value.toUpperCase()}`,
    isBornDeleted: initial === value,
    remedy:
      `ALTER COLUMN ${quote(name)} SET DEFAULT ${other}. If ${value} does not mean that the row is deleted, set ` +
      `softDelete.deleted to '${other}'`,
  }
}

/** Returns the rule for a column of another type: a row is deleted if the column is not NULL. */
function otherDeletion({ name, type, default: initial, notNull }: CatalogColumn, deleted: string | undefined): Rule {
  if (notNull)
    throw unfit(
      `"${name}" is NOT NULL, so all rows would count as deleted. Rows that are not deleted ` +
        'must have NULL in a column of this type. Use a separate column, such as deleted_at timestamptz',
    )
  if (deleted === undefined && !/^(?:timestamp|date$)/.test(type))
    throw unfit(`"${name}" has the type ${type}: set softDelete.deleted to the SQL value that marks a row as deleted`)
  return {
    sql: deleted ?? 'statement_timestamp()',
    alive: `${rowAlias}.${quote(name)} IS NULL`,
    isBornDeleted: initial !== null && !/^NULL\b/.test(initial),
    remedy: `ALTER COLUMN ${quote(name)} DROP DEFAULT`,
  }
}
