/** A connection of `pg` while it is held: each statement ends before the next one begins, also where it was cancelled. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type CancelOutcome, cancel } from './cancel.js'
import { CellQuery, takesCells } from './cell-query.js'
import { type Cells, cellsOf, type Wait } from './client.js'
import { type Connection, connectionOf } from './connections.js'
import { gaveUp, serverAt, statementFailure } from './driver-failures.js'
import { failureKind, Late, Lost, stateOf, Unconfirmed, Unsent } from './failures.js'
import type { PgClient, PgResult } from './pg-client.js'
import { keepSlow, slowFrom } from './slow-answers.js'
import type { StatementNames } from './statement-names.js'
import { answerShare, graceful, nobodyWaits, statementShare, timerFor, whenTooLong } from './waits.js'

/** Sends a statement; it is answered once. */
type Begin<R> = (answer: (error: unknown, result?: R) => void) => void

/** A statement that was sent and has no result yet. */
interface Sent {
  readonly reject: (error: unknown) => void
  /** When its caller has to be answered, on the clock of `performance.now()`. */
  readonly answerBy: number
  /** How many commits the connection had without confirmation when it was sent. */
  readonly unconfirmed: number
  isOver: boolean
  cancelling: Promise<CancelOutcome> | undefined
  timers: readonly ReturnType<typeof setTimeout>[]
  /** Ends the wait for its time to be up. */
  stay: () => void
}

const none: readonly never[] = []
const nothing = (): void => undefined

export class Lease {
  readonly client: PgClient
  /** Whether a pool lent it, which has another in its place when it is closed. */
  readonly lent: boolean
  readonly #connection: Connection
  readonly #most: number
  readonly #over: (broken: Error | boolean) => void
  /** Why the connection is not to be used after this lease, though it may not have ended. */
  #unfit: Error | undefined
  #given = false
  /** How many statements and cancels are under way. */
  #underWay = 0
  /** Who waits until none is. */
  readonly #waiting: (() => void)[] = []
  /** `most`: milliseconds a statement may take. `over` is called once nothing is under way after `end`. */
  constructor(client: PgClient, lent: boolean, most: number, over: (broken: Error | boolean) => void) {
    this.client = client
    this.lent = lent
    this.#most = most
    this.#over = over
    this.#connection = connectionOf(client)
  }

