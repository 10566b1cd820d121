import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { ProcessStore } from '../../src/limits/process-store.js'
import type { LimitStore } from '../../src/limits/store.js'
import { StoreDown, StoreGuard } from '../../src/limits/store-guard.js'

/** A store that does what it is told to. */
class Moody implements LimitStore {
  mood: 'well' | 'fails' | 'throws' | 'hangs' = 'well'
  calls: string[] = []
  readonly #inner = new ProcessStore(60_000)
  #do<T>(call: string, work: () => T): Promise<T> {
    this.calls.push(call)
    if (this.mood === 'throws') throw new Error('thrown')
    if (this.mood === 'hangs') return new Promise(() => {})
    return this.mood === 'fails' ? Promise.reject(new Error('rejected')) : Promise.resolve(work())
  }
  init({ windowMs }: { windowMs: number }) {
    return this.#do(`init ${windowMs}`, () => {})
  }
  increment(key: string) {
    return this.#do(`increment ${key}`, () => this.#inner.increment(key))
  }
  decrement(key: string) {
    return this.#do(`decrement ${key}`, () => this.#inner.decrement(key))
  }
  resetKey(key: string) {
    return this.#do(`resetKey ${key}`, () => this.#inner.resetKey(key))
  }
}

describe('StoreGuard', () => {
  it.each(['fails', 'throws', 'hangs'] as const)(
    'LIMIT-1: a store that %s is told once, waited for no more, and comes back by itself',
    async (mood) => {
      const store = new Moody()
      const onStoreFailure = vi.fn()
      const guarded = new StoreGuard('It is down.', { storeTimeout: 50, onStoreFailure }).add(store, 60_000)
      expect((await guarded.increment('a')).totalHits).toBe(1)
      store.mood = mood
      const began = performance.now()
      await Promise.all(Array.from({ length: 20 }, () => expect(guarded.increment('a')).rejects.toThrow(StoreDown)))
      expect(performance.now() - began).toBeLessThan(500)
      store.calls.length = 0
      for (let n = 0; n < 100; n++) await expect(guarded.increment('a')).rejects.toThrow(StoreDown)
      expect(store.calls).toEqual([])
      store.mood = 'well'
      if (mood === 'hangs') return // a look that hangs is tested over Redis
      await vi.waitFor(async () => expect((await guarded.increment('a')).totalHits).toBeGreaterThan(1), { timeout: 3000 })
      expect(store.calls.slice(0, 3)).toEqual(['init 60000', 'increment probe', 'resetKey probe'])
      expect(onStoreFailure).toHaveBeenCalledTimes(1)
      expect(onStoreFailure.mock.calls[0]?.[0]).toMatchObject({ message: 'It is down.', cause: expect.any(Error) })
    },
  )

  it.each([undefined, null, {}, { totalHits: Number.NaN }, { totalHits: '1' }, { totalHits: 1, resetTime: 1700000000000 }])(
    'LIMIT-1: a store that counts %j is down',
    async (hits) => {
      const onStoreFailure = vi.fn()
      const store: LimitStore = { increment: () => hits as never, decrement: () => {}, resetKey: () => {} }
      const guarded = new StoreGuard('It is down.', { onStoreFailure }).add(store, 60_000)
      await expect(guarded.increment('a')).rejects.toThrow(StoreDown)
      await sleep(1300) // past a look, which must not take it up
      await expect(guarded.increment('a')).rejects.toThrow(StoreDown)
      expect(onStoreFailure).toHaveBeenCalledTimes(1)
    },
  )

  it.each([undefined, null])('LIMIT-1: a store that counts without a time (%j) is not', async (resetTime) => {
    const store: LimitStore = { increment: () => ({ totalHits: 1, resetTime }) as never, decrement: () => {}, resetKey: () => {} }
    expect(await new StoreGuard('It is down.', {}).add(store, 60_000).increment('a')).toEqual({ totalHits: 1, resetTime: undefined })
  })

  it('LIMIT-1: a hiccup is over in a moment, one that comes and goes is told once a second at most', async () => {
    const store = new Moody()
    const onStoreFailure = vi.fn()
    const guarded = new StoreGuard('It is down.', { onStoreFailure }).add(store, 60_000)
    store.mood = 'fails'
    await expect(guarded.increment('a')).rejects.toThrow(StoreDown)
    store.mood = 'well'
    const began = performance.now()
    await vi.waitFor(() => guarded.increment('a'), { interval: 10 })
    expect(performance.now() - began).toBeLessThan(900)
    const end = performance.now() + 2000
    while (performance.now() < end) {
      store.mood = store.mood === 'well' ? 'fails' : 'well'
      await guarded.increment('a').catch(() => {})
      await sleep(5)
    }
    expect(onStoreFailure.mock.calls.length).toBeLessThanOrEqual(7)
  })

  it('LIMIT-1: ready() waits for a store that counts, and not for ever', async () => {
    const store = new Moody()
    store.mood = 'fails'
    const guard = new StoreGuard('It is down.', { onStoreFailure() {} })
    guard.add(store, 60_000)
    const soon = guard.ready(5000).then(() => performance.now())
    const began = performance.now()
    await guard.ready(60)
    expect(performance.now() - began).toBeGreaterThanOrEqual(55)
    store.mood = 'well'
    expect((await soon) - began).toBeLessThan(4000)
    const at = performance.now()
    await guard.ready(5000)
    expect(performance.now() - at).toBeLessThan(1000)
  })

  it('LIMIT-1: looks at a store that is down soon at first, then no more than once a second, and tells of the next outage again', async () => {
    const store = new Moody()
    store.mood = 'fails'
    const onStoreFailure = vi.fn(() => Promise.reject(new Error('its own affair')) as never)
    const guarded = new StoreGuard('It is down.', { onStoreFailure }).add(store, 1000)
    await expect(guarded.increment('a')).rejects.toThrow(StoreDown)
    await sleep(2500)
    expect(store.calls.filter((call) => call.startsWith('init')).length).toBeLessThanOrEqual(7)
    store.mood = 'well'
    await vi.waitFor(() => guarded.increment('a'), { timeout: 3000 })
    store.mood = 'fails'
    await expect(guarded.increment('a')).rejects.toThrow(StoreDown)
    expect(onStoreFailure).toHaveBeenCalledTimes(2)
  })

  it('LIMIT-1: what fails long after it was given up says nothing of the store as it is now', async () => {
    let fail = (_: Error): void => {}
    const store = new ProcessStore(1000)
    const late: LimitStore = {
      increment: (key) =>
        key === 'late'
          ? new Promise((_, reject) => {
              fail = reject
            })
          : store.increment(key),
      decrement: () => {},
      resetKey: () => {},
    }
    const onStoreFailure = vi.fn()
    const guarded = new StoreGuard('It is down.', { storeTimeout: 20, onStoreFailure }).add(late, 1000)
    await expect(guarded.increment('late')).rejects.toThrow(StoreDown)
    await vi.waitFor(() => guarded.increment('a'), { timeout: 3000 })
    fail(new Error('too late'))
    await sleep(10)
    await guarded.increment('a')
    expect(onStoreFailure).toHaveBeenCalledTimes(1)
  })

  it('LIMIT-1: a look that nothing comes of holds up the next ones, so that a client which queues gathers few, and not for ever', async () => {
    vi.useFakeTimers()
    try {
      const store = new Moody()
      store.mood = 'hangs'
      const guarded = new StoreGuard('It is down.', { onStoreFailure: () => {} }).add(store, 60_000)
      await vi.advanceTimersByTimeAsync(20_000)
      expect(store.calls).toEqual(['init 60000', 'init 60000'])
      store.mood = 'well'
      await vi.advanceTimersByTimeAsync(13_000)
      expect((await guarded.increment('a')).totalHits).toBe(1)
    } finally {
      vi.useRealTimers()
    }
  })
})
