/**
 * A connection of `pg` while a call holds it. Each statement ends before the next one begins, even
 * if the earlier one was cancelled.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type CancelOutcome, cancel } from './cancel.js'
import { CellQuery, takesCells } from './cell-query.js'
import { type Cells, cellsOf, type Wait } from './client.js'
import { type Connection, connectionOf } from './connections.js'
import { gaveUp, serverAt, statementFailure } from './driver-failures.js'
import { failureKind, Late, Lost, stateOf, Unconfirmed, Unsent } from './failures.js'
import type { PgClient, PgResult } from './pg-client.js'
import { keepSlow, slowFrom } from './slow-results.js'
import type { StatementNames } from './statement-names.js'
import { answerShare, callAbandoned, gracePeriod, statementShare, timerFor, whenTooLong } from './waits.js'

/** Sends a statement, and calls `answer` once, with an error or the result. */
type Begin<R> = (answer: (error: unknown, result?: R) => void) => void

/** A statement that was sent and whose result has not arrived. */
interface Sent {
  readonly reject: (error: unknown) => void
  /** When the caller must get a result or an error, as a time of `performance.now()`. */
  readonly answerBy: number
  /** The number of unconfirmed commits on the connection when the statement was sent. */
  readonly unconfirmed: number
  isOver: boolean
  cancelling: Promise<CancelOutcome> | undefined
  timers: readonly ReturnType<typeof setTimeout>[]
  /** Stops the timer for the time limit of the statement. */
  stopTimer: () => void
}

const none: readonly never[] = []
const noop = (): void => undefined

export class Lease {
  readonly client: PgClient
  /** Whether the connection belongs to a pool, which replaces it when it is closed. */
  readonly fromPool: boolean
  readonly #connection: Connection
  readonly #maxTime: number
  readonly #over: (broken: Error | boolean) => void
  /** Why the connection must not be used any more, even if it has not ended. */
  #unfit: Error | undefined
  /** Whether `end` has been called. */
  #given = false
  /** The number of statements and cancels in progress. */
  #underWay = 0
  /** Callbacks that are called when no statement or cancel is in progress. */
  readonly #waiting: (() => void)[] = []
  /**
   * `maxTime`: the time limit of a statement, in milliseconds. `over` is called after `end`, when
   * no statement or cancel is in progress.
   */
  constructor(client: PgClient, fromPool: boolean, maxTime: number, over: (broken: Error | boolean) => void) {
    this.client = client
    this.fromPool = fromPool
    this.#maxTime = maxTime
    this.#over = over
    this.#connection = connectionOf(client)
  }

