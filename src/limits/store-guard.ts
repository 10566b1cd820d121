/**
 * A circuit breaker around stores that may be down, so that requests do not wait for them
 * repeatedly (LIMIT-1).
 */
import type { Awaitable } from '../adapters/contract.js'
import { causeText } from '../failures/line.js'
import { stated } from '../failures/stated.js'
import { notify } from '../notify.js'
import { storeFailureChannel } from '../telemetry/channels.js'
import type { StoreFailureMessage } from '../telemetry/messages.js'
import { deadline, withTimeout } from '../timeout.js'
import { inSeconds } from './duration.js'
import type { LimitStore, StoreOptions, StoreOutage, WindowCount } from './store.js'

/** The store did not count: it is down, or has just failed. */
export class StoreDown extends Error {
  override readonly name = 'StoreDown'
}

stated(StoreDown.prototype, 'redis-gone')

/** A guarded store, which rejects with `StoreDown` and nothing else. */
export interface GuardedStore {
  increment(key: string): Promise<WindowCount>
  decrement(key: string): Promise<void>
  resetKey(key: string): Promise<void>
  get(key: string): Promise<WindowCount | undefined>
}

/** The messages that a guard reports. */
export interface StoreMessages {
  readonly failed: string
  /** `time`: the duration of the outage, such as `12.3 seconds`. */
  readonly recovered: (time: string) => string
}

interface Guarded {
  readonly store: LimitStore
  readonly window: number
}

/**
 * Milliseconds from a failure to the first probe, short because the failure may have been a single
 * one.
 */
const firstPause = 50

/** Milliseconds between two probes of a store that stays down. */
const longestPause = 1000

/**
 * Milliseconds after which an unanswered probe is abandoned and the next one may start. The probe's
 * command may be lost for good on a half-open connection, so the next one must not wait for it. A
 * client that queues unsent commands collects one command per store in this time.
 */
const probeTimeout = 2000

/**
 * A circuit breaker around the stores of one limit. The first failure or timeout opens it: from
 * then on all calls, including pending ones, reject with `StoreDown` immediately. One probe at a
 * time tests the stores, soon at first and then about once a second. When they work again the
 * circuit closes. The failure and the recovery are reported once each.
 */
export class StoreGuard {
  readonly #stores: Guarded[] = []
  readonly #pending = new Set<() => void>()
  readonly #timeout: number
  readonly #onFailure: (error: unknown) => Awaitable<void>
  readonly #onRecovery: (outage: StoreOutage) => Awaitable<void>
  readonly #begun: Promise<void>[] = []
  readonly #whenUp: (() => void)[] = []
  #down = false
  #probes = 0
  #pause = firstPause
  #opened = 0
  #closed = Number.NEGATIVE_INFINITY

  constructor(
    private readonly messages: StoreMessages,
    {
      storeTimeout = 500,
      onStoreFailure = (error) => console.error(causeText(error)),
      onStoreRecovery = ({ message }) => console.error(message),
    }: StoreOptions,
  ) {
    this.#timeout = storeTimeout
    this.#onFailure = onStoreFailure
    this.#onRecovery = onStoreRecovery
  }

  /** Guards a store and initializes it. `window`: milliseconds. */
  add(store: LimitStore, window: number): GuardedStore {
    const guarded = { store, window }
    this.#stores.push(guarded)
    this.#begun.push(this.#call(() => initialize(guarded)).catch(() => {}))
    return {
      increment: (key) => this.#call(() => count(guarded, key)),
      decrement: (key) => this.#call(() => store.decrement(key)),
      resetKey: (key) => this.#call(() => store.resetKey(key)),
      get: (key) => this.#call(() => store.get?.(key)),
    }
  }

