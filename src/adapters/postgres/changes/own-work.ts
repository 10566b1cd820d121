/**
 * Detects whether a transaction has already changed a record, through the service's own SQL or a
 * trigger, before the adapter's own statement. The statement then finds no such record, or finds a
 * version other than the expected one.
 */

import { anyVersionRow, type RowCall } from '../reads/row-call.js'
import { allOf, Parameters, rowAlias } from '../sql/sql.js'
import type { StatementSender } from '../sql/statement-sender.js'
import { keySql } from '../table/conditions.js'
import type { Table } from '../table/table.js'
import { callbackFault } from '../transactions/callback-errors.js'
import type { PendingChange } from './pending-change.js'

/**
 * Whether the row with this key was written in this transaction, or in one of its savepoints. While
 * the transaction that wrote a row is in progress, only that transaction sees the row. So if the
 * writer of a visible row is in progress, the writer is this transaction.
 *
 * The row's `xmin` holds only the lowest 32 bits of the writer's transaction id. The full id is
 * computed from the id of this transaction. If this transaction wrote the row, the full id is at
 * least the id of this transaction, because a savepoint has a larger id than its transaction.
 */
export async function isOwnWrite(table: Table, texts: readonly string[], ask: StatementSender): Promise<boolean> {
  // The `xmin` of a distributed table's row comes from another server, so it proves nothing.
  if (table.relation.distributed) return false
  const parameters = new Parameters()
  const where = allOf(keySql(table.layout, texts, parameters))
  const since = `(${rowAlias}.xmin::text::bigint - txid_current_if_assigned()) & 4294967295`
  const status = 'txid_status(txid_current_if_assigned() + _w.since)'
  const text =
    `SELECT (CASE WHEN _w.since < 2147483648 THEN ${status} = 'in progress' END)::text AS c0 FROM ` +
    `(SELECT ${since} AS since FROM ${table.target} WHERE ${where}) AS _w`
  try {
    return (await ask.query(text, parameters))[0]?.c0 === 'true'
  } catch {
    // A view has no `xmin`, and databases other than PostgreSQL might not have these functions.
    return false
  }
}

/**
 * The current snapshot of a transaction that is about to be rolled back; `undefined` if the
 * database does not provide it.
 */
export async function snapshotOf(ask: StatementSender): Promise<string | undefined> {
  try {
    return (await ask.query('SELECT txid_current_snapshot()::text AS c0'))[0]?.c0 ?? undefined
  } catch {
    return undefined
  }
}

/**
 * Whether a transaction itself had removed the row that it did not find. This is the case if the
 * row exists now, after the rollback, and was visible in the `snapshot` of the transaction.
 */
export async function wasThere(at: RowCall, snapshot: string): Promise<boolean> {
  if (at.table.relation.distributed) return false
  const parameters = new Parameters()
  const seen = `${parameters.add(snapshot)}::text::txid_snapshot`
  const next = `txid_snapshot_xmax(${seen})`
  const writer = `${next} - ((${next} - ${rowAlias}.xmin::text::bigint) & 4294967295)`
  const where = allOf(anyVersionRow(at, parameters))
  const text = `SELECT txid_visible_in_snapshot(${writer}, ${seen})::text AS c0 FROM ${at.table.target} WHERE ${where}`
  try {
    return (await at.ask.query(text, parameters))[0]?.c0 === 'true'
  } catch {
    return false
  }
}

/**
 * The error to throw if the transaction itself had changed the record. `missed` names the thing
 * that the statement no longer found: the record, or its version.
 */
export function ownWork({ table, action }: PendingChange, missed: string): Error {
  const names = (['write', 'session'] as const).filter((name) => table.options[name] !== undefined)
  const by = names.length === 0 ? 'A rule or a trigger' : `SQL of the "${names.join('" or "')}" function`
  const fix = names.includes('write')
    ? 'Run such SQL after change.apply()'
    : 'Set the columns in a BEFORE trigger, by assigning to NEW'
  return callbackFault(
    `${by} changed the record of "${table.definition.collection}" before the adapter's own ${action}, which ` +
      `then no longer found ${missed}. Nothing was changed. ${fix}.`,
  )
}
