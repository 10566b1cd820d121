/**
 * What is known of each connection of `pg`. There is one record per connection, however many
 * adapters share it.
 */
import type { PgClient, PgNotice, PgPool } from './pg-client.js'

/**
 * Milliseconds for which a connection that has answered is taken to be alive. HikariCP uses the
 * same.
 */
const trustedFor = 500

/**
 * Milliseconds without traffic after which the operating system probes a connection (TCP
 * keep-alive).
 */
const keepAliveDelay = 10_000

type Warn = (message: string) => void

/** What the connections of a pool have in common. */
class Peers {
  /** When one of them was last found dead without having been closed. */
  doubtedAt = Number.NEGATIVE_INFINITY
}

export class Connection {
  /** The error that ended it. Nothing that is sent on it arrives. */
  ended: Error | undefined
  /** When it last answered (`performance.now()`). */
  aliveAt = performance.now()
  /** How often its pool has lent it. */
  loans = 0
  /** How many commits on it ended without the confirmation of a synchronous standby. */
  unconfirmed = 0
  readonly #peers: Peers
  #warn: Warn | undefined

  constructor(peers = new Peers()) {
    this.#peers = peers
  }

  /**
   * Whether it may be dead without having been closed: it has not been used for a while, or one of
   * its pool was found so.
   */
  isDoubtful(now: number): boolean {
    return now - this.aliveAt > trustedFor || this.aliveAt < this.#peers.doubtedAt
  }

  /** Called when it gave no answer: the other connections of its pool become doubtful. */
  doubtPeers(): void {
    this.#peers.doubtedAt = performance.now()
  }

  /** Calls back once when it ends: for a client that is not reported by a pool. */
  warnBy(warn: Warn): void {
    this.#warn ??= warn
  }

  /**
   * Adds the only listeners that this library has on a client, unless they are there. A team may
   * have removed them.
   */
  listenTo(client: PgClient): void {
    if (!client.listeners('error').includes(this.#onError)) client.on('error', this.#onError)
    if (!client.listeners('notice').includes(this.#onNotice)) client.on('notice', this.#onNotice)
  }

  readonly #onError = (error: Error): void => {
    this.ended ??= error
    this.#warn?.(lost(error))
    this.#warn = undefined
  }

  readonly #onNotice = ({ routine }: PgNotice): void => {
    // "The transaction has already committed locally, but might not have been replicated to the
    // standby."
    if (routine === 'SyncRepWaitForLSN') this.unconfirmed++
  }
}

const lost = (error: Error): string => `A connection to PostgreSQL was lost: ${error.message}.`

const connections = new WeakMap<PgClient, Connection>()

/** The record of a client's connection. The first call starts to listen to it. */
export function connectionOf(client: PgClient, peers?: Peers): Connection {
  const known = connections.get(client)
  if (known !== undefined) return known
  const made = new Connection(peers)
  connections.set(client, made)
  made.listenTo(client)
  return made
}

/** Listens to a client that the team made, from now on. */
export function watchClient(client: PgClient, warn: Warn): void {
  connectionOf(client).warnBy(warn)
}

const watched = new WeakMap<PgPool, Peers>()

/**
 * Listens to a pool and to each of its connections, from now on. The pool removes its own `error`
 * listener when it lends a connection, and emits `acquire` before that, so there is no moment
 * without a listener.
 */
export function watchPool(pool: PgPool, warn: Warn): void {
  if (watched.has(pool)) return
  const peers = new Peers()
  watched.set(pool, peers)
  pool.on('error', (error) => warn(lost(error)))
  pool.on('connect', (client) => {
    if (pool.options?.keepAlive === undefined) client.connection?.stream?.setKeepAlive?.(true, keepAliveDelay)
  })
  pool.on('acquire', (client) => {
    const connection = connectionOf(client, peers)
    connection.loans++
    connection.listenTo(client)
  })
  // It is not known when these last answered.
  for (const client of pool._clients ?? []) connectionOf(client, peers).aliveAt = Number.NEGATIVE_INFINITY
}

/**
 * Whether a pool lends its connections as `pg` does, the same to every caller. A team that overrides `connect`, or
 * listens to `acquire`, may prepare each loan for its caller, by `SET` for example: nothing of another caller may be
 * sent on it.
 */
export function lendsAlike(pool: PgPool): boolean {
  if (pool.listenerCount('acquire') > 1 || Object.hasOwn(pool, 'connect')) return false
  let known = alike.get(pool)
  if (known === undefined) {
    known = implementations(pool) === 1
    alike.set(pool, known)
  }
  return known
}

const alike = new WeakMap<PgPool, boolean>()

/** How many classes of a pool define `connect`. */
function implementations(pool: PgPool): number {
  let count = 0
  for (let at: object | null = pool; at !== null; at = Object.getPrototypeOf(at))
    if (Object.hasOwn(at, 'connect')) count += 1
  return count
}

/** Listens to a connection that the pool is making. */
export function watchConnecting(pool: PgPool, client: PgClient): void {
  connectionOf(client, watched.get(pool))
}
