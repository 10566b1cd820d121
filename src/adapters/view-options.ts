/**
 * The options of `adapterView`, which map the members of an older version to the members of the
 * store.
 */
import type { Kinds } from '../options/kinds.js'

type Convert = (value: never) => unknown

export interface AdapterViewOptions {
  /** Member of the view -> member of the store, for each member whose name differs. */
  readonly rename?: Readonly<Record<string, string>>
  /** Member of the view -> function that converts the store's value to the view's value. */
  readonly toWire?: Readonly<Record<string, Convert>>
  /**
   * Member of the view -> function that converts the view's value to the store's value. The
   * function is also applied to the values of filters. If the function returns `undefined` for the
   * value of a filter, no record can have this value. If lists can be sorted by the member, or
   * filtered by a range of its values, the function must preserve the order of values.
   */
  readonly fromWire?: Readonly<Record<string, Convert>>
  /**
   * Members of the store that the view does not have. They are not shown, and writes through the
   * view keep them.
   */
  readonly hides?: readonly string[]
  /** Default values of the store's members, for records that are created through the view. */
  readonly defaults?: Readonly<Record<string, unknown>>
}

export const viewKinds: Kinds<AdapterViewOptions> = {
  rename: { values: 'string' },
  toWire: { values: 'function' },
  fromWire: { values: 'function' },
  hides: { each: 'string' },
  defaults: 'table',
}
