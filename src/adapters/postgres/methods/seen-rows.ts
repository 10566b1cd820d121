/** The rows that each call has read. An update writes only what differs from its row, since a column may hold more than the record shows. */
import type { KeyValue } from '../../../definition/key.js'
import type { ResourceDefinition } from '../../../definition/resource.js'
import type { AdapterCall } from '../../contract.js'
import type { Cells } from '../connections/client.js'
import type { Unread } from '../reads/row-call.js'
import { storedOf, type Table, versionOf } from '../table/table.js'

interface Seen {
  /** The table as it was described then: the cells are in its order. */
  readonly table: Table
  readonly cells: Cells
  /** Set where the row was not read for this call, but came from memory: its write compares the stamp too. */
  readonly unread: Unread | undefined
}

export type UnreadRow = Seen & { readonly unread: Unread }

export class SeenRows {
  readonly #seen = new WeakMap<AdapterCall, Map<string, Seen>>()
  /** Whether equal versions mean equal rows. Not so where the version is computed from parts of the row, nor in a caller's transaction, whose writes all have one version. */
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

  /** The row of a key that the call was given from memory. */
  unread(call: AdapterCall, definition: ResourceDefinition, key: KeyValue): UnreadRow | undefined {
    const seen = this.#seen.get(call)?.get(definition.key.text(key))
    return seen?.unread === undefined ? undefined : (seen as UnreadRow)
  }

  /** The row of a key in this very version, where the call has read it. */
  row(call: AdapterCall, table: Table, key: KeyValue, version: string | undefined): Cells | undefined {
    const seen = this.#seen.get(call)?.get(table.definition.key.text(key))
    return seen !== undefined && seen.table === table && versionOf(table, seen.cells) === version
      ? seen.cells
      : undefined
  }

  /** The record of that row, for a team's function; without a row, the record as the caller has read it. */
  record(call: AdapterCall, table: Table, key: KeyValue, version: string | undefined): unknown {
    if (version === undefined || !this.versionCoversRow) return undefined
    const row = this.row(call, table, key, version)
    return row === undefined ? structuredClone(call.before) : storedOf(table, row).value
  }
}
