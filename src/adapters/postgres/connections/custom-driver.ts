/**
 * The driver for a client that the service implements itself, with `query` and optionally
 * `transaction`.
 */

import { unfit } from '../unfit.js'
import {
  type CustomClient,
  cellsOf,
  type Database,
  type Session,
  type SqlClient,
  type TextRow,
  type Wait,
} from './client.js'
import { betweenTurns, holdingTurn, takeTurn } from './client-turn.js'
import { foreignFailure } from './driver-failures.js'
import { failureKind, Late, Lost, stateOf, Unsent } from './failures.js'
import { answered, callAbandoned, tooLate } from './waits.js'

/**
 * Returns the database of a custom client. `callers`: whether the client sends its statements in a
 * transaction that the caller has opened. This can be true even if the client has the method
 * `transaction`.
 */
export function customDatabase(client: CustomClient, callers: boolean): Database {
  const mayBeNested = callers || client.transaction === undefined
  return {
    embedded: false,
    mayBeNested,
    lacksTransactions: client.transaction === undefined,
    query: (text, values, wait) => betweenTurns(client, wait, () => ask(client, text, values, wait)),
    cells: async (text, columns, values, wait) =>
      cellsOf(await betweenTurns(client, wait, () => ask(client, text, values, wait)), columns),
    transaction: (work, wait, optional, first) =>
      mayBeNested
        ? inCallersTransaction(client, work, wait, optional, first)
        : inNewTransaction(client, work, wait, first),
  }
}

/**
 * Sends a statement. A custom client can't cancel a statement. When the timeout expires, the caller
 * gets an error, but the statement runs to its end.
 */
function ask(
  over: SqlClient,
  text: string,
  values: readonly (string | null)[],
  wait: Wait,
): Promise<readonly TextRow[]> {
  if (wait.gone || wait.left() <= 0) return Promise.reject(callAbandoned())
  const asked = async (): Promise<readonly TextRow[]> => {
    try {
      return (await over.query(text, [...values])).rows
    } catch (error) {
      throw foreignFailure(error)
    }
  }
  return answered(asked(), wait, () => new Late('The client did not respond in time.'))
}

function inNewTransaction<T>(
  client: CustomClient,
  work: (session: Session) => Promise<T>,
  wait: Wait,
  first?: string,
): Promise<T> {
  let committing = false
  let late = false
  const run = async (): Promise<T> => {
    try {
      return await (client.transaction as NonNullable<CustomClient['transaction']>)(async (tx) => {
        if (late) throw tooLate()
        if (first !== undefined) await ask(tx, first, [], wait)
        const result = await work(sessionOf(tx, wait, false, first))
        // `work` may run a function of the service that ignores the error of a failed statement.
        // COMMIT would then roll back without an error. So a SELECT is sent first: it fails if a
        // statement has failed before it.
        await ask(tx, 'SELECT 1 AS c0', [], wait)
        if (late) throw tooLate()
        committing = true
        return result
      })
    } catch (error) {
      if (committing) throw foreignFailure(error)
      throw failureKind(error) === 'lost'
        ? new Unsent('The connection was lost before the commit.', { cause: error })
        : error
    }
  }
  return answered(run(), wait, () => {
    late = true
    return committing ? new Lost('The client did not report in time whether it committed.') : tooLate()
  })
}

/**
 * Runs `work` in a savepoint of the caller's transaction. If no transaction is open, the server
 * refuses the savepoint. In this case, `work` runs in a new transaction, or without one if the
 * client can't begin transactions and `optional` is true. If neither is possible, this function
 * throws `ConfigurationError`.
 */
async function inCallersTransaction<T>(
  client: CustomClient,
  work: (session: Session) => Promise<T>,
  wait: Wait,
  optional: boolean | undefined,
  first: string | undefined,
): Promise<T> {
  const over = await takeTurn(client, wait)
  try {
    await ask(client, 'SAVEPOINT rest_write', [], wait)
  } catch (error) {
    over()
    if (stateOf(error) !== '25P01') throw error
    if (client.transaction !== undefined) return inNewTransaction(client, work, wait, first)
    if (optional) return work(sessionOf(client, wait, false))
    throw unfit(
      'this operation needs several statements in one transaction: add a method transaction(work) to the ' +
        'client, or pass a transaction that is open',
    )
  }
  try {
    const result = await holdingTurn(client, () => work(sessionOf(client, wait, true)))
    await ask(client, 'RELEASE SAVEPOINT rest_write', [], wait)
    return result
  } catch (error) {
    for (const text of ['ROLLBACK TO SAVEPOINT rest_write', 'RELEASE SAVEPOINT rest_write'])
      await client.query(text, []).catch(() => undefined)
    throw error
  } finally {
    over()
  }
}

const sessionOf = (native: SqlClient, wait: Wait, callers: boolean, first?: string): Session => ({
  native,
  inCallersTransaction: callers,
  first,
  query: (text, values) => ask(native, text, values, wait),
  cells: async (text, columns, values) => cellsOf(await ask(native, text, values, wait), columns),
})
