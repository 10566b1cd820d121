/**
 * Tests the order of middleware that docs/security.md recommends ("In a hand-written service"), and
 * the effects of wrong orders.
 */
import { describe, expect, it } from 'vitest'
import { bearer, scopePermission, tokenIssuer } from '../../src/auth/index.js'
import { problems } from '../../src/index.js'
import { crossOrigin, methodRules, rateLimit, secureHeaders } from '../../src/middleware/index.js'
import { type App, type Express, majors, service } from './majors.js'

const key = { algorithm: 'HS256', key: 'a secret of thirty-two bytes or more' } as const
const token = (sub: string, scope = '*:read') => `Bearer ${tokenIssuer({ key })({ sub, scope })}`
const origin = 'https://shop.example.com'
const preflight = { Origin: origin, 'Access-Control-Request-Method': 'GET' }

type Part = 'headers' | 'cors' | 'who' | 'limit' | 'methods' | 'routes' | 'failures' | 'problems'
const right: readonly Part[] = ['headers', 'cors', 'who', 'limit', 'methods', 'routes', 'failures', 'problems']
/** The right order, but with `part` moved in front of `other`. */
const ahead = (other: Part, part: Part): readonly Part[] =>
  right.filter((one) => one !== part).flatMap((one) => (one === other ? [part, one] : [one]))

describe.each(majors)('the order of middleware on %s', (_, express: Express) => {
  const serving = (order: readonly Part[]) => {
    const limit = rateLimit({ limit: 2, failures: { limit: 1 } })
    const all = problems({ onError: () => {} }) as never
    const parts: Record<Part, (app: App) => unknown> = {
      headers: (app) => app.use(secureHeaders()),
      cors: (app) => app.use(crossOrigin({ origins: [origin] })),
      who: (app) => app.use(bearer({ keys: key })),
      limit: (app) => app.use(limit),
      methods: (app) =>
        app.all(
          '/v1/informes',
          methodRules({ on: 'collection', allow: ['GET'], permission: scopePermission(), resource: 'informes' }),
        ),
      routes: (app) => app.get('/v1/informes', (_req, res) => void res.json([])),
      failures: (app) => app.use(limit.failures),
      problems: (app) => app.use(all),
    }
    const { call } = service(express, (app) => {
      for (const part of order) parts[part](app)
    })
    const get = async (authorization?: string) =>
      call.get('/v1/informes').set(authorization === undefined ? {} : { Authorization: authorization })
    return { get, preflight: async () => call.options('/v1/informes').set(preflight) }
  }

  it('HDR-7, AUTH-4, LIMIT-1: the right order allows preflights, counts callers and checks permissions', async () => {
    const { get, preflight } = serving(right)
    expect((await preflight()).status).toBe(204)
    for (const status of [200, 200, 429]) expect((await get(token('ana'))).status).toBe(status)
    expect((await get(token('eva'))).status).toBe(200)
    expect((await get(token('eva', 'otros:read'))).status).toBe(403)
    const refused = await get()
    expect([refused.status, refused.headers['x-content-type-options']]).toEqual([401, 'nosniff'])
    expect((await get()).status).toBe(429)
  })

  it('HDR-7: with crossOrigin() behind bearer(), a preflight gets 401', async () => {
    expect((await serving(ahead('limit', 'cors')).preflight()).status).toBe(401)
  })

  it('with secureHeaders() behind bearer(), a 401 lacks the security headers', async () => {
    expect((await serving(ahead('limit', 'headers')).get()).headers).not.toHaveProperty('x-content-type-options')
  })

  it('LIMIT-1: with rateLimit() before bearer(), callers share the count of their IP address', async () => {
    const { get } = serving(ahead('who', 'limit'))
    for (const [name, status] of [
      ['ana', 200],
      ['eva', 200],
      ['leo', 429],
    ] as const)
      expect((await get(token(name))).status).toBe(status)
  })

  it('AUTH-4: methodRules() before bearer() causes a 500; behind the routes, it checks no permission', async () => {
    expect((await serving(ahead('who', 'methods')).get(token('ana'))).status).toBe(500)
    expect((await serving(ahead('failures', 'methods')).get(token('eva', 'otros:read'))).status).toBe(200)
  })

  it('LIMIT-1: failures are not counted if limit.failures is missing or behind problems()', async () => {
    const behind = [...right.filter((part) => part !== 'failures'), 'failures'] as const
    for (const order of [right.filter((part) => part !== 'failures'), behind]) {
      const { get } = serving(order)
      for (const status of [401, 401, 401]) expect((await get()).status).toBe(status)
    }
  })

  it('ERR-3: with problems() before the routes, requests get 404', async () => {
    expect((await serving(ahead('routes', 'problems')).get(token('ana'))).status).toBe(404)
  })
})
