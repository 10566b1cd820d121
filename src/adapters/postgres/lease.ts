/** A connection of `pg` while it is held: each statement ends before the next one begins, also where it was cancelled. */
import { type CancellableClient, type CancelOutcome, cancel } from './cancel.js'
import type { TextRow, Wait } from './client.js'
import { gaveUp, statementFailure } from './driver-failures.js'
import { failureKind, Late, Lost, stateOf, Unsent } from './failures.js'
import type { StatementNames } from './statement-names.js'
import { answerTime, graceful, nobodyWaits, onAbort, statementShare, timerFor } from './waits.js'

interface QueryConfig {
  readonly text: string
  readonly values?: readonly unknown[]
  readonly name?: string
}

interface Result {
  readonly rows: readonly TextRow[]
  readonly command?: string
}

/** What is used of a `Client` of `pg`. */
export interface PgClient extends CancellableClient {
  query(config: QueryConfig | string): Promise<Result>
  on(event: 'error', listener: (error: Error) => void): unknown
  removeListener(event: 'error', listener: (error: Error) => void): unknown
  /** Of a client that a pool lent: gives it back; with an error, to be closed. */
  release?(error?: Error | boolean): void
  /** `I` outside of transactions, `T` in one, `E` in one that failed. */
  getTransactionStatus?(): string | null
  readonly connection?: {
    readonly stream?: { destroy(): void }
    /** Not documented: the statements that the server keeps, by their names. */
    readonly parsedStatements?: Record<string, unknown>
  }
}

export class Lease {
  readonly client: PgClient
  /** Whether a pool lent it, which has another in its place when it is closed. */
  readonly lent: boolean
  readonly #most: number
  readonly #over: (broken: Error | boolean) => void
  #broken: Error | undefined
  #ended = false
  /** Resolves when neither a statement nor a cancel is under way. */
  #quiet: Promise<void> = Promise.resolve()
  /** A connection that breaks says so by an event, which ends the process where nobody listens. */
  readonly #hear = (error: Error): void => {
    this.#broken ??= error
  }

  /** `most`: milliseconds a statement may take. `over` is called once nothing is under way after `end`. */
  constructor(client: PgClient, lent: boolean, most: number, over: (broken: Error | boolean) => void) {
    this.client = client
    this.lent = lent
    this.#most = most
    this.#over = over
    client.on('error', this.#hear)
  }

  /** Nothing that is sent here would arrive. */
  get broken(): boolean {
    return this.#broken !== undefined
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
  async run(text: string, values: readonly (string | null)[], wait: Wait, names?: StatementNames): Promise<Result> {
    await this.#settled()
    const name = names === undefined || (this.transaction ?? 'I') !== 'I' ? undefined : names.of(text)
    if (name === undefined) return this.#send({ text, values }, wait)
    try {
      return await this.#send({ text, values, name }, wait)
    } catch (error) {
      if (failureKind(error) !== 'unprepared') throw error
      await this.#forget(name, text, names)
      await this.#settled()
      return this.#send({ text, values }, wait)
    }
  }

  /** When nothing is under way, be it a cancel that came up meanwhile. */
  async #settled(): Promise<void> {
    for (let quiet: Promise<void> | undefined; quiet !== this.#quiet; ) {
      quiet = this.#quiet
      await quiet
    }
  }

  /** So that the next use of the name prepares it anew. */
  async #forget(name: string, text: string, names: StatementNames | undefined): Promise<void> {
    const { parsedStatements } = this.client.connection ?? {}
    if (parsedStatements === undefined) return names?.never(text)
    delete parsedStatements[name]
    await this.#settled()
    // Where the server has forgotten it too, there is nothing to do.
    await this.#send({ text: `DEALLOCATE "${name}"` }, { left: () => graceful, signal: undefined }).catch(() => undefined)
  }

  /** Sends a statement; cancels it when its time is up or nobody waits. The caller is answered in time, whatever the server does. */
  #send(config: QueryConfig, wait: Wait): Promise<Result> {
    const { signal } = wait
    const limit = this.limit(wait)
    if (signal?.aborted || limit <= 0) return Promise.reject(nobodyWaits())
    if (this.#broken !== undefined) return Promise.reject(new Unsent('The connection is broken.', { cause: this.#broken }))
    const answerBy = performance.now() + answerTime(wait)
    return new Promise((resolve, reject) => {
      let cancelling: Promise<CancelOutcome> | undefined
      let over = false
      const timers: ReturnType<typeof setTimeout>[] = []
      let dead = (): void => {}
      const taken = new Promise<void>((end) => {
        dead = end
      })
      const stop = (): void => {
        if (cancelling !== undefined) return
        cancelling = this.#cancelUntil(() => over)
        const silent = (): void => reject(new Late('PostgreSQL did not say in time whether it stopped.'))
        const giveUp = (): void => {
          silent()
          this.destroy()
          dead()
        }
        timers.push(setTimeout(silent, timerFor(Math.min(answerBy - performance.now(), graceful))), setTimeout(giveUp, graceful))
      }
      timers.push(setTimeout(stop, timerFor(limit)))
      const stay = onAbort(signal, stop)
      const answered = this.client.query(config).then(resolve, (error) => {
        const failure = statementFailure(error)
        if (breaks(failure)) this.#broken ??= failure as Error
        // Where the client itself stopped waiting, the statement still runs.
        if (gaveUp(error)) cancelling ??= cancel(this.client)
        reject(failure)
      })
      this.#quiet = Promise.race([answered, taken]).then(async () => {
        over = true
        for (const timer of timers) clearTimeout(timer)
        stay()
        this.#after(await cancelling)
      })
    })
  }

  /** Cancels what runs now, until it is over: a cancel that overtakes its statement finds the server idle and does nothing. */
  async #cancelUntil(isOver: () => boolean): Promise<CancelOutcome> {
    for (let pause = 20; ; pause *= 2) {
      const outcome = await cancel(this.client)
      if (isOver() || outcome === 'unknown') return outcome
      await new Promise((resolve) => setTimeout(resolve, pause))
      if (isOver()) return outcome
    }
  }

  /** Cancels whatever runs on the connection now; what is sent next waits until no cancel is on its way. */
  interrupt(): void {
    if (this.#ended) return
    const cancelling = cancel(this.client)
    this.#quiet = Promise.all([this.#quiet, cancelling]).then(([, outcome]) => this.#after(outcome))
  }

  /** A cancel that is still on its way would hit whatever the connection does next. */
  #after(outcome: CancelOutcome | undefined): void {
    if (outcome === 'unknown') this.#broken ??= new Lost('A cancel is still on its way.')
  }

  /** Closes the connection without a word, for the server does not listen. */
  destroy(): void {
    this.#broken ??= new Lost('PostgreSQL did not answer.')
    this.client.connection?.stream?.destroy()
  }

  /** Ends it, whatever may still hold it; a client of the team's own is the team's to end. */
  abandon(): void {
    if (this.#ended || !this.lent) return
    this.destroy()
    this.end()
  }

  /** Gives the connection back when it is quiet; a broken one, or one in a state that nobody knows, is to be closed. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    void this.#settled().then(() => {
      this.#over(this.#broken ?? (this.transaction ?? 'I') !== 'I')
      this.client.removeListener('error', this.#hear)
    })
  }
}

/** Whether a connection is of no use after this. One to a server that has become a standby would stay there. */
const breaks = (failure: unknown): boolean =>
  failureKind(failure) === 'lost' || failureKind(failure) === 'unsent' || stateOf(failure) === '25006'
