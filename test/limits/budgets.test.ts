import { describe, expect, it } from 'vitest'
import { fittingBudget, resolveBudgets } from '../../src/limits/budgets.js'
import { rateLimit } from '../../src/middleware/rate-limit.js'
import { ConfigurationError } from '../../src/problem.js'

describe('budgets', () => {
  const { all, failures } = resolveBudgets({
    limit: 600,
    budgets: [
      { name: 'search', routes: ['search', 'tax/facturas'], limit: 10 },
      { name: 'write', methods: 'write', limit: 60, window: 1000 },
    ],
  })
  const fitting = (method: string, path: string) => all[fittingBudget(all, { method }, path)]?.name

  it.each([
    ['GET', '/search', 'search'],
    ['POST', '/search', 'search'],
    ['GET', '/%73earch', 'search'],
    ['GET', '/Search/', 'search'],
    ['GET', '/search/a%2Fb', 'search'],
    ['GET', '/tax/facturas/7/partidas', 'search'],
    ['GET', '/tax', 'default'],
    ['GET', '/tax%2Ffacturas', 'default'],
    ['GET', '/searches', 'default'],
    ['GET', '/search%', 'default'],
    ['DELETE', '/search%', 'write'],
    ['GET', '/', 'default'],
    ['GET', '', 'default'],
    ['HEAD', '/contratos', 'default'],
    ['OPTIONS', '/contratos', 'default'],
    ['PATCH', '/contratos/7', 'write'],
    ['QUERY', '/contratos', 'write'],
  ])('LIMIT-1: %s %s counts against the budget "%s"', (method, path, name) => {
    expect(fitting(method, path)).toBe(name)
  })

  it('LIMIT-1: a budget inherits its window from the default budget, and "failures" also inherits its limit', () => {
    expect(all.map(({ limit, window }) => [limit, window])).toEqual([
      [10, 60_000],
      [60, 1000],
      [600, 60_000],
    ])
    expect(failures).toMatchObject({ name: 'failures', limit: 600, window: 60_000 })
    expect(resolveBudgets({ limit: 5, window: 7, failures: { limit: 2 } }).failures).toMatchObject({
      limit: 2,
      window: 7,
    })
  })

  it('LIMIT-1: no default budget is needed if every request matches another budget', () => {
    const read = { name: 'read', methods: 'read', limit: 1 } as const
    const write = { name: 'write', methods: 'write', limit: 1 } as const
    expect(resolveBudgets({ budgets: [read, write], failures: { limit: 3 } }).all).toHaveLength(2)
    expect(() => resolveBudgets({ budgets: [read], failures: { limit: 3 } })).toThrow(
      /the budgets do not cover every request/,
    )
    expect(() => resolveBudgets({ budgets: [read, write] })).toThrow(ConfigurationError)
  })

  it.each([
    [{}, /The option "limit" of rateLimit\(\) is missing/],
    [{ limit: 0 }, /whole number/],
    [{ limit: 1.5 }, /whole number/],
    [{ limit: 5, window: -1 }, /number of milliseconds from 1/],
    [{ limit: 5, failures: { limits: 3 } }, /Did you mean "limit"/],
    [
      { limit: 5, budgets: [{ name: 'a b', limit: 1 }] },
      /"budgets\[0\]\.name" of rateLimit\(\) is 'a b'\. Give a name of at most 64 letters/,
    ],
    [{ limit: 5, budgets: [{ name: 'default', limit: 1 }] }, /Two budgets/],
    [{ limit: 5, budgets: [{ name: 'failures', limit: 1 }] }, /Two budgets/],
    [{ limit: 5, budgets: [{ name: 'a' }] }, /"budgets\[0\]\.limit" of rateLimit\(\) is missing/],
    [{ limit: 5, budgets: [{ name: 'a', limit: 1, methods: 'GET' }] }, /is 'GET'\. Give 'read' or 'write'/],
    [
      { limit: 5, budgets: [{ name: 'a', limit: 1, routes: [] }] },
      /is an empty list\. Give a list of routes such as "tax\/facturas", or omit it/,
    ],
    [
      { limit: 5, budgets: [{ name: 'a', limit: 1, routes: ['/search'] }] },
      /is '\/search'\. Give the segments of a path below the version/,
    ],
    [{ limit: 5, budgets: [{ name: 'a', limit: 1, route: ['search'] }] }, /Did you mean "routes"/],
    [{ limit: 5, budgets: { name: 'a', limit: 1 } }, /"budgets" of rateLimit\(\) is of type object\. Give a list/],
  ])('LIMIT-1: the options %j are refused', (options, message) => {
    expect(() => rateLimit(options as never)).toThrow(ConfigurationError)
    expect(() => rateLimit(options as never)).toThrow(message)
  })
})
