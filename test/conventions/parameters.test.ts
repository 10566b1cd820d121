import fc from 'fast-check'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import type { Finding } from '../../src/conventions/finding.js'
import { api, defineResource, mount } from '../../src/index.js'
import { listQuery, noQuery, totalCount } from '../../src/middleware/index.js'
import { openapi } from '../../src/openapi/index.js'
import { majors, service } from '../middleware/majors.js'
import { apiOptions, orders, serve } from './fixture.js'

const parameters = {
  offest: ['page', { name: 'offset', unit: 'rows' }],
  limit: ['per_page', 'size'],
  sort: ['order_by'],
  expand: ['include'],
  ignore: ['_', 'utm_*'],
} as const

describe.each(majors)('parameter aliases on %s', (_, express) => {
  const served = () => serve(express, { parameters })
  const ids = (body: readonly { readonly id: number }[]) => body.map(({ id }) => id)

  it('work in place of the standard parameter names, and are reported', async () => {
    const { call, reported } = served()
    const { status, body } = await call.get(
      '/v1/orders?page=2&per_page=3&order_by=-id&_=123&utm_source=mail&utm_medium=x',
    )
    expect([status, ids(body)]).toEqual([200, [42, 41, 40]])
    expect(reported()).toEqual([
      'QUERY-4 page',
      'QUERY-5 per_page',
      'QUERY-2 order_by',
      'QUERY-8 _',
      'QUERY-8 utm_source',
      'QUERY-8 utm_medium',
    ])
  })

  it('QUERY-7: links use the standard parameter names', async () => {
    const { call } = served()
    const { headers } = await call.get('/v1/orders?page=2&size=3&include=customer&utm_source=mail&state=new')
    expect(headers.link).toContain(
      '<https://api.example/v1/orders?limit=3&expand=customer&state=new&offest=1>; rel="first"',
    )
    expect(headers.link).not.toMatch(/page=|size=|utm/)
    const next = /<https:\/\/api\.example([^>]*)>; rel="next"/.exec(headers.link ?? '')?.[1] ?? ''
    expect((await call.get(next)).status).toBe(200)
  })

  it('QUERY-4: an offset in rows is converted to a page if it is a multiple of the page size', async () => {
    const { call, reported } = served()
    expect(ids((await call.get('/v1/orders?offset=6&limit=3')).body)).toEqual([7, 8, 9])
    expect(ids((await call.get('/v1/orders?limit=3&offset=0')).body)).toEqual([1, 2, 3])
    expect(ids((await call.get('/v1/orders?offset=10')).body)[0]).toBe(11)
    expect(reported()).toEqual(['QUERY-4 offset', 'QUERY-4 offset', 'QUERY-4 offset'])
    for (const query of [
      'offset=7&limit=3',
      'offset=1',
      'offset=-3&limit=3',
      'offset=x',
      'offset=',
      'offset=1e1',
      'offset=99999999999999999999',
    ]) {
      const { status, body } = await call.get(`/v1/orders?${query}`)
      expect([query, status, body.errors[0].parameter, body.errors[0].clause]).toEqual([
        query,
        400,
        'offset',
        'QUERY-4',
      ])
    }
  })

  it('an offset in rows selects the right page if the first page is 0', async () => {
    const { call } = serve(express, { parameters, page: { first: 0 } })
    expect(ids((await call.get('/v1/customers?offset=0')).body)).toEqual([1])
    const { headers } = await call.get('/v1/customers?offset=3&limit=3')
    expect(headers.link).toContain('offest=0>; rel="prev"')
  })

  it('an alias gets 400 if it is repeated, or sent with another name of the same parameter', async () => {
    const { call } = served()
    for (const query of [
      'page=1&offest=1',
      'offest=1&page=1',
      'page=1&offset=0',
      'limit=3&size=3',
      'page=1&page=1',
      'include=customer&expand=customer',
    ]) {
      const { status, body } = await call.get(`/v1/orders?${query}`)
      expect([query, status, body.errors[0].code]).toEqual([query, 400, 'repeated'])
    }
  })

  it('an alias together with the standard name gets 400, even if QUERY-8 has the mode "report"', async () => {
    const { call } = serve(express, { parameters, conventions: { 'QUERY-8': 'report' } })
    expect((await call.get('/v1/orders?page=1&offest=1')).status).toBe(400)
    expect((await call.get('/v1/orders?page=1&page=2&foo=1')).status).toBe(200)
  })

  it('a 400 names the alias that the client sent, not the standard name', async () => {
    const { call } = served()
    const { body } = await call.get('/v1/orders?page=0&per_page=100')
    expect(body.errors.map(({ parameter }: { parameter: string }) => parameter).sort()).toEqual(['page', 'per_page'])
  })

  it('a filter with the same name as an alias remains a filter', async () => {
    const { call } = serve(express, { parameters: { offest: ['state'] } })
    expect(ids((await call.get('/v1/orders?state=sent&limit=2')).body)).toEqual([2, 4])
  })

  it('work for items and endpoints, except aliases of page parameters, which get 400', async () => {
    const { call, reported } = served()
    expect((await call.get('/v1/orders/2?_=1&include=customer')).body.customer).toMatchObject({ name: 'Ana' })
    expect((await call.get('/v1/orders/2?page=1')).status).toBe(400)
    expect((await call.get('/v1/search?utm_x=1&text=a')).body).toEqual({ text: 'a' })
    expect((await call.get('/v1/search?page=1')).status).toBe(400)
    expect((await call.delete('/v1/orders/2?_=1')).status).toBe(204)
    expect(reported()).toEqual(['QUERY-8 _', 'QUERY-6 include', 'QUERY-8 utm_x', 'QUERY-8 _'])
  })

  it('parameter names that look like data are reported as "(other)"; $filter and a[b] keep their names', async () => {
    const { call, reported } = serve(express, { conventions: { 'QUERY-8': 'report' } })
    const odd = [
      'ana%40example.com=1',
      `${'x'.repeat(65)}=1`,
      '%F0%9F%98%80=1',
      '<b>=1',
      'a%20b=1',
      '4111111111111111=1',
      'k9f3a77c01=1',
      '$filter=1',
      'a[b]=1',
    ]
    expect((await call.get(`/v1/orders?${odd.join('&')}`)).status).toBe(200)
    expect(reported()).toEqual(['QUERY-8 (other)', 'QUERY-8 $filter', 'QUERY-8 a[b]'])
  })

  it('one request causes at most 20 findings', async () => {
    const { call, reported } = serve(express, { conventions: { 'QUERY-8': 'report' } })
    const many = Array.from({ length: 900 }, (_unused, at) => `p${at}=1`).join('&')
    expect((await call.get(`/v1/orders?${many}`)).status).toBe(200)
    expect(reported().length).toBe(20)
  })

  it('work with listQuery(), noQuery() and totalCount() too', async () => {
    const findings: Finding[] = []
    const onFinding = (event: Finding) => void findings.push(event)
    const query = listQuery(orders, { parameters, onFinding })
    const count = totalCount({ baseUrl: 'https://api.example' })
    const { call } = service(express, (app) => {
      app.get('/v1/orders', query, count, (req, res) => {
        count.set(req, res, 45)
        const { page, size, offset } = query.of(req)
        res.json({ page, size, offset })
      })
      app.get('/v1/orders/:id', noQuery({ parameters: { ignore: ['_'] }, onFinding }), (_req, res) => void res.json({}))
    })
    const { body, headers } = await call.get('/v1/orders?offset=6&per_page=3&_=1')
    expect(body).toEqual({ page: 3, size: 3, offset: 6 })
    expect(headers.link).toContain('<https://api.example/v1/orders?limit=3&offest=1>; rel="first"')
    expect((await call.get('/v1/orders/7?_=1')).status).toBe(200)
    expect((await call.get('/v1/orders/7?page=1')).status).toBe(400)
    expect(findings).toEqual([
      { clause: 'QUERY-4', route: '/orders', detail: 'offset', method: 'GET', version: 'v1' },
      { clause: 'QUERY-5', route: '/orders', detail: 'per_page', method: 'GET', version: 'v1' },
      { clause: 'QUERY-8', route: '/orders', detail: '_', method: 'GET', version: 'v1' },
      { clause: 'QUERY-8', route: '/orders/{id}', detail: '_', method: 'GET', version: 'v1' },
    ])
  })
})

