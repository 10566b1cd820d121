import type { RequestHandler } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { authenticate } from '../../src/auth/index.js'
import type { Finding } from '../../src/conventions/finding.js'
import { problems } from '../../src/index.js'
import {
  checkVersion,
  ifMatch,
  listQuery,
  methodRules,
  negotiate,
  noQuery,
  recordAnswer,
  recordBody,
  sendTag,
  totalCount,
} from '../../src/middleware/index.js'
import { type App, type Express, majors, service } from '../middleware/majors.js'
import { customers, orders } from './fixture.js'

const modes = ['off', 'report', 'enforce'] as const

describe.each(majors)('the modes of clauses, in single middlewares on %s', (_, express) => {
  describe.each(modes)('the mode "%s"', (mode) => {
    const start = (
      routes: (app: App, hooks: { onFinding: (event: Finding) => void }) => void,
      major: Express = express,
    ) => {
      const findings: Finding[] = []
      const { call } = service(major, (app) => routes(app, { onFinding: (event) => void findings.push(event) }))
      return {
        call,
        reported: () => findings.map(({ clause, detail, route, method }) => `${method} ${route} ${clause} ${detail}`),
      }
    }
    const enforced = mode === 'enforce'
    const counted = (...names: string[]) => (mode === 'report' ? names : [])

    it('QUERY-8 and QUERY-5: the mode applies to listQuery()', async () => {
      const { call, reported } = start((app, hooks) => {
        const query = listQuery(orders, { conventions: { 'QUERY-8': mode, 'QUERY-5': { mode, upTo: 40 } }, ...hooks })
        app.get('/v1/orders', query, (req, res) => void res.json(query.of(req)))
      })
      const stray = await call.get('/v1/orders?foo=1&limit=5&limit=6')
      expect([stray.status, stray.body.size]).toEqual(enforced ? [400, undefined] : [200, 5])
      const large = await call.get('/v1/orders?limit=40')
      expect([large.status, large.body.size]).toEqual(enforced ? [400, undefined] : [200, 40])
      expect((await call.get('/v1/orders?limit=41')).status).toBe(400)
      expect(reported()).toEqual(
        counted('GET /orders QUERY-8 foo', 'GET /orders QUERY-8 limit', 'GET /orders QUERY-5 limit'),
      )
    })

    it('QUERY-8: the mode applies to noQuery()', async () => {
      const { call, reported } = start((app, hooks) => {
        app.get(
          '/v1/orders/:id',
          noQuery({ conventions: { 'QUERY-8': mode }, ...hooks }),
          (_req, res) => void res.json({}),
        )
      })
      expect((await call.get('/v1/orders/1?foo=1')).status).toBe(enforced ? 400 : 200)
      expect(reported()).toEqual(counted('GET /orders/{id} QUERY-8 foo'))
    })

    it('QUERY-7: the mode applies to totalCount()', async () => {
      const { call, reported } = start((app, hooks) => {
        const count = totalCount({ conventions: { 'QUERY-7': mode }, ...hooks })
        app.get('/v1/orders', listQuery(orders), count, (req, res) => {
          count.set(req, res, 45)
          res.json([])
        })
      })
      const { headers } = await call.get('/v1/orders')
      expect([headers['x-total-count'], headers.link === undefined]).toEqual([enforced ? '45' : undefined, false])
      expect(reported()).toEqual(counted('GET /orders QUERY-7 x-total-count'))
    })

    it('HDR-1: the mode applies to negotiate() and recordAnswer()', async () => {
      const { call, reported } = start((app, hooks) => {
        const options = { conventions: { 'HDR-1': { mode, as: 406 } }, ...hooks } as const
        const format = negotiate({
          offers: ['text/csv', 'application/json'],
          ...options,
          conventions: { 'HDR-1': { mode, as: 'json' } },
        })
        const answer = recordAnswer(customers, { ...options, offers: ['text/csv'] })
        app.get('/v1/orders', format, (req, res) => void res.type(format.of(req)).send('[]'))
        app.get('/v1/customers', answer, (req, res) => answer.send(req, res, [{ id: 1, name: 'Ana' }]))
      })
      const json = await call.get('/v1/orders').set('Accept', 'image/png')
      expect([json.status, json.type]).toEqual(enforced ? [415, 'application/problem+json'] : [200, 'application/json'])
      expect((await call.get('/v1/customers').set('Accept', 'image/png')).status).toBe(enforced ? 415 : 406)
      expect((await call.get('/v1/customers').set('Accept', 'application/xml')).type).toBe('application/xml')
      expect(reported()).toEqual(counted('GET /orders HDR-1 Accept', 'GET /customers HDR-1 Accept'))
    })

    it('HDR-3: the mode applies to ifMatch()', async () => {
      const { call, reported } = start((app, hooks) => {
        app.put('/v1/orders/:id', ifMatch({ required: true, conventions: { 'HDR-3': mode }, ...hooks }), (req, res) => {
          checkVersion(req, '7')
          if (!sendTag(req, res, '8')) res.json({})
        })
      })
      expect((await call.put('/v1/orders/1')).status).toBe(enforced ? 428 : 200)
      expect((await call.put('/v1/orders/1').set('If-Match', '"6.x"')).status).toBe(412)
      expect((await call.put('/v1/orders/1').set('If-Match', '"7.x"')).status).toBe(200)
      expect(reported()).toEqual(counted('PUT /orders/{id} HDR-3 If-Match'))
    })

    it('HDR-5: the mode applies to recordBody()', async () => {
      const { call, reported } = start((app, hooks) => {
        const body = recordBody(customers, {
          conventions: { 'HDR-5': { mode, types: ['text/*', 'application/x-json'] } },
          ...hooks,
        })
        app.post('/v1/customers', body, (req, res) => void res.status(200).json(body.of(req)))
      })
      const post = (type: string) => call.post('/v1/customers').type(type).send('{"id":1,"name":"Ana"}')
      expect((await post('text/plain')).status).toBe(enforced ? 415 : 200)
      expect((await post('Application/X-JSON; charset=utf-8')).status).toBe(enforced ? 415 : 200)
      expect((await post('image/png')).status).toBe(415)
      expect((await post('application/json')).body).toEqual({ id: 1, name: 'Ana' })
      expect(reported()).toEqual(counted('POST /customers HDR-5 Content-Type', 'POST /customers HDR-5 Content-Type'))
    })

    it('VERB-8 and VERB-6: the mode applies to methodRules()', async () => {
      const { call, reported } = start((app, hooks) => {
        const rules = methodRules({
          on: 'item',
          allow: ['GET', 'DELETE'],
          conventions: { 'VERB-8': mode, 'VERB-6': mode },
          ...hooks,
        })
        app.get(
          '/v1/orders/:id',
          rules,
          (req, res) => void (req.params.id === '1' ? res.json({ id: 1 }) : res.status(404).end()),
        )
        app.delete('/v1/orders/:id', rules, (req, res) => {
          if (req.params.id === '1') res.json({ deleted: true })
          else if (req.params.id === '2') res.status(205).end()
          else if (req.params.id === '3') res.status(204).end()
          else if (req.params.id === '4') res.end('gone')
          else res.status(404).json({})
        })
      })
      const head = await call.head('/v1/orders/1')
      expect([head.status, head.headers['content-length']]).toEqual(enforced ? [302, undefined] : [200, '8'])
      expect((await call.head('/v1/orders/2')).status).toBe(404)
      const first = await call.delete('/v1/orders/1')
      expect([first.status, first.text]).toEqual(enforced ? [200, ''] : [200, '{"deleted":true}'])
      expect((await call.delete('/v1/orders/2')).status).toBe(enforced ? 204 : 205)
      expect((await call.delete('/v1/orders/3')).status).toBe(204)
      expect((await call.delete('/v1/orders/4')).text).toBe(enforced ? '' : 'gone')
      expect((await call.delete('/v1/orders/5')).status).toBe(404)
      expect(reported()).toEqual(
        counted(
          'HEAD /orders/{id} VERB-8 HEAD',
          'DELETE /orders/{id} VERB-6 DELETE',
          'DELETE /orders/{id} VERB-6 DELETE',
          'DELETE /orders/{id} VERB-6 DELETE',
        ),
      )
    })

    it('AUTH-4: the response to a DELETE has no body if the caller has no read permission', async () => {
      const who = authenticate({ field: 'X-Who', challenge: 'Who', identify: (name) => name })
      const { call } = start((app) => {
        const rules = methodRules({
          on: 'item',
          allow: ['GET', 'DELETE'],
          resource: 'orders',
          key: false,
          permission: (name, action) => (name === 'reader' || action === 'remove' ? 'allow' : 'method-not-allowed'),
          conventions: { 'VERB-6': mode },
        })
        app.delete('/v1/orders/:id', who, rules, (_req, res) => void res.json({ secret: 1 }))
      })
      expect((await call.delete('/v1/orders/1').set('X-Who', 'writer')).text).toBe('')
      expect((await call.delete('/v1/orders/1').set('X-Who', 'reader')).text).toBe(enforced ? '' : '{"secret":1}')
    })

    it('ERR-3: the mode applies to problems({ shape })', async () => {
      const findings: Finding[] = []
      const app = express()
      app.get('/v1/orders/:id', listQuery(orders))
      app.get('/v1/broken', () => {
        throw new Error('secret')
      })
      app.use(
        problems({
          shape: ({ title, status, code }) => ({
            body: `<h1>${status} ${title}</h1>`,
            contentType: 'text/html',
            status: code === 'invalid-query' ? 422 : status,
          }),
          conventions: { 'ERR-3': mode },
          onFinding: (event) => void findings.push(event),
          onError: () => {},
        }),
      )
      const call = request(app)
      const bad = await call.get('/v1/orders/1?foo=1')
      expect([bad.status, bad.type]).toEqual(enforced ? [400, 'application/problem+json'] : [422, 'text/html'])
      const broken = await call.get('/v1/broken')
      expect([broken.status, broken.text.includes('secret')]).toEqual([500, false])
      const { text } = await call.get('/v1/nothing')
      expect(text).toMatch(enforced ? /"code":"unknown-path"/ : /^<h1>404 There is nothing at this path<\/h1>$/)
      expect(findings.map(({ route, detail }) => `${route} ${detail}`)).toEqual(
        counted('/orders/{id} invalid-query', '/broken internal', 'undefined unknown-path'),
      )
    })
  })

  it('"routes" limits the mode to the given Express routes, in one version or in every version', async () => {
    const app = express()
    const query = noQuery({ conventions: { 'QUERY-8': { mode: 'report', routes: ['/v1/orders/{id}', '/customers'] } } })
    const answer: RequestHandler = (_req, res) => void res.json({})
    const router = express.Router()
    router.get('/orders/:id', query, answer)
    router.get('/customers', query, answer)
    router.get('/orders', query, answer)
    app.use('/private/v1', router)
    app.use('/v2', router)
    app.use(problems())
    const call = request(app)
    const statuses = []
    for (const path of [
      '/private/v1/orders/5',
      '/private/v1/customers',
      '/private/v1/orders',
      '/v2/orders/5',
      '/v2/customers',
    ])
      statuses.push((await call.get(`${path}?_=1`)).status)
    expect(statuses).toEqual([200, 200, 400, 400, 200])
    // The mode also applies if an id looks like a version or like another path segment.
    for (const id of ['v1', 'v2', 'private', 'orders'])
      expect([id, (await call.get(`/private/v1/orders/${id}?_=1`)).status]).toEqual([id, 200])
  })

  it('the option "shape" works without a mode for ERR-3, and causes no findings', async () => {
    const findings: Finding[] = []
    const app = express()
    app.use(problems({ shape: ({ code }) => ({ body: { code } }), onFinding: (event) => void findings.push(event) }))
    const { body, headers, type } = await request(app).get('/v1/nothing')
    expect([body, type, headers['cache-control'], findings]).toEqual([
      { code: 'unknown-path' },
      'application/json',
      'no-store',
      [],
    ])
  })

  it.each<[string, unknown]>([
    ['throws', 'throw'],
    ['returns undefined', undefined],
    ['returns no body', { status: 400 }],
    ['returns the status 200', { body: {}, status: 200 }],
    ['returns an invalid content type', { body: {}, contentType: 'a\r\nx: y' }],
    ['returns a value that JSON cannot represent', { body: () => 1 }],
    ['returns a promise', Promise.resolve({ body: {} })],
  ])('ERR-3: if the function "shape" %s, the problem is sent unchanged', async (_what, given) => {
    const shape = () => {
      if (given === 'throw') throw new Error('shape')
      return given as never
    }
    const app = express()
    app.use(problems({ shape }))
    const { status, body } = await request(app).get('/v1/nothing')
    expect([status, body.code]).toEqual([404, 'unknown-path'])
  })
})
