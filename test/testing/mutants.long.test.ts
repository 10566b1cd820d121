/**
 * Tests the adapter suite itself. Each wrong adapter fails the checks that are meant for it, and
 * each check fails for at least one wrong adapter.
 */
import { describe, expect, it } from 'vitest'
import { adapterSuite, ContractError } from '../../src/testing/index.js'
import { mutants } from './mutants/index.js'

describe('an adapter that', () => {
  for (const { name, caughtBy, make } of mutants) {
    it(`${name} is caught by ${caughtBy.join(', ')}`, async () => {
      const suite = adapterSuite(make, { timeout: 300 })
      expect(caughtBy.length).toBeGreaterThan(0)
      for (const id of caughtBy) {
        const check = suite.find((one) => one.id === id)
        await expect(check?.run(), id).rejects.toThrow(ContractError)
      }
    })
  }
})

describe('the adapter suite', () => {
  it('each of its checks fails for at least one wrong adapter', () => {
    const needed = new Set(mutants.flatMap(({ caughtBy }) => caughtBy))
    const ids = adapterSuite(mutants[0]?.make as never).map(({ id }) => id)
    expect(ids.filter((id) => !needed.has(id))).toEqual([])
    expect([...needed].filter((id) => !ids.includes(id))).toEqual([])
  })
})
