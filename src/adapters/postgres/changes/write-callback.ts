/**
 * Runs the service's `write` function. Detects whether the function has ended the transaction or
 * undone the change, and explains this in error messages.
 */
import { isUnavailable } from '../../../problem.js'
import type { AdapterCall, Stored } from '../../contract.js'
import type { Session } from '../connections/client.js'
import { Cancelled, failureKind, stateOf, unavailable } from '../connections/failures.js'
import { statementShare, timerFor } from '../connections/waits.js'
import type { Change } from '../options/change-options.js'
import { shownRecord } from '../reads/reads.js'
import { senderOf } from '../sql/statement-sender.js'
import { callbackErrors, callbackFault } from '../transactions/callback-errors.js'
import { reading, waitOf } from '../transactions/statements.js'
import { type MarkState, TransactionMark } from '../transactions/transaction-mark.js'
import type { PendingChange } from './pending-change.js'

type Row = Record<string, unknown>

/** Thrown if the function has ended the transaction itself. */
class Ended extends Error {}

/**
 * The calls whose transaction blocked another connection shortly before the timeout. A call may
 * take several attempts, and the last attempt has no time left to look for blocked connections. So
 * the result of an earlier attempt is kept here.
 */
const callsWithWaiters = new WeakSet<AdapterCall>()

/** One attempt to run a change together with the service's `write` function. */
export class WriteCallback {
  readonly #change: PendingChange
  readonly #own: Session
  readonly #mark: TransactionMark
  /** The result of the adapter's statement, if it succeeded. */
  #made: unknown
  #isRunning = false
  /**
   * The exception that the function threw. Set only if the connection was then in a failed
   * transaction. This need not be the adapter's transaction: the function may have ended the
   * adapter's transaction, and begun another.
   */
  #doubtful: Error | undefined

  constructor(change: PendingChange, own: Session) {
    this.#change = change
    this.#own = own
    this.#mark = new TransactionMark(senderOf(own), own.first !== undefined)
  }

