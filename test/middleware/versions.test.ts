import type { Request, Response } from 'express'
import request from 'supertest'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { authenticate } from '../../src/middleware/authenticate.js'
import { problems } from '../../src/middleware/problems.js'
import { isVersion } from '../../src/middleware/version-names.js'
import { type VersionEntry, versions } from '../../src/middleware/versions.js'
import { ConfigurationError } from '../../src/problem.js'
import { type App, type Express, majors, raw, service } from './majors.js'

const echo = (req: Request, res: Response) =>
  res.json({
    url: req.url,
    path: req.path,
    baseUrl: req.baseUrl,
    originalUrl: req.originalUrl,
    query: req.query,
    version: 'here',
  })

afterEach(() => void vi.useRealTimers())

describe('versions(): options', () => {
  const handler = (): void => {}
  const build =
    (table: Record<string, unknown>, options = {}) =>
    () =>
      versions(table as Record<string, VersionEntry>, options)

  it.each(['v', 'v01', 'v1.2', 'v1x', 'V1', '1', 'v-1', 'constructor', ''])(
    'VER-1: "%s" is refused as the name of a version',
    (name) => {
      expect(isVersion(name)).toBe(false)
      expect(build({ [name]: handler })).toThrow(/is not a version/)
      expect(build({ [name]: 'retired' })).toThrow(/is not a version/)
    },
  )

  it('VER-1: an empty table of versions and an invalid handler are refused', () => {
    expect(build({})).toThrow(ConfigurationError)
    expect(build({ v1: { deprecated: '2026-01-01' } })).toThrow(
      /"handler" of the version v1 is missing\. Give an Express router/,
    )
    expect(build({ v1: undefined })).toThrow(
      /version v1 is missing\. Give 'retired', an Express router or \{ handler: router, sunset \}/,
    )
  })

  it('VER-3: invalid dates, or dates in an impossible order, are refused', () => {
    expect(build({ v1: { handler, sunset: 'soon' } })).toThrow(/"sunset" of v1 is "soon"/)
    expect(build({ v1: { handler, deprecated: new Date(8.64e15) } })).toThrow(/"deprecated" of v1/)
    expect(build({ v1: { handler, deprecated: '2027-01-01', sunset: '2026-01-01' } })).toThrow(/before its deprecation/)
    expect(build({ v1: { handler, retireAtSunset: true } })).toThrow(/has "retireAtSunset" but no "sunset"/)
  })

  it('VER-1: unknown options, and options of the wrong kind, are refused', () => {
    expect(build({ v1: { handler, sunst: '2027-01-01' } })).toThrow(/v1 has no option "sunst". Did you mean "sunset"/)
    expect(build({ v1: { handler, sunset: '2027-01-01', retireAtSunset: 'no' } })).toThrow(/retireAtSunset.*boolean/)
    expect(build({ v1: handler }, { baseURL: 'https://a' })).toThrow(/Did you mean "baseUrl"/)
    for (const table of [undefined, null, 'v1', [handler]]) expect(build(table as never)).toThrow(ConfigurationError)
  })

  it('VER-3: a successor must be another version that is not retired', () => {
    for (const successor of ['v9', 'v1', 'v0'])
      expect(build({ v0: 'retired', v1: { handler, successor }, v2: handler })).toThrow(/Set "successor" to one of v2/)
    expect(build({ v1: { handler, successor: 'v2' } })).toThrow(/Remove "successor"/)
  })
})

