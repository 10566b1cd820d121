import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import express from 'express'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { StoreOutage } from '../../src/limits/store.js'
import { type RateLimitOptions, rateLimit } from '../../src/middleware/rate-limit.js'
import { listen } from '../middleware/majors.js'
import { ownRedis } from '../servers/own-redis.js'
import { startProxy } from '../servers/proxy.js'
import { redisStores, redisUrl } from '../servers/redis-stores.js'

const rejections: unknown[] = []
const onRejection = (reason: unknown) => void rejections.push(reason)
process.on('unhandledRejection', onRejection)
afterEach(() => expect(rejections).toEqual([]))

/**
 * Starts a service that counts requests in Redis. `ask` sends a request and returns its status, its
 * duration, and whether it was counted. `lookedUp` returns how often the store was called.
 */
async function limited(url: string, options: Partial<RateLimitOptions>) {
  const stores = redisStores(url)
  onTestFinished(() => stores.close())
  const onStoreFailure = vi.fn()
  const onStoreRecovery = vi.fn()
  let lookedUp = 0
  const store = (name: string) => {
    const made = stores.store(name)
    const increment = made.increment.bind(made)
    made.increment = (key) => {
      lookedUp += 1
      return increment(key)
    }
    return made
  }
  const limit = rateLimit({ limit: 1_000_000, store, onStoreFailure, onStoreRecovery, storeTimeout: 200, ...options })
  const app = express()
  app.use(limit, (_req, res) => res.end())
  const port = await listen(app)
  const ask = async () => {
    const began = performance.now()
    const { status, headers } = await fetch(`http://127.0.0.1:${port}/`)
    return { status, counted: headers.has('ratelimit'), took: performance.now() - began }
  }
  return { ask, lookedUp: () => lookedUp, onStoreFailure, onStoreRecovery, stores }
}

const own = async (options?: { started: boolean }) => {
  const server = await ownRedis(options)
  onTestFinished(() => server.remove())
  return server
}

describe('rateLimit() over Redis', () => {
  it('LIMIT-1: two processes share one limit', async () => {
    const url = redisUrl()
    const stores = redisStores(url)
    const ports = await Promise.all(
      [1, 2].map(async () => {
        const peer = spawn(
          process.execPath,
          [fileURLToPath(new URL('peer.mjs', import.meta.url)), url, stores.prefix],
          {
            stdio: ['pipe', 'pipe', 'inherit'],
          },
        )
        onTestFinished(() => void peer.stdin.end())
        return Number(String((await once(peer.stdout, 'data'))[0]))
      }),
    )
    const asked = Array.from({ length: 60 }, (_, n) => fetch(`http://127.0.0.1:${ports[n % 2]}/`))
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect([200, 429].map((status) => statuses.filter((other) => other === status).length)).toEqual([25, 35])
    const keys = await stores.client.keys(`${stores.prefix}*`)
    expect(keys.length).toBeGreaterThan(0)
    for (const key of keys) expect(await stores.client.pTTL(key)).toBeGreaterThan(0)
    stores.close()
  })

  it('LIMIT-1: if Redis restarts under load, no request fails, and counting resumes by itself', async () => {
    const server = await own()
    const { ask, lookedUp, onStoreFailure } = await limited(server.url, {})
    await vi.waitFor(async () => expect((await ask()).counted).toBe(true), { timeout: 5000 })
    const answers: Awaited<ReturnType<typeof ask>>[] = []
    let loading = true
    const load = Promise.all(
      Array.from({ length: 8 }, async () => {
        while (loading) {
          answers.push(await ask())
          await sleep(5)
        }
      }),
    )
    await server.kill()
    const before = [answers.length, lookedUp()] as const
    await sleep(2500)
    expect(answers.at(-1)?.counted).toBe(false)
    const [answered, waited] = [answers.length - before[0], lookedUp() - before[1]]
    await server.start()
    await vi.waitFor(async () => expect((await ask()).counted).toBe(true), { timeout: 10_000 })
    loading = false
    await load
    expect(answers.length).toBeGreaterThan(100)
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    // While Redis is down, only requests that call the store are delayed, and most requests do not
    // call the store.
    expect(waited).toBeLessThan(answered / 2)
    expect(onStoreFailure).toHaveBeenCalledTimes(1)
  })

  it('LIMIT-1: if a service starts before Redis, it counts requests as soon as Redis is available', async () => {
    const server = await own({ started: false })
    const { ask, onStoreFailure } = await limited(server.url, { limit: 3 })
    const early = [await ask(), await ask(), await ask(), await ask(), await ask()]
    expect(early.map(({ status, counted }) => [status, counted])).toEqual(early.map(() => [200, false]))
    await server.start()
    await vi.waitFor(async () => expect((await ask()).counted).toBe(true), { timeout: 10_000 })
    await ask()
    await ask()
    expect((await ask()).status).toBe(429)
    expect(onStoreFailure).toHaveBeenCalledTimes(1)
  })

  it('LIMIT-1: only the first requests wait for a Redis server that accepts connections but never replies', async () => {
    const server = await own()
    const proxy = await startProxy({ host: '127.0.0.1', port: server.port })
    onTestFinished(() => proxy.close())
    const { ask, lookedUp, onStoreFailure, onStoreRecovery } = await limited(proxy.through(server.url), {})
    await vi.waitFor(async () => expect((await ask()).counted).toBe(true), { timeout: 5000 })
    proxy.stall()
    const first = await Promise.all(Array.from({ length: 10 }, ask))
    const before = lookedUp()
    const later = [await ask(), await ask(), await ask()]
    for (const { status, counted } of [...first, ...later]) expect([status, counted]).toEqual([200, false])
    expect(Math.min(...first.map(({ took }) => took))).toBeGreaterThanOrEqual(150)
    expect(lookedUp() - before).toBeLessThan(later.length)
    await sleep(1500)
    proxy.resume()
    await vi.waitFor(async () => expect((await ask()).counted).toBe(true), { timeout: 10_000 })
    expect(onStoreFailure).toHaveBeenCalledTimes(1)
    const [[outage]] = onStoreRecovery.mock.calls as [[StoreOutage]]
    expect(outage.duration).toBeGreaterThan(1000)
    expect(outage.message).toMatch(/^Rate limits were off for /)
  })

  it('LIMIT-1: after SCRIPT FLUSH, the Lua scripts are loaded again, and the next request is counted', async () => {
    const server = await own()
    const { ask, onStoreFailure, stores } = await limited(server.url, { limit: 3 })
    await vi.waitFor(async () => expect((await ask()).counted).toBe(true), { timeout: 5000 })
    await stores.client.sendCommand(['SCRIPT', 'FLUSH'])
    expect(await ask()).toMatchObject({ status: 200, counted: true })
    expect(onStoreFailure.mock.calls.length).toBeLessThanOrEqual(1)
  })
})
