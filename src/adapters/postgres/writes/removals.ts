/**
 * The statement that removes a row, or marks the row as deleted. The same statement also removes
 * the record from all collections in join tables.
 */
import type { Refused } from '../../contract.js'
import { rowNow } from '../reads/reads.js'
import { expectedRow, type RowCall } from '../reads/row-call.js'
import { allOf, Parameters, quote } from '../sql/sql.js'
import type { Table } from '../table/table.js'
import { absentOrStale } from './unchanged.js'

export async function removeRow(at: RowCall): Promise<'removed' | 'absent' | 'stale' | Refused> {
  const { table, ask } = at
  const parameters = new Parameters()
  const where = allOf(expectedRow(at, parameters))
  const keys = table.layout.key.map(({ sql }, i) => `${sql} AS k${i}`).join(', ')
  const statement = `${removal(table, parameters)} WHERE ${where} RETURNING ${keys}`
  const taken = [...table.joins.values()].map(
    (join, i) =>
      `_j${i} AS (DELETE FROM ${join.relation} AS _j USING _d WHERE ` +
      `${join.key.map((column, k) => `_j.${quote(column)} = _d.k${k}`).join(' AND ')})`,
  )
  const text =
    taken.length === 0 ? statement : `WITH ${[`_d AS (${statement})`, ...taken].join(', ')} SELECT 1 AS c0 FROM _d`
  const [found] = await ask.query(text, parameters)
  return found === undefined ? absentOrStale(await rowNow(at), at.expected) : 'removed'
}

function removal({ deletion, target, nextVersion }: Table, parameters: Parameters): string {
  if (deletion === undefined) return `DELETE FROM ${target}`
  const marked = `${quote(deletion.column)} = ${deletion.sql}`
  return `UPDATE ${target} SET ${nextVersion === undefined ? marked : `${marked}, ${nextVersion(parameters)}`}`
}
