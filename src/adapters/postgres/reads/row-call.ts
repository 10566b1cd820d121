/** The row that the statements of a call read or write. */
import type { AdapterCall } from '../../contract.js'
import type { Joins } from '../links/joins.js'
import type { Parameters } from '../sql/sql.js'
import type { StatementSender } from '../sql/statement-sender.js'
import { addKeySql } from '../table/conditions.js'
import { stampSql } from '../table/row-proof.js'
import { addVisible, type Table } from '../table/table.js'

/** Describes a row that came from the cache. */
export interface Unread {
  /**
   * The stamp of the row: the id of the transaction that wrote the row (`stampSql`). Null if the
   * version alone proves that the row is unchanged.
   */
  readonly stamp: string | null
}

export interface RowCall {
  readonly table: Table
  /** The parts of the row's key, as strings. */
  readonly texts: readonly string[]
  /** The version that the row must have. `undefined` if any version is accepted. */
  readonly expected: string | undefined
  readonly call: AdapterCall
  readonly ask: StatementSender
  /** Set if the row came from the cache, and was not read for this call. */
  readonly unread?: Unread
  /** The joins for the row that a write returns. */
  readonly joins?: Joins | undefined
}

/** The conditions that select the row in the table, in any version. */
export function anyVersionRow({ table, texts, call }: RowCall, parameters: Parameters): string[] {
  const conditions: string[] = []
  addKeySql(table.layout, texts, parameters, conditions)
  addVisible(table, call, parameters, table.alive, conditions)
  return conditions
}

/**
 * The conditions that select the row in the table if it has the expected version. A write uses
 * them, so that it compares the version and changes the row in a single statement (HDR-3).
 */
export function expectedRow({ table, texts, expected, call, unread }: RowCall, parameters: Parameters): string[] {
  const conditions: string[] = []
  addKeySql(table.layout, texts, parameters, conditions)
  if (expected !== undefined) conditions.push(table.version.matches(expected, parameters))
  const stamp = unread?.stamp ?? undefined
  if (stamp !== undefined) conditions.push(`${stampSql} = ${parameters.add(stamp)}`)
  addVisible(table, call, parameters, table.alive, conditions)
  return conditions
}
