/**
 * Runs a change that needs a transaction, for example because the service's own functions run SQL
 * together with the change, because triggers run after the statement, or because the request has an
 * idempotency key.
 */
import { isProblem } from '../../../problem.js'
import type { Refused, Stored } from '../../contract.js'
import { isRefused } from '../../contract.js'
import type { Session } from '../connections/client.js'
import { lockedRecord, rowNow, shownRecord } from '../reads/reads.js'
import type { StatementSender } from '../sql/statement-sender.js'
import { callbackError, callbackFault } from '../transactions/callback-errors.js'
import { reading, writingTogether } from '../transactions/statements.js'
import { isOwnTable } from '../writes/refusals.js'
import { changeOf, type Made } from './callback-change.js'
import { committed, reread } from './committed.js'
import { appliedOf, type ChangeWrapper, type Outcome, refusedBy, storedIn, succeeded } from './outcome.js'
import { isOwnWrite, ownWork, snapshotOf, wasThere } from './own-work.js'
import type { PendingChange } from './pending-change.js'
import { lockRow, type RowGuard } from './row-guard.js'
import { WriteCallback } from './write-callback.js'

/** Everything that a change needs in addition to its own statement. */
export interface ChangeNeeds<R> {
  /**
   * Whether a trigger or rule may change the row after the statement. If so, the row is read again.
   */
  readonly changesAgain: boolean
  readonly around: ChangeWrapper<R> | undefined
  /**
   * How the row is protected from other sessions. `undefined` if the statement alone protects the
   * row.
   */
  readonly guard: RowGuard | undefined
}

export class ChangeTransaction<R extends Outcome> {
  readonly #change: PendingChange
  readonly #statement: (ask: StatementSender) => Promise<R | Refused>
  readonly #needs: ChangeNeeds<R>
  /**
   * The snapshot of the transaction, if the record was absent. It is used later to find out whether
   * the transaction itself had removed the record.
   */
  #snapshot: string | undefined
  /**
   * True if the version of the row did not match, and this transaction itself had changed the row.
   */
  #touched = false
  /** The last attempt that ran the service's `write` function. */
  #callback: WriteCallback | undefined

  constructor(change: PendingChange, statement: (ask: StatementSender) => Promise<R | Refused>, needs: ChangeNeeds<R>) {
    this.#change = change
    this.#statement = statement
    this.#needs = needs
  }

  async run(): Promise<R | Refused> {
    let result: R | Refused
    try {
      result = await this.#attempts()
    } catch (error) {
      result = this.#refused(this.#callback === undefined ? error : await this.#callback.explained(error))
    }
    await this.#refuseOwnWork(result)
    return result
  }

  #attempts(): Promise<R | Refused> {
    const { databases, call, table } = this.#change
    const { options, readsSeparately } = table
    const { around, guard } = this.#needs
    const optional =
      options.write === undefined && options.session === undefined && around === undefined && !readsSeparately
    return writingTogether<R | Refused>({
      databases,
      options,
      call,
      optional,
      repeatable: guard === 'snapshot',
      succeeded,
      work: (ask, own) => (around === undefined ? this.#attempt(ask, own) : around(ask, () => this.#attempt(ask, own))),
    })
  }

  async #attempt(ask: StatementSender, own: Session): Promise<R | Refused> {
    if (this.#change.table.options.write !== undefined)
      return this.#withCallback(new WriteCallback(this.#change, own), ask)
    const result = await this.#apply(ask)
    return this.#needs.changesAgain ? this.#asCommitted(result, ask) : result
  }

