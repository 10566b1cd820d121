/**
 * A mark in a transaction that a team's function uses too. The function may end the transaction and
 * begin another one, or undo the adapter's own statement by a savepoint. Neither shows in what the
 * driver says. A setting that is local to a transaction is lost with both (PostgreSQL, SET).
 */

import { failureKind, stateOf } from '../connections/failures.js'
import type { Ask } from '../sql/ask.js'

const setting = 'rest.write'
const begun = 'begun'

/** The statement that begins a marked transaction. It takes no snapshot, so the team may still set the isolation level. */
export const markBegin = `SET LOCAL ${setting} = '${begun}'`

/**
 * - `kept`: the adapter's statement is a part of the open transaction;
 * - `undone`: a savepoint from before the statement was rolled back to;
 * - `ended`: the transaction was ended. There is none, or another one;
 * - `failed`: a statement failed, and the transaction takes no more of them;
 * - `read-only`: the transaction was made so, on a server that takes writes.
 */
export type MarkState = 'kept' | 'undone' | 'ended' | 'failed' | 'read-only'

const settingOf = (name: string): string => `coalesce(current_setting('${name}', true), '')`

/** A standby is read-only by itself, and an operator may have made a server so: both pass. Before PostgreSQL 14, neither can be told. */
const isReadOnly = `(${settingOf('transaction_read_only')} = 'on' AND ${settingOf('default_transaction_read_only')} = 'off' AND ${settingOf('in_hot_standby')} = 'off')::text`

/** Tells the marks of one process apart, where a write takes place within another one. */
let count = 0

export class TransactionMark {
  readonly #ask: Ask
  readonly #began: boolean
  readonly #own = `${++count}`
  #before = ''

  /** `began`: whether the transaction began with `markBegin`. One of the caller's did not. */
  constructor(ask: Ask, began: boolean) {
    this.#ask = ask
    this.#began = began
  }

  /** To be called right before the adapter's own statement, which is not to be sent unless this says `kept`. */
  async set(): Promise<MarkState> {
    const found = await this.#swap(this.#own)
    if ('state' in found) return found.state
    this.#before = found.mark
    if (this.#began && found.mark !== begun) return 'ended'
    return found.readOnly ? 'read-only' : 'kept'
  }

  /** To be called after the team's function. Puts back the mark of the write that this one may be a part of. */
  async check(): Promise<MarkState> {
    const found = await this.#swap(this.#before)
    if ('state' in found) return found.state
    if (found.mark === this.#own) return 'kept'
    return found.mark === this.#before && found.mark !== '' ? 'undone' : 'ended'
  }

  /** Sets the mark, and gives what it was. */
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
      // A transaction object of a driver takes no statements once it was ended.
      if (failureKind(error) === 'other' && stateOf(error) === undefined) return { state: 'ended' }
      throw error
    }
  }
}