describe('parameter aliases', () => {
  it('are documented as deprecated parameters', () => {
    const document = openapi(api({ ...apiOptions(), parameters }), 'v1') as unknown as Record<
      string,
      Record<string, Record<string, { parameters: Record<string, unknown>[] }>>
    >
    const found = document.paths?.['/orders']?.get?.parameters.filter(({ deprecated }) => deprecated === true) ?? []
    expect(found.map(({ name, schema }) => [name, (schema as { type: string }).type])).toEqual([
      ['page', 'integer'],
      ['offset', 'integer'],
      ['per_page', 'integer'],
      ['size', 'integer'],
      ['order_by', 'string'],
      ['include', 'string'],
    ])
  })

  it.each([
    [{ offest: ['limit'] }, 'but "limit" is a parameter'],
    [{ offest: ['page'], limit: ['page'] }, '"page" twice'],
    [{ offest: ['page'], ignore: ['page'] }, 'which is also a parameter or an alias'],
    [{ ignore: ['offest'] }, 'which is also a parameter or an alias'],
    [{ ignore: ['*'] }, 'a name such as "_"'],
    [{ ofest: ['page'] }, 'Did you mean "offest"?'],
    [{ offest: [{ name: 'x', unit: 'row' }] }, "Give 'page' or 'rows'"],
    [{ offest: [] }, 'parameters.offest'],
  ])('the option "parameters" %j is refused by listQuery() and api()', (given, message) => {
    expect(() => listQuery(orders, { parameters: given as never })).toThrow(message)
    expect(() => api({ ...apiOptions(), parameters: given as never })).toThrow(message)
  })

  it('a query with aliases always has the same result as a query with the standard names', () => {
    const own = listQuery(orders)
    const other = listQuery(orders, { parameters: { offest: ['page'], limit: ['size'], sort: ['by'], ignore: ['_'] } })
    const run = (middleware: typeof own, raw: string): unknown => {
      const req = { url: `/?${raw}`, headers: {}, socket: {} } as never
      let failed: unknown
      middleware(req, {} as never, (error) => {
        failed = error
      })
      if (failed !== undefined) return 'refused'
      const { notes: _notes, ...query } = middleware.of(req)
      return query
    }
    const value = fc.oneof(
      fc.constantFrom('1', '2', '20', '21', 'id', '-id', 'x', '', '0'),
      fc.string({ maxLength: 4 }).map(encodeURIComponent),
    )
    const pair = fc.tuple(fc.constantFrom('offest', 'limit', 'sort', 'state', 'foo'), value)
    const names: Record<string, string> = { offest: 'page', limit: 'size', sort: 'by' }
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 4 }), (pairs) => {
        const raw = pairs.map(([name, text]) => `${name}=${text}`).join('&')
        const renamed = pairs.map(([name, text]) => `_=1&${names[name] ?? name}=${text}`).join('&')
        expect(run(other, renamed)).toEqual(run(own, raw))
      }),
    )
  })
})

