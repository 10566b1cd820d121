import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { HashingQueue } from '../../../src/auth/login/hashing-queue.js'
import { currentCost, workOf } from '../../../src/auth/login/password-hash.js'
import { HttpProblem } from '../../../src/problem.js'

const today = workOf(currentCost)
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * A caller, with the outcome of its call and its times in milliseconds since the start of the test.
 */
interface Caller {
  state: 'waiting' | 'done' | 'refused' | 'gone' | 'failed'
  began: number | undefined
  ended: number
  retryAfter: number
}

describe('the queue of hashes', () => {
  let began: number
  const at = () => performance.now() - began

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    began = performance.now()
  })
  afterEach(() => void vi.useRealTimers())

  function call(
    queue: HashingQueue,
    takes: number,
    { steps = today, isGone = (): boolean => false, fails = false } = {},
  ): Caller {
    const caller: Caller = { state: 'waiting', began: undefined, ended: 0, retryAfter: 0 }
    const work = async (): Promise<void> => {
      caller.began = at()
      await sleep(takes)
      if (fails) throw new Error('failed')
    }
    const end = (state: Caller['state']): void => {
      caller.state = state
      caller.ended = at()
    }
    queue.run(steps, work, isGone).then(
      () => end('done'),
      (error: unknown) => {
        if (!(error instanceof HttpProblem)) return end('failed')
        end(error.status === 503 ? 'refused' : 'gone')
        caller.retryAfter = Number(error.headers['Retry-After'])
      },
    )
    return caller
  }

  const count = (callers: readonly Caller[], state: Caller['state']) =>
    callers.filter((caller) => caller.state === state).length

  it('AUTH-6: runs the allowed number of hashes at a time, in the order of arrival', async () => {
    const queue = new HashingQueue(2)
    const callers = Array.from({ length: 9 }, () => call(queue, 100))
    await vi.advanceTimersByTimeAsync(1000)
    expect(callers.map((caller) => caller.began)).toEqual([0, 0, 100, 100, 200, 200, 300, 300, 400])
  })

  it('AUTH-6: immediately refuses calls that would wait longer than 4 seconds', async () => {
    const queue = new HashingQueue(2)
    const callers = Array.from({ length: 60 }, () => call(queue, 250))
    await vi.advanceTimersByTimeAsync(0)
    // Two hashes of 250 ms run at a time, so each hash in front of a call adds 125 ms to the
    // estimated wait of the call. With 31 waiting calls, no estimated wait exceeds 4 seconds.
    expect(count(callers, 'refused')).toBe(60 - 2 - 31)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(count(callers, 'done')).toBe(33)
    expect(Math.max(...callers.map((caller) => caller.began ?? 0))).toBeLessThanOrEqual(4000)
  })

  it('AUTH-6: accepts every refused caller at the time of its Retry-After, even if all of them retry', async () => {
    const queue = new HashingQueue(2)
    const first = Array.from({ length: 200 }, () => call(queue, 250))
    await vi.advanceTimersByTimeAsync(0)
    const refused = first.filter((caller) => caller.state === 'refused')
    expect(refused.length).toBeGreaterThan(150)
    const again: Caller[] = []
    for (const { retryAfter } of refused) setTimeout(() => again.push(call(queue, 250)), retryAfter * 1000)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(again).toHaveLength(refused.length)
    expect(count(again, 'done')).toBe(refused.length)
    // All retries end within 1.5 times the time that the hashes need, plus two seconds.
    expect(Math.max(...again.map((caller) => caller.ended))).toBeLessThan((1.5 * (200 * 250)) / 2 + 2000)
  })

  it('AUTH-6: if hashing is slow and many callers time out, all their retries after Retry-After succeed', async () => {
    const queue = new HashingQueue(2)
    const first = Array.from({ length: 20 }, () => call(queue, 1600))
    await vi.advanceTimersByTimeAsync(5001)
    const refused = first.filter((caller) => caller.state === 'refused')
    expect(refused).toHaveLength(20 - 8)
    expect(refused[0]?.retryAfter).toBeLessThanOrEqual(2)
    const again: Caller[] = []
    for (const { retryAfter } of refused) setTimeout(() => again.push(call(queue, 1600)), retryAfter * 1000)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(count(again, 'done')).toBe(refused.length)
  })

  it('AUTH-6: never sets Retry-After above 30 seconds, even if callers never retry', async () => {
    const queue = new HashingQueue(1)
    const callers = Array.from({ length: 5000 }, () => call(queue, 250))
    await vi.advanceTimersByTimeAsync(0)
    expect(Math.max(...callers.map((caller) => caller.retryAfter))).toBe(30)
    await vi.advanceTimersByTimeAsync(10_000)
    const later = Array.from({ length: 40 }, () => call(queue, 250))
    await vi.advanceTimersByTimeAsync(0)
    expect(Math.max(...later.map((caller) => caller.retryAfter))).toBeLessThanOrEqual(30)
  })

  it('AUTH-6: if hashing is slow, refuses callers that have waited 5 seconds, and does not hash for them', async () => {
    const queue = new HashingQueue(2)
    const callers = Array.from({ length: 20 }, () => call(queue, 3000))
    await vi.advanceTimersByTimeAsync(3500)
    // By now the queue estimates 3 seconds for each hash, so it has no room for another call.
    const late = call(queue, 3000)
    await vi.advanceTimersByTimeAsync(0)
    expect(late.state).toBe('refused')
    await vi.advanceTimersByTimeAsync(30_000)
    expect([count(callers, 'done'), count(callers, 'refused')]).toEqual([4, 16])
    for (const caller of callers) {
      if (caller.state === 'refused') expect([caller.began, caller.ended]).toEqual([undefined, 5000])
      expect(caller.ended).toBeLessThanOrEqual(5000 + 3000)
    }
  })

  it('AUTH-6: estimates a longer wait if a hash has already been running for longer than the average', async () => {
    const queue = new HashingQueue(1)
    call(queue, 60_000)
    await vi.advanceTimersByTimeAsync(3000)
    const next = Array.from({ length: 4 }, () => call(queue, 3000))
    await vi.advanceTimersByTimeAsync(0)
    expect(next.map(({ state }) => state)).toEqual(['waiting', 'waiting', 'waiting', 'refused'])
  })

  it('AUTH-6: does not overestimate a costly hash after cheap hashes, which take more time per unit of work', async () => {
    const queue = new HashingQueue(1)
    for (let n = 0; n < 5; n++) call(queue, 40, { steps: today / 100 })
    await vi.advanceTimersByTimeAsync(200)
    const logins = Array.from({ length: 5 }, () => call(queue, 250))
    await vi.advanceTimersByTimeAsync(5000)
    expect(count(logins, 'done')).toBe(5)
  })

  it('AUTH-6: estimates the duration of a hash from its cost', async () => {
    const queue = new HashingQueue(1)
    const costly = Array.from({ length: 4 }, () => call(queue, 2500, { steps: today * 10 }))
    const cheap = call(queue, 250)
    await vi.advanceTimersByTimeAsync(0)
    expect(costly.map(({ state }) => state)).toEqual(['waiting', 'waiting', 'refused', 'refused'])
    expect(cheap.state).toBe('refused')
  })

  it('AUTH-6: does not hash for callers that have disconnected, and accepts other callers instead', async () => {
    const queue = new HashingQueue(1)
    call(queue, 250)
    let gone = false
    const flood = Array.from({ length: 15 }, () => call(queue, 250, { isGone: () => gone }))
    const behind = call(queue, 250)
    await vi.advanceTimersByTimeAsync(0)
    expect(behind.state).toBe('waiting')
    const full = call(queue, 250)
    await vi.advanceTimersByTimeAsync(0)
    expect(full.state).toBe('refused')
    gone = true
    const next = call(queue, 250)
    await vi.advanceTimersByTimeAsync(600)
    expect(count(flood, 'gone')).toBe(15)
    expect([behind.began, next.began]).toEqual([250, 500])
    expect(flood.every((caller) => caller.began === undefined)).toBe(true)
  })

  it('AUTH-6: responds to every caller, and never runs more hashes at a time than allowed (property)', async () => {
    const arrival = fc.record({
      after: fc.integer({ min: 0, max: 400 }),
      takes: fc.integer({ min: 1, max: 3000 }),
      steps: fc.integer({ min: 1, max: today * 3 }),
      leaves: fc.option(fc.integer({ min: 0, max: 5000 }), { nil: undefined }),
      fails: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(arrival, { maxLength: 80 }),
        fc.integer({ min: 1, max: 3 }),
        async (arrivals, lanes) => {
          const queue = new HashingQueue(lanes)
          const callers: Caller[] = []
          let running = 0
          for (const { after, takes, steps, leaves, fails } of arrivals) {
            await vi.advanceTimersByTimeAsync(after)
            const came = at()
            callers.push(
              call(queue, takes, { steps, fails, isGone: () => leaves !== undefined && at() - came > leaves }),
            )
            running = callers.filter((caller) => caller.began !== undefined && caller.state === 'waiting').length
            expect(running).toBeLessThanOrEqual(lanes)
          }
          await vi.advanceTimersByTimeAsync(300_000)
          await turn()
          expect(count(callers, 'waiting')).toBe(0)
          for (const { state, retryAfter } of callers) {
            if (state === 'refused') expect(retryAfter).toBeGreaterThanOrEqual(1)
            if (state === 'refused') expect(retryAfter).toBeLessThanOrEqual(30)
          }
          expect(vi.getTimerCount()).toBe(0)
          const last = call(queue, 1)
          await vi.advanceTimersByTimeAsync(1)
          expect(last.state).toBe('done')
        },
      ),
      { numRuns: 60 },
    )
  })
})
