/** A team's "write" function beside one change: what it is told, and what it may have done to the change. */
import { freezeThroughout } from '../../definition/fixed.js'
import type { KeyValue } from '../../definition/key.js'
import { isUnavailable } from '../../problem.js'
import type { AdapterCall, ParentKey, Stored, WriteAction } from '../contract.js'
import type { Session } from './client.js'
import type { Databases } from './database.js'
import { Cancelled, failureKind, stateOf, unavailable } from './failures.js'
import type { Applied, Change, PostgresAdapterOptions } from './options.js'
import { shownRecord } from './reads.js'
import { asking, reading, teamErrors, waitOf } from './statements.js'
import type { Table } from './table.js'
import { type MarkState, TransactionMark } from './transaction-mark.js'
import { statementShare, timerFor } from './waits.js'

type Row = Record<string, unknown>
type Write = NonNullable<PostgresAdapterOptions['write']>

/** A change before it is applied. */
export interface Details {
  readonly action: WriteAction
  readonly collection: string
  /** Absent where a create leaves it to the store. */
  readonly key: KeyValue | undefined
  readonly value?: unknown
  readonly parent?: ParentKey | undefined
  /** The version that the record must still have. */
  readonly expected?: string | undefined
  /** The record of that version, where it has been read and stands for the whole row. */
  before?(): unknown
}

/** What `apply()` came to, and the record that the table holds then. */
export interface Made {
  readonly applied: Applied<unknown>
  readonly record: Row | undefined
}

/** Thrown where the function has ended the transaction itself. */
class Ended extends Error {}

/** An error for the team alone. */
export function teamFault(message: string, cause?: unknown): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause })
  teamErrors.add(error)
  return error
}

/**
 * The change that the function gets. Its data are frozen copies: what is stored is what was checked.
 * `apply` needs no `this`, since teams take it out of the change.
 */
export function changeOf(details: Details, before: unknown, make: () => Promise<Made>, { definition }: Table): Change {
  const { action, collection, value, parent } = details
  let { key } = details
  let after: Row | undefined
  let made: Promise<Applied<unknown>> | undefined
  const apply = (): Promise<Applied<unknown>> => {
    made ??= make().then(({ applied, record }) => {
      after = freezeThroughout(structuredClone(record))
      if (record !== undefined) key ??= definition.key.of(record)
      return applied
    })
    // A team that does not wait for it learns of its failure from the result of the whole change.
    made.catch(() => undefined)
    return made
  }
  return Object.freeze({
    action,
    collection,
    get key() {
      return key
    },
    value: freezeThroughout(structuredClone(value)),
    parent,
    before: freezeThroughout(before),
    get after() {
      return after
    },
    apply,
  }) as Change
}

/** One attempt at a change with the function beside it. */
/**
 * The calls for whose transaction another connection waited when the time was nearly up. A call may
 * take several attempts, and the last of them has no time left to look.
 */
const waitedFor = new WeakSet<AdapterCall>()

export class TeamWrite {
  readonly #databases: Databases
  readonly #table: Table
  readonly #call: AdapterCall
  readonly #details: Details
  readonly #own: Session
  readonly #mark: TransactionMark
  /** What the adapter's statement came to, where it succeeded. */
  #made: unknown
  #isRunning = false
  /** What the function threw in a transaction that says no more whether it was ended before. */
  #doubtful: Error | undefined

  constructor(databases: Databases, table: Table, call: AdapterCall, details: Details, own: Session) {
    this.#databases = databases
    this.#table = table
    this.#call = call
    this.#details = details
    this.#own = own
    this.#mark = new TransactionMark(asking(own), own.first !== undefined)
  }

