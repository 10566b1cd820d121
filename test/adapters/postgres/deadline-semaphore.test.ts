import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DeadlineSemaphore } from '../../../src/adapters/postgres/connections/deadline-semaphore.js'

const always = () => true

describe('DeadlineSemaphore', () => {
  it('admits calls at once while places are free, and then one call for each released place', async () => {
    const semaphore = new DeadlineSemaphore(2)
    expect([semaphore.acquire(100, always), semaphore.acquire(100, always)]).toEqual([undefined, undefined])
    let begun = false
    const third = semaphore.acquire(100, always)?.then(() => {
      begun = true
    })
    await Promise.resolve()
    expect(begun).toBe(false)
    semaphore.release()
    await third
    semaphore.release()
    semaphore.release()
    expect([semaphore.acquire(1, always), semaphore.acquire(1, always)]).toEqual([undefined, undefined])
    expect(semaphore.acquire(1, always)).toBeInstanceOf(Promise)
  })

  it('admits calls in the order of their deadlines, then of their arrival, and skips abandoned calls', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ left: fc.constantFrom(1_000, 2_000, 5_000, Number.POSITIVE_INFINITY), wanted: fc.boolean() }),
          {
            maxLength: 300,
          },
        ),
        async (calls) => {
          const semaphore = new DeadlineSemaphore(1)
          semaphore.acquire(1, always)
          const begun: number[] = []
          const all = calls.map(({ left, wanted }, at) =>
            semaphore.acquire(left, () => wanted)?.then(() => void begun.push(at)),
          )
          for (let i = 0; i < calls.filter(({ wanted }) => wanted).length; i++) {
            semaphore.release()
            await new Promise((resolve) => setImmediate(resolve))
          }
          const expected = calls
            .map(({ left, wanted }, at) => ({ left: Math.min(left, 30_000), wanted, at }))
            .filter(({ wanted }) => wanted)
            .sort((a, b) => a.left - b.left || a.at - b.at)
          expect(begun).toEqual(expected.map(({ at }) => at))
          expect(all.every((turn) => turn !== undefined)).toBe(true)
          semaphore.release()
          expect(semaphore.acquire(1, always)).toBeUndefined()
        },
      ),
      { numRuns: 60 },
    )
  })

  it('removes abandoned calls from its queue before the queue becomes long', () => {
    const semaphore = new DeadlineSemaphore(1)
    semaphore.acquire(1, always)
    let asked = 0
    for (let i = 0; i < 10_000; i++) {
      semaphore.acquire(1_000, () => {
        asked += 1
        return false
      })
    }
    expect(asked).toBeGreaterThan(9_000)
    semaphore.release()
    expect(asked).toBeLessThan(10_200)
  })
})
