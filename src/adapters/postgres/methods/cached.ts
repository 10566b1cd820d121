/**
 * The adapter's method `cached`. For a PATCH with `If-Match`, it returns the record from memory, so
 * that the PATCH needs no read. The record might be outdated, so the write checks that the row is
 * unchanged.
 */
import type { KeyValue } from '../../../definition/key.js'
import type { AdapterCall, Stored } from '../../contract.js'
import { epochOf, isUnscoped, returnsCommitted } from '../table/table.js'
import type { Shared } from './shared.js'

/**
 * Returns the record only if the write will be a single statement. This requires that reads and
 * writes use the same pool, and that RETURNING shows the row as it is committed. In addition, the
 * write must run none of the service's own functions, and must not need to lock the row first.
 * Returns `undefined` if the caller has a scope, because the record was read without this scope.
 */
export function cachedRecord(
  { opening, databases, options, hooks, seen }: Shared,
  key: KeyValue,
  version: string,
  call: AdapterCall,
): Stored<Record<string, unknown>> | undefined {
  const { table } = opening
  const { read, write } = databases
  if (table?.proof === undefined || !isUnscoped(call) || read !== write || !write.pooled || write.mayBeNested)
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
