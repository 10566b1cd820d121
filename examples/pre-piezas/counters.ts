/** The store of rate limits: in memory, or in a Redis server that several processes share. */

import { causeText } from 'express-rest-conventions'
import type { StoreOptions } from 'express-rest-conventions/middleware'
import { RedisStore } from 'rate-limit-redis'
import { openRedis } from './redis.js'
import type { Settings } from './settings.js'

export interface Counters {
  /**
   * Returns the store options of a rate limit. `side` names the limit, for example `public`. The
   * name is part of the keys in Redis, so each limit has its own counts. The name is also part of
   * the log lines. If this function is absent, counts are in memory.
   */
  readonly optionsOf?: (side: string) => StoreOptions
  /** Rejects if the Redis server does not respond. Absent if no Redis server is configured. */
  readonly ask?: () => Promise<void>
  readonly close: () => void
}

/**
 * Opens the store of rate limits. Waits up to a second for the connection to Redis, so that the
 * first request is counted in Redis. If Redis responds later, it is used from then on.
 */
export async function openCounters({
  redisUrl,
  redisSentinels,
}: Pick<Settings, 'redisUrl' | 'redisSentinels'>): Promise<Counters> {
  if (redisUrl === undefined) return { close() {} }
  const redis = await openRedis({ redisUrl, ...(redisSentinels === undefined ? {} : { redisSentinels }) })
  // Log lines contain only the host, because the URL can contain a password.
  const { host } = new URL(redisUrl)
  const where = redisSentinels === undefined ? `Redis at ${host}` : `Redis master ${host}`
  return {
    optionsOf: (side) => ({
      store: (name) =>
        new RedisStore({
          prefix: `pre-piezas:${side}:${name}:`,
          sendCommand: async (...command: string[]) => redis.send(command),
        }),
      onStoreFailure: (error) => console.error(`${side}: ${causeText(error)} (${where}).`),
      onStoreRecovery: ({ message }) => console.error(`${side}: ${message}`),
    }),
    ask: async () => {
      await redis.send(['PING'])
    },
    close: redis.close,
  }
}