  /** Throws where the function would only wait again for what its last attempt waited for. */
  checkTime(): void {
    if (waitedFor.has(this.#call)) throw this.#lateFault(undefined)
  }

  /** To be called right before the adapter's own statement. */
  async begin(): Promise<void> {
    this.#demand(await this.#mark.set())
  }

  /** To be called where that statement succeeded. */
  succeeded(made: unknown): void {
    this.#made = made
  }

  async run(write: Write, change: Change): Promise<void> {
    this.#isRunning = true
    // Soon after, the server ends a transaction in which nothing happens: then nobody waits for it any more.
    const late = waitOf(this.#call).left() * statementShare * statementShare
    const alarm = setTimeout(() => {
      void this.#lookForWaiting()
    }, timerFor(late))
    try {
      await write(this.#own.native, change, this.#call)
    } finally {
      clearTimeout(alarm)
      this.#isRunning = false
    }
  }

  /** Throws where the adapter's statement, after the function has ended, is not a part of the transaction. */
  async verify(): Promise<void> {
    this.#demand(await this.#mark.check())
  }

  /** The same where the function threw: what it says to a client may no longer be true. */
  async doubt(thrown: Error): Promise<void> {
    if (this.#made === undefined) return
    const state = await this.#mark.check().catch(() => 'kept')
    if (state === 'ended') throw this.#ended(thrown)
    if (state === 'failed') this.#doubtful = thrown
  }

  #demand(state: MarkState): void {
    const { action, collection } = this.#details
    switch (state) {
      case 'kept':
        return
      case 'ended':
        throw this.#ended()
      case 'undone':
        throw teamFault(
          `The "write" function has undone the ${action} of "${collection}" that change.apply() made. Nothing was changed. Throw an HttpProblem to refuse a change.`,
        )
      case 'failed':
        throw teamFault(
          `A statement of the "write" function failed, and the function went on: after that the database takes no more statements in the transaction of the ${action} of "${collection}". Nothing was changed. Let the error pass, or put a savepoint before the statement.`,
        )
      case 'read-only':
        throw teamFault(
          `SQL of the "write" or "session" function made the transaction of the ${action} of "${collection}" read-only. Nothing was changed. Leave out SET TRANSACTION READ ONLY for writes.`,
        )
    }
  }

  #ended(cause?: unknown): Ended {
    const error = new Ended('The transaction was ended.', { cause })
    teamErrors.add(error)
    return error
  }

  /** The error of the whole write, with what the team should know of it. */
  async explained(error: unknown): Promise<unknown> {
    const isOver = this.#own.first === undefined && ['25P01', '3B001'].includes(stateOf(error) ?? '')
    if (error instanceof Ended || isOver) return this.#endedFault(await this.#isMade(), error instanceof Ended ? error.cause : error)
    // A function that fails twice: its statement, in a transaction that it had begun itself.
    const doubtful = this.#doubtful
    if (doubtful !== undefined && (await this.#isMade()) === true) return this.#endedFault(true, doubtful)
    const isLate = isUnavailable(error) && failureKind(error.cause) === 'cancelled'
    return isLate && (this.#isRunning || waitedFor.has(this.#call)) ? this.#lateFault(error.cause) : error
  }

  #endedFault(isMade: boolean | undefined, cause: unknown): Error {
    const { action, collection } = this.#details
    const unknown = 'What it had done until then is as that statement left it.'
    const outcome = isMade === undefined ? unknown : isMade ? 'The change is committed.' : 'The change was not made.'
    return teamFault(
      `The "write" function ended the transaction of the ${action} of "${collection}" by a statement of its own (COMMIT, ROLLBACK, PREPARE TRANSACTION), or reset its settings (RESET ALL). ${outcome} Leave the end of the transaction to the adapter, and throw an HttpProblem to refuse a change.`,
      cause,
    )
  }

  /** Whether the change is committed; `undefined` where that can't be told. */
  async #isMade(): Promise<boolean | undefined> {
    const made = this.#made
    if (made === undefined) return false
    const { definition, layout } = this.#table
    const stored = typeof made === 'object' ? (made as Stored<Row>) : undefined
    const key = stored === undefined ? this.#details.key : definition.key.of(stored.value)
    const texts = key === undefined ? undefined : layout.keyTexts(key)
    if (texts === undefined || this.#own.first === undefined) return undefined
    const databases = { ...this.#databases, read: this.#databases.write }
    let now: Stored<Row> | undefined
    try {
      now = await reading(databases, this.#table.options, this.#call, (ask) => shownRecord(this.#table, texts, this.#call, ask))
    } catch {
      return undefined
    }
    if (made === 'removed') return now === undefined
    if (stored === undefined) return undefined
    if (now?.version === stored.version) return true
    const isAsBefore = this.#details.action === 'create' ? now === undefined : now?.version === this.#details.expected
    return isAsBefore ? false : undefined
  }

  #lateFault(cause: unknown): unknown {
    const hint = this.#databases.write.embedded
      ? ' Statements that it sends to the PGlite, and not to the transaction that it is given, wait until it has ended.'
      : waitedFor.has(this.#call)
        ? ' Another connection waits for a lock of its transaction. If it is the function that waits for that connection, use the client that it is given.'
        : ''
    const message = `The "write" function of "${this.#details.collection}" had not ended when the time was up. Nothing was changed.${hint}`
    return unavailable(new Cancelled(message, { cause }), true)
  }

  /** What is not known when the caller has to be answered, or what the database can't tell, is left out. */
  async #lookForWaiting(): Promise<void> {
    const { processID } = this.#own.native as { readonly processID?: number | null }
    if (typeof processID !== 'number') return
    const text = `SELECT 1 AS c0 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND $1::integer = ANY (pg_blocking_pids(pid)) LIMIT 1`
    try {
      const waiting = await this.#databases.write.query(text, [`${processID}`], waitOf(this.#call))
      if (waiting.length > 0) waitedFor.add(this.#call)
    } catch {}
  }
}
