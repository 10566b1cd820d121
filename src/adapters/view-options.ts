/** What an older version says of its members. */
import type { Kinds } from '../options/kinds.js'

type Convert = (value: never) => unknown

export interface AdapterViewOptions {
  /** Member of the view -> member of the store, where the names differ. */
  readonly rename?: Readonly<Record<string, string>>
  /** Member of the view -> how the store's value becomes the view's. */
  readonly toWire?: Readonly<Record<string, Convert>>
  /**
   * Member of the view -> how the view's value becomes the store's; also for values of filters, where `undefined` means that no record can have it. It must keep the
   * order where the member can be sorted by or ranged over.
   */
  readonly fromWire?: Readonly<Record<string, Convert>>
  /** Members of the store that the view does not have. They are not shown, and survive its writes. */
  readonly hides?: readonly string[]
  /** Members of the store for what is created through the view. */
  readonly defaults?: Readonly<Record<string, unknown>>
}

export const viewKinds: Kinds<AdapterViewOptions> = {
  rename: { values: 'string' },
  toWire: { values: 'function' },
  fromWire: { values: 'function' },
  hides: { each: 'string' },
  defaults: 'table',
}
