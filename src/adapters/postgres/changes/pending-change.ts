/** One change, before its statement is sent. */
import type { KeyValue } from '../../../definition/key.js'
import type { AdapterCall, ParentKey, WriteAction } from '../../contract.js'
import type { Databases } from '../connections/database.js'
import type { Table } from '../table/table.js'

export interface PendingChange {
  readonly databases: Databases
  readonly table: Table
  readonly call: AdapterCall
  readonly action: WriteAction
  /** Absent where a create leaves it to the store. */
  readonly key: KeyValue | undefined
  /** The texts of the key; absent where there is none yet. */
  readonly texts: readonly string[] | undefined
  /** The record that is to be stored. */
  readonly value: unknown
  readonly parent: ParentKey | undefined
  /** The version that the record must still have. */
  readonly expected: string | undefined
  /** The record of that version, where it has been read and stands for the whole row: for a team's function. */
  readonly before: (() => unknown) | undefined
}
