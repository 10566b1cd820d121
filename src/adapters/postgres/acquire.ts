/** Connections of a pool, and those that it never gets. */

import type { Wait } from './client.js'
import { connectFailure } from './driver-failures.js'
import type { PgClient } from './lease.js'
import { statementShare, within } from './waits.js'

/** What is used of a `Pool` of `pg`. */
export interface PgPool {
  connect(): Promise<PgClient>
  on(event: 'error', listener: (error: Error) => void): unknown
  readonly totalCount: number
  /** Not documented: the connections it has or is making. */
  readonly _clients?: readonly (PgClient & { readonly _connecting?: boolean })[]
}

/** A connection of the pool. Throws `Busy` where none is free in time; one that comes later goes back at once. */
export function acquire(pool: PgPool, wait: Wait, most: number): Promise<PgClient> {
  return within(wait, Math.min(most, wait.left() * statementShare), (waits) => {
    const connecting = pool.connect()
    dropStuck(pool, most)
    return connecting.then(
      (client) => {
        if (!waits()) client.release?.()
        return client
      },
      (error) => {
        throw connectFailure(error)
      },
    )
  })
}

/** Since when connections are being made. */
const began = new WeakMap<object, number>()

/**
 * A server that takes a connection and then says nothing would hold a place of the pool for ever, unless the pool was given a `connectionTimeoutMillis`: what took
 * longer than anybody waits for it is given up.
 */
function dropStuck({ _clients = [] }: PgPool, most: number): void {
  const now = performance.now()
  for (const client of _clients) {
    if (client._connecting !== true) continue
    const since = began.get(client) ?? now
    began.set(client, since)
    if (now - since > most) client.connection?.stream?.destroy()
  }
}
