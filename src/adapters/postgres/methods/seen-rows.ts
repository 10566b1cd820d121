/**
 * Remembers the rows that each call has read for a write, or got from the cache. An update then
 * writes only the members that differ from the row. Data could be lost if an unchanged member was
 * written, because a column can hold more than the record shows, such as more digits of a number.
 */
import type { KeyValue } from '../../../definition/key.js'
import type { ResourceDefinition } from '../../../definition/resource.js'
import type { AdapterCall } from '../../contract.js'
import type { Cells } from '../connections/client.js'
import type { Unread } from '../reads/row-call.js'
import { storedOf, type Table, versionOf } from '../table/table.js'

interface Seen {
  /** The description of the table when the row was read. It determines the order of the cells. */
  readonly table: Table
  readonly cells: Cells
  /**
   * Set if the row came from the cache of the adapter, and was not read from the database for this
   * call. The write then also compares the stamp of the row, which is the id of the transaction
   * that wrote the row.
   */
  readonly unread: Unread | undefined
}

export type UnreadRow = Seen & { readonly unread: Unread }

export class SeenRows {
  readonly #seen = new WeakMap<AdapterCall, Map<string, Seen>>()
  /**
   * Whether equal versions imply equal rows. False if the version is an expression over the row.
   * Also false if writes may run in a caller's transaction, because all writes of one transaction
   * may have the same version.
   */
  readonly versionCoversRow: boolean

  constructor(versionCoversRow: boolean) {
    this.versionCoversRow = versionCoversRow
  }

  add(call: AdapterCall, table: Table, keyText: string, cells: Cells, unread?: Unread): void {
    let known = this.#seen.get(call)
    if (known === undefined) {
      known = new Map()
      this.#seen.set(call, known)
    }
    known.set(keyText, { table, cells, unread })
  }

  /** Returns the row with this key if the call got the row from the cache. */
  unread(call: AdapterCall, definition: ResourceDefinition, key: KeyValue): UnreadRow | undefined {
    const seen = this.#seen.get(call)?.get(definition.key.text(key))
    return seen?.unread === undefined ? undefined : (seen as UnreadRow)
  }

  /**
   * Returns the row with this key if the call has read the row in exactly this version, or got it
   * in this version from the cache.
   */
  row(call: AdapterCall, table: Table, key: KeyValue, version: string | undefined): Cells | undefined {
    const seen = this.#seen.get(call)?.get(table.definition.key.text(key))
    return seen !== undefined && seen.table === table && versionOf(table, seen.cells) === version
      ? seen.cells
      : undefined
  }

  /**
   * Returns the record with this key in exactly this version, for the service's `write` function.
   * If the call has not read the row, the record is a copy of `call.before`. Returns `undefined` if
   * no version is given, or if equal versions do not imply equal rows.
   */
  record(call: AdapterCall, table: Table, key: KeyValue, version: string | undefined): unknown {
    if (version === undefined || !this.versionCoversRow) return undefined
    const row = this.row(call, table, key, version)
    return row === undefined ? structuredClone(call.before) : storedOf(table, row).value
  }
}
