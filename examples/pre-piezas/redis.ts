/**
 * A connection to Redis, for the rate limits. It leads to one server, or to the master that the
 * sentinels name.
 */

import { setImmediate, setTimeout } from 'node:timers/promises'
import { createClient, createSentinel } from 'redis'
import type { Settings } from './settings.js'

export interface RedisConnection {
  /**
   * Sends a command to Redis. If the connection is lost, rejects with the reason for the loss.
   */
  send(command: string[]): Promise<never>
  close(): void
}

/** Milliseconds to wait for a connection. */
const connectTimeout = 1_000

/** Milliseconds between two pings. */
const pingInterval = 1_000

/** The timeout of a ping, in milliseconds. */
const pingTimeout = 1_500

/**
 * Milliseconds without any traffic after which a connection is closed. The timeout is longer than
 * `pingInterval`, so that pings keep a healthy connection open. It also closes a connection on
 * which the first command, HELLO, gets no reply.
 */
const socketTimeout = 3_000

const socket = { connectTimeout, socketTimeout, reconnectStrategy: (tries: number) => Math.min(50 * 2 ** tries, 1_000) }

/** The methods that this file needs from a client. The package `redis` has two kinds of clients. */
interface Client {
  isReady(): boolean
  connect(): Promise<unknown>
  send(command: string[]): Promise<never>
  onError(listener: (error: unknown) => void): void
  destroy(): void
}

/**
 * Connects to Redis. Waits up to a second for the connection, so that Redis counts even the first
 * request. If Redis responds later, it is used from then on.
 */
export async function openRedis({ redisUrl: url, redisSentinels: sentinels }: RedisSettings): Promise<RedisConnection> {
  const make = (): Client => (sentinels === undefined ? oneAddress(url) : mastersOf(url, sentinels))
  // If a command fails because the client is offline, the error does not say why the connection was
  // lost. The reason is therefore stored here.
  let lost: unknown
  const open = (): { readonly client: Client; readonly connected: Promise<unknown> } => {
    const client = make()
    client.onError((error) => {
      lost = error
    })
    return { client, connected: connectUntilDone(client) }
  }
  let { client, connected } = open()
  const closing = new AbortController()
  const send = async (command: string[]): Promise<never> => {
    const asked = client
    try {
      return await asked.send(command)
    } catch (cause) {
      throw asked.isReady() ? cause : (lost ?? cause)
    }
  }
  await Promise.race([connected, setTimeout(connectTimeout, undefined, { ref: false })])
  whenSilent(
    () => client,
    () => {
      client.destroy() // Rejects the commands that are waiting for a response.
      client = open().client
    },
    closing.signal,
  ).catch(() => {})
  return {
    send,
    close() {
      closing.abort()
      client.destroy()
    },
  }

  /**
   * Tries to connect until it succeeds. Without this function, a sentinel client would give up if
   * no sentinel responds to the first attempt.
   */
  async function connectUntilDone(own: Client): Promise<void> {
    for (;;) {
      try {
        await own.connect()
        return
      } catch (error) {
        lost = error
        await setTimeout(pingInterval, undefined, { ref: false })
        if (closing.signal.aborted || client !== own) return
      }
    }
  }
}

type RedisSettings = { readonly redisUrl: string } & Pick<Settings, 'redisSentinels'>

/**
 * Commands do not wait in a queue while Redis is unavailable, because a delayed command would count
 * its request too late.
 */
const disableOfflineQueue = true

function oneAddress(url: string): Client {
  const client = createClient({ url, disableOfflineQueue, socket })
  return {
    isReady: () => client.isReady,
    connect: () => client.connect(),
    send: (command) => client.sendCommand<never>(command),
    onError: (listener) => client.on('error', listener),
    destroy: () => client.destroy(),
  }
}

/**
 * The client of `createSentinel`. Its `sendCommand` has an additional first parameter, which says
 * whether a replica may respond.
 */
function mastersOf(url: string, sentinelRootNodes: NonNullable<Settings['redisSentinels']>): Client {
  const { hostname, username, password, pathname, protocol } = new URL(url)
  const sentinel = createSentinel({
    name: hostname,
    sentinelRootNodes: [...sentinelRootNodes],
    scanInterval: pingInterval,
    // A failed command is not retried, because it is unknown whether Redis has counted the request.
    maxCommandRediscovers: 0,
    passthroughClientErrorEvents: true,
    sentinelClientOptions: { socket },
    nodeClientOptions: {
      disableOfflineQueue,
      socket: protocol === 'rediss:' ? { ...socket, tls: true } : socket,
      ...(username === '' ? {} : { username: decodeURIComponent(username) }),
      ...(password === '' ? {} : { password: decodeURIComponent(password) }),
      ...(pathname.length > 1 ? { database: Number(pathname.slice(1)) } : {}),
    },
  })
  return {
    isReady: () => sentinel.isReady,
    connect: () => sentinel.connect(),
    send: (command) => sentinel.sendCommand<never>(false, command),
    onError: (listener) => sentinel.on('error', listener),
    destroy: () => void sentinel.destroy().catch(() => {}),
  }
}

/**
 * Sends pings, and calls `replace` if the connection does not respond. TCP alone takes about 15
 * minutes to close a half-open connection. `socketTimeout` does not close such a connection while
 * commands are written to it. The client's own `pingInterval` does not help, because its pings have
 * no timeout. Rejects when `signal` is aborted.
 */
async function whenSilent(current: () => Client, replace: () => void, signal: AbortSignal): Promise<void> {
  for (;;) {
    await setTimeout(pingInterval, undefined, { ref: false, signal })
    const client = current()
    if (!client.isReady()) continue
    let settled = false
    const settle = (): void => {
      settled = true
    }
    // If a ping fails, the connection is closed already, and the client reconnects by itself.
    await Promise.race([
      client.send(['PING']).then(settle, settle),
      setTimeout(pingTimeout, undefined, { ref: false, signal }),
    ])
    // If this process was paused, the timeout ends before Node reads a reply that has already
    // arrived. This wait lets Node read the reply.
    await setImmediate()
    if (!settled && !signal.aborted) replace()
  }
}
