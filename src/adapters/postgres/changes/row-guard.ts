/**
 * Protects a row from other sessions between the comparison and the write of a change, if the
 * statement alone does not (`racing.ts`, HDR-3).
 */
import type { Database, Wait } from '../connections/client.js'
import { failureKind, unavailable } from '../connections/failures.js'
import { rowNow } from '../reads/reads.js'
import { keptRow, type RowCall } from '../reads/row-call.js'
import { nodesOf, type PlanNode, planIn } from '../sql/plan.js'
import { every, Parameters } from '../sql/sql.js'
import type { Table } from '../table/table.js'
import type { PendingChange } from './pending-change.js'

/**
 * - `lock`: the row is locked first. The next statement sees everything that was committed before
 * the lock was granted.
 * - `snapshot`: the transaction is REPEATABLE READ. A row that another session has changed since
 * its start is a serialization failure, and the transaction is repeated. For views whose rows
 * cannot be locked.
 */
export type RowGuard = 'lock' | 'snapshot'

/** Whether the change needs a guard. Otherwise its own statement is enough. */
export function isRacing({ table, action, call }: PendingChange): boolean {
  const { update, remove, members } = table.racing
  if (action === 'create') return false
  if (action === 'remove' ? remove : update) return true
  return members.size > 0 && Object.keys(call.scope).some((name) => members.has(name))
}

const known = new WeakMap<Table, RowGuard>()

/** The guard that the table allows. Asks the database the first time. */
export async function rowGuard(table: Table, database: Database, wait: Wait): Promise<RowGuard> {
  const found = known.get(table) ?? ((await isLockable(table, database, wait)) ? 'lock' : 'snapshot')
  known.set(table, found)
  return found
}

const lockSql = (strength: 'UPDATE' | 'NO KEY UPDATE', table: Table, where: string): string =>
  `SELECT 1 AS c0 FROM ${table.target} WHERE ${where} FOR ${strength}`

/**
 * Rows may become visible, and disappear, between a lock that finds none and the read that confirms
 * it.
 */
const maxTries = 3

/**
 * Locks the row of a change until its transaction ends. Resolves with whether the row exists, in
 * any version. While the lock waited, other rows may have changed too, so the change compares
 * again, in a separate statement.
 */
export async function lockRow(at: RowCall, removes: boolean): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    const parameters = new Parameters()
    const where = every(keptRow(at, parameters))
    const [locked] = await at.ask.query(lockSql(removes ? 'UPDATE' : 'NO KEY UPDATE', at.table, where), parameters)
    if (locked !== undefined) return true
    if ((await rowNow(at)) === undefined) return false
    // The row exists now. If row-level security does not allow the lock, the outcome of the
    // statement decides.
    if (tries >= maxTries) return true
  }
}

/**
 * Whether locking a row of the table locks all underlying rows. PostgreSQL refuses the lock for a
 * view with an outer join, GROUP BY, DISTINCT or window functions, and for a role that may not
 * update the underlying table. It silently locks nothing in the parts of a UNION, in WITH, in
 * sub-selects and in functions. The plan shows which rows will be locked: it outputs their `ctid`.
 */
async function isLockable(table: Table, database: Database, wait: Wait): Promise<boolean> {
  const text = `EXPLAIN (VERBOSE, COSTS OFF, FORMAT JSON) SELECT * FROM ${table.target} FOR UPDATE`
  try {
    // Within a transaction of the caller, use a savepoint: a failed statement must not abort the
    // transaction.
    const [row] = database.nested
      ? await database.transaction((session) => session.query(text, []), wait, true)
      : await database.query(text, [], wait)
    const scans = nodesOf(planIn(row)).filter(readsRows)
    return scans.length > 0 && scans.every(isLocked)
  } catch (error) {
    // If the database refuses or can't explain the statement, for example for this role, the rows
    // can't be locked.
    if (['other', 'refused', 'unprepared'].includes(failureKind(error))) return false
    throw unavailable(error, false)
  }
}

const readsRows = ({ 'Node Type': type = '', 'Relation Name': relation }: PlanNode): boolean =>
  relation !== undefined || /^(?:Function|Table Function|WorkTable) Scan$/.test(type)

/** A foreign table is locked on the remote server. */
const isLocked = ({ 'Node Type': type, 'Remote SQL': remote, Output: output = [] }: PlanNode): boolean =>
  type === 'Foreign Scan' ? / FOR UPDATE$/.test(remote ?? '') : output.some((column) => /^(?:.*\.)?ctid$/.test(column))
