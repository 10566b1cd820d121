import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { bearer, hashPassword, login, publicToken, scopePermission, tokenIssuer } from '../../src/auth/index.js'
import { api, defineResource, mount } from '../../src/index.js'
import { type LimitStore, rateLimit } from '../../src/middleware/index.js'
import { hashCheaply } from '../auth/login/cheap-hashing.js'
import { type Answer, type Express, frameworks, listen, problem } from './fixture.js'

const key = { algorithm: 'HS256', key: 'a secret of tests, 32 bytes or more' } as const
const password = 'pää: ß€ '
const notas = defineResource({
  collection: 'notas',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
})
const publicas = defineResource({
  ...{ collection: 'publicas', key: 'id', cacheControl: 'public, max-age=60' },
  schema: notas.schema,
} as never) as unknown as typeof notas
const issue = tokenIssuer({ key })
const token = (scope = '*:read *:write', sub = 'ana') => issue({ sub, scope })
const asBearer = (text: string) => ({ Authorization: `Bearer ${text}` })
const basic = (user: string, secret: string) => ({
  Authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`,
})

hashCheaply()

/** Signs a token with any header and claims, with HS256. */
function forged(header: object, claims: object, secret: string = key.key): string {
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

interface Options {
  readonly limit?: number
  readonly store?: (name: string) => LimitStore
}

async function serve(express: Express, { limit = 1000, store }: Options = {}) {
  const hash = await hashPassword(password)
  const events: { route: string | undefined; status: number; code: string | undefined; principal: unknown }[] = []
  const errors: unknown[] = []
  const notes = memoryAdapter(notas, { records: [{ id: 1 }, { id: 2 }] })
  const versions = {
    v1: {
      resources: [mount(notas, notes), mount(publicas, memoryAdapter(publicas, { records: [{ id: 1 }] }))],
      routes: (req: { url: string }, res: { end(text: string): void }, next: () => void) =>
        req.url === '/by-hand' ? res.end('by hand') : next(),
    },
    v0: 'retired',
  } as const
  const limited = () => rateLimit({ limit, ...(store === undefined ? {} : { store }), onStoreFailure: () => {} })
  const hooks = {
    onResponse: (event: (typeof events)[number]) => void events.push(event),
    onError: ({ error }: { error: unknown }) => void errors.push(error),
  }
  const inside = api({
    authenticate: bearer({ keys: key }),
    permission: scopePermission(),
    rateLimit: limited(),
    versions,
    ...hooks,
  })
  const outside = api({
    authenticate: publicToken({ keys: key, audience: 'public' }),
    login: login({
      find: (user) =>
        user === 'ana' || user === '' ? { hash, principal: { sub: user || 'nobody', scope: 'notas:read' } } : undefined,
      token: tokenIssuer({ key, audience: 'public' }),
      attempts: { pair: { limit: 3 } },
    }),
    permission: scopePermission(),
    versions,
    ...hooks,
  })
  const app = express()
  app.use(inside as never)
  app.use('/public', outside as never)
  return { ...(await listen(app)), events, errors }
}

describe.each(frameworks)('the AUTH clauses on %s', (_name, express) => {
  let service: Awaited<ReturnType<typeof serve>>
  beforeAll(async () => {
    service = await serve(express)
  })
  afterAll(() => service.close())
  const get = (path: string, headers: Record<string, string | string[]> = {}, method = 'GET'): Promise<Answer> =>
    service.send(method, path, headers)

  it('AUTH-1: a private API accepts only Bearer tokens', async () => {
    expect((await get('/v1/notas', asBearer(token()))).status).toBe(200)
    expect((await get('/v1/notas', { Authorization: `bEaReR   ${token()}` })).status).toBe(200)
    for (const headers of [
      {},
      { 'x-authorization-token': token() },
      basic('ana', password),
      { Authorization: token() },
      { Authorization: `Bearer ${token()}, Bearer ${token()}` },
      { Cookie: `token=${token()}` },
    ]) {
      const answer = await get('/v1/notas', headers as Record<string, string>)
      expect(problem(answer)).toEqual({ status: 401, code: 'unauthenticated', named: [] })
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="api"/)
      expect(answer.headers['cache-control']).toBe('no-store')
    }
    expect((await get(`/v1/notas?access_token=${token()}`)).status).toBe(401)
  })

  it('AUTH-2, AUTH-3: a login with Basic credentials returns a token for the public API', async () => {
    const answer = await get('/public/login', basic('ana', password))
    expect([answer.status, answer.text, answer.headers['content-length'], answer.headers['cache-control']]).toEqual([
      200,
      '',
      '0',
      'no-store',
    ])
    const given = answer.headers['x-authorization-token'] as string
    expect((await get('/public/v1/notas', { 'x-authorization-token': given })).status).toBe(200)
    expect((await get('/public/v1/notas', asBearer(given))).status).toBe(401)
    expect((await get('/public/v1/notas', { 'x-authorization-token': [given, given] })).status).toBe(401)
    // An empty user name is allowed (RFC 7617 2).
    expect((await get('/public/login/', basic('', password))).status).toBe(200)
    expect((await get('/public/login', basic('ana', password), 'HEAD')).headers).toHaveProperty('x-authorization-token')
  })

  it('AUTH-5: a private API refuses tokens of the public API, and vice versa, even with the same key', async () => {
    const outside = (await get('/public/login', basic('ana', password))).headers['x-authorization-token'] as string
    expect((await get('/v1/notas', asBearer(outside))).status).toBe(401)
    expect((await get('/public/v1/notas', { 'x-authorization-token': token() })).status).toBe(401)
  })

  it('AUTH-2: a login accepts only GET, HEAD and OPTIONS. Its 401 does not reveal whether a user exists', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await get('/public/login', basic('ana', password), method)
      expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
    }
    expect([
      (await get('/public/login', {}, 'OPTIONS')).status,
      (await get('/public/login', {}, 'OPTIONS')).headers.allow,
    ]).toEqual([204, 'GET, HEAD, OPTIONS'])
    expect((await get('/public/login?user=ana', basic('ana', password))).status).toBe(400)
    const bodies = [
      await get('/public/login', basic('ana', 'wrong')),
      await get('/public/login', basic('eva', 'wrong')),
    ].map((answer) => {
      expect(answer.headers['www-authenticate']).toBe('Basic realm="login", charset="UTF-8"')
      const { requestId, ...rest } = answer.json
      return [answer.status, rest, Object.keys(answer.headers).sort()]
    })
    expect(bodies[0]).toEqual(bodies[1])
    expect(bodies[0]?.[0]).toBe(401)
    expect((await get('/login', basic('ana', password))).status).toBe(404)
    expect(service.events.find(({ route }) => route === '/login')).toMatchObject({ status: 200 })
  })

  it('AUTH-4: the 401 for a missing token comes after the version check, and before 404, 405 and 415', async () => {
    expect((await get('/v1/nada')).status).toBe(401)
    expect((await get('/v1/notas', {}, 'DELETE')).status).toBe(401)
    expect((await get('/v1/notas', { Accept: 'text/html' })).status).toBe(401)
    expect((await get('/v1/by-hand')).status).toBe(401)
    expect((await get('/v9/notas')).status).toBe(404)
    const retired = await get('/v0/notas')
    expect([retired.status, retired.text]).toEqual([410, ''])
    expect((await get('/v1/notas/x', asBearer(token('otras:read')))).status).toBe(404)
    expect((await get('/v1/notas/1', asBearer(token('otras:read')))).status).toBe(403)
    expect((await get('/v1/notas', asBearer(token('notas:read')), 'DELETE')).headers.allow).toBe('GET, HEAD, OPTIONS')
  })

  it('HDR-6: responses vary by the credentials, and are private unless the resource sets cacheControl', async () => {
    const list = await get('/v1/notas', asBearer(token()))
    expect([list.headers['cache-control'], list.headers.vary]).toEqual(['private, no-cache', 'Accept, Authorization'])
    const etag = list.headers.etag as string
    const again = await get('/v1/notas', { ...asBearer(token()), 'If-None-Match': etag })
    expect([again.status, again.headers['cache-control'], again.headers.vary]).toEqual([
      304,
      'private, no-cache',
      'Accept, Authorization',
    ])
    const head = await get('/v1/notas/1', asBearer(token()), 'HEAD')
    expect([head.status, head.headers['cache-control'], head.headers.vary]).toEqual([
      302,
      'private, no-cache',
      'Accept, Authorization',
    ])
    expect((await get('/v1/publicas/1', asBearer(token()))).headers['cache-control']).toBe('public, max-age=60')
    const byHand = await get('/v1/by-hand', asBearer(token()))
    expect([byHand.headers['cache-control'], byHand.headers.vary]).toEqual([
      'private, no-cache',
      'Accept, Authorization',
    ])
    const given = (await get('/public/login', basic('ana', password))).headers['x-authorization-token'] as string
    expect((await get('/public/v1/notas', { 'x-authorization-token': given })).headers.vary).toBe(
      'Accept, x-authorization-token',
    )
  })

  it('HDR-6: responses of hand-written routes keep a stricter Cache-Control of an earlier middleware', async () => {
    const routes = (_req: never, res: never) => (res as { end(text: string): void }).end('by hand')
    const app = express()
    app.use((_req: unknown, res: { setHeader(name: string, value: string): unknown }, next: () => void) => {
      res.setHeader('Cache-Control', 'no-store')
      next()
    })
    app.use(api({ authenticate: bearer({ keys: key }), versions: { v1: { resources: [], routes } } }) as never)
    const strict = await listen(app)
    const { headers } = await strict.send('GET', '/v1/by-hand', asBearer(token()))
    expect([headers['cache-control'], headers.vary]).toEqual(['no-store', 'Accept, Authorization'])
    await strict.close()
  })

  it('AUTH-5: a token with wrong claims, algorithm, secret or critical extension gets 401', async () => {
    const now = Math.floor(Date.now() / 1000)
    const good = { sub: 'ana', scope: '*:read', exp: now + 60 }
    const header = { alg: 'HS256', typ: 'JWT' }
    expect((await get('/v1/notas', asBearer(forged(header, good)))).status).toBe(200)
    for (const [wrong, text] of Object.entries({
      'no exp': forged(header, { sub: 'ana', scope: '*:read' }),
      expired: forged(header, { ...good, exp: now - 1 }),
      'exp as text': forged(header, { ...good, exp: String(now + 60) }),
      'not yet': forged(header, { ...good, nbf: now + 60 }),
      'sub as object': forged(header, { ...good, sub: { id: 1 } }),
      audience: forged(header, { ...good, aud: 'others' }),
      crit: forged({ ...header, crit: ['x'], x: 1 }, good),
      none: `${forged({ alg: 'none' }, good).split('.').slice(0, 2).join('.')}.`,
      case: forged({ alg: 'hs256' }, good),
      'another secret': forged(header, good, 'another secret of tests, 32 bytes.'),
    })) {
      expect([wrong, (await get('/v1/notas', asBearer(text))).status]).toEqual([wrong, 401])
    }
  })

  it('ERR-3: no response and no reported error contains a password, a token or a key', async () => {
    const seen: string[] = []
    const given = token()
    for (const headers of [
      asBearer(`${given}x`),
      basic('ana', `${password}x`),
      asBearer(forged({ alg: 'HS256' }, { sub: 'x', exp: 1 })),
    ]) {
      for (const path of ['/v1/notas', '/public/login', '/public/v1/notas']) {
        const { text, headers: fields } = await get(path, {
          ...headers,
          'x-authorization-token': headers.Authorization,
        })
        seen.push(text, JSON.stringify(fields))
      }
    }
    const reported = seen
      .concat(service.errors.map((error) => `${String(error)} ${(error as Error).stack} ${JSON.stringify(error)}`))
      .join('\n')
    for (const secret of [
      given,
      given.split('.')[2] as string,
      password,
      key.key,
      Buffer.from(`ana:${password}`).toString('base64'),
    ]) {
      expect(reported).not.toContain(secret)
    }
  })
})

describe.each(frameworks)('limits on requests and failed logins, and the login timeout, on %s', (_name, express) => {
  const counts = (answer: Answer) => [answer.status, /r=(\d+)/.exec(String(answer.headers.ratelimit))?.[1]]

  it('LIMIT-1: requests are counted per principal. Above the limit, the response is 429 with Retry-After', async () => {
    const service = await serve(express, { limit: 3 })
    const ana = asBearer(token())
    expect(counts(await service.send('GET', '/v1/notas', ana))).toEqual([200, '2'])
    expect(counts(await service.send('GET', '/v1/nada', ana))).toEqual([404, '1'])
    expect(counts(await service.send('GET', '/v1/by-hand', ana))).toEqual([200, '0'])
    for (const path of ['/v1/notas', '/v1/nada']) {
      const over = await service.send('GET', path, ana)
      expect(problem(over)).toEqual({ status: 429, code: 'too-many-requests', named: [] })
      expect(Number(over.headers['retry-after'])).toBeGreaterThan(0)
      expect(Number(over.headers['retry-after'])).toBeLessThanOrEqual(60)
      expect(over.headers['ratelimit-policy']).toMatch(/q=3; w=60/)
    }
    expect(counts(await service.send('GET', '/v1/notas', asBearer(token('*:read', 'eva'))))).toEqual([200, '2'])
    // A request that ends before authentication is not refused with 429.
    expect((await service.send('GET', '/v0/notas', ana)).status).toBe(410)
    await service.close()
  })

  it('LIMIT-1: above the limit of failed authentications, failures get 429, but valid tokens get 200', async () => {
    const service = await serve(express, { limit: 3 })
    const answers = []
    for (let i = 0; i < 5; i += 1) answers.push((await service.send('GET', '/v1/notas', asBearer(`x.y.${i}`))).status)
    expect(answers).toEqual([401, 401, 401, 429, 429])
    expect((await service.send('GET', '/v1/notas', asBearer(token()))).status).toBe(200)
    await service.close()
  })

  it('LIMIT-1: if the limit store is down, requests are served without a limit', async () => {
    const down = (): LimitStore => ({
      init() {},
      increment: () => Promise.reject(new Error('down')),
      decrement: () => Promise.reject(new Error('down')),
      resetKey: () => Promise.reject(new Error('down')),
    })
    const service = await serve(express, { limit: 1, store: down })
    for (let i = 0; i < 5; i += 1) expect((await service.send('GET', '/v1/notas', asBearer(token()))).status).toBe(200)
    await service.close()
  })

  it('AUTH-6: after too many failed logins the response is 429, also for unknown accounts', async () => {
    const service = await serve(express)
    for (const user of ['ana', 'eva']) {
      const statuses: number[] = []
      for (let i = 0; i < 4; i += 1)
        statuses.push((await service.send('GET', '/public/login', basic(user, 'wrong'))).status)
      expect([user, statuses]).toEqual([user, [401, 401, 401, 429]])
    }
    const blocked = await service.send('GET', '/public/login', basic('ana', password))
    expect([blocked.status, Number(blocked.headers['retry-after']) > 0]).toEqual([429, true])
    expect((await service.send('GET', '/public/login', basic('', password))).status).toBe(200)
    await service.close()
  })

  it('ERR-1: a login gets 503 if the lookup of the user exceeds the timeout', async () => {
    const entrance = api({
      login: login({ find: () => new Promise<never>(() => {}), token: () => 'token' }),
      timeout: 50,
      versions: { v1: [] },
      onError() {},
    })
    const service = await listen(express().use(entrance as never))
    const late = await service.send('GET', '/login', basic('ana', password))
    expect(problem(late)).toEqual({ status: 503, code: 'unavailable', named: [] })
    expect(late.headers).toHaveProperty('retry-after')
    await service.close()
  })
})
