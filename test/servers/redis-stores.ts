/**
 * For test files that use Redis: a client that reconnects quickly, and stores of rate limits. No
 * other run uses the keys of these stores.
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
 * The URL of the Redis server of this run. Throws if there is none, so that the test fails.
 */
export function redisUrl(): string {
  const { url, line } = inject('redis')
  if (url === undefined) throw new Error(line)
  return url
}

export interface RedisStores {
  /** Creates a store for the option `store` of a rate limit. */
  readonly store: (name: string) => RedisStore
  /** The prefix of all keys. */
  readonly prefix: string
  readonly client: ReturnType<typeof connecting>
  close(): void
}

/**
 * Creates stores and their client. The client queues commands that it can't send, and reconnects,
 * as in a typical service. Stores with the same `prefix` share their keys, even if they have
 * different clients.
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
