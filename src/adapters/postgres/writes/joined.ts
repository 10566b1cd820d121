/**
 * Attaches records to a parent's collection in a join table, and detaches them. Each statement
 * locks the row of the record, so that no other session can remove or change the record before the
 * attach or detach is committed.
 */
import type { Association } from '../../association.js'
import type { Refused } from '../../contract.js'
import { rowNow } from '../reads/reads.js'
import { expectedRow, type RowCall } from '../reads/row-call.js'
import { allOf, Parameters, quote, rowAlias } from '../sql/sql.js'
import { type DescribedJoinTable, memberSql, ofParent, parentValues } from '../table/join-tables.js'
import { absentOrStale } from './unchanged.js'

export async function attachRow(
  at: RowCall,
  join: DescribedJoinTable,
  to: Association,
): Promise<'attached' | 'absent' | 'stale' | Refused> {
  const parameters = new Parameters()
  const held = heldRow(at, parameters)
  const columns = [...join.parent.map(({ column }) => column), ...join.key].map(quote).join(', ')
  const values = [...parentValues(join, to, parameters), ...join.key.map((_, i) => `${rowAlias}.k${i}`)].join(', ')
  const missing = join.skipsExisting ? '' : ` WHERE NOT EXISTS (${inside(join, to, parameters)})`
  const put =
    `INSERT INTO ${join.relation} (${columns}) SELECT ${values} FROM _t AS ${rowAlias}${missing} ON ` +
    'CONFLICT DO NOTHING'
  const [found] = await at.ask.query(`WITH _t AS (${held}), _i AS (${put}) SELECT 1 AS c0 FROM _t`, parameters)
  return found === undefined ? absentOrStale(await rowNow(at), at.expected) : 'attached'
}

/**
 * Selects the row of the join table that already attaches the record to the parent. Used if the
 * join table has no suitable unique index, or if a trigger or rule could act even on an insert that
 * `ON CONFLICT DO NOTHING` skips.
 */
const inside = (join: DescribedJoinTable, to: Association, parameters: Parameters): string =>
  `SELECT 1 FROM ${join.relation} AS _j WHERE ${allOf([...ofParent(join, to, parameters), ...sameKey(join, rowAlias)])}`

export async function detachRow(
  at: RowCall,
  join: DescribedJoinTable,
  from: Association,
): Promise<'detached' | 'absent' | 'stale'> {
  const parameters = new Parameters()
  const held = heldRow(at, parameters)
  const taken =
    `DELETE FROM ${join.relation} AS _j USING _t WHERE ` +
    `${allOf([...ofParent(join, from, parameters), ...sameKey(join, '_t')])} RETURNING 1`
  const [found] = await at.ask.query(`WITH _t AS (${held}), _d AS (${taken}) SELECT 1 AS c0 FROM _d`, parameters)
  if (found !== undefined) return 'detached'
  const now = await rowNow(at, (more) => memberSql(at.table.layout.key, join, from, more))
  return now?.holds && at.expected !== undefined ? 'stale' : 'absent'
}

function heldRow(at: RowCall, parameters: Parameters): string {
  const { target, layout } = at.table
  const keys = layout.key.map(({ sql }, i) => `${sql} AS k${i}`).join(', ')
  return `SELECT ${keys} FROM ${target} WHERE ${allOf(expectedRow(at, parameters))} FOR SHARE`
}

const sameKey = (join: DescribedJoinTable, of: string): string[] =>
  join.key.map((column, i) => `_j.${quote(column)} = ${of}.k${i}`)
