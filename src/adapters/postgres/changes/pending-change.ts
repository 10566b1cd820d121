/** A change whose statement has not been sent yet. */
import type { KeyValue } from '../../../definition/key.js'
import type { AdapterCall, ParentKey, WriteAction } from '../../contract.js'
import type { Databases } from '../connections/database.js'
import type { Table } from '../table/table.js'

export interface PendingChange {
  readonly databases: Databases
  readonly table: Table
  readonly call: AdapterCall
  readonly action: WriteAction
  /** Absent if a create leaves it to the store. */
  readonly key: KeyValue | undefined
  /** The texts of the key. Absent if there is no key yet. */
  readonly texts: readonly string[] | undefined
  /** The record to store. */
  readonly value: unknown
  readonly parent: ParentKey | undefined
  /** The version that the record must have. */
  readonly expected: string | undefined
  /**
   * The record of that version, for a team's function, if it has been read and represents the whole
   * row.
   */
  readonly before: (() => unknown) | undefined
}