describe.each(majors)('versions() on %s', (_, express: Express) => {
  const router = () => {
    const made = express.Router()
    made.get('/notes/:id', echo)
    made.get('/', echo)
    return made
  }
  const table = () => ({ v8: router(), v1: router(), v0: 'retired' as const })
  const plain = () => service(express, (app) => void app.use(versions(table())))

  it('VER-1: the router of v1 gets the same requests as if app.use("/v1", router) had mounted it', async () => {
    const mounted = service(express, (app) => void app.use('/v1', router()))
    const { call } = plain()
    for (const path of [
      '/v1/notes/3?a=1&b=%20',
      '/v1',
      '/v1/',
      '/v1?a=1',
      '/v1/?',
      '/v1/notes/3/',
      '/v1/notes/a%2Fb?',
    ]) {
      const { status, body } = await call.get(path)
      expect(status, path).toBe(200)
      expect(body, path).toEqual((await mounted.call.get(path)).body)
    }
    expect((await call.get('/v1/notes/3?a=1')).body).toEqual({
      url: '/notes/3?a=1',
      path: '/notes/3',
      baseUrl: '/v1',
      originalUrl: '/v1/notes/3?a=1',
      query: { a: '1' },
      version: 'here',
    })
  })

  it('VER-1: a request target in absolute form keeps its origin when the version is removed from it', async () => {
    const { app } = plain()
    const answer = await raw(app, 'GET http://v1/v1/notes/3?a=1 HTTP/1.1\r\nHost: other\r\nConnection: close\r\n\r\n')
    expect(answer).toContain('"url":"http://v1/notes/3?a=1","path":"/notes/3","baseUrl":"/v1"')
  })

  it('VER-1: an unknown version gets 404, which names the available versions', async () => {
    const { call } = plain()
    const { status, body } = await call.get('/v7/notes/3')
    expect([status, body.code, body.detail]).toEqual([
      404,
      'unknown-version',
      'There is no version "v7". Current versions: v8, v1.',
    ])
    expect((await call.get(`/v${'9'.repeat(500)}`)).body.detail).toContain(`"v${'9'.repeat(19)}".`)
  })

  it('VER-1: if all versions are retired, the 404 says that there are no current versions', async () => {
    const { call } = service(express, (app) => void app.use(versions({ v0: 'retired' })))
    expect((await call.get('/v1')).body.detail).toBe('There is no version "v1". There are no current versions.')
  })

  it.each([
    '/V1/notes/3',
    '/%761/notes/3',
    '/v01/notes/3',
    '/v1.2',
    '/v1x/notes/3',
    '/constructor',
    '/__proto__',
    '/',
    '//v1/notes/3',
  ])('VER-1, PATH-11: the path %s names no version and is passed on', async (path) => {
    const { call } = service(express, (app) => {
      app.use(versions(table()))
      app.use((req, res) => void res.status(418).json({ url: req.url, baseUrl: req.baseUrl }))
    })
    const { status, body } = await call.get(path)
    expect([status, body]).toEqual([418, { url: path, baseUrl: '' }])
  })

  it.each(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PROPFIND'])(
    'VER-2: a %s request for a retired version gets 410 without a body',
    async (method) => {
      const { app } = plain()
      const answer = await raw(
        app,
        `${method} /v0/notes/3?x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
      )
      expect(answer).toMatch(/^HTTP\/1\.1 410 Gone\r\n/)
      expect(answer).toMatch(/^Cache-Control: no-store\r$/m)
      expect(answer).toMatch(/^Content-Length: 0\r$/m)
      expect(answer.endsWith('\r\n\r\n')).toBe(true)
    },
  )

  it('VER-3: a deprecated version sends Deprecation, Sunset and a link to its successor', async () => {
    const v1 = {
      handler: router(),
      deprecated: '2026-01-01',
      sunset: new Date('2027-06-30T12:00:00Z'),
      successor: 'v8',
    }
    const { app, call } = service(express, (app) => {
      app.use((_req, res, next) => {
        res.set('Link', '</docs?a=1,2>; rel="service-doc"')
        next()
      })
      app.use('/private', versions({ v8: router(), v1 }))
    })
    const { headers } = await call.get('/private/v1/notes/3?a=1').set('Host', 'api.example.com')
    expect(headers).toMatchObject({
      deprecation: '@1767225600',
      sunset: 'Wed, 30 Jun 2027 12:00:00 GMT',
      link: '</docs?a=1,2>; rel="service-doc", <http://api.example.com/private/v8/notes/3>; rel="successor-version"',
    })
    const failed = await call.get('/private/v1/nothing').set('Host', 'a')
    expect([failed.status, failed.headers.deprecation]).toEqual([404, '@1767225600'])
    expect(failed.headers.link).toContain('<http://a/private/v8/nothing>; rel="successor-version"')
    expect((await call.get('/private/v8/notes/3')).headers).not.toHaveProperty('deprecation')
    app.set('trust proxy', true)
    const forwarded = await call.get('/private/v1').set('X-Forwarded-Proto', 'https').set('X-Forwarded-Host', 'b')
    expect(forwarded.headers.link).toContain('<https://b/private/v8>; rel="successor-version"')
  })

  it('VER-3, REP-5: the link to the successor starts with baseUrl, or is a path if the Host is malformed', async () => {
    const entries = () => ({ v8: router(), v1: { handler: router(), successor: 'v8' } })
    const based = service(
      express,
      (app) => void app.use(versions(entries(), { baseUrl: 'https://api.example.com/x/' })),
    )
    expect((await based.call.get('/v1/notes/3')).headers.link).toBe(
      '<https://api.example.com/x/v8/notes/3>; rel="successor-version"',
    )
    const { call } = service(express, (app) => void app.use(versions(entries())))
    expect((await call.get('/v1/notes/3').set('Host', 'a@b')).headers.link).toBe(
      '</v8/notes/3>; rel="successor-version"',
    )
  })

  it('VER-3: "<", ">" and quotes in a request target are percent-encoded in the link to the successor', async () => {
    const { app } = service(
      express,
      (app) => void app.use(versions({ v8: router(), v1: { handler: router(), successor: 'v8' } })),
    )
    const answer = await raw(app, 'GET /v1/notes/a>;rel="next",<b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    expect(answer).toMatch(/^Link: <http:\/\/a\/v8\/notes\/a%3E;rel=%22next%22,%3Cb>; rel="successor-version"\r$/m)
  })

  it('VER-2, VER-3: after its sunset, a version with "retireAtSunset" gets 410 and is no longer current', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2027-06-30T23:59:59.999Z') })
    const { call } = service(express, (app) => {
      app.use(
        versions({
          v8: router(),
          v1: { handler: router(), sunset: '2027-07-01', retireAtSunset: true },
          v0: { handler: router(), sunset: '2020-01-01' },
        }),
      )
    })
    expect((await call.get('/v1/notes/3')).status).toBe(200)
    vi.setSystemTime(Date.parse('2027-07-01T00:00:00Z'))
    const { status, text } = await call.get('/v1/notes/3')
    expect([status, text]).toEqual([410, ''])
    expect((await call.get('/v0/notes/3')).status).toBe(200)
    expect((await call.get('/v7')).body.detail).toContain('Current versions: v8, v0.')
  })

  it('VER-1: a request that a version passes on with next() continues unchanged', async () => {
    const seen: unknown[] = []
    const sub = express()
    sub.use((_req, _res, next) => next())
    for (const handler of [
      express.Router(),
      sub,
      (_req: never, _res: never, next: () => void) => next(),
    ] as VersionEntry[]) {
      const { call } = service(express, (app: App) => {
        app.use('/private', versions({ v1: handler }))
        app.use(
          (req, res) =>
            void res.json({ url: req.url, baseUrl: req.baseUrl, own: req.app === app, its: res.app === app }),
        )
      })
      seen.push((await call.get('/private/v1/x?y=1')).body)
    }
    expect(seen).toEqual(Array(3).fill({ url: '/private/v1/x?y=1', baseUrl: '', own: true, its: true }))
  })

  it.each([
    [
      'thrown',
      () => {
        throw new Error('secret')
      },
    ],
    ['thrown by an async handler', async () => Promise.reject(new Error('secret'))],
    ['passed to next()', (_req: never, _res: never, next: (error: unknown) => void) => next(new Error('secret'))],
  ] as [string, VersionEntry][])(
    'ERR-3: an error that is %s gets 500, and the request object is unchanged',
    async (_name, handler) => {
      const urls: string[] = []
      const { call, reported } = service(express, (app) => {
        app.use(versions({ v1: handler }))
        app.use((error: unknown, req: Request, _res: Response, next: (error: unknown) => void) => {
          urls.push(req.url, req.baseUrl)
          next(error)
        })
      })
      const { status, body } = await call.get('/v1/x')
      expect([status, body.instance]).toEqual([500, '/v1/x'])
      expect(urls).toEqual(['/v1/x', ''])
      expect(String(reported[0]?.error)).toBe('Error: secret')
    },
  )

  it('VER-1: next("router") and next("route") leave the version without an error', async () => {
    const made = express.Router()
    made.get('/a', (_req, _res, next) => next('router'))
    const bare: VersionEntry = (_req: never, _res: never, next: (word: unknown) => void) => next('route')
    const { call } = service(express, (app) => void app.use(versions({ v1: made, v2: bare })))
    expect((await call.get('/v1/a')).body.code).toBe('unknown-path')
    expect((await call.get('/v2/a')).body.code).toBe('unknown-path')
  })
})

it('VER-1: versions() works without Express', async () => {
  const middleware = versions({
    v1: ((req: { url: string; originalUrl: string; baseUrl: string }, res: { end(text: string): void }) => {
      res.end(`${req.originalUrl} ${req.baseUrl} ${req.url}`)
    }) as never,
  })
  const answer = await raw(
    (req, res) => middleware(req, res, () => {}),
    'GET /v1?a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  )
  expect(answer).toContain('/v1?a /v1 /?a')
})

describe.each(majors)('versions(): life cycles of paths, and brownouts, on %s', (_, express: Express) => {
  const handler = () => {
    const made = express.Router()
    made.all('/notes/:id', echo)
    made.all('/notes/:id/tags', echo)
    made.get('/', echo)
    return made
  }
  const paths = {
    '/notes/{id}/tags': { retired: true },
    'DELETE /notes/{id}': { retired: true },
    'PUT /notes/{id}': { deprecated: { since: '2026-01-01', use: '/notas/{id}' } },
    '/gone': { retired: { since: '2026-06-01' } },
  } as const

  it('VER-2: retired hand-written paths and methods get 410, and everything else is served as before', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-05-31') })
    const { call } = service(express, (app) => void app.use('/api', versions({ v1: { handler: handler(), paths } })))
    const plain = service(express, (app) => void app.use('/api', versions({ v1: handler() })))
    for (const path of ['/notes/1/tags', '/notes/1/tags/deep/%zz', '/notes/%zz/tags', '/notes/1/tags/']) {
      for (const method of ['get', 'delete', 'options', 'head'] as const) {
        const { status, text } = await call[method](`/api/v1${path}`)
        expect([path, method, status, text ?? '']).toEqual([path, method, 410, ''])
      }
    }
    expect((await call.delete('/api/v1/notes/1')).status).toBe(410)
    for (const path of ['/notes/1', '/notes/%zz', '/', '/notes', '/notes//tags', '/gone'])
      expect((await call.get(`/api/v1${path}`)).body).toEqual((await plain.call.get(`/api/v1${path}`)).body)
    const { headers } = await call.put('/api/v1/notes/7').set('Host', 'a')
    expect([headers.deprecation, headers.link]).toEqual([
      '@1767225600',
      '<http://a/api/v1/notas/7>; rel="successor-version"',
    ])
    expect((await call.get('/api/v1/gone')).headers.sunset).toBe('Mon, 01 Jun 2026 00:00:00 GMT')
    vi.setSystemTime(Date.parse('2026-06-01'))
    expect((await call.get('/api/v1/gone/x')).status).toBe(410)
  })

  it('VER-2: a retired path gets 410 in every spelling that Express matches', async () => {
    const { call } = service(express, (app) => void app.use('/api', versions({ v1: { handler: handler(), paths } })))
    for (const path of ['/NOTES/1/tags', '/notes/1/TAGS', '/Notes/1/Tags/', '/NOTES/1/tags/x'])
      expect([path, (await call.get(`/api/v1${path}`)).status]).toEqual([path, 410])
    expect((await call.delete('/api/v1/NOTES/1')).status).toBe(410)
    expect((await call.get('/api/v1/NOTES/1')).status).toBe(200)
  })

  it('VER-3: a brownout applies to all clients except those in its option "exempt"', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-05-01T00:00:00Z') })
    const brownouts = [{ from: '2026-05-01', until: '2026-05-02', exempt: ['billing'] }]
    const { call } = service(express, (app) => {
      app.use(
        authenticate({ field: 'x-client', challenge: 'Client', identify: (name) => ({ azp: name }) }),
        versions({ v1: { handler: handler(), deprecated: '2026-01-01', brownouts } }),
      )
    })
    const refused = await call.get('/v1').set('x-client', 'other')
    expect([
      refused.status,
      refused.headers['retry-after'],
      refused.headers['cache-control'],
      refused.body.code,
    ]).toEqual([503, '86400', 'no-store', 'unavailable'])
    expect((await call.get('/v1').set('x-client', 'billing')).status).toBe(200)
  })

  it('VER-3: problems() does not pass the 503 of a brownout to onError', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-05-01T00:00:00Z') })
    const brownouts = [{ from: '2026-05-01', until: '2026-05-02' }]
    const life = { handler: handler(), deprecated: '2026-01-01', brownouts }
    const reported: unknown[] = []
    const app = express()
    app.use(versions({ v1: life }), problems({ onError: (error) => reported.push(error) }))
    expect((await request(app).get('/v1')).status).toBe(503)
    expect((await request(app).get('/v2')).status).toBe(404)
    expect(reported).toEqual([expect.objectContaining({ code: 'unknown-version' })])
  })

  it('VER-2: a life cycle with an invalid path, the method HEAD or an unknown option is refused', () => {
    const build = (given: object) => () => versions({ v1: { handler: handler(), paths: given as never } })
    for (const path of ['notes', '/notes?x', 'delete /notes', '/', '/a//b', '/a b'])
      expect(build({ [path]: { retired: true } })).toThrow(/is not a path/)
    expect(build({ '/v1/notes/{id}': { retired: true } })).toThrow(/begins with the version.*Write "\/notes\/\{id\}"/)
    expect(build({ 'DELETE /v1': { retired: true } })).toThrow(/begins with the version/)
    expect(build({ 'HEAD /notes': { retired: true } })).toThrow(/Name GET/)
    expect(build({ '/notes': { retird: true } })).toThrow(/Did you mean "retired"/)
  })
})
