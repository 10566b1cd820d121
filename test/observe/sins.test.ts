/**
 * A hand-written service with planted violations. Each violation is reported with its clause and
 * route, and nothing else is reported.
 */

import express5 from 'express'
import { describe, expect, it } from 'vitest'
import { observe, usage } from '../../src/usage/index.js'
import { type Express, listen, majors } from '../middleware/majors.js'

/** Each of these requests, or its response, violates one clause. `expected` is the finding. */
const violations: readonly (readonly [request: string, expected: string])[] = [
  ['POST /v1/invoices', 'VERB-2 /v1/invoices Location'],
  ['POST /v1/receipts', 'VERB-2 /v1/receipts relative Location'],
  ['PUT /v1/invoices/1', 'VERB-3 /v1/invoices/{id} 201'],
  ['DELETE /v1/invoices/1', 'VERB-6 /v1/invoices/{id} body'],
  ['DELETE /v1/invoices', 'VERB-7 /v1/invoices DELETE'],
  ['HEAD /v1/invoices/1', 'VERB-8 /v1/invoices/{id} 200'],
  ['PATCH /v1/locks/1', 'VERB-9 /v1/locks/{id} Allow'],
  ['GET /v1/invoices', 'QUERY-7 /v1/invoices x-total-count'],
  ['GET /v1/envelopes', 'VERB-1 /v1/envelopes no array'],
  ['GET /v1/orders?limit=all', 'QUERY-8 /v1/orders limit'],
  ['GET /v1/orders?page=2&state=new&utm_source=x', 'QUERY-8 /v1/orders page'],
  ['GET /v1/invoices/1 accept:application/xml', 'HDR-1 /v1/invoices/{id} Accept'],
  ['GET /v1/choices/1', 'HDR-1 /v1/choices/{id} 406'],
  ['GET /v1/labels/1', 'HDR-2 /v1/labels/{id} Etag'],
  ['GET /v1/marks/1', 'HDR-2 /v1/marks/{id} weak Etag'],
  ['PATCH /v1/orders/1 if-match:W/"1"', 'HDR-3 /v1/orders/{id} weak If-Match'],
  ['GET /v1/orders/1 if-none-match:"1"', 'HDR-4 /v1/orders/{id} If-None-Match'],
  ['POST /login', 'AUTH-2 /login method'],
  ['GET /v1/secret', 'AUTH-4 /v1/secret WWW-Authenticate'],
  ['GET /v1/redirects', 'ERR-1 /v1/redirects 302'],
  ['POST /v1/orders', 'ERR-1 /v1/orders 409'],
  ['GET /v1/pages/1', 'ERR-3 /v1/pages/{id} HTML'],
  ['GET /v1/json-errors/1', 'ERR-3 /v1/json-errors/{id} JSON'],
  ['GET /v1/empty-errors/1', 'ERR-3 /v1/empty-errors/{id} no body'],
  ['GET /v1/flood', 'LIMIT-1 /v1/flood Retry-After'],
  ['GET /v0/anything', 'VER-2 /v0/anything body'],
  ['GET /v1/old', 'VER-3 /v1/old Deprecation'],
  ['GET /v1/invoices/1/edit', 'PATH-3 /v1/invoices/{id}/edit edit'],
  ['GET /v1/contrato/1', 'PATH-2 /v1/contrato/{id} contrato'],
  ['GET /v1/invoices/1.pdf', 'PATH-4 /v1/invoices/{id}.pdf {id}.pdf'],
  ['POST /v1/getOrders', 'PATH-3 /v1/getOrders getOrders'],
]

/** Requests whose responses follow the conventions, or cannot be judged. */
const conforming: readonly string[] = [
  'GET /v1/orders?limit=5&offest=2&state=new',
  'GET /v1/orders/1',
  'HEAD /v1/orders',
  'HEAD /v1/orders/1',
  'PUT /v1/orders/1',
  'PATCH /v1/orders/1',
  'PATCH /v1/orders/1 if-match:"1"',
  'DELETE /v1/orders/1',
  'PUT /v1/orders/1/active',
  'DELETE /v1/orders/1/active',
  'POST /v1/parcels',
  'GET /v1/search?q=x',
  'GET /v1/orders/none',
  'GET /nowhere',
  'POST /nowhere/at/all',
  'GET /v1/orders/1 accept:application/*;q=0.5,text/html',
  'GET /v1/orders/1 accept:application/json;charset=utf-8',
  'GET /v1/orders/1 if-none-match:"2"',
  'GET /login',
  'OPTIONS /v1/orders',
]

const problem = (status: number) => ({ type: 'about:blank', title: 'x', status })

