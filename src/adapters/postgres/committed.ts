/** What a write is answered with: the row that is committed, whatever triggers, rules and a team's functions made of it (HDR-8). */
import type { AdapterCall, Refused, Stored, WriteAction } from '../contract.js'
import { keySql } from './conditions.js'
import { shownRecord } from './reads.js'
import { every, Parameters, row } from './sql.js'
import type { Ask } from './statements.js'
import { type Table, visible } from './table.js'
import { unshown } from './writes.js'

type Row = Record<string, unknown>

/** Whether the row may be another by the end of the statement. */
export const changesAfterwards = ({ aftermath }: Table, action: WriteAction): boolean =>
  action === 'create' ? aftermath.insert : action !== 'remove' && aftermath.update

/**
 * The record as it will be committed, read at the end of its transaction. Checks that are deferred to
 * the commit take place before, except in a transaction of the caller's, who may still fulfil them.
 * A record that nobody could read any more is refused.
 */
export async function committed(
  table: Table,
  stored: Stored<Row>,
  nested: boolean,
  call: AdapterCall,
  ask: Ask,
): Promise<Stored<Row> | Refused> {
  if (table.aftermath.deferred && !nested) await ask.query('SET CONSTRAINTS ALL IMMEDIATE')
  return (await reread(table, stored, call, ask)) ?? unshown
}

/** The record as it is by now, by the key that it was stored under. */
export async function reread(table: Table, { value }: Stored<Row>, call: AdapterCall, ask: Ask): Promise<Stored<Row> | undefined> {
  const key = table.definition.key.of(value)
  const texts = key === undefined ? undefined : table.layout.keyTexts(key)
  return texts === undefined ? undefined : shownRecord(table, texts, call, ask)
}

/**
 * Whether the row of a key was written in this very transaction, or a part of it that a savepoint
 * began: a row that can be seen while its writer is still in progress is one's own. The writer has 32
 * bits in the row, and came after the transaction began.
 */
export async function isOwnWork(table: Table, texts: readonly string[], ask: Ask): Promise<boolean> {
  const parameters = new Parameters()
  const where = every(keySql(table.layout, texts, parameters))
  const since = `(${row}.xmin::text::bigint - txid_current_if_assigned()) & 4294967295`
  const status = 'txid_status(txid_current_if_assigned() + _w.since)'
  const text = `SELECT (CASE WHEN _w.since < 2147483648 THEN ${status} = 'in progress' END)::text AS c0 FROM (SELECT ${since} AS since FROM ${table.target} WHERE ${where}) AS _w`
  try {
    return (await ask.query(text, parameters))[0]?.c0 === 'true'
  } catch {
    // A view has no such column, and another database no such functions.
    return false
  }
}

/** What can be seen at this moment of a transaction that is about to be undone; `undefined` where the database does not say. */
export async function snapshotOf(ask: Ask): Promise<string | undefined> {
  try {
    return (await ask.query('SELECT txid_current_snapshot()::text AS c0'))[0]?.c0 ?? undefined
  } catch {
    return undefined
  }
}

/** Whether a row is there that was there in that snapshot too: the transaction that did not find it had taken it away itself. */
export async function wasThere(table: Table, texts: readonly string[], snapshot: string, call: AdapterCall, ask: Ask): Promise<boolean> {
  const parameters = new Parameters()
  const seen = `${parameters.add(snapshot)}::text::txid_snapshot`
  const next = `txid_snapshot_xmax(${seen})`
  const writer = `${next} - ((${next} - ${row}.xmin::text::bigint) & 4294967295)`
  const where = every([...keySql(table.layout, texts, parameters), ...visible(table, call, parameters, table.alive)])
  const text = `SELECT txid_visible_in_snapshot(${writer}, ${seen})::text AS c0 FROM ${table.target} WHERE ${where}`
  try {
    return (await ask.query(text, parameters))[0]?.c0 === 'true'
  } catch {
    return false
  }
}