  /** Runs the adapter's own statement. */
  async #apply(ask: StatementSender, callback?: WriteCallback): Promise<R | Refused> {
    const { table, texts, action, databases } = this.#change
    const { write } = table.options
    await callback?.begin()
    const result = await this.#guarded(ask).catch((error: unknown) => refusedBy(error, this.#change))
    if (succeeded(result)) callback?.succeeded(appliedOf(result))
    if (databases.write.mayBeNested) return result
    if (result === 'stale' && texts !== undefined) this.#touched = await isOwnWrite(table, texts, ask)
    // The snapshot is taken only if there is a `write` function, and only for a replace, patch or
    // remove. An attach or detach may result in `absent` for other reasons. Tables with the option
    // `readFrom` are excluded too, because the view or query in `readFrom` may show fewer rows than
    // the table.
    const needsSnapshot = write !== undefined && !table.separate && ['replace', 'patch', 'remove'].includes(action)
    if (result === 'absent' && needsSnapshot) this.#snapshot = await snapshotOf(ask)
    return result
  }

  /** Runs the statement, after locking the row if the guard is `lock`. */
  async #guarded(ask: StatementSender): Promise<R | Refused> {
    return (await this.#lock(ask)) ? this.#statement(ask) : ('absent' as R)
  }

  /** Locks the row if the guard is `lock`. Resolves with `false` if there is no such row. */
  async #lock(ask: StatementSender): Promise<boolean> {
    const { table, texts, expected, call, action } = this.#change
    if (this.#needs.guard !== 'lock' || texts === undefined) return true
    return lockRow({ table, texts, expected, call, ask }, action === 'remove' && table.deletion === undefined)
  }

  /** Makes one attempt, and runs the service's `write` function in it. */
  async #withCallback(callback: WriteCallback, ask: StatementSender): Promise<R | Refused> {
    this.#callback = callback
    callback.checkTime()
    let applied: Promise<R | Refused> | undefined
    const apply = (): Promise<R | Refused> => {
      applied ??= this.#apply(ask, callback)
      return applied
    }
    const before = await this.#before(ask)
    if (before === 'absent' || before === 'stale') return before as R
    /**
     * Whether `apply()` returned a created or changed record to the `write` function. Always false
     * for an attach or detach.
     */
    let wasShown = false
    const make = async (): Promise<Made> => {
      const made = await this.#forCallback(await apply(), ask, callback)
      wasShown = typeof made.applied === 'object' && 'value' in made.applied && made.record !== undefined
      return made
    }
    try {
      await callback.run(changeOf(this.#change, before, make))
    } catch (error) {
      const refused = await refusedBefore(error, applied)
      if (refused !== undefined) {
        await callback.verifyRefused()
        return refused
      }
      const thrown = isProblem(error) ? error : callbackError(error, 'write')
      await callback.verifyThrown(thrown)
      throw thrown
    }
    const result = await apply()
    if (!succeeded(result)) {
      await callback.verifyRefused()
      return result
    }
    await callback.verify()
    const answer = await this.#asCommitted(result, ask)
    if (wasShown && isRefused(answer)) throw takenAway(this.#change)
    if (result === 'removed') await this.#refusePutBack(ask)
    return answer
  }

  /** Converts the result of the statement for the `write` function. */
  async #forCallback(result: R | Refused, ask: StatementSender, callback: WriteCallback): Promise<Made> {
    const { table, texts = [], call } = this.#change
    const applied = appliedOf(result)
    if (applied === 'attached' || applied === 'detached')
      return { applied, record: (await shownRecord({ table, texts, call, ask }))?.value }
    const stored = storedIn(result)
    const now = stored !== undefined && this.#needs.changesAgain ? await reread(table, stored, call, ask) : stored
    if (now !== undefined) callback.succeeded(now)
    return { applied: now ?? applied, record: now?.value }
  }

  /**
   * Resolves with the old record, as it was before the change, for the `write` function. Resolves
   * with `undefined` if that record is not known, and with `absent` or `stale` if nothing will be
   * changed.
   */
  async #before(ask: StatementSender): Promise<unknown> {
    const { table, action, texts, expected, before, call } = this.#change
    if (action === 'create' || texts === undefined) return undefined
    if (table.options.readBefore !== true) return before?.()
    if (!(await this.#lock(ask))) return 'absent'
    const found = await lockedRecord({ table, texts, expected, call, ask }, action !== 'remove')
    if (found === undefined) return 'absent'
    // A detach does not compare the version here. If the record is not in the parent's collection,
    // the result must be `absent`, which takes precedence over `stale`.
    return expected === undefined || found.version === expected || action === 'detach' ? found.value : 'stale'
  }

  /** The result, with the record as it will be committed. */
  async #asCommitted(result: R | Refused, ask: StatementSender): Promise<R | Refused> {
    const { table, call, databases } = this.#change
    const stored = storedIn(result)
    if (stored === undefined) return result
    const now: Stored<unknown> | Refused = await committed(table, stored, databases.write.mayBeNested, call, ask)
    if ('refused' in now) return now
    return (result === stored ? now : { created: now }) as R
  }

  /**
   * Throws if the `write` function has restored a removed record. Otherwise, the response would be
   * 204 although the record still exists (VERB-6).
   */
  async #refusePutBack(ask: StatementSender): Promise<void> {
    const { table, texts, call, action, databases } = this.#change
    if (texts === undefined || databases.write.mayBeNested || table.separate) return
    if ((await shownRecord({ table, texts, call, ask })) === undefined) return
    throw callbackFault(
      `SQL of the "write" function has undone the ${action} of "${table.definition.collection}" that ` +
        'change.apply() made: the record exists again. Nothing was changed. Throw an HttpProblem to refuse a ' +
        'change.',
    )
  }

  /**
   * Converts the error of a violated constraint to a refusal. Rethrows every other error. With a
   * `write` function, the error of another table's constraint is rethrown too, because the function
   * may have written to that table. Exception: on a removal, the error is converted, because rows
   * of the other table may refer to the removed row.
   */
  #refused(error: unknown): Refused {
    const { table, action } = this.#change
    const concerns = table.options.write === undefined || action === 'remove' || isOwnTable(table, error)
    if (!concerns) throw error
    return refusedBy(error, this.#change)
  }

  /** Throws if the record was absent or stale because this transaction itself had changed it. */
  async #refuseOwnWork(result: R | Refused): Promise<void> {
    const { table, texts, call, expected } = this.#change
    const since = this.#snapshot
    if (texts === undefined || (!this.#touched && since === undefined)) return
    const databases = { ...this.#change.databases, read: this.#change.databases.write }
    if (result === 'stale' && this.#touched) {
      // The transaction has been rolled back, so the row again has the version from before the
      // transaction. If that version is the expected one, the transaction itself made the record
      // stale. Otherwise, the record was stale from the start. `#touched` can be true in this case
      // too: for example, a statement-level trigger may have changed the row, because such a
      // trigger runs even if the statement finds no row.
      const now = await reading(databases, table.options, call, (ask) => rowNow({ table, texts, expected, call, ask }))
      if (now?.version === expected) throw ownWork(this.#change, 'the version it expected')
    }
    if (result !== 'absent' || since === undefined) return
    const there = await reading(databases, table.options, call, (ask) =>
      wasThere({ table, texts, expected, call, ask }, since),
    )
    if (there) throw ownWork(this.#change, 'the record')
  }
}

/**
 * If the `write` function threw because the adapter's own statement had not succeeded, returns the
 * result of that statement. After a failed statement, the database accepts no further statements in
 * the transaction, so the function is likely to throw. Returns `undefined` if the function threw an
 * `HttpProblem`, which takes precedence.
 */
async function refusedBefore<R>(error: unknown, applied: Promise<R> | undefined): Promise<R | undefined> {
  if (isProblem(error)) {
    await applied?.catch(() => undefined)
    return undefined
  }
  const result = await applied
  return result !== undefined && !succeeded(result) ? result : undefined
}

/** The error to throw if the function's SQL has removed the record that the response would show. */
const takenAway = ({ table }: PendingChange): Error =>
  callbackFault(
    `SQL of the "write" function removed the record of "${table.definition.collection}" after change.apply(). ` +
      'Nothing was changed. Throw an HttpProblem to refuse a change.',
  )
