import type { IncomingMessage, RequestListener } from 'node:http'
import { MemoryStore } from 'express-rate-limit'
import { RedisStore } from 'rate-limit-redis'
import request from 'supertest'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { LimitStore } from '../../src/limits/store.js'
import { authenticate } from '../../src/middleware/authenticate.js'
import { type RateLimitOptions, rateLimit } from '../../src/middleware/rate-limit.js'
import { ConfigurationError } from '../../src/problem.js'
import { type App, type Express, majors, raw, service } from './majors.js'

describe('rateLimit(): options', () => {
  const store = () => ({
    increment: () => ({ totalHits: 1, resetTime: undefined }),
    decrement: () => {},
    resetKey: () => {},
  })
  const one = store()
  it.each([
    [undefined, /The options of rateLimit\(\) are missing\. Give an object/],
    [{ limits: 5 }, /Did you mean "limit"/],
    [{ limit: '5' }, /"limit" of rateLimit\(\) is '5'\. Give a whole number from 1/],
    [{ limit: 5, whenStoreFails: 'passes' }, /Give 'pass' or 'refuse'/],
    [{ limit: 5, storeTimeout: 0 }, /number of milliseconds from 1/],
    [{ limit: 5, store: {} }, /Give a function/],
    [{ limit: 5, store: () => undefined }, /returned no store for "default": is a return missing\?/],
    [{ limit: 5, store: async () => store() }, /returned a promise for "default"\. Return the store synchronously/],
    [{ limit: 5, store: () => ({ increment() {} }) }, /without decrement, resetKey for "default"/],
    [{ limit: 5, budgets: [{ limit: 1 }] }, /"budgets\[0\]\.name" of rateLimit\(\) is missing\. Give a name/],
    [{ limit: 5, store: () => one }, /the same store twice/],
    [
      { limit: 5, window: 367 * 24 * 3600_000 },
      /"window" of rateLimit\(\) is 31708800000\. Give a whole number .* to 31622400000/,
    ],
    [
      { limit: 5, window: 30 * 24 * 3600_000, store: () => new MemoryStore() },
      /"default" of rateLimit\(\) is 2592000000/,
    ],
  ])('LIMIT-1: the options %j are refused', (options, message) => {
    expect(() => rateLimit(options as never)).toThrow(ConfigurationError)
    expect(() => rateLimit(options as never)).toThrow(message)
  })

  it('LIMIT-1: "store" is called with the name of each budget, and may return a RedisStore', () => {
    const names: string[] = []
    const make = (name: string) => {
      names.push(name)
      return store()
    }
    rateLimit({ limit: 5, budgets: [{ name: 'search', limit: 1 }], store: make })
    expect(names).toEqual(['search', 'default', 'failures'])
    const typed: LimitStore = new RedisStore({ sendCommand: async () => 'sha' })
    expect(typed).toBeInstanceOf(RedisStore)
  })
})

