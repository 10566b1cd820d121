/** Tests of brownouts: announced periods in which a deprecated version is switched off (VER-3). */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ApiOptions, api, HttpProblem, mount } from '../../src/index.js'
import type { BrownoutsOption } from '../../src/middleware/brownouts.js'
import { openapi } from '../../src/openapi/index.js'
import { frameworks, listen, problem } from './fixture.js'
import { pedidos, stores } from './retired-fixture.js'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const close of closers.splice(0)) await close()
})

const from = '2027-03-01T10:00:00Z'
const until = '2027-03-01T10:15:00Z'
const at = (time: string): void => void vi.useFakeTimers({ toFake: ['Date'], now: new Date(time) })

const serviceOf = (brownouts: BrownoutsOption, more: Partial<ApiOptions> = {}) => {
  const data = stores()
  return api({
    baseUrl: 'http://api.example.com',
    principal: (req) => {
      const { 'x-client': client } = req.headers
      if (client === 'nobody') throw new HttpProblem('unauthenticated', { headers: { 'WWW-Authenticate': 'Bearer' } })
      return { sub: 'ana', azp: client }
    },
    onError: () => {},
    versions: {
      v1: {
        resources: [mount(pedidos, data.pedidos)],
        deprecated: '2026-01-01',
        sunset: '2027-06-30',
        successor: 'v2',
        brownouts,
      },
      v2: [mount(pedidos, data.pedidos)],
    },
    ...more,
  })
}

