/** Stores that may be down: nobody waits for them, one hears of it, and they come back by themselves (LIMIT-1). */
import type { Answer } from '../adapters/contract.js'
import { deadline } from './deadline.js'
import type { Hits, LimitStore, StoreOptions } from './store.js'

/** The store did not count: it is down, or has just failed. */
export class StoreDown extends Error {
  override readonly name = 'StoreDown'
}

/** A guarded store, which rejects with `StoreDown` and nothing else. */
export interface GuardedStore {
  increment(key: string): Promise<Hits>
  decrement(key: string): Promise<void>
  resetKey(key: string): Promise<void>
  get(key: string): Promise<Hits | undefined>
}

interface Guarded {
  readonly store: LimitStore
  readonly window: number
}

/** Milliseconds from a failure to the first look: it may have been a hiccup. */
const firstPause = 50

/** Milliseconds between two looks at a store that stays down. */
const longestPause = 1000

/**
 * Milliseconds after which one look that nothing came of makes room for the next: a client that queues what it can't send would otherwise gather a look a second for as long
 * as its server is away.
 */
const forlorn = 30_000

/**
 * A circuit breaker around the stores of one limit. The first failure, or answer that does not come in time, opens it: then everybody is told `StoreDown` at once, those
 * who wait too, and only the guard looks at the stores, soon at first and then once a second. When they count again it closes. `news` is what the report says.
 */
export class StoreGuard {
  readonly #stores: Guarded[] = []
  readonly #waiting = new Set<() => void>()
  readonly #timeout: number
  readonly #report: (error: unknown) => Answer<void>
  readonly #begun: Promise<void>[] = []
  readonly #whenUp: (() => void)[] = []
  #down = false
  #looks = 0
  #pause = firstPause
  #closed = Number.NEGATIVE_INFINITY

  constructor(
    private readonly news: string,
    { storeTimeout = 500, onStoreFailure = (error) => console.error(error) }: StoreOptions,
  ) {
    this.#timeout = storeTimeout
    this.#report = onStoreFailure
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

  #ask<T>(work: () => Answer<T>): Promise<T> {
    if (this.#down) return Promise.reject(new StoreDown(down))
    return new Promise<T>((resolve, reject) => {
      const settle = (): boolean => {
        takeBack()
        return this.#waiting.delete(release)
      }
      const release = (): void => {
        settle()
        reject(new StoreDown(down))
      }
      const takeBack = deadline(this.#timeout, () => {
        if (this.#waiting.has(release)) this.#open(new Error(`No answer in ${this.#timeout} ms.`))
      })
      this.#waiting.add(release)
      attempt(work).then(
        (value) => {
          if (settle()) resolve(value)
        },
        // What fails after it was given up says nothing of the store as it is now.
        (error) => {
          if (this.#waiting.has(release)) this.#open(error)
        },
      )
    })
  }

  /** Resolves when the stores count, or after `patience` milliseconds: who waits for it before the first request counts that one too. Never rejects. */
  async ready(patience: number): Promise<void> {
    await Promise.all(this.#begun)
    if (!this.#down) return
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, patience)
      this.#whenUp.push(() => {
        clearTimeout(late)
        resolve()
      })
    })
  }

  #open(cause: unknown): void {
    if (this.#down) return
    this.#down = true
    // A store that comes and goes is looked at as one that stays away, so that nobody is told of it more than once a second.
    if (Date.now() - this.#closed > longestPause) this.#pause = firstPause
    for (const release of [...this.#waiting]) release()
    attempt(() => this.#report(new Error(this.news, { cause }))).catch(() => {})
    this.#lookLater()
  }

  #lookLater(): void {
    setTimeout(() => this.#look(), this.#pause).unref()
    this.#pause = Math.min(this.#pause * 2, longestPause)
  }

  #close(): void {
    this.#down = false
    this.#closed = Date.now()
    for (const tell of this.#whenUp.splice(0)) tell()
  }

  /** One look at all stores, as real as a request's: a replica that may only be read answers, and counts nothing. */
  #look(): void {
    const look = ++this.#looks
    const over = (up: boolean): void => {
      if (look !== this.#looks) return
      this.#looks++
      clearTimeout(late)
      if (up) this.#close()
      else this.#lookLater()
    }
    const began = Date.now()
    const late = setTimeout(over, forlorn, false).unref()
    Promise.all(this.#stores.map((guarded) => attempt(() => probe(guarded)))).then(
      // It does answer, though too late to be of use: look again.
      () => over(Date.now() - began <= this.#timeout),
      () => over(false),
    )
  }
}

const down = 'The store does not answer.'

/** What throws at once rejects as well. */
const attempt = async <T>(work: () => Answer<T>): Promise<T> => work()

// RedisStore keeps the promise of its scripts: one that was rejected stays so until `init` is called again.
const initialize = ({ store, window }: Guarded): Answer<void> => store.init?.({ windowMs: window })

/** Counts one. A store that answers with no count has not counted: it is down like one that fails. */
async function count({ store }: Guarded, key: string): Promise<Hits> {
  const hits: Partial<Hits> | null | undefined = await store.increment(key)
  const { totalHits } = hits ?? {}
  // Without types, a store may well say null for no time.
  const resetTime = hits?.resetTime ?? undefined
  if (typeof totalHits !== 'number' || !(totalHits >= 1) || !(resetTime === undefined || resetTime instanceof Date)) {
    throw new Error(
      'The store answered increment() with something else than { totalHits, resetTime }: a number from 1 on, and a Date or nothing.',
    )
  }
  return { totalHits, resetTime }
}

async function probe(guarded: Guarded): Promise<void> {
  await initialize(guarded)
  await count(guarded, probeKey)
  await guarded.store.resetKey(probeKey)
}

/** No key of an address or a principal equals it. */
const probeKey = 'probe'
