/**
 * The statement that replaces a row. The statement compares the version and changes the row in one
 * step, because the version is part of its WHERE clause (HDR-3).
 */
import type { Refused, Stored } from '../../contract.js'
import type { Cells } from '../connections/client.js'
import { rowNow, shownCells, shownRecord } from '../reads/reads.js'
import { expectedRow, type RowCall } from '../reads/row-call.js'
import { allOf, Parameters } from '../sql/sql.js'
import { epochOf, recordOf, returnsCommitted, versionOf } from '../table/table.js'
import { absentOrStale, unshown } from './unchanged.js'
import { columnsToUpdate, type Values } from './written.js'

type Row = Record<string, unknown>
type Updated = Stored<Row> | 'absent' | 'stale' | Refused

/**
 * Replaces a row that has the expected version. `before` is the row as it was read. If `before` is
 * given, only the members that differ from that row are written.
 */
export async function updateRow(at: RowCall, value: Values, before?: Cells): Promise<Updated> {
  const columns = columnsToUpdate(at.table, value, before)
  if ('refused' in columns) return columns
  const parameters = new Parameters()
  const assignments: string[] = []
  for (const { quoted, text, cast, member } of columns) {
    const missing = text === null && member?.notNull && member.hasDefault
    assignments.push(`${quoted} = ${missing ? 'DEFAULT' : parameters.add(text, cast)}`)
  }
  const { inexact } = at.table.layout
  const unseen = before === undefined && inexact !== undefined
  const updated = await setColumns(at, assignments, parameters, unseen ? `(${inexact}) IS NOT TRUE` : undefined)
  if (updated !== undefined) return updated
  if (at.unread !== undefined) return 'stale'
  const now = await rowNow(at, unseen ? () => inexact : undefined)
  return now?.holds === true ? updateInexact(at, value) : absentOrStale(now, at.expected)
}

/**
 * Replaces a row whose record may not represent all values exactly, such as integers above 2^53.
 * Reads the row first, and does not write the members that the client sends back unchanged.
 */
async function updateInexact(at: RowCall, value: Values): Promise<Updated> {
  const { table, expected, call } = at
  for (;;) {
    const current = await shownCells(at)
    if (current === undefined) return 'absent'
    const version = versionOf(table, current)
    if (expected !== undefined && version !== expected) return 'stale'
    const result = await updateRow({ ...at, expected: version }, value, current)
    if (result !== 'stale' || expected !== undefined || (call.left?.() ?? 1) <= 0) return result
  }
}

/**
 * Sets columns if the row has the expected version and meets `condition`. Otherwise, the result is
 * `undefined`.
 */
export async function setColumns(
  at: RowCall,
  assignments: readonly string[],
  parameters: Parameters,
  condition?: string,
): Promise<Stored<Row> | Refused | undefined> {
  const { table, ask } = at
  const conditions = expectedRow(at, parameters)
  if (condition !== undefined) conditions.push(condition)
  const text = table.readsSeparately ? `${table.version.sql} AS v` : table.shown
  const set = assignmentsOf(at, assignments, parameters)
  const epoch = writtenEpoch(at)
  // The linked records are joined only if a version is expected. Without an expected version, the
  // statement may change a row that another session wrote after the statement began. That session
  // may also have written the linked records, and the joins would not find them.
  if (at.joins !== undefined && at.expected !== undefined && set !== '') {
    const joined = at.joins.changed(table.updates.of(`${set} WHERE ${allOf(conditions)}`), parameters)
    const [changed] = await ask.cells(joined.text, joined.names, parameters.values)
    if (changed === undefined) return undefined
    at.joins.report([changed])
    return recordOf(table, changed, epoch)
  }
  const statement =
    set === ''
      ? `SELECT ${text} FROM ${table.target} WHERE ${allOf(conditions)} FOR UPDATE`
      : table.updates.of(`${set} WHERE ${allOf(conditions)}`)
  const [found] = await ask.cells(statement, table.readsSeparately ? ['v'] : table.shownNames, parameters.values)
  if (found === undefined) return undefined
  return table.readsSeparately ? ((await shownRecord(at)) ?? unshown) : recordOf(table, found, epoch)
}

/**
 * The epoch (see `epochOf`) to pass to `recordOf` for a row that an UPDATE returns, or -1 if the
 * row must not be cached. The row can be cached only if three conditions are met: the statement
 * runs outside a transaction, RETURNING shows the row as it is committed, and the database also
 * serves the reads.
 */
const writtenEpoch = ({ table, ask }: RowCall): number =>
  ask.keepsWritten === true && returnsCommitted(table) ? epochOf(table, { keeps: true, database: ask.database }) : -1

/**
 * The assignments, including the assignment of the next version. If there are none, a column is set
 * to itself, so that the version changes. If no column can be set to itself, the result is `''`.
 */
function assignmentsOf({ table }: RowCall, assignments: readonly string[], parameters: Parameters): string {
  const { layout } = table
  const nextVersion = table.nextVersion?.(parameters)
  if (assignments.length === 0) return nextVersion ?? layout.unchanging ?? ''
  return nextVersion === undefined ? assignments.join(', ') : `${assignments.join(', ')}, ${nextVersion}`
}
