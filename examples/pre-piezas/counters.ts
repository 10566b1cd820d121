/** Where requests are counted: in the process, or in a Redis that many processes share. */

import { setTimeout } from 'node:timers/promises'
import type { LimitStore } from 'express-rest-conventions'
import { RedisStore } from 'rate-limit-redis'
import { createClient } from 'redis'

export interface Counters {
  /** Makes the store of one budget; absent, the library counts in the process. */
  readonly store?: (name: string) => LimitStore
  readonly onStoreFailure?: (error: unknown) => void
  readonly close: () => void
}

/** Milliseconds to wait for a Redis at the start. */
const patience = 1_000

/** Milliseconds for which an outage is one, where the client did not notice its end. */
const outage = 10 * 60_000

/** Connects, so that the first request is counted; a Redis that is not there in a second is not waited for, and is taken up when it comes. */
export async function openCounters(url: string | undefined): Promise<Counters> {
  if (url === undefined) return { close() {} }
  // What waits in a queue while the Redis is away would come too late to be counted.
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout: patience, reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, 1_000) },
  })
  client.on('error', () => {}) // Whoever counts says it.
  let said = Number.NEGATIVE_INFINITY
  client.on('ready', () => {
    said = Number.NEGATIVE_INFINITY
  })
  await Promise.race([client.connect().catch(() => {}), setTimeout(patience, undefined, { ref: false })])
  return {
    store: (name) =>
      new RedisStore({ prefix: `pre-piezas:${name}:`, sendCommand: async (...command: string[]) => client.sendCommand(command) }),
    // Each of those that count notices an outage by itself: it is said once.
    onStoreFailure(error) {
      if (performance.now() - said < outage) return
      said = performance.now()
      console.error(error instanceof Error ? error.message : error)
    },
    close: () => client.destroy(),
  }
}
