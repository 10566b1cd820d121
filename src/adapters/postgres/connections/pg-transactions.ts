/** Transactions on a connection of `pg`. */
import { loggableError } from '../../../failures/loggable.js'
import { isProblem } from '../../../problem.js'
import type { Session, SqlClient, Wait } from './client.js'
import { Cancelled, failureKind, Lost, ranOutOfTime, Unsent } from './failures.js'
import type { Lease } from './lease.js'
import { sendsWarnings } from './unconfirmed.js'
import { answered, gracePeriod, statementShare, timerFor, tooLate } from './waits.js'

type Work<T> = (session: Session) => Promise<T>

/** The time limit for ending a transaction. It does not depend on the time limit of the caller. */
const ending: Wait = { left: () => gracePeriod, signal: undefined }

/**
 * Runs `work` in a new transaction, and then ends the lease of the connection. `first` is a
 * statement that is sent together with BEGIN. The caller gets a result or an error in time, even if
 * the statements of the service's own functions take longer.
 */
export function inTransaction<T>(lease: Lease, work: Work<T>, wait: Wait, first?: string): Promise<T> {
  let committing = false
  let late = false
  const run = async (): Promise<T> => {
    const alarm = interrupting(lease, wait)
    try {
      const settings = await localSettings(lease, wait)
      await lease.run(`BEGIN; ${settings}${first === undefined ? '' : `; ${first}`}`, [], wait)
      const result = await work(sessionOf(lease, wait, false, first))
      if ((lease.transaction ?? 'T') === 'I')
        throw loggableError(
          "A statement of one of the service's own functions ended the transaction. Leave that to the adapter.",
        )
      // If the time is up, the caller has already been told that nothing was changed. So the
      // transaction must not be committed.
      if (late) throw tooLate()
      committing = true
      const { command } = await lease.run('COMMIT', [], unsignalled(wait))
      // After a failed statement, COMMIT rolls back and reports success.
      if (command === 'ROLLBACK')
        throw loggableError('A statement of the transaction failed and its error was ignored. Nothing was committed.')
      return result
    } catch (error) {
      const lost = lease.broken || failureKind(error) === 'lost'
      if (!lost) await lease.run('ROLLBACK', [], ending).catch(() => lease.destroy())
      // If the connection breaks before COMMIT, the server rolls back the transaction: nothing was
      // changed.
      throw lost && !committing ? uncommitted(error) : error
    } finally {
      clearTimeout(alarm)
      lease.end()
    }
  }
  return answered(run(), wait, () => {
    late = true
    // A statement may wait for a server that never responds, and the service's own function may
    // wait for anything else. So a connection of a pool is closed if the transaction has not ended
    // after `gracePeriod`.
    setTimeout(() => lease.abandon(), gracePeriod).unref()
    return committing ? new Lost('PostgreSQL did not report in time whether it committed.') : tooLate()
  })
}

/**
 * Runs `work` in a savepoint of an open transaction, and then ends the lease. A failure leaves the
 * rest of the transaction unchanged. `inCallersTransaction`: whether the transaction is the
 * caller's own.
 */
export function inSavepoint<T>(lease: Lease, work: Work<T>, wait: Wait, inCallersTransaction: boolean): Promise<T> {
  let late = false
  let releasing = false
  const run = async (): Promise<T> => {
    const alarm = interrupting(lease, wait)
    try {
      await lease.run('SAVEPOINT rest_write', [], wait)
      try {
        const result = await work(sessionOf(lease, wait, inCallersTransaction))
        if (late) throw tooLate()
        releasing = true
        await lease.run('RELEASE SAVEPOINT rest_write', [], unsignalled(wait))
        return result
      } catch (error) {
        if (!lease.broken)
          await lease
            .run('ROLLBACK TO SAVEPOINT rest_write; RELEASE SAVEPOINT rest_write', [], ending)
            .catch(() => undefined)
        throw error
      }
    } catch (error) {
      throw lease.broken || failureKind(error) === 'lost' ? uncommitted(error) : error
    } finally {
      clearTimeout(alarm)
      lease.end()
    }
  }
  return answered(run(), wait, () => {
    late = true
    // After RELEASE has been sent, the outcome of the change depends on the caller's transaction.
    return releasing ? new Lost('PostgreSQL did not report in time whether it kept the change.') : tooLate()
  })
}

const unsignalled = (wait: Wait): Wait => ({ left: () => wait.left(), signal: undefined })

/**
 * Shortly before the time is up, cancels the running statement, which may come from the service's
 * own function.
 */
const interrupting = (lease: Lease, wait: Wait) =>
  setTimeout(() => lease.interrupt(), timerFor(wait.left() * statementShare))

function uncommitted(error: unknown): unknown {
  if (isProblem(error)) return error
  const Kind = ranOutOfTime(error) ? Cancelled : Unsent
  return new Kind('The connection was lost before anything was committed.', { cause: error })
}

const timeouts = ['statement_timeout', 'idle_in_transaction_session_timeout'] as const

/** The settings of a connection's session, as an operator has configured them. */
interface SessionSettings {
  /**
   * The values of the settings in `timeouts`, in that order, in milliseconds. Infinity stands for
   * no limit.
   */
  readonly limits: readonly number[]
  /**
   * Whether the server sends warnings. With synchronous replication, the server sends a warning,
   * but no error, if no standby has confirmed a commit.
   */
  readonly warns: boolean
}

const settings = new WeakMap<object, SessionSettings>()

async function settingsOf(lease: Lease, wait: Wait): Promise<SessionSettings> {
  const known = settings.get(lease.client)
  if (known !== undefined) return known
  const names = [...timeouts, 'client_min_messages']
  const { rows } = await lease.run(
    `SELECT ${names.map((name, i) => `(SELECT setting FROM pg_settings WHERE name = '${name}') AS c${i}`).join(', ')}`,
    [],
    wait,
  )
  const [row = {}] = rows
  const found = {
    limits: timeouts.map((_, i) => Number(row[`c${i}`] ?? 0) || Number.POSITIVE_INFINITY),
    warns: sendsWarnings(row[`c${timeouts.length}`]),
  }
  settings.set(lease.client, found)
  return found
}

/**
 * Returns the statements that limit the time of one transaction. On a connection of a pool, the
 * server then ends the transaction by itself, even if this process hangs or its machine is gone. A
 * lower limit that an operator has set is kept. The statements also enable warnings.
 */
async function localSettings(lease: Lease, wait: Wait): Promise<string> {
  const { limits, warns } = await settingsOf(lease, wait)
  const limit = Math.max(1, Math.floor(timerFor(lease.limit(wait))))
  // `idle_in_transaction_session_timeout` ends the session. It is not set if the service passed a
  // single client and not a pool, because this client would then be unusable.
  const set = lease.fromPool ? timeouts : timeouts.slice(0, 1)
  const local = set.map((name, i) => `SET LOCAL ${name} = ${Math.min(limit, limits[i] as number)}`)
  return [...local, ...(warns ? [] : ['SET LOCAL client_min_messages = warning'])].join('; ')
}

const sessionOf = (lease: Lease, wait: Wait, inCallersTransaction: boolean, first?: string): Session => ({
  native: lease.client as unknown as SqlClient,
  inCallersTransaction,
  first,
  query: async (text, values) => (await lease.run(text, values, wait)).rows,
  cells: (text, columns, values) => lease.cells(text, columns, values, wait),
})
