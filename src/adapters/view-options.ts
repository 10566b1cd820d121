/** The options of `adapterView`: how an older version maps its members onto the store's. */
import type { Kinds } from '../options/kinds.js'

type Convert = (value: never) => unknown

export interface AdapterViewOptions {
  /** Member of the view -> member of the store, for each member whose name differs. */
  readonly rename?: Readonly<Record<string, string>>
  /** Member of the view -> function that converts the store's value to the view's. */
  readonly toWire?: Readonly<Record<string, Convert>>
  /**
   * Member of the view -> function that converts the view's value to the store's. Also applied to
   * the values of filters, where `undefined` means that no record can have the value. Must preserve
   * the order of values if the member can be sorted by or filtered by range.
   */
  readonly fromWire?: Readonly<Record<string, Convert>>
  /**
   * Members of the store that the view does not have. They are not shown, and writes through the
   * view keep them.
   */
  readonly hides?: readonly string[]
  /** Members of the store to set on records that are created through the view. */
  readonly defaults?: Readonly<Record<string, unknown>>
}

export const viewKinds: Kinds<AdapterViewOptions> = {
  rename: { values: 'string' },
  toWire: { values: 'function' },
  fromWire: { values: 'function' },
  hides: { each: 'string' },
  defaults: 'table',
}
