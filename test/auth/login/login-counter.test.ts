import { afterEach, expect, it, vi } from 'vitest'
import { LoginCounter } from '../../../src/auth/login/login-counter.js'

afterEach(() => vi.useRealTimers())

it('LIMIT-1: releasing an attempt of an earlier window does not lower the local count of the current one', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  let isDown = false
  const shared = {
    increment: async () => {
      if (isDown) throw new Error('down')
      return { totalHits: 1, resetTime: new Date(Date.now() + 3_600_000) }
    },
    decrement: async () => {},
    resetKey: async () => {},
    get: async () => undefined,
  }
  const counter = new LoginCounter({ limit: 1, window: 60_000 }, shared)
  const first = await counter.reserve('ana')
  vi.setSystemTime(Date.now() + 61_000)
  // This attempt begins the next window of the local count.
  await counter.reserve('ana')
  await first.release()
  isDown = true
  expect((await counter.reserve('ana')).over).toBe(true)
})