  /**
   * Throws if another connection waited for a lock of the transaction in an earlier attempt. The
   * function would probably wait for that connection again.
   */
  checkTime(): void {
    if (callsWithWaiters.has(this.#change.call)) throw this.#lateFault(undefined)
  }

  /**
   * Marks the transaction, so that `verify` can check it. Must be called right before the adapter's
   * own statement.
   */
  async begin(): Promise<void> {
    this.#demand(await this.#mark.set())
  }

  /** Keeps the result of the adapter's own statement. Must be called if the statement succeeded. */
  succeeded(made: unknown): void {
    this.#made = made
  }

  async run(change: Change): Promise<void> {
    const { table, call } = this.#change
    this.#isRunning = true
    // Check for waiting connections shortly before the server ends the idle transaction. Once the
    // transaction has ended, no connection waits for it any more.
    const late = waitOf(call).left() * statementShare * statementShare
    const alarm = setTimeout(() => {
      void this.#lookForWaiting()
    }, timerFor(late))
    try {
      await table.options.write?.(this.#own.native, change, call)
    } finally {
      clearTimeout(alarm)
      this.#isRunning = false
    }
  }

  /**
   * Throws unless the adapter's transaction is still open, still contains the adapter's statement,
   * and contains no failed statement. Must be called after the function has ended.
   */
  async verify(): Promise<void> {
    this.#demand(await this.#mark.check())
  }

  /**
   * Like `verify`, but called if the adapter's statement changed nothing. Throws only if the
   * function has ended the transaction, because the function may have committed its own changes.
   */
  async verifyRefused(): Promise<void> {
    const state = await this.#mark.check().catch(() => 'kept')
    if (state === 'ended') throw this.#ended()
  }

  /**
   * Like `verify`, but called if the function threw. If the function had ended the transaction
   * before that, throws an error that says so. The function's own exception could mislead the
   * client, because the change may be committed.
   */
  async verifyThrown(thrown: Error): Promise<void> {
    if (this.#made === undefined) return
    const state = await this.#mark.check().catch(() => 'kept')
    if (state === 'ended') throw this.#ended(thrown)
    if (state === 'failed') this.#doubtful = thrown
  }

  /** The action and the collection of the change, for messages. */
  get #names(): { readonly action: string; readonly collection: string } {
    return { action: this.#change.action, collection: this.#change.table.definition.collection }
  }

  #demand(state: MarkState): void {
    const { action, collection } = this.#names
    switch (state) {
      case 'kept':
        return
      case 'ended':
        throw this.#ended()
      case 'undone':
        throw callbackFault(
          `The "write" function has undone the ${action} of "${collection}" that change.apply() made. Nothing ` +
            'was changed. Throw an HttpProblem to refuse a change.',
        )
      case 'failed':
        throw callbackFault(
          'A statement of the "write" function failed, and the function continued: the database then accepts no ' +
            `further statements in the transaction of the ${action} of "${collection}". Nothing was changed. ` +
            'Rethrow the error, or set a savepoint before the statement.',
        )
      case 'read-only':
        throw callbackFault(
          `SQL of the "write" or "session" function made the transaction of the ${action} of "${collection}" ` +
            'read-only. Nothing was changed. Do not use SET TRANSACTION READ ONLY for writes.',
        )
    }
  }

  #ended(cause?: unknown): Ended {
    const error = new Ended('The transaction was ended.', { cause })
    callbackErrors.add(error)
    return error
  }

  /**
   * The error of the whole write. If the `write` function is at fault, the error explains the
   * fault.
   */
  async explained(error: unknown): Promise<unknown> {
    const isOver = this.#own.first === undefined && ['25P01', '3B001'].includes(stateOf(error) ?? '')
    if (error instanceof Ended || isOver)
      return this.#endedFault(await this.#isMade(), error instanceof Ended ? error.cause : error)
    // The failed transaction may have been one that the function began itself, after it had ended
    // the adapter's transaction. If the change is committed, the function has certainly ended the
    // adapter's transaction.
    const doubtful = this.#doubtful
    if (doubtful !== undefined && (await this.#isMade()) === true) return this.#endedFault(true, doubtful)
    const isLate = isUnavailable(error) && failureKind(error.cause) === 'cancelled'
    return isLate && (this.#isRunning || callsWithWaiters.has(this.#change.call)) ? this.#lateFault(error.cause) : error
  }

  #endedFault(isMade: boolean | undefined, cause: unknown): Error {
    const { action, collection } = this.#names
    const unknown = 'It is unknown whether the change was committed.'
    const outcome = isMade === undefined ? unknown : isMade ? 'The change is committed.' : 'The change was not made.'
    return callbackFault(
      `The "write" function ended the transaction of the ${action} of "${collection}" by a statement of its own ` +
        `(COMMIT, ROLLBACK, PREPARE TRANSACTION), or reset its settings (RESET ALL). ${outcome} Let the adapter ` +
        'end the transaction, and throw an HttpProblem to refuse a change.',
      cause,
    )
  }

  /** Whether the change is committed; `undefined` if that is unknown. */
  async #isMade(): Promise<boolean | undefined> {
    const made = this.#made
    if (made === undefined) return false
    const { table, call, action, expected } = this.#change
    const { definition, layout } = table
    const stored = typeof made === 'object' ? (made as Stored<Row>) : undefined
    const key = stored === undefined ? this.#change.key : definition.key.of(stored.value)
    const texts = key === undefined ? undefined : layout.keyTexts(key)
    if (texts === undefined || this.#own.first === undefined) return undefined
    const databases = { ...this.#change.databases, read: this.#change.databases.write }
    let now: Stored<Row> | undefined
    try {
      now = await reading(databases, table.options, call, (ask) => shownRecord({ table, texts, call, ask }))
    } catch {
      return undefined
    }
    if (made === 'removed') return now === undefined
    if (stored === undefined) return undefined
    if (now?.version === stored.version) return true
    const isAsBefore = action === 'create' ? now === undefined : now?.version === expected
    return isAsBefore ? false : undefined
  }

  #lateFault(cause: unknown): unknown {
    const hint = this.#change.databases.write.embedded
      ? ' If the function sends a statement to PGlite itself, and not to the given transaction, the statement waits ' +
        'until the transaction has ended.'
      : callsWithWaiters.has(this.#change.call)
        ? ' Another connection waits for a lock that the transaction holds. If the function waits for that ' +
          'connection, let the function use the given client instead.'
        : ''
    const message =
      `The "write" function of "${this.#names.collection}" did not end in time. ` + `Nothing was changed.${hint}`
    return unavailable(new Cancelled(message, { cause }), true)
  }

  /**
   * Checks whether another connection waits for a lock of this transaction. Gives up if the result
   * does not arrive in time, or if the database can't provide it.
   */
  async #lookForWaiting(): Promise<void> {
    const { processID } = this.#own.native as { readonly processID?: number | null }
    if (typeof processID !== 'number') return
    const text =
      `SELECT 1 AS c0 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND $1::integer = ANY ` +
      '(pg_blocking_pids(pid)) LIMIT 1'
    try {
      const waiting = await this.#change.databases.write.query(text, [`${processID}`], waitOf(this.#change.call))
      if (waiting.length > 0) callsWithWaiters.add(this.#change.call)
    } catch {}
  }
}
