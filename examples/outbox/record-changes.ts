/** Writes each change of a resource to the table of changes, in the transaction of the change. */
import type { PostgresAdapterOptions } from 'express-rest-conventions/postgres'

export interface RecordChangesOptions {
  /** The names of private members. They are omitted from `before` and `after`, at any depth. */
  readonly omit?: readonly string[]
  /** Returns who made the change. */
  readonly actor: (principal: unknown) => string | null
}

const insert = `INSERT INTO changes (collection, key, action, parent, before, after, actor, request)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`

/**
 * Returns a function for the option `write` of `postgresAdapter`. The function inserts a row into
 * the table of changes after `apply()`. At that point, the transaction holds the lock on the
 * record, and keeps the lock until it commits. The positions of the changes to one record therefore
 * increase in the order in which these changes commit.
 */
export function recordChanges<T, K>({
  omit = [],
  actor,
}: RecordChangesOptions): NonNullable<PostgresAdapterOptions<T, K>['write']> {
  const shown = (record: unknown): string | null =>
    record === undefined ? null : JSON.stringify(record, (name, value) => (omit.includes(name) ? undefined : value))
  return async (tx, change, call) => {
    // Two requests can attach the same record at the same time, because they lock the record only
    // in shared mode. The advisory lock makes one request wait for the other.
    if (change.action === 'attach' || change.action === 'detach') {
      const record = `changes:${change.collection}:${JSON.stringify(change.key)}`
      await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [record])
    }
    const result = await change.apply()
    // If the adapter's statement did not succeed, the adapter rolls the transaction back, so no row
    // is needed.
    if (change.after === undefined && result !== 'removed') return
    await tx.query(insert, [
      change.collection,
      JSON.stringify(change.key),
      change.action,
      change.parent === undefined ? null : JSON.stringify(change.parent),
      shown(change.before),
      shown(change.after),
      actor(call.principal),
      call.requestId,
    ])
  }
}
