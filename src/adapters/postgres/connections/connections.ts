/**
 * The state of each connection of `pg`. There is one `Connection` object per connection, and all
 * adapters that use the connection share it.
 */
import type { PgClient, PgNotice, PgPool } from './pg-client.js'

/**
 * How long a connection is assumed to be alive after a response of the server, in milliseconds. The
 * connection pool HikariCP uses the same value.
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
  /** When a connection of the pool was last found dead without having been closed. */
  doubtedAt = Number.NEGATIVE_INFINITY
}

export class Connection {
  /** The error that ended the connection. Once it is set, the connection can't be used any more. */
  ended: Error | undefined
  /** When the server last responded, as far as is known, as a time of `performance.now()`. */
  aliveAt = performance.now()
  /** How many times the pool has handed out the connection. */
  checkouts = 0
  /** The number of commits on this connection that no synchronous standby has confirmed. */
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
   * Marks the other connections of the pool as possibly dead. Must be called when the server has
   * not responded on this connection.
   */
  doubtPeers(): void {
    this.#peers.doubtedAt = performance.now()
  }

  /**
   * Sets the function that is called once, when the connection ends. Used for a single client that
   * the service passes to the adapter. For a pool, the adapter listens to the `error` event of the
   * pool instead.
   */
  warnBy(warn: Warn): void {
    this.#warn ??= warn
  }

  /**
   * Adds the library's listeners to a client, unless the client has them already. The service may
   * have removed them since the last call.
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
    // The routine `SyncRepWaitForLSN` sends the notice "The transaction has already committed
    // locally, but might not have been replicated to the standby."
    if (routine === 'SyncRepWaitForLSN') this.unconfirmed++
  }
}

const lost = (error: Error): string => `A connection to PostgreSQL was lost: ${error.message}.`

const connections = new WeakMap<PgClient, Connection>()

/** Returns the `Connection` of a client. The first call for a client adds the listeners. */
export function connectionOf(client: PgClient, peers?: Peers): Connection {
  const known = connections.get(client)
  if (known !== undefined) return known
  const made = new Connection(peers)
  connections.set(client, made)
  made.listenTo(client)
  return made
}

/** Starts listening to a client that the service has created. */
export function watchClient(client: PgClient, warn: Warn): void {
  connectionOf(client).warnBy(warn)
}

const watched = new WeakMap<PgPool, Peers>()

/**
 * Starts listening to a pool and to each of its connections. When the pool hands out a connection,
 * the pool removes its own `error` listener from the connection. Before that, the pool emits
 * `acquire`, and the library adds its listener. So the connection always has an `error` listener.
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
  // These connections existed before. It is not known when the server last responded on them.
  for (const client of pool._clients ?? []) connectionOf(client, peers).aliveAt = Number.NEGATIVE_INFINITY
}

/**
 * Whether a pool hands out its connections in the same state to every caller, as a plain pool of
 * `pg` does. A service that overrides `connect`, or listens to `acquire`, may prepare a connection
 * for one caller, for example with `SET`. Statements of other callers must not be sent on such a
 * connection.
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

/**
 * Counts how many objects in the prototype chain of a pool, including the pool itself, define
 * `connect`.
 */
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
