import { describe, expect, it } from 'vitest'
import { defineResource } from '../../src/definition/resource.js'
import { listQuery } from '../../src/middleware/list-query.js'
import { type TotalCountOptions, totalCount } from '../../src/middleware/total-count.js'
import { versions } from '../../src/middleware/versions.js'
import { ConfigurationError, HttpProblem } from '../../src/problem.js'
import { type App, type Express, majors, raw, service } from './majors.js'

const sucursales = defineResource({
  collection: 'sucursales',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer' }, nombre: { type: 'string' }, zona: { type: 'string' } },
  },
  filters: { nombre: true, zona: { many: true } },
  sort: ['nombre', 'zona'],
})

/** The links of a response, by relation. */
const linksOf = (field: string | undefined): Record<string, string> =>
  Object.fromEntries(
    [...(field ?? '').matchAll(/<([^>]*)>; rel="([^"]*)"/g)].map(([, url = '', rel = '']) => [rel, url]),
  )

describe.each(majors)('totalCount() on %s', (_, express: Express) => {
  interface Given extends TotalCountOptions {
    total?: number
    exact?: boolean
    first?: 0 | 1
  }
  const routes = ({ total = 95, exact = true, first = 1, ...options }: Given = {}) => {
    const query = listQuery(sucursales, { first })
    const count = totalCount(options)
    const router = express.Router()
    router.get('/sucursales', query, count, (req, res) => {
      count.set(req, res, total, exact)
      res.json([])
    })
    return router
  }
  const list = (given?: Given) => service(express, (app) => void app.use(routes(given)))
  const links = async (given: Given | undefined, target: string) => {
    const { headers } = await list(given).call.get(target).set('Host', 'h')
    return { count: headers['x-total-count'], ...linksOf(headers.link) }
  }

  it('QUERY-7: sends the total, and the absolute links "first", "prev", "next" and "last"', async () => {
    expect(await links(undefined, '/sucursales?offest=2&limit=10')).toEqual({
      count: '95',
      first: 'http://h/sucursales?limit=10&offest=1',
      prev: 'http://h/sucursales?limit=10&offest=1',
      next: 'http://h/sucursales?limit=10&offest=3',
      last: 'http://h/sucursales?limit=10&offest=10',
    })
    expect(Object.keys(await links(undefined, '/sucursales'))).toEqual(['count', 'first', 'next', 'last'])
    expect(Object.keys(await links(undefined, '/sucursales?offest=4'))).toEqual(['count', 'first', 'prev', 'last'])
  })

  it('QUERY-7: past the end, "prev" leads to the last page, and an empty list has one page', async () => {
    const past = await links(undefined, '/sucursales?offest=50')
    expect(past).toMatchObject({ prev: 'http://h/sucursales?offest=4', last: 'http://h/sucursales?offest=4' })
    expect(past).not.toHaveProperty('next')
    expect(await links({ total: 0 }, '/sucursales')).toEqual({
      count: '0',
      first: 'http://h/sucursales?offest=1',
      last: 'http://h/sucursales?offest=1',
    })
  })

  it('QUERY-7: with a long query, Link has "next", and omits links that would make the field too long', async () => {
    const zones = (count: number) => Array.from({ length: count }, (_, i) => `zona=${'x'.repeat(90)}${i}`).join('&')
    expect(Object.keys(await links(undefined, `/sucursales?${zones(10)}`))).toEqual(['count', 'first', 'next', 'last'])
    expect(Object.keys(await links(undefined, `/sucursales?${zones(30)}`))).toEqual(['count', 'first', 'next'])
    expect(Object.keys(await links(undefined, `/sucursales?${zones(100)}`))).toEqual(['count', 'next'])
  })

  it('QUERY-4: page numbers in links start at 0 if the first page is 0', async () => {
    expect(await links({ first: 0 }, '/sucursales?offest=1')).toMatchObject({
      first: 'http://h/sucursales?offest=0',
      prev: 'http://h/sucursales?offest=0',
      next: 'http://h/sucursales?offest=2',
      last: 'http://h/sucursales?offest=3',
    })
  })

  it('QUERY-7: with an estimated total, there is no "last" link, and no "next" link beyond the estimate', async () => {
    expect(Object.keys(await links({ exact: false }, '/sucursales?offest=2'))).toEqual([
      'count',
      'first',
      'prev',
      'next',
    ])
    expect(Object.keys(await links({ exact: false }, '/sucursales?offest=4'))).toEqual(['count', 'first', 'prev'])
  })

  it('QUERY-7: filters, sort and repeated parameters stay in the links, with any values', async () => {
    const target = '/sucursales?nombre=a%26b%3D%22%3E%3B+%C3%B1&zona=1&zona=2&sort=-nombre,zona'
    const { next = '' }: Record<string, string | undefined> = await links(undefined, target)
    expect(next).toBe('http://h/sucursales?nombre=a%26b%3D%22%3E%3B%20%C3%B1&zona=1&zona=2&sort=-nombre,zona&offest=2')
    const { call } = list()
    expect((await call.get(next.slice('http://h'.length))).status).toBe(200)
  })

  it('REP-5: links contain the whole path for a mounted router, a sub-app and an absolute-form target', async () => {
    const { app, call } = service(express, (app: App) => {
      const sub = express()
      sub.use('/b', routes())
      app.use('/a', sub)
      app.use('/c', versions({ v1: routes() }))
    })
    const first = async (path: string) => linksOf((await call.get(path).set('Host', 'h')).headers.link).first
    expect(await first('/a/b/sucursales/')).toBe('http://h/a/b/sucursales/?offest=1')
    expect(await first('/c/v1/sucursales')).toBe('http://h/c/v1/sucursales?offest=1')
    const answer = await raw(
      app,
      'GET http://real/c/v1/sucursales HTTP/1.1\r\nHost: other\r\nConnection: close\r\n\r\n',
    )
    expect(linksOf(answer).first).toBe('http://real/c/v1/sucursales?offest=1')
  })

  it('REP-5: links use X-Forwarded-* only with "trust proxy", and baseUrl takes precedence', async () => {
    const { app, call } = list()
    const get = () =>
      call.get('/sucursales').set('Host', 'h').set('X-Forwarded-Proto', 'https').set('X-Forwarded-Host', 'evil')
    expect(linksOf((await get()).headers.link).first).toBe('http://h/sucursales?offest=1')
    app.set('trust proxy', 'loopback')
    expect(linksOf((await get()).headers.link).first).toBe('https://evil/sucursales?offest=1')
    expect(await links({ baseUrl: 'HTTPS://api.example.com/private//' }, '/sucursales')).toMatchObject({
      first: 'https://api.example.com/private/sucursales?offest=1',
    })
  })

  it('QUERY-7: unknown options, and options of the wrong kind, are refused', () => {
    expect(() => totalCount({ baseURL: 'https://a' } as never)).toThrow(/Did you mean "baseUrl"/)
    expect(() => totalCount({ baseUrl: 5 as never })).toThrow(ConfigurationError)
  })

  it.each(['/private', 'ftp://a', 'https://a?x', 'https://a#x', 'a'])('REP-5: the baseUrl %s is refused', (baseUrl) => {
    expect(() => totalCount({ baseUrl })).toThrow(/baseUrl/)
  })

  it('REP-5: a malformed Host gets 400, unless a baseUrl is set', async () => {
    const { status, body } = await list().call.get('/sucursales').set('Host', 'a@b')
    expect([status, body.code]).toEqual([400, 'malformed-host'])
    expect((await list({ baseUrl: 'https://a' }).call.get('/sucursales').set('Host', 'a@b')).status).toBe(200)
  })

  it('QUERY-7: ">" and quotes in the path of a request are encoded in links, so no link ends early', async () => {
    const count = totalCount()
    const query = listQuery(sucursales)
    const { app } = service(express, (app) => {
      app.get('/:area/sucursales', query, count, (req, res) => {
        count.set(req, res, 1)
        res.end()
      })
    })
    const answer = await raw(app, 'GET /a>;rel="x",<b/sucursales HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n')
    expect(linksOf(answer)).toEqual({
      first: 'http://h/a%3E;rel=%22x%22,%3Cb/sucursales?offest=1',
      last: 'http://h/a%3E;rel=%22x%22,%3Cb/sucursales?offest=1',
    })
  })

  it('QUERY-7, VER-3: links of other middleware are kept, also on a problem that replaces the list', async () => {
    const query = listQuery(sucursales)
    const count = totalCount()
    const v1 = express.Router()
    v1.get('/sucursales', query, count, (req, res) => {
      count.set(req, res, 30)
      if (req.query.nombre === 'x') throw new HttpProblem('forbidden')
      res.json([])
    })
    const { call } = service(
      express,
      (app) => void app.use(versions({ v2: routes(), v1: { handler: v1, successor: 'v2' } })),
    )
    const listed = await call.get('/v1/sucursales').set('Host', 'h')
    expect(linksOf(listed.headers.link)).toEqual({
      'successor-version': 'http://h/v2/sucursales',
      first: 'http://h/v1/sucursales?offest=1',
      next: 'http://h/v1/sucursales?offest=2',
      last: 'http://h/v1/sucursales?offest=2',
    })
    const failed = await call.get('/v1/sucursales?nombre=x&sort=nombre,zona').set('Host', 'h')
    expect([failed.status, failed.headers['x-total-count']]).toEqual([403, undefined])
    expect(failed.headers.link).toBe('<http://h/v2/sucursales>; rel="successor-version"')
  })

  it('QUERY-7: without listQuery() only the total is sent', async () => {
    const count = totalCount()
    const { call } = service(express, (app) => {
      app.get('/a', count, (req, res) => {
        count.set(req, res, 3)
        res.json([])
      })
    })
    const { headers } = await call.get('/a?anything')
    expect([headers['x-total-count'], headers.link]).toEqual(['3', undefined])
  })

  it('QUERY-7: a missing middleware or an invalid total is reported to the service', async () => {
    const count = totalCount()
    const { call, reported } = service(express, (app) => {
      app.get('/none', (req, res) => count.set(req, res, 3))
      app.get('/total/:total', count, (req, res) => count.set(req, res, Number(req.params.total)))
    })
    for (const path of ['/none', '/total/-1', '/total/1.5', '/total/x']) expect((await call.get(path)).status).toBe(500)
    expect(String(reported[0]?.error)).toContain('The middleware totalCount() did not run')
    expect(String(reported[3]?.error)).toContain('The total is NaN')
  })
})
