import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ProcessStore } from '../../src/limits/process-store.js'

describe('ProcessStore', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  it('LIMIT-1: a window starts with the first request, has a fixed length, and ends', () => {
    const store = new ProcessStore(1000)
    const ends = Date.now() + 1000
    expect(store.increment('a')).toMatchObject({ totalHits: 1, resetTime: new Date(ends) })
    vi.advanceTimersByTime(999)
    expect(store.increment('a')).toMatchObject({ totalHits: 2, resetTime: new Date(ends) })
    vi.advanceTimersByTime(1)
    expect(store.get('a')).toBeUndefined()
    expect(store.increment('a')).toMatchObject({ totalHits: 1, resetTime: new Date(ends + 1000) })
  })

  it('decrements and resets keys, and never counts below zero', () => {
    const store = new ProcessStore(1000)
    store.increment('a')
    store.decrement('a')
    store.decrement('a')
    store.decrement('b')
    expect(store.increment('a').totalHits).toBe(1)
    store.resetKey('a')
    expect(store.get('a')).toBeUndefined()
    expect(store.get('b')).toBeUndefined()
  })

  it('LIMIT-1: never exceeds its maximum number of keys, and keeps a key that is used often', () => {
    const store = new ProcessStore(3_600_000, 1000)
    for (let n = 0; n < 50_000; n++) {
      store.increment(`address ${n}`)
      if (n % 100 === 0) store.increment('attacked')
    }
    expect(store.size).toBeLessThanOrEqual(1000)
    expect(store.get('attacked')?.totalHits).toBe(500)
  })

  it('removes keys whose windows have ended', () => {
    const store = new ProcessStore(1000)
    for (let n = 0; n < 100; n++) store.increment(`address ${n}`)
    vi.advanceTimersByTime(1000)
    store.increment('other')
    vi.advanceTimersByTime(1000)
    store.increment('other')
    expect(store.size).toBe(1)
  })
})
