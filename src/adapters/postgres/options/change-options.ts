/** The changes that the function in the option `write` receives. */
import type { ParentKey, Refused, Stored } from '../../contract.js'

/** The result of the statement that the adapter itself sends for a change. */
export type Applied<T> = Stored<T> | 'removed' | 'attached' | 'detached' | 'absent' | 'stale' | Refused

/** A record that the `write` function can't modify, because it is frozen. */
type Shown<T> = T extends object ? Readonly<T> : T

interface AnyChange<T> {
  readonly collection: string
  /**
   * Sends the adapter's own statement, which also compares the expected version. Resolves with the
   * result of the statement. If the result is not a success, the whole write is rolled back. The
   * statement runs only once, even if `apply()` is called again. If the `write` function does not
   * call `apply()`, the statement runs after the function.
   */
  apply(): Promise<Applied<T>>
}

/** A change of an existing record. */
interface ChangeOfRecord<T, K> extends AnyChange<T> {
  readonly key: K
  /**
   * The record before the change. With `readBefore: true`, it is always set: the adapter has read
   * the record and locked its row in this transaction. Without `readBefore`, it is set only if the
   * request has already read the record, for example for a PATCH. Even then, it is `undefined` in
   * three cases: the write runs in the caller's own transaction, the adapter uses a single
   * `Client`, or the version is an `expression`. In each of these cases, the row may have changed
   * since the read although its version is the same.
   */
  readonly before: Shown<T> | undefined
}

export interface CreateChange<T = unknown, K = unknown> extends AnyChange<T> {
  readonly action: 'create'
  /**
   * The record's key. If the database assigns the key, it is `undefined` until `apply()` has
   * resolved.
   */
  readonly key: K | undefined
  readonly before: undefined
  /** The record to store. */
  readonly value: Shown<T>
  /**
   * The record as stored in the table. Set once `apply()` has succeeded, and `undefined` before
   * that.
   */
  readonly after: Shown<T> | undefined
  /** The parent, if the record is created in an associated sub-collection. */
  readonly parent: ParentKey | undefined
}

export interface ReplaceChange<T = unknown, K = unknown> extends ChangeOfRecord<T, K> {
  /** `replace` for PUT. `patch` for PATCH, and for a PUT or DELETE that sets or unsets a flag. */
  readonly action: 'replace' | 'patch'
  /** The whole record to store. */
  readonly value: Shown<T>
  /**
   * The record as stored in the table. Set once `apply()` has succeeded, and `undefined` before
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
   * The record as stored in the table. Set once `apply()` has succeeded, and `undefined` before
   * that.
   */
  readonly after: Shown<T> | undefined
  /** The parent that the record is attached to, or detached from. */
  readonly parent: ParentKey
}

/**
 * A change whose transaction is in progress. `action` tells which kind of change it is. `key` and
 * `after` can be `undefined` until `apply()` has resolved. So read them from the change only after
 * `apply()`, and do not destructure the change before it.
 *
 * @example if (change.action === 'create') await change.apply()
 */
export type Change<T = unknown, K = unknown> =
  | CreateChange<T, K>
  | ReplaceChange<T, K>
  | RemoveChange<T, K>
  | MoveChange<T, K>
