/**
 * The state of each connection of `pg`. There is one record per connection, shared by all adapters
 * that use it.
 */
import type { PgClient, PgNotice, PgPool } from './pg-client.js'

/**
 * Milliseconds for which a connection that has answered is assumed to be alive. HikariCP uses the
 * same value.
 */
const trustedFor = 500

/**
 * Milliseconds without traffic after which the operating system probes a connection (TCP
 * keep-alive).
 */
const keepAliveDelay = 10_000

type Warn = (message: string) => void

/** The shared state of the connections of a pool. */
class Peers {
  /** When one of them was last found dead without having been closed. */
  doubtedAt = Number.NEGATIVE_INFINITY
}

export class Connection {
  /** The error that ended the connection. It can't be used any more. */
  ended: Error | undefined
  /** When it last answered (`performance.now()`). */
  aliveAt = performance.now()
  /** The number of times that its pool has handed it out. */
  checkouts = 0
  /** The number of commits on it that no synchronous standby has confirmed. */
  unconfirmed = 0
  readonly #peers: Peers
  #warn: Warn | undefined

  constructor(peers = new Peers()) {
    this.#peers = peers
  }

  /**
   * Whether the connection may be dead without having been closed: it was idle for a while, or
   * another connection of its pool was found dead.
   */
  isDoubtful(now: number): boolean {
    return now - this.aliveAt > trustedFor || this.aliveAt < this.#peers.doubtedAt
  }

  /**
   * Called when the connection did not answer: the other connections of its pool become doubtful.
   */
  doubtPeers(): void {
    this.#peers.doubtedAt = performance.now()
  }

  /**
   * Calls `warn` once when the connection ends. For clients outside of a pool, which would report
   * it.
   */
  warnBy(warn: Warn): void {
    this.#warn ??= warn
  }

  /**
   * Adds the library's listeners to a client, unless they are present. The team may have removed
   * them.
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

/** The record of a client's connection. The first call adds the listeners. */
export function connectionOf(client: PgClient, peers?: Peers): Connection {
  const known = connections.get(client)
  if (known !== undefined) return known
  const made = new Connection(peers)
  connections.set(client, made)
  made.listenTo(client)
  return made
}

/** Starts listening to a client that the team made. */
export function watchClient(client: PgClient, warn: Warn): void {
  connectionOf(client).warnBy(warn)
}

const watched = new WeakMap<PgPool, Peers>()

/**
 * Starts listening to a pool and to each of its connections. When the pool hands out a connection
 * it removes its own `error` listener from it, and emits `acquire` before that. So there is always
 * a listener.
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
    connection.checkouts++
    connection.listenTo(client)
  })
  // When these connections last answered is not known.
  for (const client of pool._clients ?? []) connectionOf(client, peers).aliveAt = Number.NEGATIVE_INFINITY
}

/**
 * Whether a pool hands out its connections as `pg` does, in the same state for every caller. A team
 * that overrides `connect`, or listens to `acquire`, may prepare the connection for its caller, for
 * example with `SET`. Statements of other callers must not be sent on such a connection.
 */
export function hasUniformConnections(pool: PgPool): boolean {
  if (pool.listenerCount('acquire') > 1 || Object.hasOwn(pool, 'connect')) return false
  let known = alike.get(pool)
  if (known === undefined) {
    known = implementations(pool) === 1
    alike.set(pool, known)
  }
  return known
}

const alike = new WeakMap<PgPool, boolean>()

/** The number of classes of a pool that define `connect`. */
function implementations(pool: PgPool): number {
  let count = 0
  for (let at: object | null = pool; at !== null; at = Object.getPrototypeOf(at))
    if (Object.hasOwn(at, 'connect')) count += 1
  return count
}

/** Starts listening to a connection that the pool is making. */
export function watchConnecting(pool: PgPool, client: PgClient): void {
  connectionOf(client, watched.get(pool))
}