function service(express: Express) {
  const app = express()
  app.disable('etag')
  const v1 = express.Router()
  const item = express.Router({ mergeParams: true })
  v1.get('/orders', (_req, res) => void res.set('x-total-count', '1').json([{ id: 1 }]))
  v1.post('/orders', (_req, res) => void res.status(409).type('application/problem+json').json(problem(409)))
  v1.head('/orders/:id', (_req, res) => void res.status(302).end())
  item.get('/', (req, res) => {
    if ((req.params as { id?: string }).id === 'none')
      res.status(404).type('application/problem+json').json(problem(404))
    else res.set('Etag', '"1"').json({ id: 1 })
  })
  item.put('/', (_req, res) => void res.set('Etag', '"2"').json({ id: 1 }))
  item.patch('/', (_req, res) => void res.set('Etag', '"2"').json({ id: 1 }))
  item.delete('/', (_req, res) => void res.status(204).end())
  item.put('/active', (_req, res) => void res.status(204).end())
  item.delete('/active', (_req, res) => void res.status(204).end())
  v1.post('/parcels', (_req, res) => void res.status(201).location('https://api.example.com/v1/parcels/1').end())
  v1.get('/search', (_req, res) => void res.json([1]))

  v1.get('/invoices', (_req, res) => void res.json([]))
  v1.post('/invoices', (_req, res) => void res.status(201).end())
  v1.post('/receipts', (_req, res) => void res.status(201).location('/v1/receipts/1').end())
  v1.delete('/invoices', (_req, res) => void res.status(204).end())
  v1.get('/invoices/:id.pdf', (_req, res) => void res.type('pdf').send(Buffer.from('%PDF')))
  v1.get('/invoices/:id', (_req, res) => void res.set('Etag', '"1"').json({}))
  v1.put('/invoices/:id', (_req, res) => void res.status(201).set('Etag', '"1"').json({}))
  v1.delete('/invoices/:id', (_req, res) => void res.json({ deleted: true }))
  v1.get('/invoices/:id/edit', (_req, res) => void res.json({}))
  v1.patch('/locks/:id', (_req, res) => void res.status(405).type('application/problem+json').json(problem(405)))
  v1.get('/envelopes', (_req, res) => void res.json({ items: [] }))
  v1.get('/envelopes/:id', (_req, res) => void res.set('Etag', '"1"').json({}))
  v1.get('/choices/:id', (_req, res) => void res.status(406).type('application/problem+json').json(problem(406)))
  v1.get('/labels/:id', (_req, res) => void res.json({}))
  v1.get('/marks/:id', (_req, res) => void res.set('Etag', 'W/"1"').json({}))
  v1.use('/secret', (_req, res) => void res.status(401).type('application/problem+json').json(problem(401)))
  v1.get('/redirects', (_req, res) => void res.redirect('/v1/orders'))
  v1.get('/pages/:id', () => {
    throw new Error('secret value')
  })
  v1.get('/json-errors/:id', (_req, res) => void res.status(404).json({ error: 'secret value' }))
  v1.get('/empty-errors/:id', (_req, res) => void res.status(404).end())
  v1.get('/flood', (_req, res) => void res.status(429).type('application/problem+json').json(problem(429)))
  v1.get('/old', (_req, res) => void res.set('Deprecation', 'true').json({}))
  v1.get('/contrato/:id', (_req, res) => void res.set('Etag', '"1"').json({}))
  v1.post('/getOrders', (_req, res) => void res.json({}))
  v1.use('/orders/:id', item)
  app.get('/login', (_req, res) => void res.set({ 'x-authorization-token': 't', 'Cache-Control': 'no-store' }).end())
  app.post('/login', (_req, res) => void res.set({ 'x-authorization-token': 't', 'Cache-Control': 'no-store' }).end())
  app.use('/v0', (_req, res) => void res.status(410).json({ gone: true }))
  return { app, v1 }
}

async function observed(express: Express) {
  const counts = usage()
  const { app, v1 } = service(express)
  const front = express()
  front.disable('etag')
  front.set('env', 'test')
  front.use(observe({ usage: counts, budget: 1, parameters: { '/v1/orders': ['state', 'utm_*'] } }))
  front.use('/v1', v1)
  front.use(app)
  const port = await listen(front)
  const ask = async (request: string): Promise<void> => {
    const [method = '', path = '', field] = request.split(/ (?=\S)/, 3)
    const rest = request.split(' ').slice(2).join(' ')
    const colon = rest.indexOf(':')
    const headers: Record<string, string> = field === undefined ? {} : { [rest.slice(0, colon)]: rest.slice(colon + 1) }
    await (await fetch(`http://127.0.0.1:${port}${path}`, { method, redirect: 'manual', headers })).arrayBuffer()
  }
  const found = async (): Promise<string[]> =>
    (await counts.read()).wouldBreak.map(({ clause, route, detail }) => `${clause} ${route} ${detail}`).sort()
  return { ask, found, counts }
}

describe.each(majors)('observe() (%s)', (_, express) => {
  it('reports each planted violation with its clause, and nothing else', async () => {
    const { ask, found, counts } = await observed(express)
    // An item is requested first, because `observe()` then treats `/v1/envelopes` as a collection.
    for (const request of ['GET /v1/envelopes/1', ...conforming]) await ask(request)
    await expect.poll(found).toEqual([])
    const named = new Set<string>()
    for (const [request, expected] of violations) {
      const before = new Set(await found())
      await ask(request)
      await expect
        .poll(async () => (await found()).filter((one) => !before.has(one)), { message: request })
        .toEqual([expected])
      named.add(expected)
    }
    expect(await found()).toEqual([...named].sort())
    await counts.close()
  })
})

