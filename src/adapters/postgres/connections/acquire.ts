/** Acquires connections from a pool, checks them before use, and limits the time to connect. */

import { poolWaitChannel, Traced } from '../../../telemetry/channels.js'
import { PoolWaitMessage } from '../../../telemetry/messages.js'
import { deadline } from '../../../timeout.js'
import type { Wait } from './client.js'
import { connectionOf, watchConnecting } from './connections.js'
import { type DeadlineSemaphore, semaphoreOf } from './deadline-semaphore.js'
import { connectFailure, serverAt } from './driver-failures.js'
import { Busy } from './failures.js'
import type { PgClient, PgPool } from './pg-client.js'
import { callAbandoned, statementShare, timerFor, within } from './waits.js'

/**
 * A pool, and a semaphore with one place for each connection that the pool may have. A call takes a
 * place before it requests a connection. So the pool's own queue, which serves calls in the order
 * of arrival, stays empty, unless the service itself uses the pool too.
 */
export interface Lender {
  readonly pool: PgPool
  readonly semaphore: DeadlineSemaphore
}

export const lenderOf = (pool: PgPool): Lender => ({
  pool,
  semaphore: semaphoreOf(pool, pool.options?.max ?? Number.POSITIVE_INFINITY),
})

/**
 * Acquires a live connection from the pool. The caller returns it with `release`. Calls are served
 * by deadline, the earliest first. Rejects with `Exhausted` if no connection is free within `limit`
 * milliseconds, or within a share (`statementShare`) of the time that the call has left. If a
 * connection becomes free after that, it is returned to the pool at once. Rejects with `Cancelled`
 * if the caller no longer waits, and with `Busy` if the database can't be reached. A connection
 * that was idle for a while is checked before it is used.
 */
export function acquire(lender: Lender, wait: Wait, limit: number): Promise<PgClient> {
  const { pool, semaphore } = lender
  const left = wait.left()
  let watch: Traced<PoolWaitMessage> | undefined
  const begin = (waits: () => boolean): Promise<PgClient> => {
    const lend = async (): Promise<PgClient> => {
      try {
        const first = await connect(pool, limit)
        return isLive(first) ? first : await live(pool, first, limit, waits)
      } catch (error) {
        semaphore.release()
        throw error
      }
    }
    const turn = semaphore.acquire(left, waits)
    if (turn === undefined) return lend()
    watch = watchWait(semaphore)
    return turn.then(() => {
      watch?.end()
      watch = undefined
      return lend()
    })
  }
  const discard = (client: PgClient): void => release(lender, client, connectionOf(client).ended ?? false)
  const lent = within(wait, Math.min(limit, left * statementShare), begin, discard)
  if (watch === undefined) return lent
  return lent.catch((error: unknown) => {
    watch?.end({ error })
    throw error
  })
}

/** Reports on `poolWaitChannel` that a call waits for a place. */
function watchWait(semaphore: DeadlineSemaphore): Traced<PoolWaitMessage> | undefined {
  if (!poolWaitChannel.hasSubscribers) return undefined
  return new Traced(poolWaitChannel, new PoolWaitMessage(semaphore.places, semaphore.waiting)).begin()
}

/**
 * Gives a connection from `acquire` back to the pool. If `broken` is an error or true, the pool
 * closes the connection. Throws if the connection has already been released.
 */
export function release({ semaphore }: Lender, client: PgClient, broken: Error | boolean): void {
  try {
    client.release?.(broken)
  } finally {
    semaphore.release()
  }
}

/**
 * Requests a connection from the pool, and limits the time in which it must be established. Errors
 * that a retry might fix become `Busy`.
 */
function connect(pool: PgPool, limit: number): Promise<PgClient> {
  const connecting = pool.connect()
  boundConnecting(pool, limit)
  const { _clients: clients = [] } = pool
  const any = clients[clients.length - 1]
  return connecting.catch((error) => {
    throw connectFailure(error, serverAt(any ?? {}))
  })
}

