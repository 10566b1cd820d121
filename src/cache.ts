/**
 * Caches of computed results. The caches that `service.caches()` counts are created here, each with
 * a name, a bound (its maximum size), an owner and counters. docs/performance.md has a table with a
 * row for each cache.
 */

import { cacheChannel } from './telemetry/channels.js'
import type { CacheMessage } from './telemetry/messages.js'

/** The names of the caches, with the unit and the default of each bound. */
export const cacheKinds = Object.freeze({
  /** Frozen copies of records. */
  records: { unit: 'characters', bound: 32 * 2 ** 20 },
  /** Rendered items. */
  items: { unit: 'characters', bound: 32 * 2 ** 20 },
  /** Rendered pages. */
  pages: { unit: 'characters', bound: 16 * 2 ** 20 },
  /** Digests of a base URL, a format and expansions, for entity tags. */
  views: { unit: 'entries', bound: 100 },
  /** Digests of the records that items link to. */
  'link-digests': { unit: 'entries', bound: 4_000 },
  /** Parsed list queries. */
  'list-queries': { unit: 'entries', bound: 400 },
  /** Parsed values of `sort`. */
  sorts: { unit: 'entries', bound: 60 },
  /** Records that the PostgreSQL adapter decoded. */
  rows: { unit: 'characters', bound: 32 * 2 ** 20 },
  /** Media types chosen for values of `Accept`. */
  accept: { unit: 'entries', bound: 400 },
  /** Validators for updates of records whose stored version violates the schema. */
  'lenient-validators': { unit: 'entries', bound: 50 },
  /** The CORS header fields for each origin. */
  origins: { unit: 'entries', bound: 400 },
  /** The `RateLimit-Policy` field for each caller. */
  policies: { unit: 'entries', bound: 2_000 },
  /** Verified tokens. */
  tokens: { unit: 'entries', bound: 1_000 },
  /** Prepared keys for the verification of tokens. */
  keys: { unit: 'entries', bound: 200 },
  /** OpenAPI documents as bytes. */
  documents: { unit: 'bytes', bound: 64 * 2 ** 20 },
  /** OpenAPI documents as objects, from which docs pages are rendered. */
  'docs-subjects': { unit: 'entries', bound: 10 },
  /** Docs pages, and the files that they load. */
  'docs-files': { unit: 'bytes', bound: 8 * 2 ** 20 },
} as const)

/** The name of a cache. */
export type CacheName = keyof typeof cacheKinds

/** The contents and counters of one cache. Caches with the same name are counted together. */
export interface CacheCount {
  /** The name of the cache's row in docs/performance.md. */
  readonly name: CacheName
  /** Number of cached results. */
  readonly entries: number
  /** The size of all cached results, in the unit of the cache: entries, characters or bytes. */
  readonly size: number
  /** The maximum of `size`; 0 if caches are disabled. */
  readonly bound: number
  /** Lookups that found a result. */
  readonly hits: number
  /** Lookups that found no result. */
  readonly misses: number
  /** Results removed because the bound was reached. */
  readonly evictions: number
}

interface Entry<V> {
  value: V
  size: number
  /** Whether the entry was read since the hand (see `Cache`) last passed it. */
  used: boolean
}

/** The counts of lookups that are not published yet. */
const lookups = new Map<CacheName, { hits: number; misses: number }>()

/**
 * Counts a lookup for the diagnostics channel. For a page, each row is looked up separately. The
 * counts are therefore published together in a microtask, with one message for each cache. The
 * microtask runs in the async context of the request.
 */
function countLookup(cache: CacheName, isHit: boolean): void {
  if (lookups.size === 0) queueMicrotask(publishLookups)
  let counts = lookups.get(cache)
  if (counts === undefined) {
    counts = { hits: 0, misses: 0 }
    lookups.set(cache, counts)
  }
  if (isHit) counts.hits += 1
  else counts.misses += 1
}

function publishLookups(): void {
  const all = [...lookups]
  lookups.clear()
  for (const [cache, { hits, misses }] of all) cacheChannel.publish({ cache, hits, misses } satisfies CacheMessage)
}

/**
 * A map that evicts entries when it is full, by the CLOCK algorithm (second chance). While the
 * cache is too large, a hand moves from the oldest entry to the newest, and then starts again with
 * the oldest. The hand keeps each entry that was read since its last pass, and evicts the other
 * entries. A hit costs one lookup in a `Map`.
 */
export class Cache<K, V> {
  readonly #name: CacheName
  readonly #sizeOf: (value: V) => number
  readonly #entries = new Map<K, Entry<V>>()
  #hand = this.#entries.entries()
  #bound: number
  #size = 0
  #hits = 0
  #misses = 0
  #evictions = 0

