/**
 * Reads the row as it will be committed, with the changes made by triggers, rules and the service's
 * own functions, for the response to a write (HDR-8).
 */
import type { AdapterCall, Refused, Stored, WriteAction } from '../../contract.js'
import { shownRecord } from '../reads/reads.js'
import type { StatementSender } from '../sql/statement-sender.js'
import type { Table } from '../table/table.js'
import { unshown } from '../writes/unchanged.js'

type Row = Record<string, unknown>

/** Whether a trigger or rule may change the row after the statement. */
export const changesAfterwards = ({ aftermath }: Table, action: WriteAction): boolean =>
  action === 'create' ? aftermath.insert : action !== 'remove' && aftermath.update

/**
 * Reads the record at the end of its transaction, as it will be committed. Before this read,
 * deferred constraints are checked and deferred triggers are run. In a transaction of the caller
 * (`nested`), both stay deferred, because the caller may still satisfy the constraints before the
 * commit. If the record is no longer visible, the write is refused.
 */
export async function committed(
  table: Table,
  stored: Stored<Row>,
  nested: boolean,
  call: AdapterCall,
  ask: StatementSender,
): Promise<Stored<Row> | Refused> {
  if (table.aftermath.deferred && !nested) await ask.query('SET CONSTRAINTS ALL IMMEDIATE')
  return (await reread(table, stored, call, ask)) ?? unshown
}

/** Reads the current state of a record. The key of the record is taken from `value`. */
export async function reread(
  table: Table,
  { value }: Stored<Row>,
  call: AdapterCall,
  ask: StatementSender,
): Promise<Stored<Row> | undefined> {
  const key = table.definition.key.of(value)
  const texts = key === undefined ? undefined : table.layout.keyTexts(key)
  return texts === undefined ? undefined : shownRecord({ table, texts, call, ask })
}
