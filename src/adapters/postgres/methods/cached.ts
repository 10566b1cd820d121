/**
 * `cached`: the record of a PATCH with `If-Match` without a read, if its write can compare the
 * whole row.
 */
import type { KeyValue } from '../../../definition/key.js'
import type { AdapterCall, Stored } from '../../contract.js'
import { epochOf, isUnscoped, returnsCommitted } from '../table/table.js'
import type { Shared } from './shared.js'

/**
 * Requires that the write is a single statement: its RETURNING returns the committed row, no
 * function of the team runs with it, and no lock precedes it. Callers with a scope only get records
 * that were read for them.
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