  constructor(name: CacheName, bound: number, sizeOf: (value: V) => number) {
    this.#name = name
    this.#bound = bound
    this.#sizeOf = sizeOf
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    if (cacheChannel.hasSubscribers) countLookup(this.#name, entry !== undefined)
    if (entry === undefined) {
      this.#misses += 1
      return undefined
    }
    this.#hits += 1
    entry.used = true
    return entry.value
  }

  /** Stores a value, unless it is larger than the bound. */
  set(key: K, value: V): void {
    const size = this.#sizeOf(value)
    if (size > this.#bound) {
      this.delete(key)
      return
    }
    const known = this.#entries.get(key)
    this.#size += size - (known?.size ?? 0)
    if (known === undefined) this.#entries.set(key, { value, size, used: false })
    else {
      known.value = value
      known.size = size
    }
    while (this.#size > this.#bound) this.#turn()
  }

  delete(key: K): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#size -= entry.size
  }

  /** Removes all entries. No entries are stored from now on. */
  disable(): void {
    this.#bound = 0
    this.#size = 0
    this.#entries.clear()
  }

  count(): CacheCount {
    return {
      name: this.#name,
      entries: this.#entries.size,
      size: this.#size,
      bound: this.#bound,
      hits: this.#hits,
      misses: this.#misses,
      evictions: this.#evictions,
    }
  }

  /**
   * Moves the hand by one entry. The hand is an iterator of the map. It also visits entries that
   * are added after the iterator was created.
   */
  #turn(): void {
    const { done, value } = this.#hand.next()
    if (done) {
      this.#hand = this.#entries.entries()
      return
    }
    const [key, entry] = value
    if (entry.used) {
      entry.used = false
      return
    }
    this.#entries.delete(key)
    this.#size -= entry.size
    this.#evictions += 1
  }
}

interface CacheOptions<V> {
  /** Default: the bound in `cacheKinds`. */
  readonly bound?: number
  /** Returns the size of a value, in the unit of the bound. Default: 1. */
  readonly sizeOf?: (value: V) => number
}

/** An object that owns caches, which can be counted and disabled. */
export interface CacheOwner {
  counts(): readonly CacheCount[]
  disable(): void
}

/**
 * The caches of one owner: a service, a middleware or an adapter. No other code reads or fills
 * them.
 */
export class Caches implements CacheOwner {
  readonly #made: { count(): CacheCount; disable(): void }[] = []
  readonly #included: CacheOwner[] = []
  #on: boolean

  constructor(on = true) {
    this.#on = on
  }

  /** False if the caches are disabled. */
  get on(): boolean {
    return this.#on
  }

  /** The counters, one row for each name that has a cache, in the order of `cacheKinds`. */
  counts(): readonly CacheCount[] {
    const all = [...this.#made.map((made) => made.count()), ...this.#included.flatMap((others) => others.counts())]
    const names = Object.keys(cacheKinds) as CacheName[]
    return names.flatMap((name) => {
      const [first, ...others] = all.filter((count) => count.name === name)
      return first === undefined ? [] : [others.reduce(sum, first)]
    })
  }

  make<K, V>(name: CacheName, { bound = cacheKinds[name].bound, sizeOf = one }: CacheOptions<V> = {}): Cache<K, V> {
    const made = new Cache<K, V>(name, this.#on ? bound : 0, sizeOf)
    this.#made.push(made)
    return made
  }

  /**
   * Makes `counts()` and `disable()` include the caches of a middleware or an adapter that the
   * owner uses. If the owner's caches are already disabled, the included caches are disabled at
   * once.
   */
  include(others: CacheOwner | undefined): void {
    if (others === undefined || this.#included.includes(others)) return
    if (!this.#on) others.disable()
    this.#included.push(others)
  }

  disable(): void {
    this.#on = false
    for (const made of [...this.#made, ...this.#included]) made.disable()
  }
}

const one = (): number => 1

/**
 * A symbol that all copies of the library share, because a middleware or an adapter may come from
 * another copy.
 */
const owned = Symbol.for('express-rest-conventions.caches')

/** Attaches caches to a middleware or an adapter, which is returned. */
export function owning<M extends object>(middleware: M, caches: CacheOwner): M {
  return Object.defineProperty(middleware, owned, { value: caches })
}

/** The caches attached to a middleware or an adapter. */
export function cachesOf(middleware: object | undefined): CacheOwner | undefined {
  return (middleware as { readonly [owned]?: CacheOwner } | undefined)?.[owned]
}

const sum = (a: CacheCount, b: CacheCount): CacheCount => ({
  name: a.name,
  entries: a.entries + b.entries,
  size: a.size + b.size,
  bound: a.bound + b.bound,
  hits: a.hits + b.hits,
  misses: a.misses + b.misses,
  evictions: a.evictions + b.evictions,
})
