/** Writes the counts of this process to the store, in batches. Counting never waits for a write. */
import { AsyncResource } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { Awaitable } from '../adapters/contract.js'
import { loggableError } from '../failures/loggable.js'
import { notify } from '../notify.js'
import { storeFailureChannel } from '../telemetry/channels.js'
import { withTimeout } from '../timeout.js'
import type { Changes, Counts } from './counts.js'
import { dayLength } from './counts.js'
import type { UsageStore } from './store.js'

/** The resolved settings. Times are in milliseconds. */
export interface FlushSettings {
  readonly interval: number
  readonly storeTimeout: number
  /** How many days counts are kept. */
  readonly days: number
  readonly onStoreFailure: (error: unknown) => Awaitable<void>
  readonly onStoreRecovery: (outage: { readonly message: string; readonly duration: number }) => Awaitable<void>
}

export class Flusher {
  readonly #store: UsageStore
  readonly #all: readonly Counts[]
  readonly #settings: FlushSettings
  readonly #writer = randomUUID()
  readonly #context = new AsyncResource('usage')
  #started: number | undefined
  #timer: NodeJS.Timeout | undefined
  #sequence = 0
  /** The sequence number of the last write that the store is known to have. */
  #stored = 0
  /**
   * Whether all counts must be written again, because the store has lost writes of this process or
   * has ignored the last one.
   */
  #hasLost = false
  #failedAt: number | undefined
  #running: Promise<void> | undefined
  /** The write that follows the running one. */
  #next: Promise<void> | undefined
  #closed = false

  constructor(store: UsageStore, all: readonly Counts[], settings: FlushSettings) {
    this.#store = store
    this.#all = all
    this.#settings = settings
  }

  /**
   * Starts to write the counts of this process at intervals. The first write registers the process
   * in the store. If something is counted after `close()`, `start()` is called again.
   */
  start(): void {
    if (this.#timer !== undefined) return
    this.#started ??= performance.now()
    this.#closed = false
    const flush = (): void => {
      if (this.#running === undefined) void this.flush()
    }
    // The first request starts the timer. Writes must not inherit the async context of that
    // request, such as its trace.
    this.#timer = this.#context.runInAsyncScope(() => setInterval(flush, this.#settings.interval)).unref()
  }

  /**
   * Writes the changes. Never rejects: changes that could not be written are written the next time.
   */
  flush(): Promise<void> {
    // The running write does not include the latest counts. All callers that arrive while it runs
    // share the next write.
    if (this.#running !== undefined) {
      this.#next ??= this.#running.then(() => {
        this.#next = undefined
        return this.flush()
      })
      return this.#next
    }
    this.#running = this.#write().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Writes the last counts and marks this process as ended. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#timer = undefined
    if (this.#started === undefined) return
    this.#closed = true
    await this.flush()
  }

  async #write(): Promise<void> {
    if (this.#started === undefined) return
    try {
      // After a failure, a write without counts comes first, and counts are sent only if the store
      // responds to that write. A write that timed out may still be delivered later. During an
      // outage, only writes without counts are repeated, so the writes that may still be delivered
      // are small.
      if (this.#failedAt !== undefined) await this.#deliver(false)
      await this.#deliver(true)
      // If the store was emptied, or restored from an older state, all counts are written again.
      if (this.#hasLost) await this.#deliver(true)
      this.#recovered()
    } catch (error) {
      this.#failed(error)
    }
  }

  async #deliver(withCounts: boolean): Promise<void> {
    if (withCounts && this.#hasLost) for (const counts of this.#all) counts.touchAll()
    const taken = withCounts ? this.#all.map((counts) => ({ counts, changes: counts.take() })) : []
    const sequence = ++this.#sequence
    try {
      const before = await this.#send(
        sequence,
        taken.map(({ changes }) => changes),
      )
      const held = before ?? 0
      this.#hasLost = held < this.#stored || held >= sequence
      this.#stored = sequence
    } catch (error) {
      for (const { counts, changes } of taken) counts.putBack(changes)
      throw error
    }
  }

  #send(sequence: number, changes: readonly Changes[]): Promise<number | undefined> {
    const { interval, storeTimeout, days } = this.#settings
    const oldest = Math.floor(Date.now() / dayLength) - days
    const age = performance.now() - (this.#started ?? 0)
    const late = (): Error => new Error(`The store did not respond within ${storeTimeout} ms.`)
    const write = async (): Promise<number | undefined> =>
      this.#store.write({
        writer: this.#writer,
        sequence,
        age,
        complete: this.#stored > 0 ? 0 : Math.min(age, 3 * interval),
        interval,
        closed: this.#closed,
        keep: (days + 1) * dayLength,
        fields: new Map(changes.flatMap(({ cells }) => cells.map((cell) => [cell.field, cell.text(oldest)] as const))),
        removed: changes.flatMap(({ removed }) => removed),
      })
    return withTimeout(write(), storeTimeout, late)
  }

  #failed(cause: unknown): void {
    if (this.#failedAt !== undefined) return
    this.#failedAt = performance.now()
    const message = 'The store of usage() does not respond: counts are kept in the process until the store recovers.'
    storeFailureChannel.publish({ state: 'failed', message, error: cause, duration: undefined })
    notify(this.#settings.onStoreFailure, () => loggableError(message, { cause }))
  }

  #recovered(): void {
    if (this.#failedAt === undefined) return
    const duration = Math.round(performance.now() - this.#failedAt)
    this.#failedAt = undefined
    const message =
      `The store of usage() responds again after ${Math.max(1, Math.round(duration / 1000))} s: all pending counts ` +
      'have been written.'
    storeFailureChannel.publish({ state: 'recovered', message, error: undefined, duration })
    notify(this.#settings.onStoreRecovery, () => ({ message, duration }))
  }
}
