/** Reads one or several records by their keys (REP-3). */
import type { KeyValue } from '../../../definition/key.js'
import type { AdapterCall, Stored } from '../../contract.js'
import type { Cells } from '../connections/client.js'
import type { Joins } from '../links/joins.js'
import { allOf, Parameters } from '../sql/sql.js'
import type { StatementSender } from '../sql/statement-sender.js'
import { keySql, keysJoin } from '../table/conditions.js'
import { addVisible, epochOf, isUnscoped, recordOf, storedOf, type Table, visible } from '../table/table.js'
import { anyVersionRow, type RowCall } from './row-call.js'

type Row = Record<string, unknown>

/** A row and its record. The record may show less than the row holds. */
export interface Found {
  readonly stored: Stored<Row>
  readonly cells: Cells
}

/**
 * Reads the record with a key. Returns `undefined` if there is no such record. With `joins`, the
 * same statement also reads the records that this record links to. These records are passed on to
 * the response.
 */
export async function readOne(
  table: Table,
  key: KeyValue,
  call: AdapterCall,
  ask: StatementSender,
  joins?: Joins,
): Promise<Found | undefined> {
  const texts = table.layout.keyTexts(key)
  const epoch = epochOf(table, ask)
  joins?.begin(ask)
  const cells = texts && (await cellsOf(table, texts, call, ask, joins))
  if (cells === undefined) return undefined
  const stored = recordOf(table, cells, epoch)
  // Some columns compare different strings as equal: in an `interval` column, the key `PT24H` finds
  // the row with `P1D`. That row is another record.
  if (!isOfKey(table, stored, key)) return undefined
  joins?.report([cells])
  return { stored, cells }
}

function isOfKey({ definition }: Table, { value }: Stored<Row>, key: KeyValue): boolean {
  const found = definition.key.of(value)
  return found === key || (found !== undefined && definition.key.text(found) === definition.key.text(key))
}

/** The row with a key, read from `table.source`, together with the columns of `joins`. */
async function cellsOf(
  table: Table,
  texts: readonly string[],
  call: AdapterCall,
  ask: StatementSender,
  joins?: Joins,
): Promise<Cells | undefined> {
  // A read from a view, or without an index, may be slow. In a shared round trip, the reads of
  // other requests would wait for that read.
  const send = table.keyIndex !== undefined && !table.separate ? 'shared' : 'cells'
  if (isUnscoped(call)) {
    if (joins === undefined) return (await ask[send](table.one, table.shownNames, texts))[0]
    if (joins.areUnscoped) {
      const { text, names } = joins.oneForAll()
      return (await ask[send](text, names, texts))[0]
    }
  }
  const parameters = new Parameters()
  const conditions = keySql(table.layout, texts, parameters)
  addVisible(table, call, parameters, table.shownAlive, conditions)
  const where = allOf(conditions)
  if (joins === undefined)
    return (await ask[send](table.reads.of(` WHERE ${where}`), table.shownNames, parameters.values))[0]
  const { text, names } = joins.one(where, parameters)
  return (await ask[send](text, names, parameters.values))[0]
}

/**
 * Returns the records with these keys, in the order of the keys, with `undefined` for each key that
 * has no record. For each row that is found, `see` is called with the key as a string and with the
 * cells of the row.
 */
export async function readMany(
  table: Table,
  keys: readonly KeyValue[],
  call: AdapterCall,
  ask: StatementSender,
  see?: (keyText: string, cells: Cells) => void,
): Promise<readonly (Stored<Row> | undefined)[]> {
  const { definition, layout } = table
  const known = distinct(keys.map((key) => layout.keyTexts(key)))
  if (known.length === 0) return keys.map(() => undefined)
  const parameters = new Parameters()
  const join = keysJoin(layout, known, parameters)
  const text = table.reads.of(`${join} WHERE ${allOf(visible(table, call, parameters))}`)
  const epoch = epochOf(table, ask)
  const found = new Map<string, Stored<Row>>()
  for (const cells of await ask.cells(text, table.shownNames, parameters.values)) {
    const stored = recordOf(table, cells, epoch)
    const key = definition.key.of(stored.value)
    if (key === undefined) continue
    const keyText = definition.key.text(key)
    found.set(keyText, stored)
    see?.(keyText, cells)
  }
  return keys.map((key) => found.get(definition.key.text(key)))
}

/**
 * Removes duplicates from the results of `keyTexts`, and removes `undefined`, which stands for a
 * key that no row can have.
 */
function distinct(texts: readonly (readonly string[] | undefined)[]): readonly (readonly string[])[] {
  const known = new Map<string, readonly string[]>()
  for (const parts of texts)
    if (parts !== undefined) known.set(parts.length === 1 ? (parts[0] as string) : parts.join('\0'), parts)
  return [...known.values()]
}

/**
 * Reads a record, and locks its row until the transaction ends. Returns `undefined` if there is no
 * such record. `keeps`: whether the write keeps the row, as an update does. If so, a weaker lock is
 * enough, and other transactions can still insert rows that refer to this row.
 */
export async function lockedRecord(at: RowCall, keeps: boolean): Promise<Stored<Row> | undefined> {
  const { table, ask } = at
  const parameters = new Parameters()
  const where = allOf(anyVersionRow(at, parameters))
  const shown = table.separate ? '1 AS c0' : table.shown
  const text = `SELECT ${shown} FROM ${table.target} WHERE ${where} FOR ${keeps ? 'NO KEY UPDATE' : 'UPDATE'}`
  const [locked] = await ask.cells(text, table.separate ? ['c0'] : table.shownNames, parameters.values)
  if (locked === undefined) return undefined
  return table.separate ? shownRecord(at) : storedOf(table, locked)
}

/** Reads the record as GET requests show it, within the call's transaction if there is one. */
export async function shownRecord(at: Omit<RowCall, 'expected'>): Promise<Stored<Row> | undefined> {
  const cells = await shownCells(at)
  return cells && storedOf(at.table, cells)
}

/** The row of a record, read from `table.source`. */
export const shownCells = ({ table, texts, call, ask }: Omit<RowCall, 'expected'>): Promise<Cells | undefined> =>
  cellsOf(table, texts, call, ask)

/**
 * Reads the current version of a row from the table that is written to. Also returns whether the
 * row satisfies the condition `also`. Returns `undefined` if there is no such row.
 */
export async function rowNow(at: RowCall, also?: (parameters: Parameters) => string) {
  const { table, ask } = at
  const parameters = new Parameters()
  const more = also === undefined ? '' : `, (${also(parameters)})::text AS c0`
  const where = allOf(anyVersionRow(at, parameters))
  const [row] = await ask.query(
    `SELECT ${table.version.sql} AS v${more} FROM ${table.target} WHERE ${where}`,
    parameters,
  )
  return row === undefined ? undefined : { version: table.version.shown(row.v ?? null), holds: row.c0 === 'true' }
}
