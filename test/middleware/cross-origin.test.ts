import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { authenticate } from '../../src/auth/index.js'
import { api, defineResource, endpoint, endpointReply, mount } from '../../src/index.js'
import { type CrossOriginOptions, crossOrigin } from '../../src/middleware/cross-origin.js'
import { exposedHeaders } from '../../src/middleware/index.js'
import { ConfigurationError } from '../../src/problem.js'
import { type App, type Express, majors, service } from './majors.js'

const shop = 'https://shop.example.com'

describe('crossOrigin(): options', () => {
  it('HDR-7: invalid options are refused, such as impossible origins and patterns that allow too much', () => {
    for (const options of [
      undefined,
      {},
      { origins: [] },
      { origins: shop },
      { origins: [`${shop}/`] },
      { origins: ['shop.example.com'] },
      { origins: ['null'] },
      { origins: ['*'] },
      { origins: [/shop\.example\.com/] },
      { origins: [/^https:\/\/shop\.example\.com/] },
      { origins: [/^https:\/\/a\.example\.com|b\.example\.com$/] },
      { origins: [/^https:\/\/a\.example\.com\$/] },
      { origins: [/^https:\/\/shop\.example\.com$/g] },
      { origins: '*', credentials: true },
      { origins: '*', maxAge: -1 },
      { origins: '*', exposedHeaders: ['a b'] },
      { origins: '*', allowed: [] },
    ]) {
      expect(() => crossOrigin(options as unknown as CrossOriginOptions), JSON.stringify(options)).toThrow(
        ConfigurationError,
      )
    }
    expect(() => crossOrigin({ origins: [/^https:\/\/(a|b)\.example\.com$/, 'http://localhost:8080'] })).not.toThrow()
  })
})

it('HDR-7: fields() returns the same fields for every method, and none that only a preflight needs', () => {
  for (const first of ['OPTIONS', 'GET']) {
    const { fields } = crossOrigin({ origins: [shop] })
    for (const method of [first, 'GET', 'OPTIONS'])
      expect(fields({ method, headers: { origin: shop } } as IncomingMessage)).toEqual({
        'Access-Control-Allow-Origin': shop,
        'Access-Control-Expose-Headers': exposedHeaders.join(','),
        Vary: 'Origin',
      })
  }
})

describe('crossOrigin(): error messages', () => {
  it.each([
    [undefined, 'The options of crossOrigin() are missing. Give an object.'],
    [{ origins: shop }, "Give '*' or a list such as ['https://shop.example.com']."],
    [{ origins: ['*'] }, "To allow any origin, pass '*' instead of a list."],
    [{ origins: [`${shop}/`] }, `Use "${shop}".`],
    [{ origins: [`${shop}/app?a=1`] }, `Use "${shop}".`],
    [{ origins: ['https://Shop.Example.com'] }, `Use "${shop}".`],
    [{ origins: [`${shop}:443`] }, `Use "${shop}".`],
    [{ origins: ['shop.example.com'] }, 'a scheme, a host and optionally a port'],
    [{ origins: ['shop.example.com:8080'] }, 'a scheme, a host and optionally a port'],
    [
      { origins: ['https://*.example.com'] },
      'Wildcards are not supported. Use a regular expression: /^https:\\/\\/[a-z0-9-]+\\.example\\.com$/.',
    ],
  ])('HDR-7: %j is refused, and the message says what to use instead', (options, fix) => {
    expect(() => crossOrigin(options as unknown as CrossOriginOptions)).toThrow(ConfigurationError)
    expect(() => crossOrigin(options as unknown as CrossOriginOptions)).toThrow(fix)
  })

  it('HDR-7: the regular expression that the message suggests for a wildcard is accepted', () => {
    expect(() => crossOrigin({ origins: [/^https:\/\/[a-z0-9-]+\.example\.com$/] })).not.toThrow()
  })

  it('HDR-7: api() requires the result of crossOrigin() and names crossOrigin() in the error', () => {
    expect(() => api({ versions: { v0: 'retired' }, cors: { origins: [shop] } } as never)).toThrow(
      'Give the result of crossOrigin(), such as crossOrigin({ origins }).',
    )
  })
})

