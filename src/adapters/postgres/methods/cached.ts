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
 * Returns the record if the cache has it in this version, and if the write will be a single
 * statement. The write is a single statement under three conditions: RETURNING shows the row as it
 * is committed, the write runs none of the service's own functions, and the row does not have to be
 * locked first. In addition, reads and writes must use the same pool. Returns `undefined` if the
 * caller has a scope, because a cached record may be outside this scope.
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
