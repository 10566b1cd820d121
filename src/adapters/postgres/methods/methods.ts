/**
 * The methods of the adapter contract for a table. The other files in this directory implement
 * them.
 */
import type { KeyValue } from '../../../definition/key.js'
import type { ResourceDefinition } from '../../../definition/resource.js'
import type { Adapter, AdapterCall } from '../../contract.js'
import type { Databases } from '../connections/database.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import { type Opening, sharedWait } from '../table/opening.js'
import { keepsPositions, raisePosition } from '../transactions/replica-use.js'
import { clearingOf } from '../writes/kept-records.js'
import { cachedRecord } from './cached.js'
import { createRecord, recallRecord } from './create.js'
import { hooksOf } from './hooks.js'
import { listRecords } from './list.js'
import { attachRecord, detachRecord } from './move.js'
import { readRecords } from './read.js'
import { removeRecord } from './remove.js'
import { replaceRecord } from './replace.js'
import { SeenRows } from './seen-rows.js'
import type { Shared } from './shared.js'

type Row = Record<string, unknown>

/** Makes the adapter of a resource. The adapter uses `databases`. */
export function adapterOf(
  definition: ResourceDefinition,
  options: PostgresAdapterOptions,
  databases: Databases,
  opening: Opening,
): Adapter<Row, KeyValue> {
  const { version = 'xmin', onWarning = () => undefined } = options
  const seen = new SeenRows(!databases.write.mayBeNested && (version === 'xmin' || 'column' in version))
  const shared: Shared = { definition, options, databases, opening, hooks: hooksOf(definition, options), seen }
  const clear = clearingOf(databases.write, sharedWait, onWarning)
  return {
    ...(isComputed(options) ? { computes: true } : {}),
    readsLinks: true,
    list: (request, call) => listRecords(shared, request, call),
    read: (keys, call) => readRecords(shared, keys, call),
    cached: (key, version, call) => cachedRecord(shared, key, version, call),
    create: (value, call) => written(databases, call, createRecord(shared, value, call, clear)),
    ...(options.idempotency === undefined
      ? {}
      : { recall: (call) => written(databases, call, recallRecord(shared, call), (found) => found !== undefined) }),
    replace: (key, value, expected, call) =>
      written(databases, call, replaceRecord(shared, key, value, expected, call)),
    remove: (key, expected, call) => written(databases, call, removeRecord(shared, key, expected, call)),
    attach: (parent, key, expected, call) =>
      written(databases, call, attachRecord(shared, parent, key, expected, call)),
    detach: (parent, key, expected, call) =>
      written(databases, call, detachRecord(shared, parent, key, expected, call)),
  }
}

/**
 * After a write, stores the client's position in the primary's log, before the client gets the
 * response. Later reads of this client use only replicas that have reached this position. `wrote`
 * returns whether the result shows that this request, or an earlier one, wrote something.
 */
function written<T>(
  { primary, write, inCallersTransaction = false }: Databases,
  call: AdapterCall,
  outcome: Promise<T>,
  wrote = (_result: T): boolean => true,
): Promise<T> {
  if (!keepsPositions(primary)) return outcome
  return outcome.then(
    async (result) => {
      if (wrote(result)) await raisePosition(primary, write, call, !inCallersTransaction)
      return result
    },
    async (error) => {
      await raisePosition(primary, write, call, false)
      throw error
    },
  )
}

/** Whether the record that clients see can change while its version stays the same. */
function isComputed({ readFrom, columns = {}, version }: PostgresAdapterOptions): boolean {
  const expressions = Object.values(columns).some(
    (column) => typeof column === 'object' && column.expression !== undefined,
  )
  return readFrom !== undefined || expressions || (typeof version === 'object' && 'expression' in version)
}
