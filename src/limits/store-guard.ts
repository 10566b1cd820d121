/**
 * A circuit breaker around stores, so that requests do not wait again and again for a store that is
 * down (LIMIT-1).
 */
import type { Awaitable } from '../adapters/contract.js'
import { causeText } from '../failures/line.js'
import { loggable } from '../failures/loggable.js'
import { notify } from '../notify.js'
import { storeFailureChannel } from '../telemetry/channels.js'
import type { StoreFailureMessage } from '../telemetry/messages.js'
import { deadline, withTimeout } from '../timeout.js'
import { inSeconds } from './duration.js'
import type { LimitStore, StoreOptions, StoreOutage, WindowCount } from './store.js'

/** The store failed, did not respond in time, or is treated as down. */
export class StoreDown extends Error {
  override readonly name = 'StoreDown'
}

loggable(StoreDown.prototype, 'redis-gone')

/** A guarded store. It rejects only with `StoreDown`. */
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
 * The pause between a failure and the first probe, in milliseconds. The pause is short, so that a
 * single failed command causes only a short outage. After a recent recovery, the pause may be
 * longer.
 */
const firstPause = 50

/** The longest pause between two probes of a store that stays down, in milliseconds. */
const maxPause = 1000

/**
 * Milliseconds after which a probe without a response is abandoned. If `storeTimeout` is longer, it
 * applies instead. The command of the abandoned probe may be lost forever on a half-open
 * connection, so the next probe must not wait for it. With a much shorter timeout, more probes
 * would be sent, and a disconnected store client may queue the commands of all of them.
 */
const probeTimeout = 2000

/**
 * A circuit breaker around the stores of one limit. The first failure or timeout opens the circuit.
 * From then on, all calls, including pending calls, reject with `StoreDown` immediately. Meanwhile,
 * probes test the stores, one probe at a time. The pauses before the probes grow from 50
 * milliseconds to one second. When the stores work again, the circuit closes. The failure and the
 * recovery are each reported once.
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

  /** Guards a store and starts to initialize it. `window` is in milliseconds. */
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
        if (this.#pending.has(release))
          this.#open(loggable(new Error(`No response within ${this.#timeout} ms.`), 'redis-gone'))
      })
      this.#pending.add(release)
      attempt(work).then(
        (value) => {
          if (settle()) resolve(value)
        },
        // A call that fails after it was abandoned says nothing about the current state of the
        // store.
        (error) => {
          if (this.#pending.has(release)) this.#open(error)
        },
      )
    })
  }

  /**
   * Resolves when the initialization of all stores has ended. If the stores are down at that time,
   * this promise first waits at most `timeout` milliseconds for their recovery. It never rejects.
   * If a service does not wait for this promise, its first requests may remain uncounted.
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
    // If a store fails again right after a recovery, the pauses before its probes continue to grow.
    // When the pauses have reached one second, a store that keeps failing and recovering is
    // reported only about once a second.
    if (this.#opened - this.#closed > maxPause) this.#pause = firstPause
    for (const release of [...this.#pending]) release()
    const message = this.messages.failed
    report({ state: 'failed', message, error: cause, duration: undefined })
    notify(this.#onFailure, () => loggable(new Error(message, { cause }), 'redis-gone'))
    this.#probeLater()
  }

  #probeLater(): void {
    setTimeout(() => this.#probe(), this.#pause).unref()
    this.#pause = Math.min(this.#pause * 2, maxPause)
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
   * Tests all stores. A probe increments a counter in each store, because a read-only replica would
   * respond to reads, but can't count.
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
      // If the responses took longer than the timeout, the stores are still treated as down,
      // because requests do not wait that long.
      () => end(performance.now() - began <= this.#timeout),
      () => end(false),
    )
  }
}

const report = (message: StoreFailureMessage): void => storeFailureChannel.publish(message)

const down = 'The store does not respond.'

/** Turns an exception into a rejection. */
const attempt = async <T>(work: () => Awaitable<T>): Promise<T> => work()

// RedisStore caches a promise that resolves when its scripts are loaded. If that promise was
// rejected, it stays rejected until `init` is called again.
const initialize = ({ store, window }: Guarded): Awaitable<void> => store.init?.({ windowMs: window })

/**
 * Counts one request. Rejects if the store returns an invalid count. The store is then treated as
 * down.
 */
async function count({ store }: Guarded, key: string): Promise<WindowCount> {
  const hits: Partial<WindowCount> | null | undefined = await store.increment(key)
  const { totalHits } = hits ?? {}
  // A store that is written in JavaScript may return null if it has no reset time.
  const resetTime = hits?.resetTime ?? undefined
  if (typeof totalHits !== 'number' || !(totalHits >= 1) || !(resetTime === undefined || resetTime instanceof Date)) {
    throw new Error(
      'The store returned an invalid result of increment(). It must return { totalHits, resetTime }: a number of ' +
        'at least 1, and a Date or undefined.',
    )
  }
  return { totalHits, resetTime }
}

/**
 * Tests one store. `isCurrent` returns false after the probe was abandoned. The probe then sends no
 * more commands.
 */
async function tryStore(guarded: Guarded, isCurrent: () => boolean): Promise<void> {
  await initialize(guarded)
  if (!isCurrent()) return
  await count(guarded, probeKey)
  if (!isCurrent()) return
  await guarded.store.resetKey(probeKey)
}

/** A key that is never used for an IP address or a principal. */
const probeKey = 'probe'
