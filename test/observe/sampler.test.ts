/** Tests how `Sampler` selects requests. */
import { describe, expect, it } from 'vitest'
import { Sampler } from '../../src/observe/sampler.js'

const amounts = (sampler: Sampler, requests: number): number[] => Array.from({ length: requests }, () => sampler.take())

describe('Sampler', () => {
  it('selects a share of the requests, and returns counts that represent all requests', () => {
    const taken = amounts(new Sampler(0.01, 1), 100_000).filter((amount) => amount > 0)
    expect(taken.length).toBeGreaterThan(700)
    expect(taken.length).toBeLessThan(1300)
    const sum = taken.reduce((a, b) => a + b, 0)
    expect(sum).toBeLessThanOrEqual(100_000)
    expect(sum).toBeGreaterThan(95_000)
  })

  it('selects every request while its time budget lasts', () => {
    expect(new Set(amounts(new Sampler(1, 0.01), 1000))).toEqual(new Set([1]))
  })

  it('skips requests while its time budget is used up', () => {
    const sampler = new Sampler(1, 0.01)
    expect(sampler.take()).toBe(1)
    sampler.spend(100_000)
    expect(new Set(amounts(sampler, 1000))).toEqual(new Set([0]))
  })
})
