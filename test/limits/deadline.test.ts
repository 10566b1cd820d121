import { stat } from 'node:fs/promises'
import { describe, expect, it, vi } from 'vitest'
import { deadline } from '../../src/limits/deadline.js'
import { ProcessStore } from '../../src/limits/process-store.js'
import { StoreGuard } from '../../src/limits/store-guard.js'

/** Holds the event loop. */
function standStill(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

describe('deadline()', () => {
  it('calls back when the time is up, and not when it was taken back', async () => {
    const passed = vi.fn()
    const other = vi.fn()
    deadline(20, passed)
    deadline(20, other)()
    await vi.waitFor(() => expect(passed).toHaveBeenCalledTimes(1))
    expect(other).not.toHaveBeenCalled()
  })

  it('does not count from before it was set, nor while the process stood still', async () => {
    standStill(150)
    const began = performance.now()
    await new Promise<void>((resolve) => deadline(100, resolve))
    expect(performance.now() - began).toBeGreaterThanOrEqual(98)
    const again = performance.now()
    const waited = new Promise<void>((resolve) => deadline(50, resolve))
    standStill(200)
    await waited
    expect(performance.now() - again).toBeGreaterThanOrEqual(240)
  })

  it('calls back also where the event loop is late all the time', async () => {
    const busy = setInterval(() => standStill(120), 1)
    const began = performance.now()
    for (let n = 0; n < 5; n++) await new Promise<void>((resolve) => deadline(100, resolve))
    clearInterval(busy)
    expect(performance.now() - began).toBeLessThan(5 * 2 * (100 + 2 * 125))
  })

  it('LIMIT-1: a store whose answer lies ready while this process stands still is not down', async () => {
    const inner = new ProcessStore(60_000)
    const onStoreFailure = vi.fn()
    const store = {
      increment: async (key: string) => {
        await stat('.') // answered by another thread meanwhile
        return inner.increment(key)
      },
      decrement: (key: string) => inner.decrement(key),
      resetKey: (key: string) => inner.resetKey(key),
    }
    const guarded = new StoreGuard({ failed: 'It is down.', recovered: () => 'It was down.' }, { storeTimeout: 50, onStoreFailure }).add(
      store,
      60_000,
    )
    for (const ms of [45, 60, 200]) {
      const answer = guarded.increment('a')
      standStill(ms)
      await expect(answer).resolves.toMatchObject({ totalHits: expect.any(Number) })
    }
    expect(onStoreFailure).not.toHaveBeenCalled()
  })
})