it('observe() records no value of path, query, header or body, and no parameter name that may be a value', async () => {
  const { ask, counts } = await observed(express5)
  const secrets = [
    'GET /v1/json-errors/ana@example.com?note=hidden',
    'GET /v1/orders?4111111111111111=hidden&ana@example.com=1&mañana=1',
  ]
  for (const request of secrets) await ask(request)
  await ask('GET /v1/json-errors/ana-garcia authorization:Bearer hidden.hidden.hidden')
  await expect.poll(async () => (await counts.read()).wouldBreak.length).toBe(2)
  const text = JSON.stringify(await counts.read())
  for (const secret of ['ana', 'hidden', '4111', 'secret']) expect(text).not.toContain(secret)
  await counts.close()
})

describe.each(majors)('observe() with routes of several kinds (%s)', (_, express) => {
  const found = async (mount: (app: ReturnType<Express>) => void, requests: readonly string[]): Promise<string[]> => {
    const counts = usage()
    const app = express()
    app.set('env', 'test')
    app.use(observe({ usage: counts, budget: 1, calls: true }))
    mount(app)
    const port = await listen(app)
    for (const request of requests) {
      const [method = '', path = ''] = request.split(' ')
      await (await fetch(`http://127.0.0.1:${port}${path}`, { method, redirect: 'manual' })).arrayBuffer()
    }
    const lines = async () =>
      (await counts.read()).wouldBreak.map(({ clause, route, detail }) => `${clause} ${route} ${detail}`).sort()
    // The server reads this last request only after all earlier responses have been judged.
    await (await fetch(`http://127.0.0.1:${port}/last`)).arrayBuffer()
    return lines()
  }

  it('a list is not treated as an item if its route has an optional parameter that the request omits', async () => {
    const optional = express === express5 ? '/v1/orders{/:id}' : '/v1/orders/:id?'
    const mount = (app: ReturnType<Express>) => void app.get(optional, (_req, res) => void res.json([1]))
    expect(await found(mount, ['GET /v1/orders'])).toEqual(['QUERY-7 /v1/orders x-total-count'])
  })

  it('a regular expression is a route, but a catch-all is not', async () => {
    const mount = (app: ReturnType<Express>) => {
      app.post(/^\/v1\/orders$/, (_req, res) => void res.status(201).end())
      app.all(/^\/x/, (_req, res) => void res.status(404).end())
      app.all(express === express5 ? '/*rest' : '*', (_req, res) => void res.status(404).send('<html>'))
    }
    expect(await found(mount, ['POST /v1/orders', 'GET /nowhere', 'GET /v1/none/at/all'])).toEqual([
      'VERB-2 /v1/orders Location',
    ])
  })

  it('responses of a middleware without routes are judged; files and redirects are not', async () => {
    const mount = (app: ReturnType<Express>) => {
      app.use((req, res, next) => {
        if (req.path === '/old') return res.redirect(301, '/new')
        if (req.path === '/data/config.json') return res.set('Etag', 'W/"1"').json({})
        if (req.path === '/page') return res.send('<html>')
        if (req.path === '/v1/orders' && req.method === 'POST') return res.status(201).end()
        if (req.path === '/v1/orders/17') return res.set('Etag', 'W/"1"').json({})
        next()
      })
    }
    const requests = [
      'GET /old',
      'GET /data/config.json',
      'GET /page',
      'POST /v1/orders',
      'GET /v1/orders/17',
      'GET /nowhere',
    ]
    expect(await found(mount, requests)).toEqual(['HDR-2 /v1/orders/{id} weak Etag', 'VERB-2 /v1/orders Location'])
  })

  it('a router that is mounted below a path parameter has the same route for all values of the parameter', async () => {
    const mount = (app: ReturnType<Express>) => {
      const tenant = express.Router()
      tenant.get('/orders/:id', (_req, res) => void res.json({}))
      app.use('/v1/tenants/:tenant', tenant)
    }
    const requests = ['acme', 'umbrella-corp', 't1', 'a%20b'].map((name) => `GET /v1/tenants/${name}/orders/7`)
    expect(await found(mount, requests)).toEqual(['HDR-2 /v1/tenants/{tenant}/orders/{id} weak Etag'])
  })

  it('if clients request too many paths, observe() records 200 routes, and the others as `(other)`', async () => {
    const counts = usage()
    const app = express()
    app.use(observe({ usage: counts, budget: 1 }))
    app.use((_req: unknown, res: { status(code: number): { json(body: unknown): void } }) => res.status(401).json({}))
    const port = await listen(app)
    const word = (at: number) => [...String(at)].map((digit) => 'abcdefghij'[Number(digit)]).join('')
    for (let at = 0; at < 300; at++) await (await fetch(`http://127.0.0.1:${port}/${word(at)}`)).arrayBuffer()
    await expect
      .poll(async () => (await counts.read()).wouldBreak.find(({ route }) => route === '(other)')?.count)
      .toBeGreaterThan(80)
    expect(new Set((await counts.read()).wouldBreak.map(({ route }) => route)).size).toBe(201)
  })
})