  get #failure(): Error | undefined {
    return this.#unfit ?? this.#connection.ended
  }

  /** Nothing more is sent on this connection. */
  get broken(): boolean {
    return this.#failure !== undefined
  }

  /** As far as the server has said; `undefined` where the client does not tell. */
  get transaction(): string | undefined {
    return this.client.getTransactionStatus?.() ?? undefined
  }

  /** Milliseconds a statement may take that begins now. */
  limit(wait: Wait): number {
    return Math.min(this.#most, wait.left() * statementShare)
  }

  /** Runs one statement, named where `names` has a name for it; that is never done within a transaction, which a broken name would break. */
  run(text: string, values: readonly (string | null)[], wait: Wait, names?: StatementNames): Promise<PgResult> {
    const { client } = this
    return this.#named(text, wait, names, (name) => (answer) => {
      client
        .query(name === undefined ? { text, values } : { text, values, name })
        .then((result) => answer(null, result), answer)
    })
  }

  /** The same of a statement whose first columns are these. */
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

  /** The same of a statement that only reads, once for each set of values. Where one fails, all do. */
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

  /** Begins when nothing is under way, be it a cancel that came up meanwhile. */
  async #whenQuiet<R>(work: () => Promise<R>): Promise<R> {
    while (this.#underWay > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    return work()
  }

  /** A statement, or a cancel, is no longer under way. */
  #ended(): void {
    this.#underWay--
    if (this.#underWay > 0) return
    for (const wake of this.#waiting.splice(0)) wake()
  }

  /** So that the next use of the name prepares it anew. */
  async #forget(name: string, text: string, names: StatementNames | undefined): Promise<void> {
    const { parsedStatements } = this.client.connection ?? {}
    if (parsedStatements === undefined) return names?.never(text)
    delete parsedStatements[name]
    // Where the server has forgotten it too, there is nothing to do.
    await this.#whenQuiet(() =>
      this.run(`DEALLOCATE "${name}"`, [], { left: () => graceful, signal: undefined }),
    ).catch(() => undefined)
  }

  /** Sends a statement; cancels it when its time is up or nobody waits. The caller is answered in time, whatever the server does. */
  #send<R>(begin: Begin<R>, wait: Wait): Promise<R> {
    const left = wait.left()
    const limit = Math.min(this.#most, left * statementShare)
    if (wait.gone || limit <= 0) return Promise.reject(nobodyWaits())
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
        stay: nothing,
      }
      const stop = (): void => this.#stop(sent)
      sent.stay = whenTooLong(wait, limit, stop, stop)
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
    // Where the client itself stopped waiting, the statement still runs.
    if (gaveUp(error)) sent.cancelling ??= cancel(this.client)
    sent.reject(this.#connection.unconfirmed > sent.unconfirmed ? new Unconfirmed(error) : failure)
    this.#finish(sent)
  }

  /** Cancels a statement, and answers its caller when the server does not say in time how it ended. */
  #stop(sent: Sent): void {
    if (sent.cancelling !== undefined) return
    sent.cancelling = this.#cancelUntil(() => sent.isOver)
    // Where the statement had a limit of its own, the request may still have time for another
    // attempt.
    const inTime = sent.answerBy - performance.now()
    const Silent = inTime > graceful ? Lost : Late
    const silent = (): void => {
      this.#connection.doubtPeers()
      sent.reject(new Silent('PostgreSQL did not say in time whether it stopped.'))
    }
    const giveUp = (): void => {
      silent()
      this.destroy()
      this.#finish(sent)
    }
    sent.timers = [setTimeout(silent, timerFor(Math.min(inTime, graceful))), setTimeout(giveUp, graceful)]
  }

  /** The connection is free again, once a cancel has ended too. */
  #finish(sent: Sent): void {
    if (sent.isOver) return
    sent.isOver = true
    sent.stay()
    for (const timer of sent.timers) clearTimeout(timer)
    if (sent.cancelling === undefined) this.#ended()
    else
      void sent.cancelling.then((outcome) => {
        this.#after(outcome)
        this.#ended()
      })
  }

  /** Cancels what runs now, until it is over: a cancel that overtakes its statement finds the server idle and does nothing. */
  async #cancelUntil(isOver: () => boolean): Promise<CancelOutcome> {
    for (let pause = 20; ; pause *= 2) {
      const outcome = await cancel(this.client)
      if (isOver() || outcome === 'unknown') return outcome
      await sleep(pause)
      if (isOver()) return outcome
    }
  }

  /** Cancels whatever runs on the connection now; what is sent next waits until no cancel is on its way. */
  interrupt(): void {
    if (this.#given) return
    this.#underWay++
    void cancel(this.client).then((outcome) => {
      this.#after(outcome)
      this.#ended()
    })
  }

  /** A cancel that is still on its way would hit whatever the connection does next. */
  #after(outcome: CancelOutcome | undefined): void {
    if (outcome === 'unknown') this.#unfit ??= new Lost('A cancel is still on its way.')
  }

  /** Closes the connection without a word, for the server does not listen. */
  destroy(): void {
    this.#connection.ended ??= new Lost('PostgreSQL did not answer.')
    this.client.connection?.stream?.destroy()
  }

  /** Ends it, whatever may still hold it; a client of the team's own is the team's to end. */
  abandon(): void {
    if (this.#given || !this.lent) return
    this.destroy()
    this.end()
  }

  /** Gives the connection back when it is quiet; a broken one, or one in a state that nobody knows, is to be closed. */
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
  // What wraps `query` for a whole class may make a promise of it, and fail by that.
  if (asked instanceof Promise) asked.catch(failed)
}

/** Whether a connection is of no use after this. One to a server that has become a standby would stay there. */
const breaks = (failure: unknown): boolean =>
  failureKind(failure) === 'lost' || failureKind(failure) === 'unsent' || stateOf(failure) === '25006'
