/** A change in the form that a team's `write` function gets. */
import type { ParentKey, Refused, Stored } from '../../contract.js'

/** The result of the adapter's own statement. */
export type Applied<T> = Stored<T> | 'removed' | 'attached' | 'detached' | 'absent' | 'stale' | Refused

/** A record that the function can't modify: it is a frozen copy of the stored one. */
type Shown<T> = T extends object ? Readonly<T> : T

interface AnyChange<T> {
  readonly collection: string
  /**
   * Runs the adapter's own statement, including compare-and-set, and resolves with its result. If
   * that is not a success, everything is rolled back. Repeated calls run it only once. If the
   * function does not call it, it runs afterwards.
   */
  apply(): Promise<Applied<T>>
}

/** A change of an existing record. */
interface ChangeOfRecord<T, K> extends AnyChange<T> {
  readonly key: K
  /**
   * The record that is replaced, moved or removed. With `readBefore: true` it is always set: it was
   * read, and its row locked, in this transaction. Otherwise it is set if the request has already
   * read the record (a PATCH, for example) and the version represents the whole row, and
   * `undefined` if not.
   */
  readonly before: Shown<T> | undefined
}

export interface CreateChange<T = unknown, K = unknown> extends AnyChange<T> {
  readonly action: 'create'
  /** The record's key. If the store assigns it, `undefined` until `apply()` has resolved. */
  readonly key: K | undefined
  readonly before: undefined
  /** The record to store. */
  readonly value: Shown<T>
  /**
   * The record as the table holds it, after `apply()` has resolved with it. `undefined` before
   * that.
   */
  readonly after: Shown<T> | undefined
  /** The parent, if the record is created in an associated sub-collection. */
  readonly parent: ParentKey | undefined
}

export interface ReplaceChange<T = unknown, K = unknown> extends ChangeOfRecord<T, K> {
  /** `patch` for PATCH and flags, `replace` for PUT. */
  readonly action: 'replace' | 'patch'
  /** The whole record to store. */
  readonly value: Shown<T>
  /**
   * The record as the table holds it, after `apply()` has resolved with it. `undefined` before
   * that.
   */
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
  /**
   * The record as the table holds it, after `apply()` has resolved with success. `undefined` before
   * that.
   */
  readonly after: Shown<T> | undefined
  /** The parent that the record is attached to, or detached from. */
  readonly parent: ParentKey
}

/**
 * A change in progress in a transaction. `action` distinguishes the kinds. `key` and `after` may
 * only be set after `apply()`: read them from the change, and do not destructure them before.
 *
 * @example if (change.action === 'create') await change.apply()
 */
export type Change<T = unknown, K = unknown> =
  | CreateChange<T, K>
  | ReplaceChange<T, K>
  | RemoveChange<T, K>
  | MoveChange<T, K>
