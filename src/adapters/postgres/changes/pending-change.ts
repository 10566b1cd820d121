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
  /** Absent on a create whose key the store assigns. */
  readonly key: KeyValue | undefined
  /** The parts of the key, as strings. Absent on a create. */
  readonly texts: readonly string[] | undefined
  /** The record to store. */
  readonly value: unknown
  readonly parent: ParentKey | undefined
  /** The version that the record must have. */
  readonly expected: string | undefined
  /**
   * Returns the record in the expected version, for the service's `write` function. Returns
   * `undefined` if no version is expected, if the request has not read the record, or if a row may
   * change without a new version. Absent on a create, and if there is no `write` function.
   */
  readonly before: (() => unknown) | undefined
}