describe.each(majors)('CORS on %s', (_, express: Express) => {
  const notas = defineResource({
    collection: 'notas',
    key: 'id',
    schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
  })
  const who = authenticate({
    field: 'Authorization',
    challenge: 'Bearer',
    identify: (token) => (token === 'Bearer t' ? 'ana' : undefined),
  })
  const serving = (options?: CrossOriginOptions) =>
    service(express, (app: App) =>
      app.use(
        api({
          authenticate: who,
          ...(options === undefined ? {} : { cors: crossOrigin(options) }),
          versions: {
            v0: 'retired',
            v1: [mount(notas, memoryAdapter(notas, { records: [{ id: 1 }] }))],
            v2: [mount(notas, memoryAdapter(notas), { retired: true })],
            v3: {
              resources: [mount(notas, memoryAdapter(notas))],
              deprecated: '2020-01-01T00:00:00Z',
              brownouts: [{ from: '2020-01-01T00:00:00Z', until: '2099-01-01T00:00:00Z', status: 503 }],
            },
          },
          onError: () => {},
        }) as never,
      ),
    ).call

  it('HDR-7: a preflight needs no token, and its response lists the allowed methods and headers', async () => {
    const call = serving({ origins: [shop] })
    const answer = await call.options('/v1/notas/1').set({
      Origin: shop,
      'Access-Control-Request-Method': 'PATCH',
      'Access-Control-Request-Headers': 'authorization,if-match,content-type',
    })
    expect(answer.status).toBe(204)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': shop,
      vary: 'Origin',
      'access-control-max-age': '600',
    })
    expect(answer.headers['access-control-allow-methods']).toBe('GET,HEAD,POST,PUT,PATCH,DELETE')
    expect(answer.headers['access-control-allow-headers']).toBe(
      'Authorization,x-authorization-token,Content-Type,Idempotency-Key,If-Match,If-None-Match,Prefer,x-request-id',
    )
    expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
  })

  it('HDR-7: responses, refusals included, expose the headers that clients read', async () => {
    const call = serving({ origins: [shop], exposedHeaders: ['X-Own'] })
    for (const [path, token, status] of [
      ['/v1/notas', 'Bearer t', 200],
      ['/v1/notas/2', 'Bearer t', 404],
      ['/v1/notas', 'Bearer x', 401],
    ] as const) {
      const answer = await call.get(path).set({ Origin: shop, Authorization: token })
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([status, shop])
      expect(answer.headers['access-control-expose-headers']?.split(',')).toEqual([...exposedHeaders, 'X-Own'])
      expect(answer.headers.vary).toContain('Origin')
    }
    expect(exposedHeaders).toEqual(
      expect.arrayContaining([
        'Etag',
        'Location',
        'Link',
        'x-total-count',
        'x-authorization-token',
        'Retry-After',
        'Deprecation',
        'Sunset',
        'RateLimit',
        'RateLimit-Policy',
      ]),
    )
  })

  it.each([
    ['a retired version', '/v0/notas', 410],
    ['a retired path', '/v2/notas', 410],
    ['a version in a brownout', '/v3/notas', 503],
    ['an unknown version', '/v9/notas', 404],
  ])('HDR-7: scripts of other origins can read the response of %s, also after a preflight', async (_, path, status) => {
    const call = serving({ origins: [shop] })
    const preflight = await call.options(path).set({ Origin: shop, 'Access-Control-Request-Method': 'GET' })
    const answer = await call.get(path).set('Origin', shop)
    expect([preflight.status, answer.status, answer.text === '']).toEqual([204, status, status === 410])
    for (const { headers } of [preflight, answer]) expect(headers['access-control-allow-origin']).toBe(shop)
    expect(answer.headers.vary).toContain('Origin')
    // An OPTIONS request that is not a preflight gets the same status as a GET.
    expect((await call.options(path)).status).toBe(status)
  })

  it('HDR-7: CORS headers that an endpoint sets itself are sent once and unchanged', async () => {
    const informes = endpoint('informes', {
      description: 'Reports',
      methods: {
        GET: {
          handle: () =>
            endpointReply({
              status: 200,
              body: {},
              headers: { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'X-Own' },
            }),
        },
      },
    })
    const { call } = service(express, (app: App) =>
      app.use(api({ cors: crossOrigin({ origins: [shop] }), versions: { v1: [informes] } }) as never),
    )
    const answer = await call.get('/v1/informes').set({ Origin: shop })
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'X-Own',
    })
  })

  it('HDR-7: origins that match no pattern are not allowed. An OPTIONS that is not a preflight is routed', async () => {
    const call = serving({ origins: [/^https:\/\/[a-z]+\.example\.com$/] })
    for (const origin of [
      'https://evil.test',
      'https://shop.example.com.evil.test',
      'null',
      'http://shop.example.com',
    ]) {
      const answer = await call.get('/v1/notas').set({ Origin: origin, Authorization: 'Bearer t' })
      expect([origin, answer.status, answer.headers['access-control-allow-origin']]).toEqual([origin, 200, undefined])
    }
    expect((await call.options('/v1/notas')).status).toBe(401)
    const options = await call.options('/v1/notas').set({ Origin: shop, Authorization: 'Bearer t' })
    expect([options.status, options.headers.allow, options.headers['access-control-allow-origin']]).toEqual([
      204,
      'GET, HEAD, POST, OPTIONS',
      shop,
    ])
  })

  it('HDR-7: without crossOrigin(), responses have no CORS headers', async () => {
    const call = serving()
    const answer = await call.get('/v1/notas').set({ Origin: shop, Authorization: 'Bearer t' })
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    expect((await call.options('/v1/notas').set({ Origin: shop, 'Access-Control-Request-Method': 'GET' })).status).toBe(
      401,
    )
  })
})
