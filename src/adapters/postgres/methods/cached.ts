/** `cached`: the record of a PATCH with `If-Match` without a read, where its write can compare the whole row. */
import type { KeyValue } from '../../../definition/key.js'
import type { AdapterCall, Stored } from '../../contract.js'
import { epochOf, isUnscoped, returnsCommitted } from '../table/table.js'
import type { Shared } from './shared.js'

/**
 * Only where one statement is the whole write: the row that RETURNING gives is the committed one, no
 * function of the team's runs beside it, and no lock comes before it. Callers with a scope are given
 * only what was read for them.
 */
export function cachedRecord(
  { opening, databases, options, hooks, seen }: Shared,
  key: KeyValue,
  version: string,
  call: AdapterCall,
): Stored<Record<string, unknown>> | undefined {
  const { table } = opening
  const { read, write } = databases
  if (table?.proof === undefined || !isUnscoped(call) || read !== write || !write.pooled || write.nested)
    return undefined
  if (options.write !== undefined || hooks.onUpdate !== undefined || !returnsCommitted(table) || table.racing.update)
    return undefined
  const texts = table.layout.keyTexts(key)
  const epoch = epochOf(table, { keeps: true, database: write })
  const kept = texts === undefined || epoch < 0 ? undefined : table.rows.find(table.shape, texts, version, epoch)
  if (kept === undefined) return undefined
  const { stored, cells, stamp } = kept
  seen.add(call, table, table.definition.key.text(key), [...cells, kept.version], { stamp })
  return stored
}