describe.each(frameworks)('VER-3: brownouts on %s', (_name, express) => {
  const start = async (brownouts: BrownoutsOption, more: Partial<ApiOptions> = {}) => {
    const served = await listen(express().use(serviceOf(brownouts, more)) as never)
    closers.push(served.close)
    return served
  }

  it('VER-3: in a brownout, the version responds with 503 and Retry-After, even to invalid credentials', async () => {
    const errors: unknown[] = []
    const { send } = await start([{ from, until }], { onError: (event) => errors.push(event.code) })
    at('2027-03-01T09:59:59.999Z')
    expect((await send('GET', '/v1/pedidos/1')).status).toBe(200)
    at('2027-03-01T10:00:00Z')
    for (const client of ['billing', 'nobody']) {
      const answer = await send('GET', '/v1/pedidos/1', { 'x-client': client })
      expect(problem(answer)).toEqual({ status: 503, code: 'unavailable', named: [] })
      expect([answer.headers['retry-after'], answer.headers['cache-control'], answer.headers.sunset]).toEqual([
        '900',
        'no-store',
        'Wed, 30 Jun 2027 00:00:00 GMT',
      ])
      expect(answer.headers.link).toBe('<http://api.example.com/v2/pedidos/1>; rel="successor-version"')
    }
    expect((await send('GET', '/v2/pedidos/1')).status).toBe(200)
    expect((await send('GET', '/v1/pedidos/1', { Accept: 'application/xml' })).headers['content-type']).toBe(
      'application/problem+xml',
    )
    at('2027-03-01T10:14:59.500Z')
    expect((await send('GET', '/v1/pedidos/1')).headers['retry-after']).toBe('1')
    at('2027-03-01T10:15:00Z')
    expect((await send('GET', '/v1/pedidos/1')).status).toBe(200)
    // A brownout is announced, so it is not reported as an error.
    expect(errors).toEqual([])
  })

  it('VER-3: in a brownout with status 410, the body is empty, as after retirement', async () => {
    const { send } = await start([{ from, until, status: 410 }])
    at('2027-03-01T10:10:00Z')
    for (const method of ['GET', 'POST', 'HEAD', 'OPTIONS']) {
      const { status, text, headers } = await send(method, '/v1/pedidos/1/x', { 'x-client': 'nobody' })
      expect([method, status, text, headers['retry-after'], headers['cache-control'], headers['content-type']]).toEqual(
        [method, 410, '', '300', 'no-store', undefined],
      )
    }
  })

  it('VER-3: in a brownout, exempt clients get 200, others get 503, and invalid credentials get 401', async () => {
    const { send } = await start([{ from, until, exempt: ['billing'] }])
    at('2027-03-01T10:00:00Z')
    expect((await send('GET', '/v1/pedidos/1', { 'x-client': 'billing' })).status).toBe(200)
    expect((await send('GET', '/v1/pedidos/1', { 'x-client': 'other' })).status).toBe(503)
    expect((await send('GET', '/v1/pedidos/1')).status).toBe(503)
    expect((await send('GET', '/v1/pedidos/1', { 'x-client': 'nobody' })).status).toBe(401)
  })

  it('VER-3: if two brownouts overlap, a client is served only if both brownouts exempt the client', async () => {
    const { send } = await start([
      { from, until, exempt: ['billing', 'shop'] },
      { from, until: '2027-03-01T10:30:00Z', status: 410, exempt: ['billing'] },
    ])
    at('2027-03-01T10:00:00Z')
    const asked = async (client: string) => {
      const { status, headers } = await send('GET', '/v1/pedidos/1', { 'x-client': client })
      return [status, headers['retry-after']]
    }
    expect([await asked('billing'), await asked('shop')]).toEqual([
      [200, undefined],
      [410, '1800'],
    ])
  })

  it('VER-3: if brownouts follow each other without a gap, Retry-After is the time until the last ends', async () => {
    const { send } = await start([
      { from: '2027-03-01T10:15:00Z', until: '2027-03-01T10:20:00Z' },
      { from, until },
      { from: '2027-03-01T11:00:00Z', until: '2027-03-01T12:00:00Z' },
    ])
    at('2027-03-01T10:00:00Z')
    expect((await send('GET', '/v1/pedidos')).headers['retry-after']).toBe('1200')
  })

  it('VER-3: a function can return the brownouts at run time. OpenAPI documents show its current result', async () => {
    at('2027-02-01T00:00:00Z')
    let current: { from: string; until: string; exempt?: string[] }[] = []
    const { send } = await start(() => current, { describe: {} })
    expect((await send('GET', '/v1/openapi')).json).not.toHaveProperty('x-brownouts')
    current = [{ from, until, exempt: ['billing'] }]
    const { json } = await send('GET', '/v1/openapi')
    expect(json['x-brownouts']).toEqual([
      { from: '2027-03-01T10:00:00.000Z', until: '2027-03-01T10:15:00.000Z', status: 503 },
    ])
    expect(json['x-successor']).toBe('v2')
    at('2027-03-01T10:00:00Z')
    expect((await send('GET', '/v1/pedidos')).status).toBe(503)
    current = []
    expect((await send('GET', '/v1/pedidos')).status).toBe(200)
  })

  it('VER-3: if the brownout function fails, the version is served. A recurring error is reported once', async () => {
    const errors: unknown[] = []
    let give: () => unknown = () => {
      throw new Error('no configuration')
    }
    const { send } = await start((() => give()) as () => never, {
      onError: ({ error, clause }) => errors.push([String(error), clause]),
    })
    for (let i = 0; i < 3; i += 1) expect((await send('GET', '/v1/pedidos')).status).toBe(200)
    expect(errors).toEqual([['Error: no configuration', 'VER-3']])
    for (const wrong of [
      undefined,
      'soon',
      Promise.resolve([]),
      [{ from: 'x', until }],
      [{ from: until, until: from }],
      [{ form: from, until }],
    ]) {
      give = () => wrong
      expect((await send('GET', '/v1/pedidos')).status).toBe(200)
    }
    expect(errors.length).toBe(7)
  })

  it('VER-3: a brownout does not interrupt a write that has already begun', async () => {
    at('2027-03-01T09:59:59Z')
    let begin = (): void => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    let release = (): void => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const data = stores()
    const slow = new Proxy(data.pedidos, {
      get(target, name, receiver) {
        const found = Reflect.get(target, name, receiver)
        if (name !== 'create') return typeof found === 'function' ? found.bind(target) : found
        return async (...given: unknown[]) => {
          begin()
          await released
          return (found as (...rest: unknown[]) => unknown).apply(target, given)
        }
      },
    })
    const service = api({
      onError: () => {},
      versions: {
        v1: { resources: [mount(pedidos, slow)], deprecated: '2026-01-01', brownouts: [{ from, until, status: 410 }] },
      },
    })
    const { send, close } = await listen(express().use(service) as never)
    closers.push(close)
    const answer = send('POST', '/v1/pedidos', {}, { numero: 7 })
    await begun
    vi.setSystemTime(new Date(from))
    expect((await send('POST', '/v1/pedidos', {}, { numero: 8 })).status).toBe(410)
    release()
    expect((await answer).status).toBe(201)
  })
})

describe('VER-3: the configuration of brownouts', () => {
  it('VER-3: building a service with invalid brownouts throws', () => {
    expect(() => serviceOf([{ from: until, until: from }])).toThrow(/"until" is not later than "from"/)
    expect(() => serviceOf([{ from: 'soon', until }])).toThrow(/not a date/)
    expect(() => serviceOf([{ from, until, status: 404 as 410 }])).toThrow(/status/)
    expect(() => api({ versions: { v1: { resources: [], brownouts: [{ from, until }] } } })).toThrow(
      /is not deprecated/,
    )
  })

  it('VER-3: the OpenAPI document lists the brownouts and the responses during a brownout', () => {
    const document = openapi(serviceOf([{ from: '2099-01-01', until: '2099-01-02' }]), 'v1')
    expect(document.paths['/pedidos']).toMatchObject({ get: { responses: { 410: {}, 503: {} } } })
    expect(document['x-brownouts']).toEqual([
      { from: '2099-01-01T00:00:00.000Z', until: '2099-01-02T00:00:00.000Z', status: 503 },
    ])
  })
})