  #call<T>(work: () => Awaitable<T>): Promise<T> {
    if (this.#down) return Promise.reject(new StoreDown(down))
    return new Promise<T>((resolve, reject) => {
      const settle = (): boolean => {
        cancel()
        return this.#pending.delete(release)
      }
      const release = (): void => {
        settle()
        reject(new StoreDown(down))
      }
      const cancel = deadline(this.#timeout, () => {
        if (this.#pending.has(release)) this.#open(stated(new Error(`No answer in ${this.#timeout} ms.`), 'redis-gone'))
      })
      this.#pending.add(release)
      attempt(work).then(
        (value) => {
          if (settle()) resolve(value)
        },
        // A call that fails after it was abandoned does not show the current state of the store.
        (error) => {
          if (this.#pending.has(release)) this.#open(error)
        },
      )
    })
  }

  /**
   * Resolves when the stores work, or after `timeout` milliseconds. A service that awaits it counts
   * its first requests. Never rejects.
   */
  async ready(timeout: number): Promise<void> {
    await Promise.all(this.#begun)
    if (!this.#down) return
    const up = new Promise<void>((resolve) => this.#whenUp.push(resolve))
    await withTimeout(up, timeout, () => new StoreDown(down)).catch(() => {})
  }

  #open(cause: unknown): void {
    if (this.#down) return
    this.#down = true
    this.#opened = performance.now()
    // A store that fails again right after a recovery is probed at the long interval, so that a
    // flapping store is reported about once a second at most.
    if (this.#opened - this.#closed > longestPause) this.#pause = firstPause
    for (const release of [...this.#pending]) release()
    const message = this.messages.failed
    report({ state: 'failed', message, error: cause, duration: undefined })
    notify(this.#onFailure, () => stated(new Error(message, { cause }), 'redis-gone'))
    this.#probeLater()
  }

  #probeLater(): void {
    setTimeout(() => this.#probe(), this.#pause).unref()
    this.#pause = Math.min(this.#pause * 2, longestPause)
  }

  #close(): void {
    this.#down = false
    this.#closed = performance.now()
    for (const resolve of this.#whenUp.splice(0)) resolve()
    const duration = Math.round(this.#closed - this.#opened)
    const message = this.messages.recovered(inSeconds(Math.max(1, Math.round(duration / 100)) / 10))
    report({ state: 'recovered', message, error: undefined, duration })
    notify(this.#onRecovery, () => ({ message, duration }))
  }

  /**
   * Increments a counter in each store: a read-only replica would respond to reads, but can't
   * count.
   */
  #probe(): void {
    const probe = ++this.#probes
    const isCurrent = (): boolean => probe === this.#probes
    const end = (up: boolean): void => {
      if (!isCurrent()) return
      this.#probes++
      clearTimeout(late)
      if (up) this.#close()
      else this.#probeLater()
    }
    const began = performance.now()
    const late = setTimeout(end, Math.max(probeTimeout, this.#timeout), false).unref()
    Promise.all(this.#stores.map((guarded) => attempt(() => tryStore(guarded, isCurrent)))).then(
      // A response that takes longer than requests wait is of no use to them.
      () => end(performance.now() - began <= this.#timeout),
      () => end(false),
    )
  }
}

const report = (message: StoreFailureMessage): void => storeFailureChannel.publish(message)

const down = 'The store does not answer.'

/** Turns an exception into a rejection. */
const attempt = async <T>(work: () => Awaitable<T>): Promise<T> => work()

// RedisStore keeps the promise of its scripts: a rejected one stays rejected until `init` is called
// again.
const initialize = ({ store, window }: Guarded): Awaitable<void> => store.init?.({ windowMs: window })

/** Counts one. A store that returns no count did not count, and is treated as down. */
async function count({ store }: Guarded, key: string): Promise<WindowCount> {
  const hits: Partial<WindowCount> | null | undefined = await store.increment(key)
  const { totalHits } = hits ?? {}
  // A store in JavaScript may return null if there is no time.
  const resetTime = hits?.resetTime ?? undefined
  if (typeof totalHits !== 'number' || !(totalHits >= 1) || !(resetTime === undefined || resetTime instanceof Date)) {
    throw new Error(
      'The store returned an invalid result of increment(). It must return { totalHits, resetTime }: a number of ' +
        'at least 1, and a Date or undefined.',
    )
  }
  return { totalHits, resetTime }
}

/** `isCurrent`: false once the probe is abandoned, which then sends no more commands. */
async function tryStore(guarded: Guarded, isCurrent: () => boolean): Promise<void> {
  await initialize(guarded)
  if (!isCurrent()) return
  await count(guarded, probeKey)
  if (!isCurrent()) return
  await guarded.store.resetKey(probeKey)
}

/** A key that no address or principal has. */
const probeKey = 'probe'
