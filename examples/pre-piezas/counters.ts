/** The store of rate limits: in memory, or in a Redis server that several processes share. */

import { causeText } from 'express-rest-conventions'
import type { StoreOptions } from 'express-rest-conventions/middleware'
import { RedisStore } from 'rate-limit-redis'
import { openRedis } from './redis.js'
import type { Settings } from './settings.js'

export interface Counters {
  /**
   * The store options of a limit. `side` distinguishes the keys and log lines of the private API
   * from those of the public API. If this function is absent, counts are in memory.
   */
  readonly optionsOf?: (side: string) => StoreOptions
  /** Rejects if the Redis server does not respond. Absent if there is no Redis server. */
  readonly ask?: () => Promise<void>
  readonly close: () => void
}

/**
 * Waits up to a second for the connection to Redis, so that the first request is counted in Redis.
 * If Redis responds later, it is used from then on.
 */
export async function openCounters({
  redisUrl,
  redisSentinels,
}: Pick<Settings, 'redisUrl' | 'redisSentinels'>): Promise<Counters> {
  if (redisUrl === undefined) return { close() {} }
  const redis = await openRedis({ redisUrl, ...(redisSentinels === undefined ? {} : { redisSentinels }) })
  // The host is shown without the password that the URL may contain.
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
