import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ProcessStore } from '../src/limits/process-store.js'
import { StoreGuard } from '../src/limits/store-guard.js'
import { abortedAfter, backoff, deadline, longestTimer, withTimeout } from '../src/timeout.js'

/** Blocks the event loop for `ms` milliseconds. */
function standStill(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** Waits for data that has already arrived, but that the event loop has not read yet. */
async function arrived(): Promise<string> {
  const { port1, port2 } = new MessageChannel()
  const came = once(port1, 'message')
  port2.postMessage('value')
  const [value] = await came
  port1.close()
  return value
}

const late = () => new Error('too late')
const never = () => new Promise<never>(() => {})

const thenable = (then: (resolve: (value: string) => void) => void): object =>
  Object.defineProperty({}, 'then', { value: then })

/** The number of timers that keep this process alive. */
const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length

describe('withTimeout()', () => {
  it('settles like a promise that settles in time, and leaves no timer behind', async () => {
    const before = timers()
    await expect(withTimeout(sleep(1, 'value'), 60_000, late)).resolves.toBe('value')
    await expect(withTimeout(Promise.reject(new Error('no')), 60_000, late)).rejects.toThrow('no')
    expect(timers()).toBe(before)
  })

  it('rejects with the result of late() if nothing arrives in time', async () => {
    const made = vi.fn(late)
    await expect(withTimeout(never(), 1, made)).rejects.toThrow('too late')
    await expect(withTimeout(never(), 0, made)).rejects.toThrow('too late')
    expect(made).toHaveBeenCalledTimes(2)
  })

  it('accepts a value that is not a promise, and an infinite limit', async () => {
    await expect(withTimeout('value', 0, late)).resolves.toBe('value')
    const before = timers()
    const waiting = withTimeout(sleep(5, 'value', { ref: false }), Number.POSITIVE_INFINITY, late)
    expect(timers()).toBe(before)
    const hold = setTimeout(() => {}, 60_000)
    await expect(waiting).resolves.toBe('value')
    clearTimeout(hold)
  })

  it('does not time out immediately if the limit is above the longest timer of Node', async () => {
    await expect(withTimeout(sleep(5, 'value'), 2 * longestTimer, late)).resolves.toBe('value')
  })

  it('does not time out if the value arrived while the event loop was blocked', async () => {
    const answer = withTimeout(arrived(), 5, late)
    standStill(50)
    await expect(answer).resolves.toBe('value')
  })

  describe('a rejection after the limit', () => {
    const unhandled = vi.fn()
    afterEach(() => void process.off('unhandledRejection', unhandled))

    it('is ignored, and causes no "unhandledRejection" event', async () => {
      process.on('unhandledRejection', unhandled)
      let fail = (_: Error): void => {}
      const answer = new Promise<never>((_, reject) => {
        fail = reject
      })
      await expect(withTimeout(answer, 1, late)).rejects.toThrow('too late')
      fail(new Error('much later'))
      await sleep(5)
      expect(unhandled).not.toHaveBeenCalled()
    })
  })

  it('awaits a thenable as "await" does', async () => {
    const fulfilled = thenable((resolve) => void setTimeout(() => resolve('value'), 1))
    await expect(withTimeout(fulfilled, 60_000, late)).resolves.toBe('value')
    const broken = thenable(() => {
      throw new Error('broken')
    })
    await expect(withTimeout(broken, 60_000, late)).rejects.toThrow('broken')
  })
})

describe('abortedAfter()', () => {
  it('returns a result that arrives in time, and does not abort the signal', async () => {
    let given: AbortSignal | undefined
    const work = (signal: AbortSignal) => {
      given = signal
      return 'value'
    }
    await expect(abortedAfter(work, 60_000, late)).resolves.toBe('value')
    expect(given?.aborted).toBe(false)
  })

  it('aborts the signal at the limit, and rejects with the reason of the signal', async () => {
    let given: AbortSignal | undefined
    const answer = abortedAfter(
      (signal) => {
        given = signal
        return never()
      },
      1,
      late,
    )
    const error = await answer.catch((reason: unknown) => reason)
    expect(error).toMatchObject({ message: 'too late' })
    expect(given?.reason).toBe(error)
  })

  it('turns an exception into a rejection', async () => {
    const work = () => {
      throw new Error('no')
    }
    await expect(abortedAfter(work, 60_000, late)).rejects.toThrow('no')
  })
})

describe('deadline()', () => {
  it('calls back when the time is up, unless the deadline was cancelled', async () => {
    const passed = vi.fn()
    const other = vi.fn()
    deadline(20, passed)
    deadline(20, other)()
    await vi.waitFor(() => expect(passed).toHaveBeenCalledTimes(1))
    expect(other).not.toHaveBeenCalled()
  })

  it('waits for the whole limit again if the event loop was blocked when the time was up', async () => {
    const calls: string[] = []
    const waited = new Promise<void>((resolve) =>
      deadline(200, () => {
        calls.push('deadline')
        resolve()
      }),
    )
    standStill(300)
    // The answer arrives after the event loop was blocked.
    setTimeout(() => calls.push('answer'), 20)
    await waited
    expect(calls).toEqual(['answer', 'deadline'])
  })

  it('does not count the time for which the event loop was blocked before the call', async () => {
    standStill(300)
    const calls: string[] = []
    const waited = new Promise<void>((resolve) =>
      deadline(200, () => {
        calls.push('deadline')
        resolve()
      }),
    )
    setImmediate(() => setTimeout(() => calls.push('answer'), 20))
    await waited
    expect(calls).toEqual(['answer', 'deadline'])
  })

  it('calls back even if the event loop is blocked again and again', async () => {
    const busy = setInterval(() => standStill(60), 1)
    const passed = vi.fn()
    for (let n = 0; n < 5; n++) {
      await new Promise<void>((resolve) => deadline(50, resolve))
      passed()
    }
    clearInterval(busy)
    expect(passed).toHaveBeenCalledTimes(5)
  })

  it('LIMIT-1: a store does not count as down if its response arrived while the event loop was blocked', async () => {
    const inner = new ProcessStore(60_000)
    const onStoreFailure = vi.fn()
    const store = {
      increment: async (key: string) => {
        await arrived()
        return inner.increment(key)
      },
      decrement: (key: string) => inner.decrement(key),
      resetKey: (key: string) => inner.resetKey(key),
    }
    const guarded = new StoreGuard(
      { failed: 'It is down.', recovered: () => 'It was down.' },
      { storeTimeout: 50, onStoreFailure },
    ).add(store, 60_000)
    for (const ms of [45, 60, 200]) {
      const answer = guarded.increment('a')
      standStill(ms)
      await expect(answer).resolves.toMatchObject({ totalHits: expect.any(Number) })
    }
    expect(onStoreFailure).not.toHaveBeenCalled()
  })
})

describe('backoff()', () => {
  it('returns a random delay below a bound that doubles with each attempt, up to the maximum', () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    expect([0, 1, 2, 3, 4].map((attempts) => backoff(attempts, 10, 60))).toEqual([5, 10, 20, 30, 30])
    vi.restoreAllMocks()
  })
})
