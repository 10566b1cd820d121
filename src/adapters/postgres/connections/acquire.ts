/** Connections of a pool: checked before use, and given up where they can't be made. */

import { poolWaitChannel, Traced } from '../../../telemetry/channels.js'
import { PoolWaitMessage } from '../../../telemetry/messages.js'
import { deadline } from '../../../timeout.js'
import type { Wait } from './client.js'
import { connectionOf, watchConnecting } from './connections.js'
import { connectFailure, serverAt } from './driver-failures.js'
import { Busy } from './failures.js'
import type { PgClient, PgPool } from './pg-client.js'
import { type Turns, turnsOf } from './turns.js'
import { nobodyWaits, statementShare, timerFor, within } from './waits.js'

/** A pool, with as many turns as it has connections: its own queue, which serves in the order of arrival, stays empty. */
export interface Lender {
  readonly pool: PgPool
  readonly turns: Turns
}

export const lenderOf = (pool: PgPool): Lender => ({
  pool,
  turns: turnsOf(pool, pool.options?.max ?? Number.POSITIVE_INFINITY),
})

/**
 * A live connection of the pool, for the oldest request first; `release` takes it back. Throws
 * `Busy` where none is free within `most` milliseconds; a connection that comes later goes back to
 * the pool at once. One that was not used for a while is checked first.
 */
export function acquire(lender: Lender, wait: Wait, most: number): Promise<PgClient> {
  const { pool, turns } = lender
  const left = wait.left()
  let watch: Traced<PoolWaitMessage> | undefined
  const begin = (waits: () => boolean): Promise<PgClient> => {
    const lend = async (): Promise<PgClient> => {
      try {
        const first = await connect(pool, most)
        return isLive(first) ? first : await live(pool, first, most, waits)
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
  const lent = within(wait, Math.min(most, left * statementShare), begin, discard)
  if (watch === undefined) return lent
  return lent.catch((error: unknown) => {
    watch?.end({ error })
    throw error
  })
}

/** Tells subscribers of the channel that a call waits for its turn. */
function watchWait(turns: Turns): Traced<PoolWaitMessage> | undefined {
  if (!poolWaitChannel.hasSubscribers) return undefined
  return new Traced(poolWaitChannel, new PoolWaitMessage(turns.places, turns.waiting)).begin()
}

/**
 * Takes a connection back that `acquire` gave; with an error or true, the pool closes it. Throws
 * where it was released already.
 */
export function release({ turns }: Lender, client: PgClient, broken: Error | boolean): void {
  try {
    client.release?.(broken)
  } finally {
    turns.give()
  }
}

/** A connection as the pool gives it. */
function connect(pool: PgPool, most: number): Promise<PgClient> {
  const connecting = pool.connect()
  boundConnecting(pool, most)
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
 * How many dead connections one request replaces before it gives up. A pool of `pg` drops each, so
 * only another pool could return the same one for ever.
 */
const mostReplaced = 50

/**
 * The client, once it has answered, or another one in its place. Throws where nothing waits for it
 * any more.
 */
async function live(pool: PgPool, first: PgClient, most: number, waits: () => boolean): Promise<PgClient> {
  let client = first
  for (let tries = 0; tries < mostReplaced; tries++) {
    const hasEnded = connectionOf(client).ended !== undefined
    if (!hasEnded && (!waits() || isLive(client) || (await answers(client)))) return client
    giveBack(client, false)
    if (!waits()) throw nobodyWaits()
    // A connection that was closed says nothing about the others, which would have reported it too.
    if (!hasEnded) checkIdle(pool)
    client = await connect(pool, most)
  }
  giveBack(client, true)
  throw new Busy('The pool gave only connections that are closed.')
}

function giveBack(client: PgClient, isAlive: boolean): void {
  client.release?.(isAlive ? undefined : (connectionOf(client).ended ?? new Error('The connection did not answer.')))
}

/**
 * Checks the idle connections of a pool in which one was found dead: all at once, so that no
 * request checks one after the other. Those that are alive return to the pool.
 */
function checkIdle(pool: PgPool): void {
  for (let idle = pool.idleCount; idle > 0; idle--) {
    pool.connect().then(
      async (client) => giveBack(client, isLive(client) || (await answers(client))),
      // The pool has ended, or no connection can be made: nothing depends on this one.
      () => undefined,
    )
  }
}

/** Milliseconds that a check may take. */
const checkTime = 1_000

/**
 * Whether the server answers an empty statement within a second. Time in which the process itself
 * was held up does not count: an answer that has arrived is read first. A connection without an answer is closed, and the others of its pool are doubtful from
 * then on. Never rejects.
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

/** The connections whose making is bounded already. */
const bounded = new WeakSet<object>()

/**
 * Listens to connections that are being made, and closes those that are not there in time:
 * otherwise a server that accepts a connection and then sends nothing would occupy a place in the
 * pool for ever, unless the pool has a `connectionTimeoutMillis`. Each has a timer of its own:
 * where all places are held this way, no further call gets here.
 */
function boundConnecting(pool: PgPool, most: number): void {
  for (const client of pool._clients ?? []) {
    if (client._connecting !== true || bounded.has(client)) continue
    bounded.add(client)
    watchConnecting(pool, client)
    const close = (): void => {
      if (client._connecting === true) client.connection?.stream?.destroy()
    }
    // What arrived while the event loop was held up is read before immediates run.
    setTimeout(() => setImmediate(close), timerFor(most)).unref()
  }
}
