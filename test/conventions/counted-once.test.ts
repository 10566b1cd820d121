/**
 * A finding, which is a violation of a clause, is counted once in each `usage()`, even if several
 * routers and middlewares handle the request.
 */
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { defineResource, problems, resourceRouter } from '../../src/index.js'
import { methodRules, negotiate, versions } from '../../src/middleware/index.js'
import { observe, type Usage, usage } from '../../src/usage/index.js'
import { majors } from '../middleware/majors.js'

const orders = defineResource({
  collection: 'orders',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
})
const adapter = () => memoryAdapter(orders, { records: [{ id: 1 }] })
const modes = { 'VERB-8': 'report', 'HDR-1': { mode: 'report', as: 'json' } } as const

const rowsOf = async (counts: Usage): Promise<string[]> => {
  const { wouldBreak } = await counts.read()
  await counts.close()
  return wouldBreak
    .map(({ clause, detail, method, route, count }) => `${clause} ${detail} ${method} ${route} ${count}`)
    .sort()
}

describe.each(majors)('counting findings and calls, on %s', (_, express) => {
  it('the route of a counted finding begins with the API version of its router, if there is one', async () => {
    const counts = usage()
    const mounted = express()
      .use('/v1', resourceRouter(orders, adapter(), { conventions: modes, usage: counts }))
      .use(
        versions({
          v2: express.Router().use(resourceRouter(orders, adapter(), { conventions: modes, usage: counts })) as never,
        }),
      )
      .use('/tax', resourceRouter(orders, adapter(), { conventions: modes, usage: counts }))
    for (const path of ['/v1/orders/1', '/v2/orders/1', '/tax/orders/1']) await request(mounted).head(path).expect(200)
    expect(await rowsOf(counts)).toEqual([
      'VERB-8 HEAD HEAD /orders/{id} 1',
      'VERB-8 HEAD HEAD /v1/orders/{id} 1',
      'VERB-8 HEAD HEAD /v2/orders/{id} 1',
    ])
  })

  it('observe() does not count the findings that a middleware or router behind it reports', async () => {
    const counts = usage()
    const app = express()
      .use(observe({ usage: counts, budget: 1 }))
      .use('/v1', resourceRouter(orders, adapter(), { conventions: modes, usage: counts }))
    app
      .route('/v2/orders/:id')
      .all(methodRules({ on: 'item', allow: ['GET'], conventions: { 'VERB-8': 'report' }, usage: counts }))
      .all(negotiate({ conventions: { 'HDR-1': modes['HDR-1'] }, usage: counts }))
      .get((_req, res) => void res.json({ id: 1 }))
    app.use(problems())
    for (const path of ['/v1/orders/1', '/v2/orders/1']) {
      await request(app).head(path).expect(200)
      await request(app).get(path).set('Accept', 'text/plain').expect(200)
    }
    expect(await rowsOf(counts)).toEqual([
      'HDR-1 Accept GET /v1/orders/{id} 1',
      'HDR-1 Accept GET /v2/orders/{id} 1',
      // On this plain Express route, only observe() checks the Etag.
      'HDR-2 weak Etag GET /v2/orders/{id} 1',
      'VERB-8 HEAD HEAD /v1/orders/{id} 1',
      'VERB-8 HEAD HEAD /v2/orders/{id} 1',
    ])
  })

  it('observe() in front of a router counts only the calls that the router does not count', async () => {
    const counts = usage()
    const app = express()
      .use(observe({ usage: counts, budget: 1, calls: true }))
      .use('/v1', resourceRouter(orders, adapter(), { usage: counts }))
    app.get('/v1/orders/:id/labels', (_req, res) => void res.json([]))
    app.use(problems())
    await request(app).get('/v1/orders/1').expect(200)
    await request(app).head('/v1/orders/1').expect(302)
    await request(app).post('/v1/orders').send({}).expect(422)
    await request(app).get('/v1/orders?state=x').expect(400)
    await request(app).get('/v1/orders/1/labels').expect(200)
    const { calls } = await counts.read()
    await counts.close()
    expect(calls.map(({ version, method, route, count }) => `${version} ${method} ${route} ${count}`).sort()).toEqual([
      'v1 GET /orders 1',
      'v1 GET /orders/{id} 1',
      'v1 GET /orders/{id}/labels 1',
      'v1 HEAD /orders/{id} 1',
      'v1 POST /orders 1',
    ])
  })

  it('observe() with its own usage() also counts findings that a middleware counts in another usage()', async () => {
    const [seen, reported] = [usage(), usage()]
    const app = express().use(observe({ usage: seen, budget: 1 }))
    app
      .route('/v2/orders/:id')
      .all(methodRules({ on: 'item', allow: ['GET'], conventions: { 'VERB-8': 'report' }, usage: reported }))
      .get((_req, res) => void res.json({ id: 1 }))
    await request(app).head('/v2/orders/1').expect(200)
    expect(await rowsOf(seen)).toEqual(['VERB-8 200 HEAD /v2/orders/{id} 1'])
    expect(await rowsOf(reported)).toEqual(['VERB-8 HEAD HEAD /v2/orders/{id} 1'])
  })
})
