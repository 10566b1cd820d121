/**
 * The method `read`: returns records by their keys. Remembers the rows that are read for a write.
 */
import type { KeyValue } from '../../../definition/key.js'
import type { AdapterCall, Stored } from '../../contract.js'
import type { Joins } from '../links/joins.js'
import { readMany, readOne } from '../reads/reads.js'
import { areRefusedKeys, isDataException } from '../reads/refused-values.js'
import type { StatementSender } from '../sql/statement-sender.js'
import type { Table } from '../table/table.js'
import { reading } from '../transactions/statements.js'
import { joining } from './joining.js'
import { type Shared, withTable } from './shared.js'

type Records = readonly (Stored<Record<string, unknown>> | undefined)[]

/**
 * Reads records. With the option `verified`, if one of them is not on the replica, reads all of
 * them from the primary, because the replica might not have the record yet.
 */
export async function readRecords(shared: Shared, keys: readonly KeyValue[], call: AdapterCall): Promise<Records> {
  const found = await recordsOf(shared, keys, call)
  const { read, write, replica } = shared.databases
  if (replica?.verified !== true || read === write || call.fresh || !found.includes(undefined)) return found
  return recordsOf({ ...shared, databases: { ...shared.databases, read: write } }, keys, call)
}

function recordsOf(shared: Shared, keys: readonly KeyValue[], call: AdapterCall): Promise<Records> {
  const { databases, options } = shared
  const [only] = keys
  return withTable(shared, call, async (table) => {
    try {
      if (keys.length !== 1 || only === undefined)
        return await reading(databases, options, call, (ask) => severalRecords(shared, table, keys, call, ask))
      return await joining(shared, table, call, (joins) =>
        reading(databases, options, call, (ask) => oneRecord(shared, table, only, call, ask, joins)),
      )
    } catch (error) {
      return withoutRefusedKeys(shared, table, keys, call, error)
    }
  })
}

/**
 * Reads the records again after a failure, without the keys whose values the database refuses. No
 * row can have such a key. Rethrows the error if the database accepts all keys.
 */
async function withoutRefusedKeys(
  shared: Shared,
  table: Table,
  keys: readonly KeyValue[],
  call: AdapterCall,
  error: unknown,
): Promise<Records> {
  if (!isDataException(error)) throw error
  const sending = { ...shared, call }
  // First, all keys are sent in one statement that does not read the table. If the statement
  // succeeds, the content of a row caused the failure. If the statement fails, each key is sent
  // separately to find the refused keys. There may be none, because the number of keys can also
  // make the statement fail.
  if (keys.length > 1 && !(await areRefusedKeys(table, keys, sending).catch(() => true))) throw error
  const refused = new Set<KeyValue>()
  for (const key of keys) if (await areRefusedKeys(table, [key], sending).catch(() => false)) refused.add(key)
  if (refused.size === 0) throw error
  const kept = keys.filter((key) => !refused.has(key))
  const found = kept.length === 0 ? [] : await recordsOf(shared, kept, call)
  let next = 0
  return keys.map((key) => (refused.has(key) ? undefined : found[next++]))
}

async function oneRecord(
  { seen, definition }: Shared,
  table: Table,
  key: KeyValue,
  call: AdapterCall,
  ask: StatementSender,
  joins: Joins | undefined,
): Promise<Records> {
  const found = await readOne(table, key, call, ask, joins)
  if (found === undefined) return [undefined]
  if (call.fresh) seen.add(call, table, definition.key.text(key), found.cells)
  return [found.stored]
}

const severalRecords = (
  { seen }: Shared,
  table: Table,
  keys: readonly KeyValue[],
  call: AdapterCall,
  ask: StatementSender,
): Promise<Records> =>
  readMany(table, keys, call, ask, call.fresh ? (keyText, cells) => seen.add(call, table, keyText, cells) : undefined)
