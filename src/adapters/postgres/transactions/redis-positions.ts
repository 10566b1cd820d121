/**
 * A store of positions (see `positions.ts`) in Redis. All processes that use the same Redis and the
 * same prefix share the positions.
 */
import { checkOptions } from '../../../options/check.js'
import type { Kinds } from '../../../options/kinds.js'
import type { ReplicaPositions } from '../options/options.js'
import { keptFor, settledAfter, unknownPosition } from './positions.js'

/** The options of `redisReplicaPositions`. */
export interface RedisReplicaPositionsOptions {
  /**
   * Sends one command to Redis, like the option `sendCommand` of the package `rate-limit-redis`.
   * - With the package `redis`: `(...command) => client.sendCommand(command)`.
   * - With `ioredis`: `(name, ...values) => client.call(name, ...values)`.
   */
  sendCommand(...command: string[]): PromiseLike<unknown>
  /**
   * The prefix of all Redis keys. Default `express-rest-conventions:{positions}:`. The braces keep
   * all keys on one node of a Redis Cluster. PostgreSQL databases that share one Redis need
   * different prefixes.
   */
  readonly prefix?: string
}

export const redisReplicaPositionsKinds: Kinds<RedisReplicaPositionsOptions> = {
  sendCommand: { required: 'function' },
  prefix: { a: 'a string of at least one character', like: /./ },
}

/**
 * A Lua script for Redis. If a position is given, the script raises the position of the client. It
 * returns the client's position and the floor, which is the position that a replica must have
 * reached before it serves any client. The script computes the floor as `ProcessPositions` does,
 * with the clock of the Redis server. Positions are padded with zeros, so that their order as
 * strings is their order in the log. The script uses `string.format`, because Lua would write large
 * numbers with an exponent.
 */
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local position, settled, kept, unknown = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local marks = redis.call('HMGET', KEYS[2], 'at', 'high', 'marked', 'floor')
local at, high, marked, floor = tonumber(marks[1] or '0'), marks[2] or '', marks[3] or '', marks[4] or ''
local changed = false
if now - at >= settled then
  if now - at < 2 * settled then floor = marked else floor = high end
  at, marked, changed = now, high, true
end
local entry = redis.call('HMGET', KEYS[1], 'position', 'unknown')
local own, wait = entry[1] or '', tonumber(entry[2] or '0')
if position == unknown then
  wait = now + settled
elseif position ~= '' then
  if position < floor then
    floor, marked, high, own = '', position, position, ''
  elseif position > high then
    high = position
  end
  changed = true
  if position > own then own = position end
end
if changed then
  redis.call('HSET', KEYS[2], 'at', string.format('%.0f', at), 'high', high, 'marked', marked, 'floor', floor)
end
if position ~= '' then
  redis.call('HSET', KEYS[1], 'position', own, 'unknown', string.format('%.0f', wait))
  redis.call('PEXPIRE', KEYS[1], kept)
end
if wait > now then own = unknown end
return { own, floor }`

/**
 * Returns a store of positions in Redis (version 5 or newer). Pass it as `positions` in the option
 * `replica`. The store uses your Redis client, and opens no connection of its own. While Redis
 * fails, reads use the primary. If Redis loses data, for example in a failover, the positions are
 * lost. Clients might then not see their last writes. Throws `ConfigurationError` for an invalid
 * option.
 *
 * @example redisReplicaPositions({ sendCommand: (...command) => client.sendCommand(command) })
 */
export function redisReplicaPositions(options: RedisReplicaPositionsOptions): ReplicaPositions {
  checkOptions('redisReplicaPositions()', options, redisReplicaPositionsKinds)
  const { prefix = 'express-rest-conventions:{positions}:' } = options
  const times = [String(settledAfter), String(keptFor), unknownPosition]
  let floor: string | undefined
  const evaluate = async (client: string, position: string): Promise<string | undefined> => {
    const keys = [`${prefix}client:${client}`, `${prefix}marks`]
    const reply = await options.sendCommand('EVAL', script, '2', ...keys, position, ...times)
    const [own, lowest] = (reply as readonly unknown[]).map(String)
    floor = lowest || undefined
    return own || undefined
  }
  return {
    get: (client) => evaluate(client, ''),
    raise: async (client, position) => void (await evaluate(client, padded(position))),
    floor: () => floor,
  }
}

/** Pads each half to eight digits: `16/B374D848` becomes `00000016/B374D848`. */
const padded = (position: string): string =>
  position
    .split('/')
    .map((half) => half.toUpperCase().padStart(8, '0'))
    .join('/')
