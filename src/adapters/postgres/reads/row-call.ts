/** The one row that statements of a call are about. */
import type { AdapterCall } from '../../contract.js'
import type { Joins } from '../links/joins.js'
import type { Ask } from '../sql/ask.js'
import type { Parameters } from '../sql/sql.js'
import { addKeySql } from '../table/conditions.js'
import { addVisible, type Table } from '../table/table.js'

export interface RowCall {
  readonly table: Table
  /** The texts of its key. */
  readonly texts: readonly string[]
  /** The version that it must have; absent where any will do. */
  readonly expected: string | undefined
  readonly call: AdapterCall
  readonly ask: Ask
  /** What a write joins to the row that it gives. */
  readonly joins?: Joins | undefined
}

/** The conditions of the row in the table, whatever its version. */
export function keptRow({ table, texts, call }: RowCall, parameters: Parameters): string[] {
  const conditions: string[] = []
  addKeySql(table.layout, texts, parameters, conditions)
  addVisible(table, call, parameters, table.alive, conditions)
  return conditions
}

/** The same of the row in the version that is expected: what a write compares and sets in one step (HDR-3). */
export function expectedRow({ table, texts, expected, call }: RowCall, parameters: Parameters): string[] {
  const conditions: string[] = []
  addKeySql(table.layout, texts, parameters, conditions)
  if (expected !== undefined) conditions.push(table.version.matches(expected, parameters))
  addVisible(table, call, parameters, table.alive, conditions)
  return conditions
}
