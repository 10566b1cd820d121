/**
 * Runs a change (a create, replace, patch, remove, attach or detach) atomically (HDR-3): as a
 * single statement if possible, and otherwise in a transaction.
 */
import type { Refused } from '../../contract.js'
import { Joins } from '../links/joins.js'
import type { StatementSender } from '../sql/statement-sender.js'
import { waitOf, writingAlone } from '../transactions/statements.js'
import { ChangeTransaction } from './change-transaction.js'
import { changesAfterwards } from './committed.js'
import { type ChangeWrapper, type Outcome, refusedBy } from './outcome.js'
import type { PendingChange } from './pending-change.js'
import { isRacing, rowGuard } from './row-guard.js'

/**
 * Runs the statement of a change. If the change needs more than its statement, or may be part of
 * the caller's own transaction, it runs as a `ChangeTransaction`. Otherwise, the statement runs
 * alone, with joins that read the targets of the links in the response.
 */
export async function changing<R extends Outcome>(
  change: PendingChange,
  statement: (ask: StatementSender, joins?: Joins) => Promise<R | Refused>,
  around?: ChangeWrapper<R>,
): Promise<R | Refused> {
  const { table, databases } = change
  const { write, session } = table.options
  const changesAgain = changesAfterwards(table, change.action)
  const guard = isRacing(change) ? await rowGuard(table, databases.write, waitOf(change.call)) : undefined
  const needsMore =
    write !== undefined ||
    session !== undefined ||
    around !== undefined ||
    changesAgain ||
    table.readsSeparately ||
    guard !== undefined
  if (needsMore || databases.write.mayBeNested)
    return new ChangeTransaction(change, statement, { changesAgain, around, guard }).run()
  const joins = Joins.ofWrite(table, databases, change.call)
  try {
    return await writingAlone(databases, change.call, (ask) =>
      joins === undefined ? statement(ask) : joined(joins, ask, statement),
    )
  } catch (error) {
    return refusedBy(error, change)
  }
}

/**
 * Runs the statement with joins. If the statement fails and the joins may be the cause, sends it
 * again without the joins. The failed statement has changed nothing.
 */
const joined = <R>(
  joins: Joins,
  ask: StatementSender,
  statement: (ask: StatementSender, joins?: Joins) => Promise<R>,
): Promise<R> =>
  statement(ask, joins).catch((error: unknown) => {
    if (!joins.mayHaveFailed(error)) throw error
    return statement(ask)
  })
