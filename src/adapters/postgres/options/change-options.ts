/** A change as a team's `write` function sees it. */
import type { ParentKey, Refused, Stored } from '../../contract.js'

/** What the adapter's own statement came to. */
export type Applied<T> = Stored<T> | 'removed' | 'attached' | 'detached' | 'absent' | 'stale' | Refused

/** A record that the function can't change: it is a frozen copy of what is stored. */
type Shown<T> = T extends object ? Readonly<T> : T

interface AnyChange<T> {
  readonly collection: string
  /**
   * Runs the adapter's own statement, compare-and-set included, and resolves with its result. A
   * result that is no success rolls everything back. It runs once, however often it is called; where
   * the function does not call it, it runs afterwards.
   */
  apply(): Promise<Applied<T>>
}

/** A change of a record that is there already. */
interface ChangeOfRecord<T, K> extends AnyChange<T> {
  readonly key: K
  /**
   * The record that is replaced, moved or removed. With `readBefore: true` it is always there: it
   * was read, and its row locked, in this transaction. Without, it is there where the request has
   * read it already (a PATCH, say) and the version stands for the whole row; else `undefined`.
   */
  readonly before: Shown<T> | undefined
}

export interface CreateChange<T = unknown, K = unknown> extends AnyChange<T> {
  readonly action: 'create'
  /** The record's key. Where the store assigns it, `undefined` until `apply()` has resolved. */
  readonly key: K | undefined
  readonly before: undefined
  /** The record as it is to be stored. */
  readonly value: Shown<T>
  /** The record as the table holds it, once `apply()` has resolved with it; until then `undefined`. */
  readonly after: Shown<T> | undefined
  /** The parent, where the record is created in an associated sub-collection. */
  readonly parent: ParentKey | undefined
}

export interface ReplaceChange<T = unknown, K = unknown> extends ChangeOfRecord<T, K> {
  /** `patch` for PATCH and flags, `replace` for PUT. */
  readonly action: 'replace' | 'patch'
  /** The whole record as it is to be stored. */
  readonly value: Shown<T>
  /** The record as the table holds it, once `apply()` has resolved with it; until then `undefined`. */
  readonly after: Shown<T> | undefined
  readonly parent: undefined
}

export interface RemoveChange<T = unknown, K = unknown> extends ChangeOfRecord<T, K> {
  readonly action: 'remove'
  readonly value: undefined
  readonly after: undefined
  readonly parent: undefined
}

export interface MoveChange<T = unknown, K = unknown> extends ChangeOfRecord<T, K> {
  readonly action: 'attach' | 'detach'
  readonly value: undefined
  /** The record as the table holds it, once `apply()` has resolved with success; until then `undefined`. */
  readonly after: Shown<T> | undefined
  /** The parent that the record is attached to, or detached from. */
  readonly parent: ParentKey
}

/**
 * A change that is under way in a transaction. `action` tells the kinds apart. `key` and `after` may
 * become known with `apply()`: read them from the change, and do not take them out of it before.
 *
 * @example if (change.action === 'create') await change.apply()
 */
export type Change<T = unknown, K = unknown> =
  | CreateChange<T, K>
  | ReplaceChange<T, K>
  | RemoveChange<T, K>
  | MoveChange<T, K>