describe.each(majors)('an API version with its own options, on %s', (_, express) => {
  const resource = defineResource({
    collection: 'notes',
    key: 'id',
    schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
  })
  const records = Array.from({ length: 7 }, (_, at) => ({ id: at + 1 }))
  const resources = [mount(resource, memoryAdapter(resource, { records }))]
  const made = api({
    page: { size: 3, max: 5 },
    parameters: { limit: ['per_page'] },
    versions: {
      v1: { resources, page: { first: 0 }, parameters: { offest: ['page'] } },
      v2: { resources, parameters: {} },
      v3: resources,
    },
  })
  const call = request(express().use(made))
  const ids = async (path: string) => {
    const { status, body } = await call.get(path)
    return status === 200 ? body.map(({ id }: { readonly id: number }) => id) : status
  }

  it('QUERY-4: uses its own page settings, and takes the settings that it omits from the service', async () => {
    expect(await ids('/v1/notes?offest=0')).toEqual([1, 2, 3])
    expect(await ids('/v1/notes?page=1')).toEqual([4, 5, 6])
    expect(await ids('/v2/notes?offest=1')).toEqual([1, 2, 3])
    expect(await ids('/v2/notes?offest=0')).toBe(400)
    const { headers } = await call.get('/v1/notes')
    expect(headers.link).toMatch(/offest=0>; rel="first"/)
  })

  it('QUERY-8: has its own aliases, or those of the service if it has no option "parameters"', async () => {
    expect(await ids('/v1/notes?per_page=2')).toBe(400)
    expect(await ids('/v2/notes?page=1')).toBe(400)
    expect(await ids('/v2/notes?per_page=2')).toBe(400)
    expect(await ids('/v3/notes?per_page=2')).toEqual([1, 2])
  })

  it('has its own parameters in its OpenAPI document', () => {
    const names = (version: string) =>
      (openapi(made, version) as never as { paths: Record<string, { get: { parameters: readonly object[] } }> }).paths[
        '/notes'
      ]?.get.parameters
    expect(JSON.stringify(names('v1'))).toContain('"page"')
    expect(JSON.stringify(names('v2'))).not.toMatch(/"(?:page|per_page)"/)
    expect(JSON.stringify(names('v3'))).toContain('"per_page"')
  })

  it('throws if its page settings contradict those of the service', () => {
    expect(() => api({ page: { max: 5 }, versions: { v1: { resources, page: { size: 9 } } } })).toThrow(
      /the version v1 has a page size of 9/,
    )
  })
})
