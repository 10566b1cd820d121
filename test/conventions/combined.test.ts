/**
 * Clauses in the modes `off`, `report` and `enforce`, together with other features of a service.
 */
import express from 'express'
import request from 'supertest'
import { describe, expect, it, vi } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import type { Finding } from '../../src/conventions/finding.js'
import { docsPages } from '../../src/docs/index.js'
import { type Api, api, representation, resourceRouter } from '../../src/index.js'
import { negotiate } from '../../src/middleware/index.js'
import { describeStrictly, openapi } from '../../src/openapi/index.js'
import { usage } from '../../src/usage/index.js'
import { majors } from '../middleware/majors.js'
import { mocked } from '../mock/mocked.js'
import { allIn, apiOptions, around, customers, serve } from './fixture.js'

const adopting = (mode: 'off' | 'report', more: object = {}): Api =>
  api({
    ...apiOptions(),
    baseUrl: 'https://api.example',
    onError: () => {},
    ...around,
    conventions: allIn(mode),
    parameters: { offest: ['page', { name: 'offset', unit: 'rows' }], ignore: ['_'] },
    ...more,
  })

describe.each(majors)('modes with other features, on %s', (_, major) => {
  it('all clauses can have the mode "report" at once, and the responses are documented', async () => {
    const faults: string[] = []
    const service = adopting('report')
    const strict = describeStrictly(service, { onFault: (fault) => void faults.push(fault) })
    const call = request(major().use(strict, service))
    const tried = [
      await call.get('/v1/orders?page=2&limit=40&_=1&foo=1'),
      await call.get('/v1/orders/2').set('Accept', 'image/png'),
      await call.head('/v1/orders/2'),
      await call.head('/v1/orders/1000'),
      await call
        .put('/v1/orders/2')
        .type('text/plain')
        .send('{"state":"new","customer":"https://api.example/v1/customers/1"}'),
      await call.delete('/v1/orders/2'),
      await call.get('/v1/orders/2'),
      await call.get('/v1/search?x=1'),
    ]
    expect(tried.map(({ status }) => status)).toEqual([200, 406, 200, 404, 200, 200, 404, 200])
    expect(faults).toEqual([])
  })

  it('usage() counts findings by clause, route, detail and client', async () => {
    const counts = usage({ client: 'token' })
    const findings: Finding[] = []
    const principal = () => ({ sub: 'x', azp: 'billing' })
    const onFinding = (event: Finding) => void findings.push(event)
    const options = { usage: counts, principal, onFinding, conventions: { 'QUERY-8': 'report' } } as const
    const app = major()
    app.use(api({ ...apiOptions(), ...options }))
    app.use('/private/v3', resourceRouter(customers, memoryAdapter(customers), options))
    const call = request(app)
    for (const path of ['/v1/orders?foo=1', '/v1/orders?foo=2', '/v2/orders?foo=1', '/private/v3/customers?bar=1']) {
      expect([path, (await call.get(path)).status]).toEqual([path, 200])
    }
    const { wouldBreak } = await counts.read()
    expect(
      wouldBreak.map(({ clause, route, detail, client, count }) => [clause, route, detail, client, count]).sort(),
    ).toEqual([
      ['QUERY-8', '/v1/orders', 'foo', 'billing', 2],
      ['QUERY-8', '/v2/orders', 'foo', 'billing', 1],
      ['QUERY-8', '/v3/customers', 'bar', 'billing', 1],
    ])
    expect(findings.at(-1)).toEqual({
      clause: 'QUERY-8',
      route: '/customers',
      detail: 'bar',
      method: 'GET',
      version: 'v3',
      client: 'billing',
    })
  })

  it('an exception in onFinding does not change the response', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { call } = serve(major, {
      conventions: { 'QUERY-8': 'report' },
      onFinding: () => {
        throw new Error('hook')
      },
    })
    expect((await call.get('/v1/orders?foo=1')).status).toBe(200)
    expect(log).toHaveBeenCalledTimes(1)
    log.mockRestore()
  })

  it('HDR-5: the service uses a body that an earlier parser has read', async () => {
    const app = major()
    app.use(express.text({ type: 'text/plain' }), express.urlencoded({ extended: false }))
    app.use(
      api({
        ...apiOptions(),
        conventions: { 'HDR-5': { mode: 'report', types: ['text/plain', 'application/x-www-form-urlencoded'] } },
      }),
    )
    const call = request(app)
    expect((await call.post('/v1/customers').type('text/plain').send('{"id":7,"name":"Eva"}')).status).toBe(201)
    const form = await call.patch('/v1/customers/7').type('form').send('name=Ana')
    expect([form.status, form.body]).toEqual([200, { id: 7, name: 'Ana' }])
    expect((await call.post('/v1/customers').set('Content-Type', 'image/png').send('x')).status).toBe(415)
  })

  it('HDR-5: a body in latin1 gets 415, even if "types" is ["*/*"]', async () => {
    const { call } = serve(major, { conventions: { 'HDR-5': { mode: 'report', types: ['*/*'] } } })
    expect(
      (await call.post('/v1/customers').set('Content-Type', 'text/plain; charset=latin1').send('{"id":9,"name":"a"}'))
        .status,
    ).toBe(415)
  })

  it('VERB-6: the response to a DELETE is JSON or XML, even if the client requests a custom format', async () => {
    const csv = representation('text/csv', {
      item: () => {
        throw new Error('no record')
      },
      list: () => 'x',
    })
    const { call } = serve(major, {
      representations: [csv],
      conventions: { 'VERB-6': { mode: 'report', body: { deleted: true } } },
    })
    const asked = await call.delete('/v1/orders/1').set('Accept', 'text/csv')
    expect([asked.status, asked.body]).toEqual([200, { deleted: true }])
    const xml = await call.delete('/v1/orders/2').set('Accept', 'application/xml')
    expect([xml.status, xml.text]).toEqual([200, expect.stringContaining('<deleted type="boolean">true</deleted>')])
  })

  it('ERR-3: the option "shape" applies to errors of hand-written routes', async () => {
    const routes = major.Router()
    routes.get('/own/:id', () => {
      throw Object.assign(new Error('teapot'), { status: 418, expose: true })
    })
    const findings: Finding[] = []
    const app = major().use(
      api({
        versions: { v1: { resources: [], routes } },
        onError: () => {},
        onFinding: (event) => void findings.push(event),
        shape: ({ status }) => ({ body: { status } }),
        conventions: { 'ERR-3': { mode: 'report', routes: ['/v1/own/{id}'] } },
      }),
    )
    expect((await request(app).get('/v1/own/7')).body).toEqual({ status: 418 })
    expect((await request(app).get('/v1/other')).body).toMatchObject({ code: 'unknown-path' })
    expect(findings.map(({ route, version }) => `${version} ${route}`)).toEqual(['v1 /own/:id'])
  })

  it('ERR-3: with "shape", a failed HEAD has the Content-Length of a GET, and a 410 has an empty body', async () => {
    const { versions } = apiOptions()
    const all = { versions: { ...versions, v0: 'retired' } } as never
    const { call } = serve(major, { shape: () => ({ body: 'gone wrong' }) }, all)
    const head = await call.head('/v1/orders?foo=1')
    expect([head.status, head.headers['content-length'], head.text]).toEqual([400, '10', undefined])
    const gone = await call.get('/v0/orders')
    expect([gone.status, gone.text]).toEqual([410, ''])
  })

  it('REP-1: JSON Patch applies to the representation that GET returns', async () => {
    const { call } = serve(major, { jsonPatch: true, conventions: { 'REP-1': 'report' } })
    const operations = [
      { op: 'test', path: '/customer', value: 'https://api.example/v1/customers/1' },
      { op: 'replace', path: '/customer', value: null },
    ]
    const { status, body } = await call
      .patch('/v1/orders/2')
      .type('application/json-patch+json')
      .send(JSON.stringify(operations))
    expect([status, body.customer]).toEqual([200, null])
  })

  it('REP-1: with the setting "share", different bodies have different Etags', async () => {
    const { call } = serve(major, {
      principal: (req) => ({ sub: String(req.headers['x-who']) }),
      conventions: { 'REP-1': { mode: 'enforce', share: 0.5 } },
    })
    const bodies = new Map<string, string>()
    for (let at = 0; at < 24; at += 1) {
      const { headers, text } = await call.get('/v1/orders?limit=3').set('X-Who', `c${at}`)
      const tag = String(headers.etag)
      expect(bodies.get(tag) ?? text).toBe(text)
      bodies.set(tag, text)
    }
    expect(bodies.size).toBe(2)
  })

  it('a middleware and an api() in one app keep their own modes', async () => {
    const app = major()
    app.get(
      '/csv',
      negotiate({ offers: ['text/csv'], conventions: { 'HDR-1': { mode: 'off', as: 'json' } } }),
      (_req, res) => void res.end('a'),
    )
    app.use(api(apiOptions()))
    expect((await request(app).get('/csv').set('Accept', 'image/png')).text).toBe('a')
    expect((await request(app).get('/v1/search').set('Accept', 'image/png')).status).toBe(415)
  })
})

