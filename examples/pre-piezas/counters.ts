/** Where requests are counted: in the process, or in a Redis that many processes share. */

import { setImmediate, setTimeout } from 'node:timers/promises'
import { causeText } from 'express-rest-conventions'
import type { StoreOptions } from 'express-rest-conventions/middleware'
import { RedisStore } from 'rate-limit-redis'
import { createClient } from 'redis'

export interface Counters {
  /**
   * The options of a limit about where it counts. `side` keeps its keys and its log lines apart.
   * Absent: in the process.
   */
  readonly optionsOf?: (side: string) => StoreOptions
  /** Rejects where the Redis does not answer. Absent: there is none. */
  readonly ask?: () => Promise<void>
  readonly close: () => void
}

/** Milliseconds to wait for the first connection. */
const connectTimeout = 1_000

/** Milliseconds between two pings. */
const pingInterval = 1_000

/** Milliseconds that a ping may take. */
const pingTimeout = 1_500

/**
 * Milliseconds without any traffic after which a connection ends. Longer than `pingInterval`, which
 * keeps a healthy one.
 */
const socketTimeout = 3_000

/**
 * Connects, so that the first request is counted. A Redis that does not answer in a second is used
 * as soon as it does.
 */
export async function openCounters(url: string | undefined): Promise<Counters> {
  if (url === undefined) return { close() {} }
  const client = createClient({
    url,
    // A command that waits in a queue while the Redis is away would be counted too late.
    disableOfflineQueue: true,
    // `socketTimeout` ends a connection whose HELLO is never answered.
    socket: { connectTimeout, socketTimeout, reconnectStrategy: (tries) => Math.min(50 * 2 ** tries, 1_000) },
  })
  // Commands of a client that is offline do not say why it is: the limits report this beside.
  let lost: unknown
  client.on('error', (error) => {
    lost = error
  })
  const send = (command: string[]): Promise<never> =>
    client.sendCommand<never>(command).catch((cause: unknown) => {
      throw client.isReady ? cause : (lost ?? cause)
    })
  await Promise.race([client.connect().catch(() => {}), setTimeout(connectTimeout, undefined, { ref: false })])
  // Without the password, which may stand in front of it.
  const { host } = new URL(url)
  const closing = new AbortController()
  replaceSilent(client, closing.signal).catch(() => {})
  return {
    optionsOf: (side) => ({
      store: (name) =>
        new RedisStore({
          prefix: `pre-piezas:${side}:${name}:`,
          sendCommand: async (...command: string[]) => send(command),
        }),
      onStoreFailure: (error) => console.error(`${side}: ${causeText(error)} (Redis at ${host}).`),
      onStoreRecovery: ({ message }) => console.error(`${side}: ${message}`),
    }),
    ask: async () => {
      await send(['PING'])
    },
    close() {
      closing.abort()
      client.destroy()
    },
  }
}

/** What is used of a client to replace its connection. */
interface Client {
  readonly isReady: boolean
  ping(): Promise<unknown>
  connect(): Promise<unknown>
  destroy(): void
}

/**
 * Pings, and replaces a connection that does not answer. TCP alone takes a quarter of an hour to
 * give up a half-open connection. `socketTimeout` does not end it as long as commands are written
 * to it, and `pingInterval` of the client waits for its answer without a limit. Rejects when
 * `signal` aborts.
 */
async function replaceSilent(client: Client, signal: AbortSignal): Promise<void> {
  for (;;) {
    await setTimeout(pingInterval, undefined, { ref: false, signal })
    if (!client.isReady) continue
    let settled = false
    const settle = (): void => {
      settled = true
    }
    // A ping that fails has no connection any more, and the client reconnects by itself.
    await Promise.race([client.ping().then(settle, settle), setTimeout(pingTimeout, undefined, { ref: false, signal })])
    await setImmediate() // After a pause of this process, the answer may be waiting to be read.
    if (settled || signal.aborted) continue
    client.destroy() // Rejects the commands that wait for an answer.
    client.connect().catch(() => {})
  }
}
