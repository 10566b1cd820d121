import { rateLimit } from 'express-rate-limit'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Budget } from '../../src/limits/budgets.js'
import { makeEngine } from '../../src/limits/engine.js'
import { HttpProblem } from '../../src/problem.js'

/**
 * The fields that `express-rate-limit` writes for one request, and whether it refuses the request.
 */
function fieldsOfExpressRateLimit(
  { name, limit, window }: Budget,
  hits: object,
  key: string,
): Promise<readonly [refused: boolean, fields: object]> {
  return new Promise((resolve, reject) => {
    const fields: Record<string, string> = {}
    const keep = (field: string, value: string): void => {
      fields[field] = value
    }
    const counts = rateLimit({
      windowMs: window,
      limit,
      standardHeaders: 'draft-8',
      legacyHeaders: false,
      identifier: name,
      validate: false,
      keyGenerator: () => key,
      handler: () => resolve([true, fields]),
      store: { increment: () => hits, decrement: () => {}, resetKey: () => {} } as never,
    })
    const next = (error?: unknown): void => (error === undefined ? resolve([false, fields]) : reject(error))
    void counts({} as never, { headersSent: false, append: keep, setHeader: keep } as never, next)
  })
}

describe('engine', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  const uncounted = (error: unknown): never => {
    throw error
  }

  it('LIMIT-1: responses have the fields of express-rate-limit, except that Retry-After is at least 1', async () => {
    const budgets = fc.record({
      name: fc.constantFrom('default', 'a.b_c-d'),
      limit: fc.integer({ min: 1, max: 1e9 }),
      window: fc.integer({ min: 1, max: 2 ** 31 }),
      routes: fc.constant(undefined),
      methods: fc.constant(undefined),
    })
    const text = fc.oneof(
      fc.string({ maxLength: 66 }),
      fc.string({ unit: 'binary', maxLength: 66 }),
      fc.constant('p:\ud800'),
    )
    const ends = fc.option(fc.integer({ min: -5000, max: 2 ** 31 }), { nil: undefined })
    await fc.assert(
      fc.asyncProperty(budgets, text, ends, fc.integer({ min: -2, max: 2 }), async (budget, key, end, over) => {
        const resetTime = end === undefined ? undefined : new Date(Date.now() + end)
        const hits = { totalHits: Math.max(1, budget.limit + over), resetTime }
        const [refused, fields] = await fieldsOfExpressRateLimit(budget, hits, key)
        const count = makeEngine(budget, { increment: () => hits, decrement: () => {}, resetKey: () => {} }, uncounted)
        for (let times = 0; times < 2; times++) {
          const sent = await count(key).catch((error: unknown) => {
            expect(error).toBeInstanceOf(HttpProblem)
            return (error as HttpProblem).headers
          })
          const wait = (fields as Record<string, string>)['Retry-After']
          expect(Object.entries(sent)).toEqual(
            Object.entries(refused ? { ...fields, 'Retry-After': String(Math.max(1, Number(wait))) } : fields),
          )
        }
      }),
    )
  })

  it('LIMIT-1: passes an error of the store to a callback, which can throw it or let the request pass', async () => {
    const budget: Budget = { name: 'default', limit: 1, window: 1000, routes: undefined, methods: undefined }
    const down = new Error('down')
    const store = { increment: () => Promise.reject(down), decrement: () => {}, resetKey: () => {} }
    await expect(makeEngine(budget, store, uncounted)('a')).rejects.toBe(down)
    expect(await makeEngine(budget, store, () => ({}))('a')).toEqual({})
  })
})
