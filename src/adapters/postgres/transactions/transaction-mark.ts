/**
 * A mark in a transaction that a team's function also uses. The function may end the transaction
 * and begin another one, or undo the adapter's own statement with a savepoint, and the driver
 * reports neither. A setting that is local to the transaction is lost in both cases (PostgreSQL,
 * SET).
 */

import { failureKind, stateOf } from '../connections/failures.js'
import type { Ask } from '../sql/ask.js'

const setting = 'rest.write'
const begun = 'begun'

/**
 * The first statement of a marked transaction. It takes no snapshot, so the team can still set the
 * isolation level.
 */
export const markBegin = `SET LOCAL ${setting} = '${begun}'`

/**
 * - `kept`: the adapter's statement is part of the open transaction;
 * - `undone`: a savepoint older than the statement was rolled back to;
 * - `ended`: the transaction was ended. There is none now, or another one;
 * - `failed`: a statement failed, and the transaction accepts no further statements;
 * - `read-only`: the transaction was made read-only, on a server that accepts writes.
 */
export type MarkState = 'kept' | 'undone' | 'ended' | 'failed' | 'read-only'

const settingOf = (name: string): string => `coalesce(current_setting('${name}', true), '')`

/**
 * Whether the team made the transaction read-only. A standby is always read-only, and an operator
 * may have made read-only the default. Both are ignored. Before PostgreSQL 14, neither can be
 * detected.
 */
const isReadOnly = `(${settingOf('transaction_read_only')} = 'on' AND ${settingOf('default_transaction_read_only')} = 'off' AND ${settingOf('in_hot_standby')} = 'off')::text`

/** Distinguishes the marks of this process, because one write may run within another. */
let count = 0

export class TransactionMark {
  readonly #ask: Ask
  readonly #began: boolean
  readonly #own = `${++count}`
  #before = ''

  /**
   * `began`: whether the transaction began with `markBegin`. A transaction of the caller's did not.
   */
  constructor(ask: Ask, began: boolean) {
    this.#ask = ask
    this.#began = began
  }

  /**
   * Must be called right before the adapter's own statement, which must not be sent unless the
   * result is `kept`.
   */
  async set(): Promise<MarkState> {
    const found = await this.#swap(this.#own)
    if ('state' in found) return found.state
    this.#before = found.mark
    if (this.#began && found.mark !== begun) return 'ended'
    return found.readOnly ? 'read-only' : 'kept'
  }

  /**
   * Must be called after the team's function. Restores the mark of the enclosing write, if there is
   * one.
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
      // The transaction object of a driver accepts no statements once the transaction has ended.
      if (failureKind(error) === 'other' && stateOf(error) === undefined) return { state: 'ended' }
      throw error
    }
  }
}
