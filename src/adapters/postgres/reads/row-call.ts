/** The one row that statements of a call are about. */
import type { AdapterCall } from '../../contract.js'
import type { Joins } from '../links/joins.js'
import type { Ask } from '../sql/ask.js'
import type { Parameters } from '../sql/sql.js'
import { addKeySql } from '../table/conditions.js'
import { stampSql } from '../table/row-proof.js'
import { addVisible, type Table } from '../table/table.js'

/** A row from memory. */
export interface Unread {
  /** What the row has beside its version (`stampSql`); null where the version alone is enough. */
  readonly stamp: string | null
}

export interface RowCall {
  readonly table: Table
  /** The texts of its key. */
  readonly texts: readonly string[]
  /** The version that it must have; absent where any will do. */
  readonly expected: string | undefined
  readonly call: AdapterCall
  readonly ask: Ask
  /** Set where the row was not read for this call, but came from memory. */
  readonly unread?: Unread
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
export function expectedRow({ table, texts, expected, call, unread }: RowCall, parameters: Parameters): string[] {
  const conditions: string[] = []
  addKeySql(table.layout, texts, parameters, conditions)
  if (expected !== undefined) conditions.push(table.version.matches(expected, parameters))
  const stamp = unread?.stamp ?? undefined
  if (stamp !== undefined) conditions.push(`${stampSql} = ${parameters.add(stamp)}`)
  addVisible(table, call, parameters, table.alive, conditions)
  return conditions
}
