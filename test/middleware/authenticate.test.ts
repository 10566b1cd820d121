import { describe, expect, it } from 'vitest'
import { type Authenticate, type AuthenticateOptions, authenticate } from '../../src/middleware/authenticate.js'
import { ConfigurationError, Unavailable } from '../../src/problem.js'
import { type App, type Express, majors, raw, service } from './majors.js'

const challenge = 'ApiKey realm="courier"'
const callers = new Map([['k-ana', { name: 'ana' }]])
const byKey = (more: Partial<AuthenticateOptions<{ name: string }>> = {}) =>
  authenticate({ field: 'X-Api-Key', challenge, identify: (key) => callers.get(key), ...more })

describe('authenticate(): options', () => {
  it('AUTH-4: invalid options are refused', () => {
    const build = (options: unknown) => () => authenticate(options as AuthenticateOptions<unknown>)
    const identify = () => 1
    for (const options of [
      undefined,
      null,
      {},
      { field: 'X Api', challenge, identify },
      { field: '', challenge, identify },
      { field: 'X-Api-Key', identify },
      { field: 'X-Api-Key', challenge },
      { field: 'X-Api-Key', challenge: '', identify },
      { field: 'X-Api-Key', challenge: 'ApiKey\r\nSet-Cookie: a=b', identify },
      { field: 'X-Api-Key', challenge, identify: null },
      { field: 'X-Api-Key', challenge, identify: 'no' },
    ]) {
      expect(build(options)).toThrow(ConfigurationError)
    }
    expect(build({ field: 'X-Api-Key', challenge, identity: identify })).toThrow(/Did you mean "identify"/)
  })
})

describe.each(majors)('authenticate() on %s', (_, express: Express) => {
  const at = (who: Authenticate<{ name: string }>) =>
    service(express, (app: App) => {
      app.use(who)
      app.get('/me', (req, res) => void res.send(who.of(req).name))
      app.get('/mine', (req, res) => void res.set('Cache-Control', 'public').send(who.of(req).name))
    })

  it('AUTH-4: accepts known callers. Others get 401 with the challenge and a body without their key', async () => {
    const { call } = at(byKey())
    const good = await call.get('/me').set('X-Api-Key', 'k-ana')
    expect([good.status, good.text]).toEqual([200, 'ana'])
    for (const [key, said] of [
      [undefined, 'has no credentials'],
      ['k-eva', 'are not valid'],
      ['', 'are not valid'],
      ['k-ana ana', 'are not valid'],
    ] as const) {
      const request = call.get('/me')
      const answer = await (key === undefined ? request : request.set('X-Api-Key', key))
      expect([
        key,
        answer.status,
        answer.headers['www-authenticate'],
        answer.headers['cache-control'],
        answer.body.code,
      ]).toEqual([key, 401, challenge, 'no-store', 'unauthenticated'])
      expect(answer.body.detail).toContain(said)
      if (key) expect(JSON.stringify(answer.body)).not.toContain(key)
    }
  })

  it('HDR-6: responses vary by the credentials, and are private unless the handler sets Cache-Control', async () => {
    const { call } = at(byKey())
    const mine = await call.get('/me').set('X-Api-Key', 'k-ana')
    expect([mine.headers['cache-control'], mine.headers.vary]).toEqual(['private, no-cache', 'X-Api-Key'])
    expect((await call.get('/mine').set('X-Api-Key', 'k-ana')).headers['cache-control']).toBe('public')
  })

  it('AUTH-4: repeated credentials are refused, even if one of them is right', async () => {
    const { app } = at(byKey())
    for (const [first, second] of [
      ['k-ana', 'k-eva'],
      ['k-eva', 'k-ana'],
      ['k-ana', 'k-ana'],
    ]) {
      const answer = await raw(
        app,
        `GET /me HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${first}\r\nx-api-key: ${second}\r\nConnection: close\r\n\r\n`,
      )
      expect(answer).toMatch(/^HTTP\/1\.1 401 /)
    }
  })

  it('AUTH-4: "identify" can be async. An unavailable dependency causes a 503, and an exception a 500', async () => {
    const waits = at(byKey({ identify: async (key) => callers.get(key) }))
    expect((await waits.call.get('/me').set('X-Api-Key', 'k-ana')).text).toBe('ana')
    expect((await waits.call.get('/me').set('X-Api-Key', 'k-eva')).status).toBe(401)
    const down = at(byKey({ identify: () => Promise.reject(new Unavailable()) }))
    expect((await down.call.get('/me').set('X-Api-Key', 'k-ana')).status).toBe(503)
    const broken = at(
      byKey({
        identify: () => {
          throw new Error('at db.internal')
        },
      }),
    )
    const answer = await broken.call.get('/me').set('X-Api-Key', 'k-ana')
    expect([answer.status, answer.text.includes('db.internal')]).toEqual([500, false])
  })

  it('AUTH-4: any falsy result of "identify" means an unknown caller', async () => {
    for (const falsy of [null, false, '', 0, Number.NaN] as const) {
      for (const identify of [() => falsy as never, async () => falsy as never]) {
        expect((await at(byKey({ identify })).call.get('/me').set('X-Api-Key', 'k-ana')).status).toBe(401)
      }
    }
  })

  it('if the middleware did not run, of() throws an error that names it, and the request gets 500', async () => {
    const who = byKey()
    const { call, reported } = service(express, (app: App) =>
      app.get('/me', (req, res) => void res.send(who.of(req).name)),
    )
    expect((await call.get('/me')).status).toBe(500)
    expect(String(reported[0]?.error)).toContain('The middleware authenticate() did not run')
  })
})
