/**
 * Protects a row from changes by other sessions between the comparison of its version and the
 * write. Used only for changes whose own statement does not protect the row (`racing.ts`, HDR-3).
 */
import type { Database, Wait } from '../connections/client.js'
import { failureKind, unavailable } from '../connections/failures.js'
import { rowNow } from '../reads/reads.js'
import { anyVersionRow, type RowCall } from '../reads/row-call.js'
import { nodesOf, type PlanNode, planIn } from '../sql/plan.js'
import { allOf, Parameters } from '../sql/sql.js'
import type { Table } from '../table/table.js'
import type { PendingChange } from './pending-change.js'

/**
 * - `lock`: the row is locked first. The next statement sees everything that was committed before
 * the lock was granted.
 * - `snapshot`: the transaction is REPEATABLE READ. If another session has changed the row since
 * the transaction began, the write fails with a serialization failure, and the transaction is
 * retried. Used for views whose rows can't be locked.
 */
export type RowGuard = 'lock' | 'snapshot'

/** Whether the change needs a guard. If not, its own statement is enough. */
export function isRacing({ table, action, call }: PendingChange): boolean {
  const { update, remove, members } = table.racing
  if (action === 'create') return false
  if (action === 'remove' ? remove : update) return true
  return members.size > 0 && Object.keys(call.scope).some((name) => members.has(name))
}

const known = new WeakMap<Table, RowGuard>()

/**
 * Resolves with the guard that the table allows. The result is cached for each table.
 */
export async function rowGuard(table: Table, database: Database, wait: Wait): Promise<RowGuard> {
  const found = known.get(table) ?? ((await isLockable(table, database, wait)) ? 'lock' : 'snapshot')
  known.set(table, found)
  return found
}

const lockSql = (strength: 'UPDATE' | 'NO KEY UPDATE', table: Table, where: string): string =>
  `SELECT 1 AS c0 FROM ${table.target} WHERE ${where} FOR ${strength}`

/**
 * The maximum number of attempts to lock a row. Another attempt is made if the lock found no row,
 * but the next read found the row. The row may have become visible in between.
 */
const maxTries = 3

/**
 * Locks the row of a change until its transaction ends. Resolves with true if the row exists, in
 * any version. After the wait for the lock, PostgreSQL reads only the locked row again. The locking
 * statement still sees all other rows, such as those of a sub-select, as they were at its start. So
 * a separate statement compares the version and makes the change.
 */
export async function lockRow(at: RowCall, removes: boolean): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    const parameters = new Parameters()
    const where = allOf(anyVersionRow(at, parameters))
    const [locked] = await at.ask.query(lockSql(removes ? 'UPDATE' : 'NO KEY UPDATE', at.table, where), parameters)
    if (locked !== undefined) return true
    if ((await rowNow(at)) === undefined) return false
    // The row exists, but was not locked, for example because row-level security does not allow the
    // lock. After the last attempt, the result of the change's own statement decides.
    if (tries >= maxTries) return true
  }
}

/**
 * Whether a lock on a row of the table or view locks all underlying rows.
 *
 * PostgreSQL refuses the lock for a view with an outer join, GROUP BY, DISTINCT or window
 * functions. It also refuses the lock if a role lacks the UPDATE privilege on an underlying table.
 * For an ordinary view, this role is the owner of the view. For a view with `security_invoker`, it
 * is the role of the database connection. For both kinds of view, the role of the connection also
 * needs the UPDATE privilege on the view itself.
 *
 * PostgreSQL locks no rows in the branches of a UNION, in WITH queries, in sub-selects and in
 * functions, and reports no error. The plan shows which rows will be locked: it outputs their
 * `ctid`.
 */
async function isLockable(table: Table, database: Database, wait: Wait): Promise<boolean> {
  const text = `EXPLAIN (VERBOSE, COSTS OFF, FORMAT JSON) SELECT * FROM ${table.target} FOR UPDATE`
  try {
    // Within a transaction of the caller, use a savepoint: a failed statement must not abort the
    // transaction.
    const [row] = database.mayBeNested
      ? await database.transaction((session) => session.query(text, []), wait, true)
      : await database.query(text, [], wait)
    const scans = nodesOf(planIn(row)).filter(readsRows)
    return scans.length > 0 && scans.every(isLocked)
  } catch (error) {
    // The database refused the statement, for example because a privilege is missing, or because
    // EXPLAIN is not supported. The rows then count as not lockable.
    if (['other', 'refused', 'unprepared'].includes(failureKind(error))) return false
    throw unavailable(error, false)
  }
}

const readsRows = ({ 'Node Type': type = '', 'Relation Name': relation }: PlanNode): boolean =>
  relation !== undefined || /^(?:Function|Table Function|WorkTable) Scan$/.test(type)

/**
 * Whether a scan locks its rows. The remote server locks the rows of a foreign table, if the SQL
 * that it gets ends with FOR UPDATE.
 */
const isLocked = ({ 'Node Type': type, 'Remote SQL': remote, Output: output = [] }: PlanNode): boolean =>
  type === 'Foreign Scan' ? / FOR UPDATE$/.test(remote ?? '') : output.some((column) => /^(?:.*\.)?ctid$/.test(column))
