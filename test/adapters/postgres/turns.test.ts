import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Turns } from '../../../src/adapters/postgres/connections/turns.js'

const always = () => true

describe('turns', () => {
  it('give free places at once, and then one place for each that is released', async () => {
    const turns = new Turns(2)
    expect([turns.take(100, always), turns.take(100, always)]).toEqual([undefined, undefined])
    let begun = false
    const third = turns.take(100, always)?.then(() => {
      begun = true
    })
    await Promise.resolve()
    expect(begun).toBe(false)
    turns.give()
    await third
    turns.give()
    turns.give()
    expect([turns.take(1, always), turns.take(1, always)]).toEqual([undefined, undefined])
    expect(turns.take(1, always)).toBeInstanceOf(Promise)
  })

  it('start the call with the least time left first, then in the order of arrival, and skip abandoned calls', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ left: fc.constantFrom(1_000, 2_000, 5_000, Number.POSITIVE_INFINITY), wanted: fc.boolean() }),
          {
            maxLength: 300,
          },
        ),
        async (calls) => {
          const turns = new Turns(1)
          turns.take(1, always)
          const begun: number[] = []
          const all = calls.map(({ left, wanted }, at) =>
            turns.take(left, () => wanted)?.then(() => void begun.push(at)),
          )
          for (let i = 0; i < calls.filter(({ wanted }) => wanted).length; i++) {
            turns.give()
            await new Promise((resolve) => setImmediate(resolve))
          }
          const expected = calls
            .map(({ left, wanted }, at) => ({ left: Math.min(left, 30_000), wanted, at }))
            .filter(({ wanted }) => wanted)
            .sort((a, b) => a.left - b.left || a.at - b.at)
          expect(begun).toEqual(expected.map(({ at }) => at))
          expect(all.every((turn) => turn !== undefined)).toBe(true)
          turns.give()
          expect(turns.take(1, always)).toBeUndefined()
        },
      ),
      { numRuns: 60 },
    )
  })

  it('keep at most twice as many calls as are still waiting', () => {
    const turns = new Turns(1)
    turns.take(1, always)
    let asked = 0
    for (let i = 0; i < 10_000; i++) {
      turns.take(1_000, () => {
        asked += 1
        return false
      })
    }
    expect(asked).toBeGreaterThan(9_000)
    turns.give()
    expect(asked).toBeLessThan(10_200)
  })
})
