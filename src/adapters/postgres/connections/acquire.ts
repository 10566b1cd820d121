/** Acquires connections of a pool: checks them before use, and bounds the time to connect. */

import { poolWaitChannel, Traced } from '../../../telemetry/channels.js'
import { PoolWaitMessage } from '../../../telemetry/messages.js'
import { deadline } from '../../../timeout.js'
import type { Wait } from './client.js'
import { connectionOf, watchConnecting } from './connections.js'
import { connectFailure, serverAt } from './driver-failures.js'
import { Busy } from './failures.js'
import type { PgClient, PgPool } from './pg-client.js'
import { type Turns, turnsOf } from './turns.js'
import { callAbandoned, statementShare, timerFor, within } from './waits.js'

/**
 * A pool, and a turn for each of its connections. A call takes a turn before it requests a
 * connection, so the pool's own queue, which serves in the order of arrival, stays empty.
 */
export interface Lender {
  readonly pool: PgPool
  readonly turns: Turns
}

export const lenderOf = (pool: PgPool): Lender => ({
  pool,
  turns: turnsOf(pool, pool.options?.max ?? Number.POSITIVE_INFINITY),
})

/**
 * Acquires a live connection of the pool. Calls are served by deadline, the earliest first.
 * `release` returns the connection. Throws `Busy` if none is free within `limit` milliseconds; a
 * connection that arrives later is returned to the pool at once. A connection that was idle for a
 * while is checked first.
 */
export function acquire(lender: Lender, wait: Wait, limit: number): Promise<PgClient> {
  const { pool, turns } = lender
  const left = wait.left()
  let watch: Traced<PoolWaitMessage> | undefined
  const begin = (waits: () => boolean): Promise<PgClient> => {
    const lend = async (): Promise<PgClient> => {
      try {
        const first = await connect(pool, limit)
        return isLive(first) ? first : await live(pool, first, limit, waits)
      } catch (error) {
        turns.give()
        throw error
      }
    }
    const turn = turns.take(left, waits)
    if (turn === undefined) return lend()
    watch = watchWait(turns)
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

/** Reports to subscribers of the channel that a call waits for its turn. */
function watchWait(turns: Turns): Traced<PoolWaitMessage> | undefined {
  if (!poolWaitChannel.hasSubscribers) return undefined
  return new Traced(poolWaitChannel, new PoolWaitMessage(turns.places, turns.waiting)).begin()
}

/**
 * Returns a connection from `acquire` to the pool. With an error or true, the pool closes it.
 * Throws if it was released already.
 */
export function release({ turns }: Lender, client: PgClient, broken: Error | boolean): void {
  try {
    client.release?.(broken)
  } finally {
    turns.give()
  }
}

/** Requests a connection from the pool. */
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
 * The maximum number of dead connections that one request replaces. A pool of `pg` drops each of
 * them, so only another kind of pool could return the same one again and again.
 */
const maxReplaced = 50

/**
 * The client if it answers, otherwise another one. Throws if the caller no longer waits.
 */
async function live(pool: PgPool, first: PgClient, limit: number, waits: () => boolean): Promise<PgClient> {
  let client = first
  for (let tries = 0; tries < maxReplaced; tries++) {
    const hasEnded = connectionOf(client).ended !== undefined
    if (!hasEnded && (!waits() || isLive(client) || (await answers(client)))) return client
    giveBack(client, false)
    if (!waits()) throw callAbandoned()
    // If this connection was closed, the others need no check: each reports its own close.
    if (!hasEnded) checkIdle(pool)
    client = await connect(pool, limit)
  }
  giveBack(client, true)
  throw new Busy('The pool gave only connections that are closed.')
}

function giveBack(client: PgClient, isAlive: boolean): void {
  client.release?.(isAlive ? undefined : (connectionOf(client).ended ?? new Error('The connection did not answer.')))
}

/**
 * Checks all idle connections of a pool at the same time, after one of them was found dead, so that
 * later requests do not check one after the other. Live connections return to the pool.
 */
function checkIdle(pool: PgPool): void {
  for (let idle = pool.idleCount; idle > 0; idle--) {
    pool.connect().then(
      async (client) => giveBack(client, isLive(client) || (await answers(client))),
      // The pool has ended, or no connection can be made. No caller waits for this one.
      () => undefined,
    )
  }
}

/** The timeout of a check, in milliseconds. */
const checkTime = 1_000

/**
 * Whether the server answers an empty statement within a second. Time during which this process was
 * blocked does not count: an answer that has already arrived is read first. A connection that does
 * not answer is closed, and the other connections of its pool are marked as doubtful. Never
 * rejects.
 */
function answers(client: PgClient): Promise<boolean> {
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
 * Watches connections that are being made, and closes those that are not established in time.
 * Otherwise a server that accepts a connection and then sends nothing would occupy a place in the
 * pool for ever, unless the pool has a `connectionTimeoutMillis`. Each connection has its own
 * timer, because this function is not called again once all places are occupied in this way.
 */
function boundConnecting(pool: PgPool, limit: number): void {
  for (const client of pool._clients ?? []) {
    if (client._connecting !== true || bounded.has(client)) continue
    bounded.add(client)
    watchConnecting(pool, client)
    const close = (): void => {
      if (client._connecting === true) client.connection?.stream?.destroy()
    }
    // Data that arrived while the event loop was blocked is read before immediates run.
    setTimeout(() => setImmediate(close), timerFor(limit)).unref()
  }
}
