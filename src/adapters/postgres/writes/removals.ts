/**
 * The statement that removes a row, or marks the row as deleted. The same statement also deletes
 * the rows of join tables that link the record to its parents.
 */
import type { Refused } from '../../contract.js'
import { rowNow } from '../reads/reads.js'
import { expectedRow, type RowCall } from '../reads/row-call.js'
import { allOf, Parameters, quote } from '../sql/sql.js'
import type { Table } from '../table/table.js'
import { absentOrStale, suppressed } from './unchanged.js'

export async function removeRow(at: RowCall): Promise<'removed' | 'absent' | 'stale' | Refused> {
  const { table, ask } = at
  const parameters = new Parameters()
  const where = allOf(expectedRow(at, parameters))
  const keys = table.layout.key.map(({ sql }, i) => `${sql} AS k${i}`).join(', ')
  // `kept`: whether an UPDATE that should mark the row as deleted has left it unmarked. A trigger
  // may reset the column that marks deleted rows, or the SQL expression for the mark may give NULL.
  // With an INSTEAD OF trigger or a rule, RETURNING does not show the stored row, so the row counts
  // as marked.
  const kept = table.alive === undefined || table.relation.indirect.update ? 'false' : `(${table.alive})`
  const statement = `${removal(table, parameters)} WHERE ${where} RETURNING ${keys}, ${kept}::text AS kept`
  const taken = [...table.joins.values()].map(
    (join, i) =>
      `_j${i} AS (DELETE FROM ${join.relation} AS _j USING _d WHERE _d.kept = 'false' AND ` +
      `${join.key.map((column, k) => `_j.${quote(column)} = _d.k${k}`).join(' AND ')})`,
  )
  const text =
    taken.length === 0 ? statement : `WITH ${[`_d AS (${statement})`, ...taken].join(', ')} SELECT kept FROM _d`
  const [found] = await ask.query(text, parameters)
  if (found === undefined) return absentOrStale(await rowNow(at), at.expected)
  return found.kept === 'true' ? suppressed : 'removed'
}

function removal({ deletion, target, nextVersion }: Table, parameters: Parameters): string {
  if (deletion === undefined) return `DELETE FROM ${target}`
  const marked = `${quote(deletion.column)} = ${deletion.sql}`
  return `UPDATE ${target} SET ${nextVersion === undefined ? marked : `${marked}, ${nextVersion(parameters)}`}`
}
