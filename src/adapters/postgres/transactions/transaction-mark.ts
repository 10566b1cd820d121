/**
 * Detects what the service's own function has done to the transaction that it shares with the
 * adapter. The function may end the transaction and begin another one. It may also roll back to a
 * savepoint, which undoes the adapter's own statement. The driver reports neither. So the adapter
 * sets a mark: a setting that is local to the transaction. The database resets the setting at the
 * end of the transaction, and at a rollback to an older savepoint (see SET in the PostgreSQL
 * documentation).
 */

import { failureKind, stateOf } from '../connections/failures.js'
import type { StatementSender } from '../sql/statement-sender.js'

const setting = 'rest.write'
const begun = 'begun'

/**
 * The first statement of a marked transaction. This statement takes no snapshot, so the service's
 * function can still set the isolation level.
 */
export const markBegin = `SET LOCAL ${setting} = '${begun}'`

/**
 * What has happened to the adapter's statement and its transaction:
 * - `kept`: the adapter's statement is part of the open transaction;
 * - `undone`: the transaction was rolled back to a savepoint that is older than the statement;
 * - `ended`: the transaction was ended, and another one may be open now. If the transaction had no
 *   mark before, the result is also `ended` after a rollback to a savepoint that is older than the
 *   statement;
 * - `failed`: a statement failed, and the transaction accepts no further statements;
 * - `read-only`: the transaction was made read-only, on a server that accepts writes.
 */
export type MarkState = 'kept' | 'undone' | 'ended' | 'failed' | 'read-only'

const settingOf = (name: string): string => `coalesce(current_setting('${name}', true), '')`

/**
 * SQL that is true if the service's function has made the transaction read-only. The SQL is false
 * on a standby, which is always read-only. It is also false if the setting
 * `default_transaction_read_only` is on. Before PostgreSQL 14, the SQL is always false, because the
 * setting `in_hot_standby` does not exist.
 */
const isReadOnly =
  `(${settingOf('transaction_read_only')} = 'on' AND ${settingOf('default_transaction_read_only')} ` +
  `= 'off' AND ` +
  `${settingOf('in_hot_standby')} = 'off')::text`

/**
 * The number of marks that this process has made. Each mark gets a number of its own, because one
 * write may run within another.
 */
let count = 0

export class TransactionMark {
  readonly #ask: StatementSender
  readonly #began: boolean
  readonly #own = `${++count}`
  #before = ''

  /**
   * `began`: whether `markBegin` was the first statement of the transaction. False for the caller's
   * own transaction.
   */
  constructor(ask: StatementSender, began: boolean) {
    this.#ask = ask
    this.#began = began
  }

  /**
   * Sets the mark. Must be called right before the adapter's own statement. That statement must be
   * sent only if the result is `kept`.
   */
  async set(): Promise<MarkState> {
    const found = await this.#swap(this.#own)
    if ('state' in found) return found.state
    this.#before = found.mark
    if (this.#began && found.mark !== begun) return 'ended'
    return found.readOnly ? 'read-only' : 'kept'
  }

  /**
   * Checks the mark. Must be called after the service's function. If this write runs within another
   * write, restores the mark of the outer write.
   */
  async check(): Promise<MarkState> {
    const found = await this.#swap(this.#before)
    if ('state' in found) return found.state
    if (found.mark === this.#own) return 'kept'
    return found.mark === this.#before && found.mark !== '' ? 'undone' : 'ended'
  }

  /** Sets the mark, and returns the previous one. */
  async #swap(
    mark: string,
  ): Promise<{ readonly mark: string; readonly readOnly: boolean } | { readonly state: MarkState }> {
    try {
      const [row] = await this.#ask.query(
        `SELECT ${settingOf(setting)} AS c0, ${isReadOnly} AS c1, set_config('${setting}', '${mark}', true) AS c2`,
      )
      return { mark: row?.c0 ?? '', readOnly: row?.c1 === 'true' }
    } catch (error) {
      if (stateOf(error) === '25P02') return { state: 'failed' }
      // This error comes neither from the server nor from the connection. The driver throws it,
      // because its transaction object accepts no statements once the transaction has ended.
      if (failureKind(error) === 'other' && stateOf(error) === undefined) return { state: 'ended' }
      throw error
    }
  }
}
