import { describe, expect, it } from 'vitest'
import { defineResource } from '../../src/definition/resource.js'
import { listQuery } from '../../src/middleware/list-query.js'
import { ConfigurationError } from '../../src/problem.js'
import { type Express, majors, raw, service } from './majors.js'

const schema = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'integer' }, nombre: { type: 'string' }, zona: { type: 'string' } },
} as const
const sucursales = defineResource({
  collection: 'sucursales',
  key: 'id',
  schema,
  filters: { nombre: true, zona: { many: true } },
  sort: ['nombre', 'zona'],
  search: ['nombre'],
})
const clientes = defineResource({ collection: 'clientes', key: 'id', schema, filters: { nombre: true } })

describe.each(majors)('listQuery() on %s', (_, express: Express) => {
  const query = listQuery(sucursales)

  it('QUERY-1..5: reads the raw query string, and adds the key as the last sort term', async () => {
    const { call } = service(
      express,
      (app) => void app.get('/sucursales', query, (req, res) => void res.json(query.of(req))),
    )
    const { body } = await call.get('/sucursales?nombre=a%2Bb+c&zona=1&zona=2&sort=+nombre,-zona&offest=3&limit=10')
    expect(body).toMatchObject({
      where: [
        { field: 'nombre', op: 'eq', value: 'a+b c' },
        { field: 'zona', op: 'in', value: ['1', '2'] },
      ],
      sort: [
        { field: 'nombre', descending: false },
        { field: 'zona', descending: true },
        { field: 'id', descending: true },
      ],
      page: 3,
      size: 10,
      offset: 20,
    })
    expect((await call.get('/sucursales')).body).toMatchObject({ where: [], page: 1, size: 25 })
  })

  it('QUERY-8: a 400 lists all errors. It names each parameter, and suggests "offest" for "offset"', async () => {
    const { call } = service(express, (app) => void app.get('/sucursales', query, (_req, res) => void res.end()))
    const { status, body } = await call.get('/sucursales?offset=2&limit=0&nombre=a&nombre=b&sort=nombr&x=%ff')
    expect([status, body.code]).toEqual([400, 'invalid-query'])
    expect(body.errors.map((error: { parameter: string }) => error.parameter)).toEqual([
      'x=%ff',
      'offset',
      'nombre',
      'limit',
      'sort',
    ])
    expect(body.errors[1].suggestion).toBe('offest')
  })

  it('QUERY-1: with the extended query parser, works in routers, in sub-apps and for absolute-form URLs', async () => {
    const { app, call } = service(express, (app) => {
      app.set('query parser', 'extended')
      const router = express.Router()
      router.use(query)
      router.get('/', (req, res) => void res.json(query.of(req).where))
      const sub = express()
      sub.get('/', query, (req, res) => void res.json(query.of(req).where))
      app.use('/router', router)
      app.use('/sub', sub)
    })
    for (const path of ['/router', '/sub/'])
      expect((await call.get(`${path}?nombre=a`)).body).toMatchObject([{ value: 'a' }])
    const answer = await raw(app, 'GET http://a/router?nombre=b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    expect(answer).toContain('"value":"b"')
  })

  it('QUERY-1: names of Object.prototype are unknown parameters', async () => {
    const { call } = service(express, (app) => void app.get('/sucursales', query, (_req, res) => void res.end()))
    for (const name of ['__proto__', 'constructor', 'toString'])
      expect((await call.get(`/sucursales?${name}=1`)).status).toBe(400)
  })

  it('QUERY-1: two listQuery() middlewares on one request each return their own result', async () => {
    const other = listQuery(clientes, { size: 7 })
    const { call } = service(express, (app) => {
      app.get('/a', query, other, (req, res) => void res.json([query.of(req).size, other.of(req).size]))
    })
    expect((await call.get('/a?nombre=x')).body).toEqual([25, 7])
  })

  it('QUERY-1: without the middleware, the log says what is missing, and the client gets no details', async () => {
    const other = listQuery(clientes)
    const { call, reported } = service(express, (app) => {
      app.get('/none', (req, res) => void res.json(query.of(req)))
      app.get('/other', other, (req, res) => void res.json(query.of(req)))
    })
    for (const path of ['/none', '/other']) {
      const { status, text } = await call.get(path)
      expect(status).toBe(500)
      expect(text).not.toContain('listQuery')
    }
    expect(reported.map(({ error }) => error instanceof ConfigurationError && error.code)).toEqual([
      'middleware-missing',
      'middleware-missing',
    ])
  })
})

it('QUERY-5: listQuery() refuses unknown options, and options of the wrong kind', () => {
  expect(() => listQuery(clientes, { sizes: 5 } as never)).toThrow(/Did you mean "size"/)
  for (const options of [{ size: '5' }, { max: Number.NaN }, { first: true }, null]) {
    expect(() => listQuery(clientes, options as never)).toThrow(ConfigurationError)
  }
})
