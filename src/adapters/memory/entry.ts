/** A record as the memory adapter keeps it: a frozen private copy with its version. */
import type { Stored } from '../contract.js'

/** A record whose type only the adapter's border knows. */
export type Row = Readonly<Record<string, unknown>>

/** Never changed: a write puts another entry in its place, so whoever holds one holds one consistent state. */
export interface Entry {
  /** The key as text: the record's identity. */
  readonly text: string
  readonly stored: Stored<Row>
}

/** An entry of a deep-frozen copy of `row`; the very objects of the copy are what readers get. */
export function entryOf(text: string, row: Row, version: string): Entry {
  return { text, stored: Object.freeze({ value: frozen(structuredClone(row)), version }) }
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const member of Object.values(value)) frozen(member)
  return Object.freeze(value)
}
