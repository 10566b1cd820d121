import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ProcessStore } from '../../src/limits/process-store.js'
import type { LimitStore } from '../../src/limits/store.js'
import { StoreDown, StoreGuard } from '../../src/limits/store-guard.js'

const messages = { failed: 'It is down.', recovered: (time: string) => `It was down for ${time}.` }

/** A store whose behavior is set by the test. */
class FakeStore implements LimitStore {
  behavior: 'well' | 'fails' | 'throws' | 'hangs' = 'well'
  calls: string[] = []
  readonly #inner = new ProcessStore(60_000)
  #do<T>(call: string, work: () => T): Promise<T> {
    this.calls.push(call)
    if (this.behavior === 'throws') throw new Error('thrown')
    if (this.behavior === 'hangs') return new Promise(() => {})
    return this.behavior === 'fails' ? Promise.reject(new Error('rejected')) : Promise.resolve(work())
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
    'LIMIT-1: a store that %s is reported once, delays no further requests, and recovers by itself',
    async (behavior) => {
      const store = new FakeStore()
      const onStoreFailure = vi.fn()
      const onStoreRecovery = vi.fn()
      const guarded = new StoreGuard(messages, { storeTimeout: 50, onStoreFailure, onStoreRecovery }).add(store, 60_000)
      expect((await guarded.increment('a')).totalHits).toBe(1)
      store.behavior = behavior
      const began = performance.now()
      await Promise.all(Array.from({ length: 20 }, () => expect(guarded.increment('a')).rejects.toThrow(StoreDown)))
      expect(performance.now() - began).toBeLessThan(500)
      store.calls.length = 0
      for (let n = 0; n < 100; n++) await expect(guarded.increment('a')).rejects.toThrow(StoreDown)
      expect(store.calls).toEqual([])
      store.behavior = 'well'
      await vi.waitFor(async () => expect((await guarded.increment('a')).totalHits).toBeGreaterThan(1), {
        timeout: 3000,
      })
      expect(store.calls.slice(0, 3)).toEqual(['init 60000', 'increment probe', 'resetKey probe'])
      expect(onStoreFailure).toHaveBeenCalledTimes(1)
      expect(onStoreFailure.mock.calls[0]?.[0]).toMatchObject({ message: 'It is down.', cause: expect.any(Error) })
      expect(onStoreRecovery.mock.calls).toEqual([
        [{ message: expect.stringMatching(/^It was down for \d+(\.\d)? seconds?\.$/), duration: expect.any(Number) }],
      ])
    },
  )

  it.each([
    undefined,
    null,
    {},
    { totalHits: Number.NaN },
    { totalHits: '1' },
    { totalHits: 1, resetTime: 1700000000000 },
  ])('LIMIT-1: a store that returns %j counts as down', async (hits) => {
    const onStoreFailure = vi.fn()
    const store: LimitStore = { increment: () => hits as never, decrement: () => {}, resetKey: () => {} }
    const guarded = new StoreGuard(messages, { onStoreFailure, onStoreRecovery() {} }).add(store, 60_000)
    await expect(guarded.increment('a')).rejects.toThrow(StoreDown)
    await sleep(1300) // A probe runs during this time, and must not end the outage.
    await expect(guarded.increment('a')).rejects.toThrow(StoreDown)
    expect(onStoreFailure).toHaveBeenCalledTimes(1)
  })

  it.each([undefined, null])(
    'LIMIT-1: a store that returns no reset time (%j) does not count as down',
    async (resetTime) => {
      const store: LimitStore = {
        increment: () => ({ totalHits: 1, resetTime }) as never,
        decrement: () => {},
        resetKey: () => {},
      }
      expect(await new StoreGuard(messages, {}).add(store, 60_000).increment('a')).toEqual({
        totalHits: 1,
        resetTime: undefined,
      })
    },
  )

  it('LIMIT-1: a short outage ends within a second, and rapidly repeated outages cause few reports', async () => {
    const store = new FakeStore()
    const onStoreFailure = vi.fn()
    const guarded = new StoreGuard(messages, { onStoreFailure, onStoreRecovery() {} }).add(store, 60_000)
    store.behavior = 'fails'
    await expect(guarded.increment('a')).rejects.toThrow(StoreDown)
    store.behavior = 'well'
    const began = performance.now()
    await vi.waitFor(() => guarded.increment('a'), { interval: 10 })
    expect(performance.now() - began).toBeLessThan(900)
    const end = performance.now() + 2000
    while (performance.now() < end) {
      store.behavior = store.behavior === 'well' ? 'fails' : 'well'
      await guarded.increment('a').catch(() => {})
      await sleep(5)
    }
    expect(onStoreFailure.mock.calls.length).toBeLessThanOrEqual(7)
  })

  it('LIMIT-1: ready() waits until the store works, but only for a limited time', async () => {
    const store = new FakeStore()
    store.behavior = 'fails'
    const guard = new StoreGuard(messages, { onStoreFailure() {}, onStoreRecovery() {} })
    guard.add(store, 60_000)
    const soon = guard.ready(5000).then(() => performance.now())
    const began = performance.now()
    await guard.ready(60)
    expect(performance.now() - began).toBeGreaterThanOrEqual(55)
    store.behavior = 'well'
    expect((await soon) - began).toBeLessThan(4000)
    const at = performance.now()
    await guard.ready(5000)
    expect(performance.now() - at).toBeLessThan(1000)
  })

  it('LIMIT-1: a store that is down is rarely probed, and its next outage is reported too', async () => {
    const store = new FakeStore()
    store.behavior = 'fails'
    const onStoreFailure = vi.fn(() => Promise.reject(new Error('its own affair')) as never)
    const guarded = new StoreGuard(messages, { onStoreFailure, onStoreRecovery() {} }).add(store, 1000)
    await expect(guarded.increment('a')).rejects.toThrow(StoreDown)
    await sleep(2500)
    expect(store.calls.filter((call) => call.startsWith('init')).length).toBeLessThanOrEqual(7)
    store.behavior = 'well'
    await vi.waitFor(() => guarded.increment('a'), { timeout: 3000 })
    store.behavior = 'fails'
    await expect(guarded.increment('a')).rejects.toThrow(StoreDown)
    expect(onStoreFailure).toHaveBeenCalledTimes(2)
  })

  it('LIMIT-1: a late error of a call that timed out does not affect the current state', async () => {
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
    const guarded = new StoreGuard(messages, { storeTimeout: 20, onStoreFailure, onStoreRecovery() {} }).add(late, 1000)
    await expect(guarded.increment('late')).rejects.toThrow(StoreDown)
    await vi.waitFor(() => guarded.increment('a'), { timeout: 3000 })
    fail(new Error('too late'))
    await sleep(10)
    await guarded.increment('a')
    expect(onStoreFailure).toHaveBeenCalledTimes(1)
  })

  it('LIMIT-1: a probe without a reply times out, and a later probe ends the outage', async () => {
    vi.useFakeTimers()
    try {
      const store = new FakeStore()
      store.behavior = 'hangs'
      const onStoreRecovery = vi.fn()
      const guarded = new StoreGuard(messages, { onStoreFailure: () => {}, onStoreRecovery }).add(store, 60_000)
      await vi.advanceTimersByTimeAsync(30_000)
      // A disconnected client can queue commands, so each probe sends only one command. The probes
      // run about every three seconds.
      expect(new Set(store.calls)).toEqual(new Set(['init 60000']))
      expect(store.calls.length).toBeGreaterThan(8)
      expect(store.calls.length).toBeLessThan(16)
      store.behavior = 'well'
      await vi.advanceTimersByTimeAsync(3_100)
      expect((await guarded.increment('a')).totalHits).toBe(1)
      const [{ message, duration }] = onStoreRecovery.mock.calls[0] as [{ message: string; duration: number }]
      expect(duration).toBeGreaterThan(29_000)
      expect(duration).toBeLessThan(33_000)
      expect(message).toBe(`It was down for ${Math.round(duration / 100) / 10} seconds.`)
    } finally {
      vi.useRealTimers()
    }
  })

  it('LIMIT-1: however a store behaves, each call settles and no rejection is unhandled', async () => {
    const unhandled: unknown[] = []
    const onRejection = (reason: unknown) => void unhandled.push(reason)
    process.on('unhandledRejection', onRejection)
    onTestFinished(() => void process.off('unhandledRejection', onRejection))
    const random = seeded(14)
    const later: (() => void)[] = []
    const kinds: readonly (() => unknown)[] = [
      () => ({ totalHits: 1, resetTime: undefined }),
      () => undefined,
      () => {
        throw new Error('thrown')
      },
      () => Promise.reject(new Error('rejected')),
      () => new Promise(() => {}),
      () => new Promise((resolve) => later.push(() => resolve({ totalHits: 1, resetTime: undefined }))),
      () => new Promise((_, reject) => later.push(() => reject(new Error('late')))),
      // A thenable can settle twice, throw, or settle synchronously.
      () => thenable((resolve, reject) => [resolve({ totalHits: 1 }), reject(new Error('twice'))]),
      () => thenable((_, reject) => [reject(new Error('once')), reject(new Error('twice'))]),
      () =>
        thenable(() => {
          throw new Error('thrown in then')
        }),
      () =>
        thenable((_, reject) =>
          later.push(
            () => reject(new Error('late')),
            () => reject(new Error('twice')),
          ),
        ),
    ]
    let isWell = false
    const act = (): never => {
      const kind = isWell || random() < 0.5 ? 0 : Math.floor(random() * kinds.length)
      return (kinds[kind] as () => unknown)() as never
    }
    const store: LimitStore = { init: act, increment: act, decrement: act, resetKey: act, get: act }
    const recovered = vi.fn()
    const onStoreRecovery = () => {
      recovered()
      return act()
    }
    let opened = 0
    const onStoreFailure = () => {
      opened++
      return act()
    }
    for (let round = 0; round < 100; round++) {
      const guard = new StoreGuard(messages, { storeTimeout: 5, onStoreFailure, onStoreRecovery })
      const guarded = [guard.add(store, 1000), guard.add(store, 1000)] as const
      const calls = guarded.flatMap((one) => [one.increment('a'), one.get('a'), one.decrement('a'), one.resetKey('a')])
      for (const { status, reason } of (await Promise.allSettled(calls)) as { status: string; reason?: unknown }[]) {
        if (status === 'rejected') expect(reason).toBeInstanceOf(StoreDown)
      }
      for (const settle of later.splice(0, Math.floor(random() * 4))) settle()
    }
    isWell = true
    await vi.waitFor(() => expect(recovered).toHaveBeenCalledTimes(opened), { timeout: 20_000, interval: 100 })
    for (const settle of later.splice(0)) settle()
    await sleep(50)
    expect(opened).toBeGreaterThan(50)
    expect(unhandled).toEqual([])
  }, 60_000)
})

function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1103515245 + 12345) % 2 ** 31
    return state / 2 ** 31
  }
}

const thenable = (then: (resolve: (value: unknown) => void, reject: (reason: unknown) => void) => unknown) => ({ then })
