import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RecentMap } from '../src/recent-map.js'

describe('RecentMap', () => {
  it('gives what was set last, or nothing', () => {
    const operations = fc.array(fc.tuple(fc.nat(20), fc.option(fc.nat())), { maxLength: 200 })
    fc.assert(
      fc.property(operations, (sequence) => {
        const recent = new RecentMap<number, number>(10)
        const all = new Map<number, number>()
        for (const [key, value] of sequence) {
          if (value === null) {
            const found = recent.get(key)
            if (found !== undefined) expect(found).toBe(all.get(key))
          } else {
            recent.set(key, value)
            all.set(key, value)
            expect(recent.get(key)).toBe(value)
          }
        }
      }),
    )
  })

  it('keeps the last `most`, and what is asked for again, and never twice as many', () => {
    const recent = new RecentMap<number, string>(100)
    for (let key = 0; key < 10_000; key += 1) {
      recent.set(key, `v${key}`)
      expect(recent.get(0)).toBe('v0')
      expect(recent.get(Math.max(0, key - 40))).toBe(`v${Math.max(0, key - 40)}`)
    }
    const kept = Array.from({ length: 10_000 }, (_, key) => key).filter((key) => new Map([[key, recent.get(key)]]).get(key) !== undefined)
    expect(kept.length).toBeLessThanOrEqual(200)
  })

  it('goes by weight where it is told one', () => {
    const recent = new RecentMap<number, string>(1_000, (value) => value.length)
    for (let key = 0; key < 100; key += 1) recent.set(key, 'x'.repeat(400))
    const kept = Array.from({ length: 100 }, (_, key) => key).filter((key) => recent.get(key) !== undefined)
    expect(kept.length).toBeLessThanOrEqual(5)
    expect(kept).toContain(99)
  })
})
