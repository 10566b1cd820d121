import { describe, expect, it } from 'vitest'
import { majors } from '../middleware/majors.js'
import { around, serve, settings } from './fixture.js'

const modes = ['off', 'report'] as const
type Mode = 'off' | 'report' | 'enforce'

describe.each(majors)('the modes of clauses, in api() on %s', (_, express) => {
  const inMode = (clause: keyof typeof settings, mode: Mode, more: object = {}) =>
    serve(express, {
      ...(clause === 'ERR-3' ? { shape: around.shape } : {}),
      conventions: { [clause]: { mode, ...settings[clause], ...more } },
    })

  describe.each(modes)('the mode "%s"', (mode) => {
    const counted = (...names: string[]) => (mode === 'report' ? names : [])

    it('QUERY-8: ignores unknown parameters and takes the first of repeated parameters', async () => {
      const { call, reported, findings } = inMode('QUERY-8', mode)
      const { body, status, headers } = await call.get('/v1/orders?state=sent&limit=2&foo=1&foo=2&limit=5&state=new')
      expect([status, body.map(({ id }: { id: number }) => id)]).toEqual([200, [2, 4]])
      expect(headers.link).not.toMatch(/foo|new|limit=5/)
      expect(reported()).toEqual(counted('QUERY-8 foo', 'QUERY-8 limit', 'QUERY-8 state'))
      if (mode === 'report') {
        expect(findings[0]).toEqual({
          clause: 'QUERY-8',
          route: '/orders',
          detail: 'foo',
          method: 'GET',
          version: 'v1',
        })
      }
      for (const path of ['/v1/orders/1?foo=1', '/v1/search?text=a&foo=1', '/v1/orders/1/open?foo=1']) {
        expect([path, (await call.get(path)).status]).toEqual([path, path.includes('open') ? 204 : 200])
      }
    })

    it('QUERY-8: takes the last of repeated parameters if "repeated" is "last"', async () => {
      const { call } = inMode('QUERY-8', mode, { repeated: 'last' })
      const { body } = await call.get('/v1/orders?limit=2&limit=3')
      expect(body).toHaveLength(3)
    })

    it('QUERY-8: still refuses malformed values, and unknown names in "sort" and "expand"', async () => {
      const { call } = inMode('QUERY-8', mode)
      for (const query of ['limit=x', 'sort=foo', 'isOpen=perhaps', 'expand=foo', '%ff=1', 'after=x'])
        expect([query, (await call.get(`/v1/orders?${query}`)).status]).toEqual([query, 400])
    })

    it('QUERY-5: serves pages up to the maximum in "upTo", and refuses a larger limit', async () => {
      const { call, reported } = inMode('QUERY-5', mode)
      expect((await call.get('/v1/orders?limit=20')).body).toHaveLength(20)
      expect(reported()).toEqual([])
      const old = await call.get('/v1/orders?limit=40')
      expect([old.status, old.body.length]).toEqual([200, 40])
      expect(reported()).toEqual(counted('QUERY-5 limit'))
      const over = await call.get('/v1/orders?limit=41')
      expect([over.status, over.body.errors[0].params]).toEqual([400, { minimum: 1, maximum: 40 }])
    })

    it('QUERY-5: the mode and "upTo" apply even if the parsed query comes from a cache', async () => {
      const { call, reported } = inMode('QUERY-5', mode)
      for (let times = 0; times < 4; times += 1) await call.get('/v1/orders?limit=40')
      expect(reported()).toEqual(counted(...Array.from({ length: 4 }, () => 'QUERY-5 limit')))
    })

    it('QUERY-7: leaves x-total-count out', async () => {
      const { call, reported } = inMode('QUERY-7', mode)
      for (let times = 0; times < 4; times += 1) {
        const { headers, status } = await call.get('/v1/orders')
        expect([status, headers['x-total-count'], headers.link === undefined]).toEqual([200, undefined, false])
      }
      expect((await call.head('/v1/orders')).headers['x-total-count']).toBeUndefined()
      expect(reported()).toEqual(counted(...Array.from({ length: 5 }, () => 'QUERY-7 x-total-count')))
    })

    it('HDR-1: responds to an unacceptable Accept with 406 if "as" is 406', async () => {
      const { call, reported } = inMode('HDR-1', mode)
      const { status, body } = await call.get('/v1/orders').set('Accept', 'image/png')
      expect([status, body.status, body.code]).toEqual([406, 406, 'unsupported-accept'])
      expect((await call.get('/v1/orders').set('Accept', 'application/xml')).type).toBe('application/xml')
      expect(reported()).toEqual(counted('HDR-1 Accept'))
    })

    it('HDR-1: sends JSON for an unacceptable Accept if "as" is "json"', async () => {
      const { call, reported } = inMode('HDR-1', mode, { as: 'json' })
      const { status, type } = await call.get('/v1/orders').set('Accept', 'image/png')
      expect([status, type]).toEqual([200, 'application/json'])
      expect(reported()).toEqual(counted('HDR-1 Accept'))
    })

    it('HDR-3: accepts a change without If-Match, and still compares an If-Match that is sent', async () => {
      const { call, reported } = serve(express, { requireIfMatch: true, conventions: { 'HDR-3': mode } })
      expect((await call.patch('/v1/orders/1').set('If-Match', '"1.x"').send({ state: 'gone' })).status).toBe(412)
      expect((await call.patch('/v1/orders/1000').send({ state: 'gone' })).status).toBe(404)
      expect(reported()).toEqual([])
      expect((await call.patch('/v1/orders/1').send({ state: 'gone' })).status).toBe(200)
      expect((await call.put('/v1/orders/1').send({ state: 'new' })).status).toBe(200)
      expect((await call.put('/v1/orders/1/open')).status).toBe(204)
      expect((await call.delete('/v1/orders/2')).status).toBe(204)
      expect(reported()).toEqual(counted(...Array.from({ length: 4 }, () => 'HDR-3 If-Match')))
    })

    it('HDR-5: reads bodies of the media types in "types" as JSON', async () => {
      const { call, reported } = inMode('HDR-5', mode)
      const made = await call.post('/v1/orders').type('text/plain').send('{"id":100,"state":"new"}')
      expect([made.status, made.headers.location]).toEqual([201, expect.stringMatching(/\/v1\/orders\/100$/)])
      expect((await call.patch('/v1/orders/100').type('text/plain').send('{"state":"sent"}')).status).toBe(200)
      expect(reported()).toEqual(counted('HDR-5 Content-Type', 'HDR-5 Content-Type'))
      expect((await call.post('/v1/orders').type('text/csv').send('id')).status).toBe(415)
      expect((await call.post('/v1/orders').type('text/plain').send('{')).status).toBe(400)
    })

    it('VERB-8: responds to HEAD of an item with the status and header fields of GET', async () => {
      const { call, reported } = inMode('VERB-8', mode)
      const got = await call.get('/v1/orders/1')
      const head = await call.head('/v1/orders/1')
      const { date: _a, 'x-request-id': _b, ...fields } = got.headers
      expect([head.status, head.headers, head.text]).toEqual([200, expect.objectContaining(fields), undefined])
      expect((await call.head('/v1/orders/1').set('If-None-Match', got.headers.etag as string)).status).toBe(304)
      expect((await call.head('/v1/orders/1000')).status).toBe(404)
      expect((await call.head('/v1/orders/1/open')).status).toBe(204)
      expect(reported()).toEqual(counted('VERB-8 HEAD', 'VERB-8 HEAD', 'VERB-8 HEAD'))
    })

    it('VERB-6: responds to DELETE of an item with the status and body in the settings', async () => {
      const { call, reported } = inMode('VERB-6', mode)
      const { status, body } = await call.delete('/v1/orders/1')
      expect([status, body]).toEqual([200, { deleted: true }])
      expect((await call.get('/v1/orders/1')).status).toBe(404)
      expect((await call.delete('/v1/orders/1')).status).toBe(404)
      expect((await call.delete('/v1/orders/2/open')).status).toBe(204)
      expect(reported()).toEqual(counted('VERB-6 DELETE'))
    })

    it('REP-1: writes links as plain URLs, and accepts plain URLs', async () => {
      const { call, reported } = inMode('REP-1', mode)
      const { body, headers } = await call.get('/v1/orders/2')
      expect(body).toMatchObject({
        customer: expect.stringMatching(/^https:\/\/api.example\/v1\/customers\/1$/),
        lines: expect.stringMatching(/^https:\/\/api.example\/v1\/orders\/2\/lines$/),
      })
      expect(reported()).toEqual(counted('REP-1 href'))
      const put = await call.put('/v1/orders/2').send(body)
      expect([put.status, put.body, put.headers.etag]).toEqual([200, body, expect.any(String)])
      expect((await call.get('/v1/orders?limit=2')).body[1].customer).toBe(body.customer)
      expect((await call.get('/v1/orders/2?expand=customer')).body.customer).toMatchObject({ id: 1, name: 'Ana' })
      const enforced = await serve(express).call.get('/v1/orders/2')
      expect(enforced.headers.etag).not.toBe(headers.etag)
      expect(
        (await call.put('/v1/orders/2').send({ ...body, customer: 'http://other.example/v1/customers/1' })).status,
      ).toBe(422)
    })

    it('REP-1: plain URLs work in XML too', async () => {
      const { call } = inMode('REP-1', mode)
      const { text } = await call.get('/v1/orders/2').set('Accept', 'application/xml')
      expect(text).toMatch(/<customer[^>]*>https:[^<]*\/v1\/customers\/1<\/customer>/)
      const put = await call.put('/v1/orders/2').set('Accept', 'application/xml').type('application/xml').send(text)
      expect([put.status, put.text]).toEqual([200, text])
    })

    it('ERR-3: gives errors the form that the option "shape" returns', async () => {
      const { call, reported } = inMode('ERR-3', mode)
      const tried = [
        await call.get('/v1/orders?foo=1'),
        await call.get('/v1/nothing'),
        await call.delete('/v1/orders'),
        await call.get('/v7/orders'),
      ]
      expect(tried.map(({ status, body, type }) => [status, body, type])).toEqual([
        [400, { error: 'invalid-query', http: 400 }, 'application/json'],
        [404, { error: 'unknown-path', http: 404 }, 'application/json'],
        [405, { error: 'method-not-allowed', http: 405 }, 'application/json'],
        [404, { error: 'unknown-version', http: 404 }, 'application/json'],
      ])
      expect(tried[2]?.headers.allow).toContain('GET')
      expect(reported()).toEqual(
        counted('ERR-3 invalid-query', 'ERR-3 unknown-path', 'ERR-3 method-not-allowed', 'ERR-3 unknown-version'),
      )
    })
  })

  it('"routes" limits the mode of a clause to the given routes, in one version or in every version', async () => {
    const { call } = serve(express, {
      conventions: { 'QUERY-8': { mode: 'report', routes: ['/v1/orders', '/customers/'] } },
    })
    const statuses = async (...paths: string[]) =>
      Promise.all(paths.map(async (path) => (await call.get(`${path}?_=1`)).status))
    expect(
      await statuses(
        '/v1/orders',
        '/v1/customers',
        '/v2/customers',
        '/v2/orders',
        '/v1/orders/1',
        '/v1/orders/1/lines',
      ),
    ).toEqual([200, 200, 200, 400, 400, 400])
  })

  it('"routes" limits the mode of ERR-3 to the given routes, even for requests refused before routing', async () => {
    const options = {
      ...around,
      requireIfMatch: false,
      principal: () => {
        throw Object.assign(new Error('no'), { status: 401, expose: true })
      },
      conventions: { 'ERR-3': { mode: 'report', routes: ['/v1/orders'] } },
    } as const
    const { call, findings } = serve(express, options)
    expect((await call.get('/v1/orders')).body).toEqual({ error: 'unauthenticated', http: 401 })
    expect((await call.get('/v1/customers')).body).toMatchObject({ code: 'unauthenticated', clause: 'AUTH-4' })
    expect(findings).toEqual([
      { clause: 'ERR-3', route: '/orders', detail: 'unauthenticated', method: 'GET', version: 'v1' },
    ])
  })
})
