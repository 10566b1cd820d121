import { createClient } from 'redis'
import { describe, expect, it } from 'vitest'
import { findRedis } from './find-redis.js'
import { ownRedis } from './own-redis.js'
import { redisUrl } from './redis-stores.js'

describe('finding a Redis server', () => {
  it('uses REDIS_URL first, and reports what is wrong with it', async () => {
    const found = await findRedis({ REDIS_URL: redisUrl() })
    expect(found.line).toMatch(/^Redis \d+\.\d+\.\d+: REDIS_URL\.$/)
    await found.release()
    await expect(findRedis({ REDIS_URL: 'redis://127.0.0.1:1' })).rejects.toThrow(/^REDIS_URL is set, .*ECONNREFUSED/)
  })

  it('ownRedis() starts a server that is empty after each start', async () => {
    const server = await ownRedis()
    const ask = async (command: string[]) => {
      const client = createClient({ url: server.url, socket: { reconnectStrategy: false } })
      client.on('error', () => {})
      await client.connect()
      const answer = await client.sendCommand(command)
      client.destroy()
      return answer
    }
    expect(await ask(['SET', 'a', '1'])).toBe('OK')
    await server.kill()
    await expect(ask(['PING'])).rejects.toThrow()
    await server.start()
    expect(await ask(['GET', 'a'])).toBeNull()
    await server.remove()
    await expect(ask(['PING'])).rejects.toThrow()
  })
})
