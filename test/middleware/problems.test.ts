import type { NextFunction, Request, Response } from 'express'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { problems } from '../../src/middleware/problems.js'
import { versions } from '../../src/middleware/versions.js'
import { ConfigurationError, HttpProblem, Unavailable } from '../../src/problem.js'
import { api } from '../../src/router/api.js'
import { type App, type Express, majors, raw, service } from './majors.js'

afterEach(() => void vi.restoreAllMocks())

const withStatus = (status: unknown, more = {}) => Object.assign(new Error('secret words'), { status, ...more })

/** A problem whose status was changed after its constructor had checked the status. */
const withProblemStatus = (status: number) =>
  Object.assign(new HttpProblem({ code: 'own', status: 400, title: 'secret words' }), { status })

describe.each(majors)('problems() on %s', (_, express: Express) => {
  const failing = (error: unknown) => service(express, (app) => void app.get('/a', (_req, _res, next) => next(error)))

  it('PATH-1: an unhandled request gets a 404 problem, regardless of the method', async () => {
    const { call } = service(express, () => {})
    for (const method of ['get', 'post', 'delete'] as const) {
      const { status, headers, body } = await call[method]('/some/where?x=1')
      expect([status, headers['content-type'], headers['cache-control']]).toEqual([
        404,
        'application/problem+json',
        'no-store',
      ])
      expect(body).toMatchObject({ code: 'unknown-path', clause: 'PATH-1', instance: '/some/where', status: 404 })
    }
  })

  it.each(['api()', 'versions()'])('VER-1: below the path of %s, a 404 names the current versions', async (name) => {
    const { call } = service(express, (app) => {
      const old = { handler: express.Router() as never, sunset: '2020-01-01', retireAtSunset: true }
      app.use(
        '/private',
        name === 'api()'
          ? api({ versions: { v2: [], v1: [], v0: 'retired' } })
          : versions({ v2: express.Router() as never, v1: express.Router() as never, v0: old }),
      )
      app.use('/old', name === 'api()' ? api({ versions: { v0: 'retired' } }) : versions({ v0: 'retired' }))
    })
    for (const path of ['/private', '/private/', '/private/books', '/private/books/v1'])
      expect((await call.get(path)).body.detail, path).toBe(
        'No route has this path. The paths of the API begin with /private/v2 or /private/v1.',
      )
    for (const path of ['/', '/old/books']) expect((await call.get(path)).body, path).not.toHaveProperty('detail')
  })

  it('PATH-1: if problems() comes before the routes, a request for an existing route gets 404', async () => {
    const app = express()
    app.use(problems({ onError: () => {} }))
    app.get('/a', (_req, res) => void res.json({}))
    expect(await raw(app, 'GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 404 /)
  })

  it('ERR-3: a problem is sent with its members and headers, and its type begins with problemBase', async () => {
    const app = express()
    app.get('/a', () => {
      throw new HttpProblem('rule', {
        detail: 'No.',
        errors: [{ detail: 'No.', pointer: '/a' }],
        headers: { 'X-Own': '1' },
      })
    })
    app.use(problems({ problemBase: 'https://docs/errors', onError: () => {} }))
    const { default: request } = await import('supertest')
    const { status, body, headers } = await request(app).get('/a')
    expect([status, headers['x-own']]).toEqual([422, '1'])
    expect(body).toEqual({
      type: 'https://docs/errors#ERR-2-rule',
      title: 'The request violates a rule of the service',
      status: 422,
      detail: 'No.',
      instance: '/a',
      code: 'rule',
      clause: 'ERR-2',
      errors: [{ detail: 'No.', pointer: '/a' }],
    })
  })

  it('ERR-1: Unavailable becomes a 503 with Retry-After, and its cause is reported', async () => {
    const cause = new Error('the database is down')
    const { call, reported } = failing(new Unavailable({ retryAfter: 2.1, cause }))
    const { status, headers, text } = await call.get('/a')
    expect([status, headers['retry-after']]).toEqual([503, '3'])
    expect(text).not.toContain('database')
    expect(reported[0]?.error).toBe(cause)
  })

  it.each([
    ['an error with expose: true', withStatus(404, { expose: true }), 404, 'secret words'],
    ['an error with expose: false', withStatus(403, { expose: false }), 403, undefined],
    [
      'an error with a statusCode',
      Object.assign(new Error('secret words'), { statusCode: 409, expose: false }),
      409,
      undefined,
    ],
    ['an error with status 503', withStatus(503, { expose: false }), 503, undefined],
  ])('ERR-1: %s keeps its status', async (_name, error, status, detail) => {
    const { body, ...answer } = await failing(error).call.get('/a')
    expect([answer.status, body.status, body.detail]).toEqual([status, status, detail])
  })

  const throwing = new Proxy(new Error('secret words'), {
    get() {
      throw new Error('secret words')
    },
    getPrototypeOf() {
      throw new Error('secret words')
    },
  })
  const circular = withStatus(undefined)
  Object.assign(circular, { self: circular })

  it.each([
    ['an Error', new Error('secret words')],
    ['an error with status 200', withStatus(200)],
    ['an error with status 600', withStatus(600)],
    [
      'an axios error for the 401 of another service',
      withStatus(401, { isAxiosError: true, response: { status: 401 } }),
    ],
    ['an error for the 503 of another service', withStatus(503)],
    ['an error with only a statusCode', Object.assign(new Error('secret words'), { statusCode: 404 })],
    ['a URIError of the handler', new URIError('secret words')],
    ['an error with status "404"', withStatus('404')],
    ['an error with status NaN', withStatus(Number.NaN)],
    ['a text', 'secret words'],
    ['a number', 42],
    ['a symbol', Symbol('secret words')],
    ['a frozen object', Object.freeze({ secret: 'words' })],
    [
      'a getter that throws',
      {
        get status() {
          throw new Error('secret words')
        },
      },
    ],
    ['a Proxy that throws', throwing],
    ['circular data', circular],
    ['a function', () => 'secret words'],
    ['a problem whose status became 200', withProblemStatus(200)],
    ['a problem whose status became 1000', withProblemStatus(1000)],
    [
      'a problem whose header cannot be written',
      new HttpProblem('rule', { detail: 'secret words', headers: { 'X-A': 'a\r\nb' } }),
    ],
    ['a problem whose errors are circular', new HttpProblem('rule', { errors: [circular as never] })],
    [
      'a problem with a bigint',
      new HttpProblem('rule', { errors: [{ detail: 'secret words', allowed: [1n as never] }] }),
    ],
    ['headers that cannot be written', withStatus(404, { expose: false, headers: { 'X-A': 'ñ€' } })],
  ])('ERR-3: %s becomes a 500 that exposes nothing, and is reported', async (_name, error) => {
    const { call, reported } = failing(error)
    const { status, headers, text, body } = await call.get('/a')
    expect([status, headers['content-type'], body.code]).toEqual([500, 'application/problem+json', 'internal'])
    expect(text).not.toMatch(/secret|at .*:\d+|node_modules/)
    expect(reported[0]?.error === error).toBe(true)
    expect(reported.at(-1)?.problem.code).toBe('internal')
  })

  it.each([undefined, null, 0, '', false])(
    'PATH-1: a request whose handler throws %j ends with 404, because Express ignores falsy errors',
    async (thrown) => {
      const { call, reported } = service(express, (app) => {
        app.get('/a', () => {
          throw thrown
        })
      })
      expect((await call.get('/a')).status).toBe(404)
      expect(reported.map(({ problem }) => problem.code)).toEqual(['unknown-path'])
    },
  )

  it('PATH-1: next("route") and next("router") continue as in Express', async () => {
    const { call, reported } = service(express, (app) => {
      const router = express.Router()
      router.get('/route', (_req, _res, next) => next('route'))
      router.get('/route', (_req, res) => void res.json('second'))
      router.get('/router', (_req, _res, next) => next('router'))
      router.get('/router', (_req, res) => void res.json('second'))
      app.use(router)
    })
    expect((await call.get('/route')).body).toBe('second')
    expect((await call.get('/router')).status).toBe(404)
    expect(reported.map(({ problem }) => problem.code)).toEqual(['unknown-path'])
  })

  it('PATH-11: a path that Express cannot decode gets 400', async () => {
    const { call } = service(express, (app) => void app.get('/:id', (_req, res) => void res.json({})))
    const { status, headers, body } = await call.get('/%E0%A4%A')
    expect([status, headers['content-type'], body.code]).toEqual([400, 'application/problem+json', 'malformed-path'])
  })

  it('ERR-3: unknown options, and options of the wrong kind, are refused', () => {
    expect(() => problems({ onErrors: () => {} } as never)).toThrow(/Did you mean "onError"/)
    for (const options of [{ onError: 'x' }, { problemBase: 5 }, null])
      expect(() => problems(options as never)).toThrow(ConfigurationError)
  })

  describe('with express.json()', () => {
    const { call } = service(express, (app: App) => {
      app.use(express.json({ limit: 100 }))
      app.post('/a', (req, res) => void res.json(req.body))
    })

    it.each([
      ['malformed JSON', '{"a":', { 'Content-Type': 'application/json' }, 400],
      ['a body over its limit', `"${'x'.repeat(200)}"`, { 'Content-Type': 'application/json' }, 413],
      ['an unknown charset', '{}', { 'Content-Type': 'application/json; charset=x-none' }, 415],
      ['an unknown encoding', '{}', { 'Content-Type': 'application/json', 'Content-Encoding': 'x-none' }, 415],
    ])('HDR-5: the error of express.json() for %s keeps its status', async (_name, body, headers, status) => {
      const answer = await call.post('/a').set(headers).send(body)
      expect([answer.status, answer.body.status, answer.headers['content-type']]).toEqual([
        status,
        status,
        'application/problem+json',
      ])
      expect(answer.text).not.toContain('node_modules')
    })
  })

  it('VERB-8: the error response to a HEAD has the headers of the problem and no body', async () => {
    const { app } = failing(new HttpProblem('forbidden'))
    const answer = await raw(app, 'HEAD /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 403 [\s\S]*Content-Length: [1-9]\d*\r\n[\s\S]*\r\n\r\n$/)
  })

  it('VER-2: a 410 has no body', async () => {
    const { status, text, headers } = await failing(new HttpProblem('gone')).call.get('/a')
    expect([status, text, headers['content-type'], headers['cache-control']]).toEqual([410, '', undefined, 'no-store'])
  })

  it.each(['application/problem+json', 'application/json', 'text/html', 'application/json;q=0', '*/*;q=0', 'rubbish'])(
    'ERR-3: a problem is also sent for Accept %s',
    async (accept) => {
      const { status, headers } = await failing(new HttpProblem('forbidden')).call.get('/a').set('Accept', accept)
      expect([status, headers['content-type'], headers.vary]).toEqual([403, 'application/problem+json', 'Accept'])
    },
  )

  it('ERR-3: removes headers that describe the intended response, and keeps those of earlier middleware', async () => {
    const { call } = service(express, (app) => {
      app.use((_req, res, next) => {
        res.set({
          Vary: 'Origin',
          'Access-Control-Allow-Origin': 'https://a',
          'Content-Security-Policy': 'none',
          'RateLimit-Policy': 'x',
        })
        next()
      })
      app.get('/a', (_req, res, next) => {
        res.set({
          Etag: '"1"',
          'Last-Modified': 'x',
          'Content-Disposition': 'attachment',
          'Content-Encoding': 'gzip',
          'Content-Location': '/a/1',
          'x-total-count': '3',
        })
        res
          .set({
            Location: '/b',
            'Transfer-Encoding': 'chunked',
            'Cache-Control': 'public',
            'Content-Type': 'text/csv',
          })
          .status(201)
        next(new HttpProblem('forbidden'))
      })
    })
    const { status, headers } = await call.get('/a')
    expect(status).toBe(403)
    for (const name of [
      'etag',
      'last-modified',
      'content-location',
      'content-disposition',
      'content-encoding',
      'x-total-count',
      'location',
      'transfer-encoding',
    ])
      expect(headers).not.toHaveProperty(name)
    expect(headers).toMatchObject({
      vary: 'Origin, Accept',
      'access-control-allow-origin': 'https://a',
      'content-security-policy': 'none',
      'ratelimit-policy': 'x',
      'cache-control': 'no-store',
    })
  })

  it('ERR-3: a response that has started is aborted if the handler fails', async () => {
    const { app, reported } = service(express, (app) => {
      app.get('/a', (_req, res, next) => {
        res.set('Content-Length', '100').write('begun', () => next(new Error('late')))
      })
    })
    const answer = await raw(app, 'GET /a HTTP/1.1\r\nHost: a\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*begun$/)
    expect(reported).toHaveLength(1)
  })

  it('ERR-3: a complete response is kept, even if the handler fails or calls next() afterwards', async () => {
    const { app, reported } = service(express, (app) => {
      app.get('/throws', (_req, res) => {
        res.json({ whole: true })
        throw new Error('late')
      })
      app.get('/next', (_req, res, next) => {
        res.json({ whole: true })
        next()
      })
    })
    const both = 'GET /throws HTTP/1.1\r\nHost: a\r\n\r\nGET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    expect((await raw(app, both)).match(/\{"whole":true\}/g)).toHaveLength(2)
    expect(reported.map(({ error }) => String(error))).toEqual(['Error: late'])
  })

  it('ERR-3: an onError that throws or rejects does not change the response', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
    const throws = (): void => {
      throw new Error('of the hook')
    }
    const rejects = async (): Promise<void> => Promise.reject(new Error('of the hook'))
    for (const onError of [throws, rejects]) {
      const app = express()
      app.use(problems({ onError }))
      expect(await raw(app, 'GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 404 /)
    }
    expect(printed).toHaveBeenCalledTimes(2)
  })

  it('ERR-3: by default, the console shows a 5xx, and no 4xx', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
    const error = new Error('secret')
    const app = express()
    app.get('/a', (_req: Request, _res: Response, next: NextFunction) => next(error))
    app.use(problems())
    for (const path of ['/a', '/b']) await raw(app, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    expect(printed.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^GET \/a 500 internal ERR-1 cause="Error at test\/middleware\/problems\.test\.ts:\d+:\d+" look=/,
        ),
      ],
    ])
  })
})
