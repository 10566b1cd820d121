/**
 * Gives each test file that uses Redis a client that reconnects quickly, and stores under keys that
 * no other run uses.
 */
import { randomBytes } from 'node:crypto'
import { RedisStore } from 'rate-limit-redis'
import { createClient } from 'redis'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The Redis server of this run. `line` says how it was found, or why there is none. */
    redis: { readonly url: string | undefined; readonly line: string }
  }
}

/**
 * The URL of the Redis server of this run. If there is none, throws an error, which fails the test.
 */
export function redisUrl(): string {
  const { url, line } = inject('redis')
  if (url === undefined) throw new Error(line)
  return url
}

export interface RedisStores {
  /** Creates a store for the option `store`. */
  readonly store: (name: string) => RedisStore
  /** The prefix of all keys. */
  readonly prefix: string
  readonly client: ReturnType<typeof connecting>
  close(): void
}

/**
 * Creates a client as a typical service would configure it. The client queues commands that it
 * can't send, and reconnects. With the same `prefix`, several clients share their keys.
 */
export function redisStores(url: string, prefix = `erc_test_${randomBytes(6).toString('hex')}:`): RedisStores {
  const client = connecting(url)
  client.on('error', () => {})
  const connected = client.connect().catch(() => {})
  const store = (name: string) =>
    new RedisStore({
      prefix: `${prefix}${name}:`,
      sendCommand: async (...command: string[]) => client.sendCommand(command),
    })
  const close = (): void => {
    void connected
    client.destroy()
  }
  return { store, prefix, client, close }
}

const connecting = (url: string) => createClient({ url, socket: { reconnectStrategy: () => 50 } })