  get #failure(): Error | undefined {
    return this.#unfit ?? this.#connection.ended
  }

  /** Whether the connection can't be used any more. */
  get broken(): boolean {
    return this.#failure !== undefined
  }

  /**
   * The transaction status that the server last reported; `undefined` if the client does not expose
   * it.
   */
  get transaction(): string | undefined {
    return this.client.getTransactionStatus?.() ?? undefined
  }

  /** The time limit of a statement that begins now, in milliseconds. */
  limit(wait: Wait): number {
    return Math.min(this.#maxTime, wait.left() * statementShare)
  }

  /**
   * Runs one statement. The statement is prepared if `names` has a name for it. Within a
   * transaction, the statement is never prepared, because an invalid statement name would abort the
   * transaction.
   */
  run(text: string, values: readonly (string | null)[], wait: Wait, names?: StatementNames): Promise<PgResult> {
    const { client } = this
    return this.#named(text, wait, names, (name) => (answer) => {
      client
        .query(name === undefined ? { text, values } : { text, values, name })
        .then((result) => answer(null, result), answer)
    })
  }

  /**
   * Runs one statement. `columns` contains the names of the first columns of the result, in order.
   * Returns each row as an array of cells.
   */
  cells(
    text: string,
    columns: readonly string[],
    values: readonly (string | null)[],
    wait: Wait,
    names?: StatementNames,
  ): Promise<readonly Cells[]> {
    const { client } = this
    if (!takesCells(client)) return this.run(text, values, wait, names).then(({ rows }) => cellsOf(rows, columns))
    return this.#named(text, wait, names, (name) => (answer) => {
      ask(client, new CellQuery(text, [values], name, (error, found) => answer(error, found?.[0])), answer)
    })
  }

  /** Runs a read-only statement once for each set of values. If one execution fails, all fail. */
  async cellsOfAll(
    text: string,
    columns: readonly string[],
    sets: readonly (readonly (string | null)[])[],
    wait: Wait,
    names?: StatementNames,
  ): Promise<readonly (readonly Cells[])[]> {
    const { client } = this
    if (!takesCells(client)) {
      const found: (readonly Cells[])[] = []
      for (const values of sets) found.push(await this.cells(text, columns, values, wait, names))
      return found
    }
    return this.#named(
      text,
      wait,
      names,
      (name) => (answer) => ask(client, new CellQuery(text, sets, name, answer), answer),
    )
  }

  #named<R>(
    text: string,
    wait: Wait,
    names: StatementNames | undefined,
    begin: (name: string | undefined) => Begin<R>,
  ): Promise<R> {
    if (this.#underWay > 0) return this.#whenQuiet(() => this.#named(text, wait, names, begin))
    const name = names === undefined || (this.transaction ?? 'I') !== 'I' ? undefined : names.of(text)
    if (name === undefined) return this.#send(begin(undefined), wait)
    return this.#send(begin(name), wait).catch(async (error) => {
      if (failureKind(error) !== 'unprepared') throw error
      await this.#forget(name, text, names)
      return this.#whenQuiet(() => this.#send(begin(undefined), wait))
    })
  }

  /**
   * Waits until no statement or cancel is in progress, and then runs `work`. Also waits for cancels
   * that start during the wait.
   */
  async #whenQuiet<R>(work: () => Promise<R>): Promise<R> {
    while (this.#underWay > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    return work()
  }

  /** Called when a statement or a cancel has ended. */
  #ended(): void {
    this.#underWay--
    if (this.#underWay > 0) return
    for (const wake of this.#waiting.splice(0)) wake()
  }

  /**
   * Forgets a prepared statement, so that the next use of the name prepares it again. If the client
   * does not expose its prepared statements, this statement is never prepared again.
   */
  async #forget(name: string, text: string, names: StatementNames | undefined): Promise<void> {
    const { parsedStatements } = this.client.connection ?? {}
    if (parsedStatements === undefined) return names?.never(text)
    delete parsedStatements[name]
    // If DEALLOCATE fails because the server no longer has the statement, nothing needs to be done.
    await this.#whenQuiet(() =>
      this.run(`DEALLOCATE "${name}"`, [], { left: () => gracePeriod, signal: undefined }),
    ).catch(() => undefined)
  }

  /**
   * Sends a statement. Cancels it when its time limit has passed, or when the caller no longer
   * waits. In any case, the caller gets a result or an error no later than `answerBy`.
   */
  #send<R>(begin: Begin<R>, wait: Wait): Promise<R> {
    const left = wait.left()
    const limit = Math.min(this.#maxTime, left * statementShare)
    if (wait.gone || limit <= 0) return Promise.reject(callAbandoned())
    const failed = this.#failure
    if (failed !== undefined) return Promise.reject(new Unsent('The connection is broken.', { cause: failed }))
    this.#underWay++
    return new Promise((resolve, reject) => {
      const { unconfirmed } = this.#connection
      const began = performance.now()
      const answerBy = began + left * answerShare
      const sent: Sent = {
        reject,
        answerBy,
        unconfirmed,
        isOver: false,
        cancelling: undefined,
        timers: none,
        stopTimer: noop,
      }
      const stop = (): void => this.#stop(sent)
      sent.stopTimer = whenTooLong(wait, limit, stop, stop)
      try {
        begin((error, result) => {
          if (error !== null && error !== undefined) {
            this.#failed(sent, error)
            return
          }
          const now = performance.now()
          this.#connection.aliveAt = now
          if (now - began >= slowFrom) keepSlow(result, now - began)
          if (this.#connection.unconfirmed > unconfirmed) reject(new Unconfirmed())
          else resolve(result as R)
          this.#finish(sent)
        })
      } catch (error) {
        this.#failed(sent, error)
      }
    })
  }

  #failed(sent: Sent, error: unknown): void {
    const failure = statementFailure(error, serverAt(this.client))
    if (breaks(failure)) this.#unfit ??= failure as Error
    // If `pg` itself has stopped waiting, the statement still runs, so it is cancelled.
    if (gaveUp(error)) sent.cancelling ??= cancel(this.client)
    sent.reject(this.#connection.unconfirmed > sent.unconfirmed ? new Unconfirmed(error) : failure)
    this.#finish(sent)
  }

  /**
   * Cancels a statement. The caller gets an error if the server reports no result within
   * `gracePeriod`, or before `answerBy` if that is earlier. The connection is closed if the server
   * reports no result within `gracePeriod`.
   */
  #stop(sent: Sent): void {
    if (sent.cancelling !== undefined) return
    sent.cancelling = this.#cancelUntil(() => sent.isOver)
    // If the statement had a shorter limit than the request, there may be time for another attempt.
    // `Lost` allows another attempt, and `Late` does not.
    const inTime = sent.answerBy - performance.now()
    const Failure = inTime > gracePeriod ? Lost : Late
    const reject = (): void => {
      this.#connection.doubtPeers()
      sent.reject(new Failure('PostgreSQL did not report in time whether the statement was cancelled.'))
    }
    const giveUp = (): void => {
      reject()
      this.destroy()
      this.#finish(sent)
    }
    sent.timers = [setTimeout(reject, timerFor(Math.min(inTime, gracePeriod))), setTimeout(giveUp, gracePeriod)]
  }

  /**
   * Called when a statement has ended, or when it is given up. Frees the connection for the next
   * statement. If the statement was cancelled, the connection becomes free only when the cancel
   * request has also ended.
   */
  #finish(sent: Sent): void {
    if (sent.isOver) return
    sent.isOver = true
    sent.stopTimer()
    for (const timer of sent.timers) clearTimeout(timer)
    if (sent.cancelling === undefined) this.#ended()
    else
      void sent.cancelling.then((outcome) => {
        this.#noteCancelOutcome(outcome)
        this.#ended()
      })
  }

  /**
   * Cancels the statement that runs now. A cancel request that arrives before the statement has no
   * effect, because the server is still idle. So the cancel request is repeated until the statement
   * is over, or until the outcome of a cancel request is unknown.
   */
  async #cancelUntil(isOver: () => boolean): Promise<CancelOutcome> {
    for (let pause = 20; ; pause *= 2) {
      const outcome = await cancel(this.client)
      if (isOver() || outcome === 'unknown') return outcome
      await sleep(pause)
      if (isOver()) return outcome
    }
  }

  /**
   * Cancels any statement that runs on the connection now. Later statements wait until no cancel is
   * in progress.
   */
  interrupt(): void {
    if (this.#given) return
    this.#underWay++
    void cancel(this.client).then((outcome) => {
      this.#noteCancelOutcome(outcome)
      this.#ended()
    })
  }

  /**
   * If the outcome of a cancel is unknown, marks the connection as unusable, because the cancel
   * could still hit a later statement.
   */
  #noteCancelOutcome(outcome: CancelOutcome | undefined): void {
    if (outcome === 'unknown') this.#unfit ??= new Lost('The outcome of a cancel request is unknown.')
  }

  /** Closes the socket without a Terminate message, because the server does not respond. */
  destroy(): void {
    this.#connection.ended ??= new Lost('PostgreSQL did not answer.')
    this.client.connection?.stream?.destroy()
  }

  /**
   * Ends the lease and closes the connection, even if the connection is still in use. Does nothing
   * for a client that does not come from a pool, because the service itself must close such a
   * client.
   */
  abandon(): void {
    if (this.#given || !this.fromPool) return
    this.destroy()
    this.end()
  }

  /**
   * Ends the lease once no statement or cancel is in progress. The pool then closes the connection
   * if it is broken or still in a transaction.
   */
  end(): void {
    if (this.#given) return
    this.#given = true
    if (this.#underWay > 0) void this.#whenQuiet(async () => this.#giveBack())
    else this.#giveBack()
  }

  #giveBack(): void {
    this.#over(this.#failure ?? (this.transaction ?? 'I') !== 'I')
  }
}

function ask(client: PgClient, query: CellQuery, failed: (error: unknown) => void): void {
  const asked = client.query(query)
  // Instrumentation that wraps `Client.prototype.query` may return a promise that rejects.
  if (asked instanceof Promise) asked.catch(failed)
}

/**
 * Whether the connection is unusable after this failure. After SQLSTATE 25006 (read-only
 * transaction), the connection counts as unusable too, because the server has probably become a
 * standby.
 */
const breaks = (failure: unknown): boolean =>
  failureKind(failure) === 'lost' || failureKind(failure) === 'unsent' || stateOf(failure) === '25006'
