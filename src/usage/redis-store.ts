/**
 * Stores usage counts in Redis. All processes that use the same Redis and prefix share the counts.
 */
import { checkOptions } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import type { StoredWriter, UsageStore } from './store.js'

/** How Redis is accessed. */
export interface RedisUsageStoreOptions {
  /**
   * Sends one command. The signature is the same as in `rate-limit-redis`: `(...command) =>
   * client.sendCommand(command)` for the package `redis`, and `(name, ...values) =>
   * client.call(name, ...values)` for `ioredis`.
   */
  sendCommand(...command: string[]): PromiseLike<unknown>
  /**
   * The prefix of all keys. Default `express-rest-conventions:{usage}:`. The braces keep the keys
   * in one slot of a Redis Cluster.
   */
  readonly prefix?: string
}

export const redisUsageStoreKinds: Kinds<RedisUsageStoreOptions> = {
  sendCommand: { required: 'function' },
  prefix: { a: 'a non-empty string', like: /./ },
}

/**
 * Writes the counts of one process. Each process has a Redis hash with its counts. This hash also
 * has a field with an empty name, so that it exists even without counts. Another hash registers the
 * processes: it has a field for each process, and the field `since`. All times are from Redis's own
 * clock.
 */
const writeScript = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local writer, sequence, age, complete, interval, closed, keep, removed = unpack(ARGV, 1, 8)
local entry = redis.call('HGET', KEYS[1], writer)
local exists = redis.call('EXISTS', KEYS[2]) == 1
redis.call('HSETNX', KEYS[1], 'since', string.format('%.0f', now - complete))
local started = now - age
local before = false
if entry and exists then
  local parts = cjson.decode(entry)
  started = parts[1]
  before = parts[5]
  if before >= tonumber(sequence) then return tostring(before) end
end
local at = 9
for _ = 1, tonumber(removed) do
  redis.call('HDEL', KEYS[2], ARGV[at])
  at = at + 1
end
while at < #ARGV do
  redis.call('HSET', KEYS[2], ARGV[at], ARGV[at + 1])
  at = at + 2
end
redis.call('HSET', KEYS[2], '', '')
redis.call('PEXPIRE', KEYS[2], keep)
redis.call('HSET', KEYS[1], writer, string.format('[%.0f,%.0f,%.0f,%s,%.0f,%.0f]', started, now, interval, closed, sequence, keep))
redis.call('PEXPIRE', KEYS[1], keep)
if not before then
  local all = redis.call('HGETALL', KEYS[1])
  for i = 1, #all, 2 do
    if all[i] ~= 'since' then
      local parts = cjson.decode(all[i + 1])
      if parts[2] + parts[6] < now then redis.call('HDEL', KEYS[1], all[i]) end
    end
  end
  return ''
end
return tostring(before)`

const registerScript = `
local time = redis.call('TIME')
return { string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)), redis.call('HGETALL', KEYS[1]) }`

const fieldsScript = `return redis.call('HGETALL', KEYS[1])`

/**
 * Stores counts in Redis 5 or newer. The store uses the service's Redis client and opens no
 * connection of its own. The counts of all processes with the same prefix are added up.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid
 *
 * @example usage({ store: redisUsageStore({ sendCommand: (...command) => client.sendCommand(command) }) })
 */
export function redisUsageStore(options: RedisUsageStoreOptions): UsageStore {
  checkOptions('redisUsageStore()', options, redisUsageStoreKinds)
  const { prefix = 'express-rest-conventions:{usage}:' } = options
  const register = `${prefix}writers`
  const keyOf = (writer: string): string => `${prefix}writer:${writer}`
  const evaluate = async (script: string, keys: readonly string[], values: readonly string[] = []): Promise<unknown> =>
    options.sendCommand('EVAL', script, String(keys.length), ...keys, ...values)
  const fieldsOf = async (writer: string): Promise<ReadonlyMap<string, string> | undefined> => {
    const fields = pairs(await evaluate(fieldsScript, [keyOf(writer)]))
    return fields.delete('') ? fields : undefined
  }
  return {
    async write({ writer, sequence, age, complete, interval, closed, keep, fields, removed }) {
      const numbers = [sequence, age, complete, interval].map((number) => String(Math.max(0, Math.round(number))))
      const values = [...removed, ...[...fields].flat()]
      const head = [writer, ...numbers, String(closed), String(keep), String(removed.length)]
      const before = String(await evaluate(writeScript, [register, keyOf(writer)], [...head, ...values]))
      return before === '' ? undefined : Number(before)
    },
    async read() {
      const [now, registered] = (await evaluate(registerScript, [register])) as [unknown, unknown]
      const entries = pairs(registered)
      const since = entries.get('since')
      entries.delete('since')
      const writers = await Promise.all(
        [...entries].map(async ([writer, entry]): Promise<StoredWriter> => {
          const [started, seen, interval, closed] = JSON.parse(entry) as [number, number, number, boolean]
          return { writer, started, seen, interval, closed, fields: await fieldsOf(writer) }
        }),
      )
      return { now: Number(now), since: since === undefined ? undefined : Number(since), writers }
    },
  }
}

/** Parses the result of `HGETALL` in a script: alternating names and values. */
function pairs(reply: unknown): Map<string, string> {
  const list = (reply as readonly unknown[]).map(String)
  const map = new Map<string, string>()
  for (let at = 0; at + 1 < list.length; at += 2) map.set(list[at] as string, list[at + 1] as string)
  return map
}