describe.each(majors)('rateLimit() on %s', (_, express: Express) => {
  const callers = new Map([
    ['k1', { sub: 'ana' }],
    ['k2', { sub: 'eva' }],
    ['k3', { sub: 'ana' }],
    ['k4', { sub: 'luis' }],
  ])
  const authenticated = authenticate({ field: 'X-Api-Key', challenge: 'ApiKey', identify: (key) => callers.get(key) })
  const build = (options: RateLimitOptions, routes?: (app: App) => void) => {
    const limit = rateLimit(options)
    return service(express, (app) => {
      routes?.(app)
      app.use('/private', authenticated)
      app.use(limit)
      app.use((req, res, next) => (req.path === '/nothing' ? next() : res.json({ ok: true })))
      app.use(limit.failures)
    })
  }

  it('LIMIT-1: responses contain the number of remaining requests. Above the limit, requests get 429', async () => {
    const { call } = build({ limit: 2 })
    const [one, two, three] = [await call.get('/a'), await call.get('/a'), await call.get('/b')]
    expect(one.status).toBe(200)
    expect(one.headers.ratelimit).toMatch(/^"default"; r=1; t=(59|60)$/)
    expect(one.headers['ratelimit-policy']).toMatch(/^"default"; q=2; w=60; pk=:[\w+/=]+:$/)
    expect(two.headers.ratelimit).toMatch(/r=0/)
    expect(three.status).toBe(429)
    expect(three.headers.ratelimit).toMatch(/^"default"; r=0/)
    expect(Number(three.headers['retry-after'])).toBeGreaterThanOrEqual(59)
    expect(three.headers['cache-control']).toBe('no-store')
    expect(three.body).toMatchObject({ code: 'too-many-requests', clause: 'LIMIT-1' })
    expect(three.body.detail).toMatch(
      /^The budget "default" allows 2 requests in 60 seconds\. Try again in (59|60) seconds\.$/,
    )
  })

  it('LIMIT-1: requests pass again when the window ends, and Retry-After is at least one second', async () => {
    const { call } = build({ limit: 1, window: 300 })
    await call.get('/')
    const refused = await call.get('/')
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1'])
    await vi.waitFor(async () => expect((await call.get('/')).status).toBe(200), { timeout: 2000 })
  })

  it('LIMIT-1: authenticated callers are counted by principal, and all others by IP address', async () => {
    const { call } = build({ limit: 2 })
    const as = async (key: string) => (await call.get('/private').set('X-Api-Key', key)).status
    expect([await as('k1'), await as('k3'), await as('k1'), await as('k2')]).toEqual([200, 200, 429, 200])
    expect((await call.get('/public')).status).toBe(200)
  })

  it('LIMIT-1: requests can be counted by a custom key', async () => {
    // Ana and Eva share a key, because their names end with the same letter. Luis has another key.
    const key = vi.fn((principal: unknown) => (principal as { sub: string }).sub.slice(-1))
    const { call } = build({ limit: 2, key })
    const as = async (name: string) => (await call.get('/private').set('X-Api-Key', name)).status
    expect([await as('k1'), await as('k2'), await as('k1'), await as('k4')]).toEqual([200, 200, 429, 200])
    expect(key).toHaveBeenCalledTimes(4)
  })

  it('LIMIT-1: the IP address depends on "trust proxy", and IPv6 addresses are counted by their /64 prefix', async () => {
    for (const trust of [true, false]) {
      const { call } = build({ limit: 2 }, (app) => app.set('trust proxy', trust))
      const from = async (address: string) => (await call.get('/').set('X-Forwarded-For', address)).status
      const others = trust ? [200, 200] : [429, 429]
      expect([await from('203.0.113.7'), await from('::ffff:203.0.113.7')]).toEqual([200, 200])
      expect([await from('203.0.113.7'), await from('203.0.113.8')]).toEqual([429, others[0]])
      expect([await from('2001:db8::1'), await from('2001:db8::2:0:0:1')]).toEqual(others)
      expect([await from('2001:db8::3'), await from('2001:db8:0:1::1')]).toEqual([429, trust ? 200 : 429])
    }
  })

  it('LIMIT-1: failed authentications from an IP address do not block valid callers at that address', async () => {
    const { call, reported } = build({ limit: 100, failures: { limit: 2 } })
    const as = async (key: string) => call.get('/private').set('X-Api-Key', key)
    const first = await as('wrong')
    expect(first.status).toBe(401)
    expect(first.headers.ratelimit).toMatch(/^"failures"; r=1/)
    expect((await call.get('/private')).status).toBe(401)
    const refused = await as('k9')
    expect(refused.status).toBe(429)
    expect(refused.body.detail).toMatch(/^The budget "failures" allows 2 requests/)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect((await as('k1')).status).toBe(200)
    expect((await call.get('/nothing')).status).toBe(404)
    expect(reported.map(({ problem }) => problem.status)).toEqual([401, 401, 429, 404])
  })

  it('LIMIT-1: the route of a budget matches paths with and without a version segment', async () => {
    const { call } = build({ limit: 100, budgets: [{ name: 'search', routes: ['search'], limit: 1 }] })
    expect((await call.get('/v1/search?q=a')).status).toBe(200)
    expect((await call.get('/search')).status).toBe(429)
    expect((await call.get('/v2/%73earch/')).status).toBe(429)
    expect((await call.get('/v1/%')).headers.ratelimit).toMatch(/^"default"/)
  })

  it('LIMIT-1: if two limits apply to a request, both add their header fields', async () => {
    const { call } = build({ limit: 5 }, (app) =>
      app.use(rateLimit({ budgets: [{ name: 'burst', limit: 9 }], failures: { limit: 5 } })),
    )
    const { ratelimit } = (await call.get('/')).headers
    expect(ratelimit).toMatch(/^"burst"; r=8; t=\d+, "default"; r=4; t=\d+$/)
  })

  it('LIMIT-1: while the store is down, requests pass or get 503, depending on "whenStoreFails"', async () => {
    const store = () => ({
      increment: () => Promise.reject(new Error('down')),
      decrement: () => {},
      resetKey: () => {},
    })
    const onStoreFailure = vi.fn()
    const open = build({ limit: 1, budgets: [{ name: 'search', routes: ['search'], limit: 1 }], store, onStoreFailure })
    const answers = [await open.call.get('/'), await open.call.get('/'), await open.call.get('/search')]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(answers.map(({ headers }) => headers.ratelimit)).toEqual([undefined, undefined, undefined])
    expect(onStoreFailure).toHaveBeenCalledTimes(1)
    const shut = build({ limit: 1, store, onStoreFailure: () => {}, whenStoreFails: 'refuse' })
    const refused = await shut.call.get('/')
    expect([refused.status, refused.headers['retry-after'], refused.body.code]).toEqual([503, '1', 'unavailable'])
  })

  it.each([
    ['pass' as const, 'Requests pass without a limit', 'Rate limits were off for'],
    ['refuse' as const, 'Requests are refused', 'Requests were refused for'],
  ])(
    'LIMIT-1: if "whenStoreFails" is %s, the start and the end of an outage are by default logged to the console',
    async (whenStoreFails, failed, recovered) => {
      const log = vi.spyOn(console, 'error').mockImplementation(() => {})
      onTestFinished(() => log.mockRestore())
      let up = false
      const increment = () => (up ? { totalHits: 1, resetTime: undefined } : Promise.reject(new Error('down')))
      const store = () => ({ increment, decrement: () => {}, resetKey: () => {} })
      const limit = rateLimit({ limit: 1, store, whenStoreFails })
      await limit
        .count({ socket: {} } as IncomingMessage, { principal: 'ana', path: '/', failed: false })
        .catch(() => {})
      up = true
      await limit.ready()
      expect(log.mock.calls).toEqual([
        [expect.stringMatching(new RegExp(`${failed} until it recovers <- Error at `))],
        [
          expect.stringMatching(
            new RegExp(`^${recovered} \\d+(\\.\\d)? seconds?, because the store of rateLimit\\(\\) was down\\.$`),
          ),
        ],
      ])
    },
  )

  it('LIMIT-1: a request with an absolute-form target is counted like any other', async () => {
    const { app } = build({ limit: 100, budgets: [{ name: 'search', routes: ['search'], limit: 1 }] })
    const answer = await raw(
      app as RequestListener,
      'GET http://host/v1/search HTTP/1.1\r\nHost: host\r\nConnection: close\r\n\r\n',
    )
    expect(answer).toMatch(/RateLimit: "search"/)
  })

  it('LIMIT-1: count() resolves to the header fields of the response, or rejects with the problem', async () => {
    const limit = rateLimit({ limit: 1, failures: { limit: 1 } })
    const app = express()
    app.use((req, res) => {
      const of = { principal: 'ana', path: '/search', failed: req.query.failed === 'yes' }
      limit.count(req, of).then(
        (fields) => res.json(fields),
        (problem) => res.status(problem.status).json(problem.headers),
      )
    })
    const call = request(app)
    expect(Object.keys((await call.get('/')).body)).toEqual(['RateLimit', 'RateLimit-Policy'])
    expect((await call.get('/')).body).toMatchObject({
      'Retry-After': expect.any(String),
      RateLimit: expect.any(String),
    })
    expect((await call.get('/?failed=yes')).status).toBe(200)
    expect((await call.get('/?failed=yes')).status).toBe(429)
  })
})
