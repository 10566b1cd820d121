import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freshDatabase } from '../servers/databases.js'
import { ownSentinels } from '../servers/own-sentinels.js'
import { ask, start } from './running.js'

describe('REDIS_SENTINELS', () => {
  it('LIMIT-1: two processes share a limit in the Redis master, and in the new master after a failover', async () => {
    const cluster = await ownSentinels()
    onTestFinished(() => cluster.remove())
    const place = await freshDatabase()
    onTestFinished(() => place.drop())
    const env = {
      DATABASE_URL: place.url,
      SEED_SIZE: '1',
      RATE_LIMIT: '100000',
      REDIS_URL: `redis://${cluster.name}`,
      REDIS_SENTINELS: cluster.sentinels.map(({ host, port }) => `${host}:${port}`).join(','),
    }
    const services = [start(env), start(env)]
    onTestFinished(() => void services.map(({ child }) => child.kill('SIGKILL')))
    const bases = await Promise.all(services.map(({ base }) => base))
    /**
     * Sends `each` requests to every process. Returns how many requests remain under the limit, or
     * `undefined` if a request was not counted.
     */
    const left = async (each: number): Promise<number | undefined> => {
      const asked = bases.flatMap((base) => Array.from({ length: each }, () => ask(`${base}/v8/sucursales/ROS`)))
      const all = await Promise.all(asked)
      expect(all.every(({ status }) => status < 500)).toBe(true)
      const counted = all.map(({ headers }) => /r=([0-9]+)/.exec(headers.get('ratelimit') ?? '')?.[1])
      return counted.includes(undefined) ? undefined : Math.min(...counted.map(Number))
    }
    expect(await left(20)).toBe(100_000 - 40)
    const before = await cluster.master()
    await cluster.killMaster()
    const began = Date.now()
    for (;;) {
      const now = await left(1)
      if (now !== undefined && (await cluster.master()) !== before) break
      expect(Date.now() - began).toBeLessThan(20_000)
      await sleep(50)
    }
    expect(await cluster.master()).not.toBe(before)
    const first = (await left(1)) as number
    expect(await left(20)).toBe(first - 40)
  })
})
