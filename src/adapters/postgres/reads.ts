/** Reading records by their keys, many at once (REP-3). */
import type { AdapterCall, Stored } from '../contract.js'
import type { Cells } from './client.js'
import { keySql, keysJoin } from './conditions.js'
import { every, Parameters } from './sql.js'
import type { Ask } from './statements.js'
import { storedOf, type Table, visible } from './table.js'

type Record_ = Record<string, unknown>

/** The records of these keys, in their order. `see` hears of each row that is found, and of its key. */
export async function readRecords(
  table: Table,
  keys: readonly unknown[],
  call: AdapterCall,
  ask: Ask,
  see?: (keyText: string, row: Cells) => void,
): Promise<readonly (Stored<Record_> | undefined)[]> {
  const { definition, layout } = table
  const texts = keys.map((key) => layout.keyTexts(key))
  const known = distinct(texts)
  if (known.length === 0) return keys.map(() => undefined)
  const parameters = new Parameters()
  const [only, ...others] = known
  const join = others.length === 0 ? '' : keysJoin(layout, known, parameters)
  const own = others.length === 0 ? keySql(layout, only as readonly string[], parameters) : []
  const where = every([...own, ...visible(table, call, parameters)])
  const rows = await ask.cells(table.reads.of(`${join} WHERE ${where}`), table.shownNames, parameters.values)
  const found = new Map<string, Stored<Record_>>()
  for (const row of rows) {
    const stored = storedOf(table, row)
    const key = definition.key.of(stored.value)
    if (key === undefined) continue
    const text = definition.key.text(key)
    found.set(text, stored)
    see?.(text, row)
  }
  // A key that did not come back as it was asked for, from a column that is blind to case, is another's.
  return keys.map((key) => found.get(definition.key.text(key as never)))
}

/** Those that some row can have, each once. */
function distinct(texts: readonly (readonly string[] | undefined)[]): readonly (readonly string[])[] {
  const [first] = texts
  if (texts.length === 1) return first === undefined ? [] : [first]
  const known = new Map<string, readonly string[]>()
  for (const parts of texts) if (parts !== undefined) known.set(parts.length === 1 ? (parts[0] as string) : parts.join('\0'), parts)
  return [...known.values()]
}

/**
 * The record of a row that stays as it is until the transaction ends; `undefined` where there is
 * none. `keeps` allows references to the row meanwhile, which a removal may not.
 */
export async function lockedRecord(
  table: Table,
  texts: readonly string[],
  keeps: boolean,
  call: AdapterCall,
  ask: Ask,
): Promise<Stored<Record_> | undefined> {
  const parameters = new Parameters()
  const where = every([...keySql(table.layout, texts, parameters), ...visible(table, call, parameters, table.alive)])
  const shown = table.separate ? '1 AS c0' : table.shown
  const text = `SELECT ${shown} FROM ${table.target} WHERE ${where} FOR ${keeps ? 'NO KEY UPDATE' : 'UPDATE'}`
  const [locked] = await ask.cells(text, table.separate ? ['c0'] : table.shownNames, parameters.values)
  if (locked === undefined) return undefined
  return table.separate ? shownRecord(table, texts, call, ask) : storedOf(table, locked)
}

/** The record as it is listed and read, within the same transaction. */
export async function shownRecord(
  table: Table,
  texts: readonly string[],
  call: AdapterCall,
  ask: Ask,
): Promise<Stored<Record_> | undefined> {
  const parameters = new Parameters()
  const where = every([...keySql(table.layout, texts, parameters), ...visible(table, call, parameters)])
  const [found] = await ask.cells(table.reads.of(` WHERE ${where}`), table.shownNames, parameters.values)
  return found === undefined ? undefined : storedOf(table, found)
}

/** The version of a record, and what else is asked of its row; `undefined` where there is none. On the table itself, as writes see it. */
export async function rowNow(
  table: Table,
  texts: readonly string[],
  call: AdapterCall,
  ask: Ask,
  also?: (parameters: Parameters) => string,
) {
  const parameters = new Parameters()
  const more = also === undefined ? '' : `, (${also(parameters)})::text AS c0`
  const where = every([...keySql(table.layout, texts, parameters), ...visible(table, call, parameters, table.alive)])
  const [row] = await ask.query(`SELECT ${table.version.sql} AS v${more} FROM ${table.target} WHERE ${where}`, parameters)
  return row === undefined ? undefined : { version: table.version.shown(row.v ?? null), holds: row.c0 === 'true' }
}
