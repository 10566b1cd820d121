/**
 * The adapter's method `cached`. For a PATCH with `If-Match`, it returns the record from the cache
 * of the adapter, so that the PATCH needs no read. The record might be outdated, so the write
 * checks that the row is unchanged.
 */
import type { KeyValue } from '../../../definition/key.js'
import type { AdapterCall, Stored } from '../../contract.js'
import { epochOf, isUnscoped, returnsCommitted } from '../table/table.js'
import type { Shared } from './shared.js'

/**
 * Returns the record if all of these conditions are true, and otherwise `undefined`:
 * - The cache has the record in this version.
 * - The caller has no scope. A cached record may be outside the scope.
 * - Reads and writes use the same pool.
 * - The write will be a single statement. This requires that RETURNING shows the row as it is
 *   committed, that the write runs none of the service's own functions, and that the row does not
 *   have to be locked first.
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
