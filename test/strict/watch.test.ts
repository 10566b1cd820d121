/**
 * Tests of `watch.ts` and `judge.ts`, which compare the responses of a service during a test with
 * the OpenAPI document of the service.
 */
import compression from 'compression'
import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, endpoint, type Middleware, mount, resourceRouter } from '../../src/index.js'
import { listen, type Served } from '../clauses/fixture.js'
import { takeFaults } from './judge.js'

const orders = defineResource({
  collection: 'orders',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
})
/** An endpoint that returns a string, although its document says that it returns a boolean. */
const liar = endpoint('liar', {
  description: 'Returns another type than it declares.',
  methods: {
    GET: { describe: { responses: { 200: { schema: { type: 'boolean' } } } }, handle: () => 'x'.repeat(2_000) },
  },
})
const lie = 'GET /liar responds with 200: the body does not match the schema: The value must be boolean.'

let served: Omit<Served, 'data'> | undefined
afterEach(() => served?.close())

async function get(app: Parameters<typeof listen>[0], path: string, headers: Record<string, string> = {}) {
  await served?.close()
  served = await listen(app)
  return served.send('GET', path, headers)
}
const faults = () => takeFaults('test/strict/watch.test.ts')

describe('the comparison of responses with the OpenAPI document', () => {
  it('reports equal wrong responses once, and also reports wrong responses in XML or with compression', async () => {
    const service = api({ versions: { v1: [liar] } })
    await get(express().use(service), '/v1/liar')
    await get(express().use(service), '/v1/liar')
    expect(await faults()).toEqual([lie])
    expect(await faults()).toEqual([])
    await get(express().use(service), '/v1/liar', { Accept: 'application/xml' })
    expect(await faults()).toEqual([lie])
    const { headers } = await get(express().use(compression({ threshold: 0 }), service), '/v1/liar', {
      'Accept-Encoding': 'gzip',
    })
    expect(headers['content-encoding']).toBe('gzip')
    expect(await faults()).toEqual([lie])
  })

  it('reports a wrong response of a resourceRouter below a mount path', async () => {
    const below = { ...liar, name: 'lies' }
    const router = resourceRouter(orders, memoryAdapter(orders, { records: [{ id: 1 }] }), {
      endpoints: [below],
    } as never)
    await get(express().use('/a/v3', router), '/a/v3/orders/1/lies')
    expect(await faults()).toEqual([
      'GET /orders/{id}/lies responds with 200: the body does not match the schema: The value must be boolean.',
    ])
  })

  it('ignores hand-written routes, earlier and later middlewares, and 404 responses for unknown paths', async () => {
    const odd: Middleware = (_req, res) =>
      void res.writeHead(299, { 'x-odd': '1', 'Content-Type': 'text/odd' }).end('odd')
    const byHand: Middleware = (req, res, next) => (req.url === '/by-hand' ? odd(req, res, next) : next())
    const service = api({ versions: { v1: { resources: [mount(orders, memoryAdapter(orders))], routes: byHand } } })
    const app = express()
    app.get('/v1/front', odd as never)
    app.use((_req, res, next) => {
      res.setHeader('x-front', '1')
      next()
    })
    app.use(service)
    app.get('/behind', odd as never)
    for (const path of ['/v1/front', '/v1/by-hand', '/behind']) expect((await get(app, path)).status, path).toBe(299)
    expect((await get(app, '/v1/orders')).headers['x-front']).toBe('1')
    expect((await get(app, '/v1/nope')).status).toBe(404)
    expect(await faults()).toEqual([])
  })

  it('keeps the name, length and methods of services, and reports why a service has no document', async () => {
    const twin = defineResource<{ id: number }>()({
      collection: 'pedidos',
      singular: 'order',
      key: 'id',
      schema: orders.schema,
    })
    const service = api({ versions: { v1: [mount(orders, memoryAdapter(orders))] } })
    expect([service.name, service.length, service.caches().length > 0]).toEqual(['apiMiddleware', 3, true])
    const clashing = api({
      versions: { v1: [mount(orders, memoryAdapter(orders)), mount(twin, memoryAdapter(twin))] },
    })
    await get(express().use(clashing), '/v1/orders')
    expect((await faults()).join()).toMatch(/have the same name "Order"/)
  })
})