describe('documents, pages and mocks of a service with modes', () => {
  it.each(['3.1.1', '3.0.3'] as const)('OpenAPI %s documents the responses in the mode "report"', (version) => {
    const document = openapi(adopting('report'), 'v1', { openapi: version }) as never as {
      paths: Record<
        string,
        Record<
          string,
          { parameters?: { name?: string }[]; responses: Record<string, unknown>; requestBody?: { content: object } }
        >
      >
    }
    const statuses = (path: string, method: string) => Object.keys(document.paths[path]?.[method]?.responses ?? {})
    expect(statuses('/orders/{id}', 'head')).toEqual(expect.arrayContaining(['200', '304', '406', 'default']))
    expect(statuses('/orders/{id}', 'head')).not.toContain('302')
    expect(statuses('/orders/{id}', 'delete')).toContain('200')
    expect(statuses('/orders/{id}', 'delete')).not.toContain('428')
    expect(Object.keys(document.paths['/orders']?.post?.requestBody?.content ?? {})).toContain('text/plain')
    expect(JSON.stringify(document)).toContain('"OrderWithAddresses"')
  })

  it('with the setting "share", the responses of the modes "enforce" and "report" are documented', () => {
    const conventions = allIn('enforce', { share: 0.5 })
    const document = JSON.stringify(openapi(api({ ...apiOptions(), ...around, conventions }), 'v1'))
    for (const part of [
      '"302"',
      '"406"',
      '"415"',
      '"428"',
      '"204"',
      'application/problem+json',
      '"*/*"',
      'OrderWithAnyLinks',
    ])
      expect(document).toContain(part)
  })

  it('an entry with "routes" changes the documented responses of its routes only', () => {
    const conventions = { 'VERB-8': { mode: 'report', routes: ['/v1/orders/{id}'] } } as const
    const service = api({ ...apiOptions(), conventions })
    const heads = (version: string, path: string) =>
      Object.keys(
        (openapi(service, version) as never as { paths: Record<string, { head: { responses: object } }> }).paths[path]
          ?.head.responses ?? {},
      )
    expect(heads('v1', '/orders/{id}')).toContain('200')
    expect(heads('v1', '/customers/{id}')).not.toContain('200')
    expect(heads('v2', '/orders/{id}')).not.toContain('200')
  })

  it('the docs pages are served if all clauses have the mode "report"', async () => {
    const service = adopting('report', {
      describe: { pages: docsPages(), public: true },
      conventions: allIn('report', { until: '2999-01-01' }),
    })
    await service.ready()
    const call = request(express().use(service))
    const index = await call.get('/v1/docs').set('Accept', 'text/html')
    expect([index.status, index.text.includes('orders')]).toEqual([200, true])
    const page = await call.get('/v1/docs/orders').set('Accept', 'text/html')
    expect([page.status, page.text.includes('orders')]).toEqual([200, true])
  })

  it('a mock of the service applies the same modes, and counts no findings', async () => {
    const findings: Finding[] = []
    const counts = usage()
    const { ask } = await mocked(
      adopting('report', { usage: counts, onFinding: (event: Finding) => void findings.push(event) }),
    )
    const { status, headers } = await ask('/v1/orders?page=1&foo=1')
    expect([status, headers.get('x-total-count'), findings, (await counts.read()).wouldBreak]).toEqual([
      200,
      null,
      [],
      [],
    ])
  })
})
