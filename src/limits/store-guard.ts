/** A circuit breaker around stores that may be down: no request waits for one twice (LIMIT-1). */
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

/** What a guard reports. */
export interface StoreMessages {
  readonly failed: string
  /** `time`: how long the store did not count, such as `12.3 seconds`. */
  readonly recovered: (time: string) => string
}

interface Guarded {
  readonly store: LimitStore
  readonly window: number
}

/** Milliseconds from a failure to the first probe: the failure may have been a single one. */
const firstPause = 50

/** Milliseconds between two probes of a store that stays down. */
const longestPause = 1000

/**
 * Milliseconds after which a probe without an answer is given up and the next one may begin. The
 * command of a probe may be lost for good on a half-open connection, so the next one must not wait
 * for it. A client that queues what it can't send gathers one command of each store in this time.
 */
const probeTimeout = 2000

/**
 * A circuit breaker around the stores of one limit. The first failure, or answer that does not come
 * in time, opens it: from then on each call rejects with `StoreDown` at once, also those that wait.
 * One probe at a time looks at the stores, soon at first and then about once a second. When they
 * count again the circuit closes. The failure and the recovery are reported once each.
 */
export class StoreGuard {
  readonly #stores: Guarded[] = []
  readonly #waiting = new Set<() => void>()
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
    this.#begun.push(this.#ask(() => initialize(guarded)).catch(() => {}))
    return {
      increment: (key) => this.#ask(() => count(guarded, key)),
      decrement: (key) => this.#ask(() => store.decrement(key)),
      resetKey: (key) => this.#ask(() => store.resetKey(key)),
      get: (key) => this.#ask(() => store.get?.(key)),
    }
  }

  #ask<T>(work: () => Awaitable<T>): Promise<T> {
    if (this.#down) return Promise.reject(new StoreDown(down))
    return new Promise<T>((resolve, reject) => {
      const settle = (): boolean => {
        cancel()
        return this.#waiting.delete(release)
      }
      const release = (): void => {
        settle()
        reject(new StoreDown(down))
      }
      const cancel = deadline(this.#timeout, () => {
        if (this.#waiting.has(release)) this.#open(stated(new Error(`No answer in ${this.#timeout} ms.`), 'redis-gone'))
      })
      this.#waiting.add(release)
      attempt(work).then(
        (value) => {
          if (settle()) resolve(value)
        },
        // A call that fails after it was given up says nothing about the store as it is now.
        (error) => {
          if (this.#waiting.has(release)) this.#open(error)
        },
      )
    })
  }

  /**
   * Resolves when the stores count, or after `timeout` milliseconds, so that a service which waits
   * for it counts its first requests. Never rejects.
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
    // A store that fails again right after a recovery is probed as one that stays down, so that a
    // flapping store is not reported more than about once a second.
    if (this.#opened - this.#closed > longestPause) this.#pause = firstPause
    for (const release of [...this.#waiting]) release()
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
    for (const tell of this.#whenUp.splice(0)) tell()
    const duration = Math.round(this.#closed - this.#opened)
    const message = this.messages.recovered(inSeconds(Math.max(1, Math.round(duration / 100)) / 10))
    report({ state: 'recovered', message, error: undefined, duration })
    notify(this.#onRecovery, () => ({ message, duration }))
  }

  /** Counts once in each store: a replica that may only be read answers, and counts nothing. */
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
      // An answer that comes later than requests wait is of no use to them.
      () => end(performance.now() - began <= this.#timeout),
      () => end(false),
    )
  }
}

const report = (message: StoreFailureMessage): void => storeFailureChannel.publish(message)

const down = 'The store does not answer.'

/** Turns an exception into a rejection. */
const attempt = async <T>(work: () => Awaitable<T>): Promise<T> => work()

// RedisStore keeps the promise of its scripts: one that was rejected stays so until `init` is called again.
const initialize = ({ store, window }: Guarded): Awaitable<void> => store.init?.({ windowMs: window })

/**
 * Counts one. A store that answers without a count has not counted, and is as down as one that
 * fails.
 */
async function count({ store }: Guarded, key: string): Promise<WindowCount> {
  const hits: Partial<WindowCount> | null | undefined = await store.increment(key)
  const { totalHits } = hits ?? {}
  // A store in JavaScript may give null where there is no time.
  const resetTime = hits?.resetTime ?? undefined
  if (typeof totalHits !== 'number' || !(totalHits >= 1) || !(resetTime === undefined || resetTime instanceof Date)) {
    throw new Error(
      'The store answered increment() with something else than { totalHits, resetTime }: a number from 1 on, and a Date or nothing.',
    )
  }
  return { totalHits, resetTime }
}

/** `isCurrent`: false once the probe is given up, which then sends no more commands. */
async function tryStore(guarded: Guarded, isCurrent: () => boolean): Promise<void> {
  await initialize(guarded)
  if (!isCurrent()) return
  await count(guarded, probeKey)
  if (!isCurrent()) return
  await guarded.store.resetKey(probeKey)
}

/** No key of an address or a principal equals it. */
const probeKey = 'probe'
