import { EventEmitter, once } from 'node:events'
import http from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import {
  api,
  type ErrorEvent,
  type Middleware,
  type QueryEvent,
  type ResponseEvent,
  type StepEvent,
} from '../../src/index.js'
import { frameworks, listen, serve } from './fixture.js'

const allSteps = [
  'preflight',
  'version',
  'admit',
  'authenticate',
  'throttle',
  'route',
  'allow',
  'negotiate',
  'parse',
  'precondition',
  'execute',
  'represent',
]

describe.each(frameworks)('hooks on %s', (_name, express) => {
  const watched = async (more: Parameters<typeof serve>[1] = {}) => {
    const seen = new EventEmitter()
    const events = {
      steps: [] as StepEvent[],
      queries: [] as QueryEvent[],
      responses: [] as ResponseEvent[],
      errors: [] as ErrorEvent[],
    }
    const service = await serve(express, {
      onStep: (event) => events.steps.push(event),
      onQuery: (event) => events.queries.push(event),
      onResponse: (event) => {
        events.responses.push(event)
        seen.emit('response')
      },
      onError: (event) => events.errors.push(event),
      ...more,
    })
    return { ...service, events, seen }
  }

  it('each step is reported with its name. Each adapter call and the response are reported once', async () => {
    const { send, close, events } = await watched()
    await send('GET', '/v8/piezas/1?expand=nota', { 'x-request-id': 'r1' })
    expect(events.steps.map(({ step, failed }) => [step, failed])).toEqual(
      [...allSteps, 'respond'].map((step) => [step, false]),
    )
    expect(events.queries.map(({ collection, call, failed }) => [collection, call, failed])).toEqual([
      ['piezas', 'read', false],
      ['contratos', 'read', false],
      ['notas', 'read', false],
    ])
    expect(events.responses).toEqual([
      {
        requestId: 'r1',
        method: 'GET',
        version: 'v8',
        route: '/piezas/{numero}',
        httpRoute: '/v8/piezas/{numero}',
        collection: 'piezas',
        operation: 'read',
        traceparent: undefined,
        principal: { name: 'ana' },
        status: 200,
        code: undefined,
        clause: undefined,
        duration: expect.any(Number),
        queries: 3,
        rows: 3,
        waited: 0,
        deprecatedUses: [],
      },
    ])
    expect(events.errors).toEqual([])
    await close()
  })

  it('each step event has the route, and also the principal once the principal is known', async () => {
    const { send, close, events } = await watched()
    await send('GET', '/v8/piezas/1')
    const known = events.steps.map(({ step, version, principal, route }) => [step, version, principal, route])
    const ana = { name: 'ana' }
    expect(known.slice(0, 6)).toEqual([
      ['preflight', 'v8', undefined, '/piezas/{numero}'],
      ['version', 'v8', undefined, '/piezas/{numero}'],
      ['admit', 'v8', undefined, '/piezas/{numero}'],
      ['authenticate', 'v8', ana, '/piezas/{numero}'],
      ['throttle', 'v8', ana, '/piezas/{numero}'],
      ['route', 'v8', ana, '/piezas/{numero}'],
    ])
    await close()
  })

  it('the response event of a refused request has the route, even if the step "route" did not run', async () => {
    const { send, close, events } = await watched()
    await send('GET', '/v8/piezas/1', { 'x-user': 'nobody' })
    await send('GET', '/v2/contratos/C1')
    await send('DELETE', '/v8/piezas')
    expect(
      events.responses.map(({ status, route, httpRoute, operation }) => [status, route, httpRoute, operation]),
    ).toEqual([
      [401, '/piezas/{numero}', '/v8/piezas/{numero}', 'read'],
      [410, '/contratos/{codigo}', '/v2/contratos/{codigo}', 'read'],
      [405, '/piezas', '/v8/piezas', undefined],
    ])
    await close()
  })

  it('each hook gets the request object', async () => {
    const urls: (string | undefined)[] = []
    const { send, close } = await serve(express, {
      onStep: (_event, req) => urls.push(req.url),
      onQuery: (_event, req) => urls.push(req?.url),
      onResponse: (_event, req) => urls.push(req.url),
      onError: (_event, req) => urls.push(req.url),
    })
    await send('GET', '/v8/piezas/999')
    expect(new Set(urls)).toEqual(new Set(['/v8/piezas/999']))
    expect(urls.length).toBeGreaterThan(4)
    await close()
  })

  it('the event of a hand-written route has the template of that route', async () => {
    const routes = express.Router()
    const below = express.Router()
    below.use((_req, _res, next) => next())
    below.get('/notas/:nota', (_req, res) => void res.send('nested'))
    below.get('/rota', (_req, _res, next) => next(new Error('broken')))
    routes.get('/a-mano/:id', (_req, res) => void res.send('by hand'))
    routes.get('/pasa', (_req, _res, next) => next())
    routes.use('/clientes/:cliente', below)
    const seen: ResponseEvent[] = []
    const service = api({
      versions: { v3: { resources: [], routes: routes as unknown as Middleware } },
      onResponse: (event) => seen.push(event),
      onError: () => {},
    })
    const { send, close } = await listen(express().use(service))
    for (const path of ['/a-mano/7', '/clientes/7/notas/8', '/clientes/7/rota', '/pasa', '/nada'])
      await send('GET', `/v3${path}`)
    expect(seen.map(({ status, route, httpRoute }) => [status, route, httpRoute])).toEqual([
      [200, '/a-mano/:id', '/v3/a-mano/:id'],
      [200, '/clientes/{cliente}/notas/:nota', '/v3/clientes/{cliente}/notas/:nota'],
      [500, '/clientes/{cliente}/rota', '/v3/clientes/{cliente}/rota'],
      [404, undefined, undefined],
      [404, undefined, undefined],
    ])
    await close()
  })

  it.each([
    ['a number', 7, '7'],
    ['a text', 'log-7', 'log-7'],
  ])('the request id is the req.id that an earlier logger has set: %s', async (_what, id, expected) => {
    const logger: Middleware = (req, _res, next) => {
      Object.assign(req, { id })
      next()
    }
    const { send, close } = await serve(express, {}, [logger])
    expect((await send('GET', '/v8/piezas/1', { 'x-request-id': 'given' })).headers['x-request-id']).toBe(expected)
    await close()
  })

  const strange: readonly unknown[] = [
    { id: 'an object' },
    'a b',
    '',
    Symbol('id'),
    'x'.repeat(129),
    { toString: null },
    null,
  ]
  it.each(strange.map((id) => ({ id })))('an invalid req.id is ignored: case %#', async ({ id }) => {
    const logger: Middleware = (req, _res, next) => {
      Object.assign(req, { id })
      next()
    }
    const { send, close } = await serve(express, {}, [logger])
    const given = (await send('GET', '/v8/piezas/1', { 'x-request-id': 'given' })).headers['x-request-id']
    expect(given).toBe('given')
    await close()
  })

  it('traceparent is reported if it is well-formed', async () => {
    const { send, close, events } = await watched()
    const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`
    await send('GET', '/v8/piezas/1', { traceparent })
    await send('GET', '/v8/piezas/1', { traceparent: 'x' })
    expect(events.responses.map((event) => event.traceparent)).toEqual([traceparent, undefined])
    await close()
  })

  it('hooks get the real cause of a problem, and no client sees it', async () => {
    const { send, close, events } = await watched()
    const { text } = await send('GET', '/v8/averias/secret')
    expect(text).not.toContain('hunter2')
    expect(events.errors.map(({ status, code, error }) => [status, code, (error as Error).message])).toEqual([
      [500, 'internal', 'password=hunter2 at db.internal'],
    ])
    expect(events.responses.map(({ status, code, route }) => [status, code, route])).toEqual([
      [500, 'internal', '/averias/{id}'],
    ])
    expect(events.queries.map(({ failed }) => failed)).toEqual([true])
    await close()
  })

  it('responses for retired versions, unknown versions and unknown paths are reported too', async () => {
    const { send, close, events } = await watched()
    for (const path of ['/v0/x', '/v9/x', '/v8/x']) await send('GET', path)
    expect(events.responses.map(({ status, version, route }) => [status, version, route])).toEqual([
      [410, undefined, undefined],
      [404, undefined, undefined],
      [404, 'v8', undefined],
    ])
    await close()
  })

  it.each([
    [
      'throw',
      () => {
        throw new Error('hook')
      },
    ],
    ['reject', async () => Promise.reject(new Error('hook'))],
  ])('hooks that %s do not change the response and do not end the process', async (_what, broken) => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
    const rejected = vi.fn()
    process.on('unhandledRejection', rejected)
    const { send, close } = await serve(express, {
      onStep: broken,
      onQuery: broken,
      onResponse: broken,
      onError: broken,
    })
    expect((await send('GET', '/v8/piezas/1')).status).toBe(200)
    expect((await send('GET', '/v8/piezas/999')).status).toBe(404)
    await close()
    expect(printed).toHaveBeenCalledWith('A hook of express-rest-conventions threw:', new Error('hook'))
    expect(rejected).not.toHaveBeenCalled()
    process.off('unhandledRejection', rejected)
    printed.mockRestore()
  })

  it('an error is reported with the step that failed', async () => {
    const { send, close, events } = await watched()
    await send('GET', '/v8/piezas?limite=3')
    await send('GET', '/v8/piezas/999')
    await send('GET', '/v8/piezas/1', { 'x-user': 'nobody' })
    await send('GET', '/v9/piezas')
    expect(events.errors.map(({ step }) => step)).toEqual(['parse', 'execute', 'authenticate', 'version'])
    await close()
  })

  it('by default, one line without the message of the error is logged for a 5xx, and nothing for a 4xx', async () => {
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
    // The fixture sets its own `onError`, which is removed here.
    const { send, close } = await serve(express, { onError: undefined as never })
    await send('GET', '/v8/averias/secret', { 'x-request-id': 'r1' })
    await send('GET', '/v8/piezas/999')
    await close()
    expect(printed.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^GET \/v8\/averias\/\{id\} 500 internal ERR-1 step=execute request=r1 cause="Error at [^"]+" look="[^"]+" see=\S+$/,
        ),
      ],
    ])
    expect(String(printed.mock.calls)).not.toContain('hunter2')
    printed.mockRestore()
  })

  it('a step that fails is reported as failed, followed by the steps "fail" and "respond"', async () => {
    const { send, close, events } = await watched()
    await send('GET', '/v8/piezas?limite=3')
    const seen = events.steps.map(({ step, failed }) => `${step}${failed ? ' failed' : ''}`)
    expect(seen.slice(-4)).toEqual(['negotiate', 'parse failed', 'fail', 'respond'])
    events.steps.length = 0
    await send('GET', '/v8/piezas/999')
    expect(events.steps.slice(-3).map(({ step, failed }) => [step, failed])).toEqual([
      ['execute', true],
      ['fail', false],
      ['respond', false],
    ])
    await close()
  })

  it('the responses of hand-written routes and of preflight requests are reported once each', async () => {
    const cors: Middleware = (req, res, next) =>
      req.method === 'OPTIONS' && req.headers.origin !== undefined ? void res.writeHead(204).end() : next()
    const { send, close, events, seen } = await watched({ cors })
    await send('GET', '/v8/a-mano')
    await send('GET', '/v8/nada')
    await send('GET', '/v8/roto')
    await send('OPTIONS', '/v8/piezas?limit=3', { Origin: 'http://a.example', 'x-user': 'nobody' })
    const last = once(seen, 'response')
    await send('GET', '/v8/a-medias').catch(() => {})
    await last
    expect(events.responses.map(({ status, code }) => [status, code])).toEqual([
      [200, undefined],
      [404, 'unknown-path'],
      [403, 'forbidden'],
      [204, undefined],
      [200, 'internal'],
    ])
    await close()
  })

  it('if the client disconnects, the signal of an adapter call aborts for a read, but not for a write', async () => {
    const left = new EventEmitter()
    const cors: Middleware = (_req, res, next) => {
      res.once('close', () => left.emit('close'))
      next()
    }
    const { port, close, data } = await watched({ timeout: 2_000, cors })
    const leave = async (method: string, path: string) => {
      const req = http.request({
        port,
        method,
        path,
        headers: method === 'PUT' ? { 'Content-Type': 'application/json', 'Content-Length': '2' } : {},
      })
      req.on('error', () => {})
      req.end(method === 'PUT' ? '{}' : undefined)
      await vi.waitFor(() => expect([...data.seen.signals.keys()]).toContain(path.slice('/v8/averias/'.length)))
      const gone = once(left, 'close')
      req.destroy()
      await gone
    }
    await leave('GET', '/v8/averias/hang-read')
    await leave('DELETE', '/v8/averias/hang-delete')
    await leave('PUT', '/v8/averias/hang-put')
    const aborted = Object.fromEntries([...data.seen.signals].map(([id, signal]) => [id, signal.aborted]))
    expect(aborted).toEqual({ 'hang-read': true, 'hang-delete': false, 'hang-put': false })
    await close()
  })

  it('the signal of an adapter call aborts at the timeout, for reads and writes', async () => {
    const { send, close, data } = await watched({ timeout: 60 })
    const answers = await Promise.all([send('GET', '/v8/averias/hang-a'), send('DELETE', '/v8/averias/hang-b')])
    expect(answers.map(({ status }) => status)).toEqual([503, 503])
    expect([...data.seen.signals.values()].map(({ aborted }) => aborted)).toEqual([true, true])
    await close()
  })

  it('every response has the request id: the X-Request-Id of the request if it is valid, else a new UUID', async () => {
    const { send, close } = await watched()
    for (const path of ['/v8/piezas/1', '/v8/piezas/999', '/v0/x', '/v8/piezas?x=1']) {
      expect((await send('GET', path, { 'x-request-id': 'given-1' })).headers['x-request-id']).toBe('given-1')
      const own = (await send('GET', path, { 'x-request-id': 'a b' })).headers['x-request-id']
      expect(own).toMatch(/^[0-9a-f-]{36}$/)
    }
    await close()
  })
})