function isLive(client: PgClient): boolean {
  const connection = connectionOf(client)
  return connection.ended === undefined && !connection.isDoubtful(performance.now())
}

/**
 * The maximum number of dead connections that one call of `acquire` replaces. A pool of `pg` drops
 * each dead connection. The limit is for other kinds of pools, which might return the same dead
 * connection again and again.
 */
const maxReplaced = 50

/**
 * Returns `first` if it is alive, and otherwise another live connection. If the caller no longer
 * waits, returns a connection without checking it, or throws if the connection is known to be dead.
 */
async function live(pool: PgPool, first: PgClient, limit: number, waits: () => boolean): Promise<PgClient> {
  let client = first
  for (let tries = 0; tries < maxReplaced; tries++) {
    const hasEnded = connectionOf(client).ended !== undefined
    if (!hasEnded && (!waits() || isLive(client) || (await checkAlive(client)))) return client
    giveBack(client, false)
    if (!waits()) throw callAbandoned()
    // A closed connection says nothing about the others, because each connection reports its own
    // end. But if this connection was dead without having been closed, the others may be dead too.
    if (!hasEnded) checkIdle(pool)
    client = await connect(pool, limit)
  }
  giveBack(client, true)
  throw new Busy('The pool returned only closed connections.')
}

function giveBack(client: PgClient, isAlive: boolean): void {
  client.release?.(isAlive ? undefined : (connectionOf(client).ended ?? new Error('The connection did not answer.')))
}

/**
 * Checks all idle connections of a pool at the same time. Called after one of them was found dead,
 * so that later requests do not check them one after the other. Live connections return to the
 * pool.
 */
function checkIdle(pool: PgPool): void {
  for (let idle = pool.idleCount; idle > 0; idle--) {
    pool.connect().then(
      async (client) => giveBack(client, isLive(client) || (await checkAlive(client))),
      // An error means that the pool has ended, or that no connection can be made. It is ignored,
      // because no caller waits for this connection.
      () => undefined,
    )
  }
}

/** The timeout of a check, in milliseconds. */
const checkTime = 1_000

/**
 * Whether the server responds to an empty statement within a second. If the event loop was blocked
 * when the time was up, the time limit starts again, but only once. A connection on which the
 * server does not respond is closed, and the other connections of its pool are marked as doubtful:
 * they are checked before their next use. Never rejects.
 */
function checkAlive(client: PgClient): Promise<boolean> {
  const connection = connectionOf(client)
  if (connection.ended !== undefined) return Promise.resolve(false)
  return new Promise((resolve) => {
    const cancel = deadline(checkTime, () => {
      connection.ended ??= new Error('PostgreSQL did not answer.')
      connection.doubtPeers()
      client.connection?.stream?.destroy()
      resolve(false)
    })
    const end = (isAlive: boolean): void => {
      cancel()
      if (isAlive) connection.aliveAt = performance.now()
      resolve(isAlive && connection.ended === undefined)
    }
    client.query('').then(
      () => end(true),
      () => end(false),
    )
  })
}

/** The connections that already have a connect timeout. */
const bounded = new WeakSet<object>()

/**
 * Watches the connections that the pool is making, and closes those that are not established in
 * time. A server may accept a connection and then send nothing. In a pool without
 * `connectionTimeoutMillis`, such a connection would otherwise occupy a place forever. Each
 * connection is closed by its own timer, and not by a later call of this function: once such
 * connections occupy all places, there is no later call.
 */
function boundConnecting(pool: PgPool, limit: number): void {
  for (const client of pool._clients ?? []) {
    if (client._connecting !== true || bounded.has(client)) continue
    bounded.add(client)
    watchConnecting(pool, client)
    const close = (): void => {
      if (client._connecting === true) client.connection?.stream?.destroy()
    }
    // Data that arrived while the event loop was blocked is read before the callback of
    // `setImmediate` runs. So a connection that was established in time is not closed.
    setTimeout(() => setImmediate(close), timerFor(limit)).unref()
  }
}
