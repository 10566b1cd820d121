import { describe, expect, it } from 'vitest'
import { openapi } from '../../src/openapi/index.js'
import { api, defineResource, mount, resourceRouter } from './library.js'
import { type Mocked, mocked } from './mocked.js'
import { fragments, shop } from './shop.js'

type Row = Record<string, unknown> & { readonly [link: string]: { readonly href: string } & string }

/** The records of all pages of a list. */
async function everything(mock: Mocked, path: string): Promise<Row[]> {
  const all: Row[] = []
  for (let next: string | undefined = `${path}${path.includes('?') ? '&' : '?'}limit=100`; next !== undefined; ) {
    const answer = await mock.ask(next)
    expect(answer.status, next).toBe(200)
    all.push(...((await answer.json()) as Row[]))
    next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
  }
  return all
}

const sent = (method: string, body: unknown, type = 'application/json'): RequestInit => ({
  method,
  body: JSON.stringify(body),
  headers: { 'Content-Type': type },
})

describe('the mock of a service', () => {
  it('serves linked records, and calls no adapter', async () => {
    const mock = await mocked(shop())
    expect(mock.paths).toContainEqual({ path: '/v2/orders', records: 25 })
    expect(mock.paths).toContainEqual({ path: '/v2/countries', records: 3 })
    const orders = await everything(mock, '/v2/orders?expand=customer')
    expect(orders.map(({ number }) => number)).toEqual(Array.from({ length: 25 }, (_, i) => 1000 + i))
    expect(new Set(orders.map(({ state }) => state))).toEqual(new Set(['open', 'paid', 'sent']))
    for (const { customer, follows } of orders) {
      if (customer !== null) expect(customer).toHaveProperty('email')
      if (follows !== null) expect((await mock.ask(follows?.href ?? '')).status).toBe(200)
    }
    for (const stock of await everything(mock, '/v2/stocks')) {
      for (const link of ['product', 'place']) expect((await mock.ask(stock[link]?.href ?? '')).status).toBe(200)
    }
    const lines = await Promise.all(orders.map(({ number }) => everything(mock, `/v2/orders/${number}/lines`)))
    expect(lines.flat()).toHaveLength(25)
    expect(lines[0]?.map(({ position }) => position)).toEqual(lines[0]?.map((_, i) => i + 1))
    const favourites = await Promise.all(
      orders.map(({ number }) => everything(mock, `/v2/orders/${number}/favourites`)),
    )
    expect(new Set(favourites.flat().map(({ sku }) => sku)).size).toBe(25)
    expect(mock.notes).toEqual([])
  })

  it('has records that satisfy their rules and the scope of the principal', async () => {
    const mock = await mocked(shop(), { visitors: { auth: 'off', principal: { tenant: 'south' }, isNamed: true } })
    const customers = await everything(mock, '/v2/customers')
    expect(customers).toHaveLength(25)
    for (const { from, to, tenant } of customers) {
      expect(Number(from)).toBeLessThanOrEqual(Number(to))
      expect(tenant).toBe('south')
    }
  })

  it('shows the same records in an older version, through the view of that version', async () => {
    const mock = await mocked(shop())
    const fresh = await everything(mock, '/v2/products')
    const old = await everything(mock, '/v1/products')
    expect(old.map(({ name }) => name)).toEqual(fresh.map(({ title }) => title))
    expect(fresh.map(({ title }) => title)).toContain('Chair')
    expect((await mock.ask('/v1/products')).headers.get('deprecation')).not.toBeNull()
    expect((await mock.ask('/v0/products')).status).toBe(410)
  })

  it('keeps all changes: creates, PATCH requests with If-Match, flags, associations and deletes', async () => {
    const mock = await mocked(shop())
    const made = await mock.ask(
      '/v2/customers',
      sent('POST', { fullName: 'Ana', email: 'ana@example.com', from: 1, to: 2 }),
    )
    expect(made.status).toBe(201)
    const customer = (await mock.json(made.headers.get('location') ?? '')) as Row
    expect(customer).toMatchObject({ fullName: 'Ana', tenant: 'north', createdAt: expect.stringMatching(/^20\d\d-/) })
    expect(
      (await mock.ask('/v2/customers', sent('POST', { fullName: 'Ana', email: 'ana@example.com', from: 3, to: 2 })))
        .status,
    ).toBe(422)

    const order = await mock.ask(
      '/v2/orders',
      sent('POST', { total: 1.5, state: 'open', customer: { id: customer.id } }),
    )
    expect([order.status, await order.text()]).toEqual([201, ''])
    expect(order.headers.get('location')).toBe(`${mock.base}/v2/orders/1025`)
    expect(await everything(mock, `/v2/customers/${customer.id}/orders`)).toHaveLength(1)
    const etag = (await mock.ask('/v2/orders/1025')).headers.get('etag') ?? ''
    const patch = { total: 2 }
    const type = 'application/merge-patch+json'
    const patched = await mock.ask('/v2/orders/1025', {
      ...sent('PATCH', patch, type),
      headers: { 'Content-Type': type, 'If-Match': etag },
    })
    expect(await patched.json()).toMatchObject(patch)
    expect((await mock.ask('/v2/orders/1025', { method: 'DELETE', headers: { 'If-Match': etag } })).status).toBe(412)
    expect((await mock.ask('/v2/orders/1025/express', { method: 'PUT' })).status).toBe(204)
    expect(await mock.json('/v2/orders/1025')).toMatchObject({ urgent: true })
    const [product] = await everything(mock, '/v2/products')
    expect((await mock.ask(`/v2/orders/1025/favourites/${product?.sku}`, { method: 'PUT' })).status).toBe(204)
    expect(await everything(mock, '/v2/orders/1025/favourites')).toEqual([product])
    expect((await mock.ask('/v2/orders/1025', { method: 'DELETE' })).status).toBe(204)
    expect((await mock.ask('/v2/orders/1025')).status).toBe(404)
  })

  it('refuses a write that the adapter of the service does not support', async () => {
    const mock = await mocked(shop())
    const answer = await mock.ask('/v2/countries', sent('POST', { code: 'AR', name: 'x' }))
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).not.toContain('POST')
  })

  it('serves examples from the descriptions of endpoints and hand-written routes', async () => {
    const mock = await mocked(shop())
    const found = (await mock.json('/v2/search?q=a')) as Row[]
    expect(found.length).toBeGreaterThan(0)
    for (const one of found) expect(URL.canParse(one.href ?? '')).toBe(true)
    expect(await mock.json('/v2/search?q=b')).toEqual(found)
    expect((await mock.ask('/v2/search?x=b')).status).toBe(400)
    expect((await mock.ask('/v2/search', { method: 'DELETE' })).status).toBe(204)
    const unknown = await mock.ask('/v2/search', sent('POST', {}))
    expect(unknown.status).toBe(501)
    expect(await unknown.json()).toMatchObject({
      code: 'not-implemented',
      detail: expect.stringContaining('POST search is not called in a mock'),
    })
    const cancelled = await mock.ask('/v2/orders/1000/cancellations', { method: 'POST' })
    expect(cancelled.status).toBe(201)
    expect(await cancelled.json()).toEqual({ reason: expect.any(String) })
    expect(await mock.json('/v2/branches/7')).toEqual({ city: 'Cadiz' })
    expect(await mock.json('/v2/branches/main')).toEqual({ city: 'Sevilla' })
    expect(await mock.json('/v2/reports/last')).toEqual({ city: 'Cadiz' })
    expect(await mock.json('/v2/reports/first')).toEqual({ year: 1999 })
    expect((await mock.ask('/v2/branches/7', { method: 'HEAD' })).status).toBe(200)
    expect((await mock.ask('/v2/branches/7', { method: 'DELETE' })).status).toBe(204)
    const refused = await mock.ask('/v2/branches/7', { method: 'PUT' })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, DELETE, HEAD'])
    expect(await mock.json('/v2/other')).toMatchObject({
      code: 'unknown-path',
      detail: expect.stringContaining('fragment'),
    })
  })

  it('serves the OpenAPI document of the service, with the URL of the mock', async () => {
    const service = shop()
    const mock = await mocked(service)
    const served = (await mock.json('/v2/openapi.json')) as { servers: unknown; paths: unknown; components: unknown }
    expect(served.servers).toMatchObject([{ url: `${mock.base}/v2` }])
    const own = JSON.parse(JSON.stringify(openapi(service, 'v2', { fragments })))
    expect([served.paths, served.components]).toEqual([own.paths, own.components])
  })

  it('requires credentials if the mock keeps the authentication of the service', async () => {
    const mock = await mocked(shop(), { visitors: { auth: 'keep', principal: undefined, isNamed: false } })
    expect((await mock.ask('/v2/orders')).status).toBe(401)
  })

  it('lets pages of any origin read its responses, including error responses', async () => {
    const mock = await mocked(shop(), { failures: [{ share: 1, status: 503 }] })
    const answer = await mock.ask('/v2/orders', { headers: { Origin: 'http://localhost:5173' } })
    expect([
      answer.status,
      answer.headers.get('retry-after'),
      answer.headers.get('access-control-allow-origin'),
    ]).toEqual([503, '1', '*'])
    const preflight = await mock.ask('/v2/orders', {
      method: 'OPTIONS',
      headers: { Origin: 'http://localhost:5173', 'Access-Control-Request-Method': 'POST' },
    })
    expect(preflight.status).toBe(204)
  })

  it('the option "failures" selects the same requests for the same seed, and others for another seed', async () => {
    const statuses = async (seed: number): Promise<number[]> => {
      const mock = await mocked(shop(), {
        seed,
        failures: [
          { share: 0.3, status: 429 },
          { share: 0.2, status: 507 },
        ],
      })
      const found: number[] = []
      for (let i = 0; i < 40; i++) found.push((await mock.ask('/v2/orders/1000')).status)
      return found
    }
    const first = await statuses(3)
    expect(new Set(first)).toEqual(new Set([200, 429, 507]))
    expect(await statuses(3)).toEqual(first)
    expect(await statuses(4)).not.toEqual(first)
  })

  it('has the same records for the same seed, and other records for another seed', async () => {
    const records = async (seed: number): Promise<unknown> => {
      const mock = await mocked(shop(), { seed })
      return Promise.all(
        ['customers', 'stocks', 'products'].map(async (name) =>
          JSON.parse((await (await mock.ask(`/v2/${name}`)).text()).replaceAll(mock.base, '')),
        ),
      )
    }
    const first = await records(7)
    expect(await records(7)).toEqual(first)
    expect(await records(8)).not.toEqual(first)
  })

  it('accepts given records, and generates the members that they omit', async () => {
    const data = { countries: [{ code: 'ES', name: 'Spain' }], orders: [{ number: 5000, total: 3 }, { total: 4 }] }
    const mock = await mocked(shop(), { data })
    expect(await everything(mock, '/v2/countries')).toEqual([{ code: 'ES', name: 'Spain' }])
    const found = await everything(mock, '/v2/orders')
    expect(found.map(({ number, total }) => [number, total])).toEqual([
      [1000, 4],
      [5000, 3],
    ])
    for (const { place } of await everything(mock, '/v2/stocks')) expect(place?.href).toMatch(/countries\/ES$/)
  })

  it.each([
    [{ order: [] }, 'The data has records of "order", which no version serves. Did you mean "orders"?'],
    [{ orders: {} }, 'The data of "orders" must be a list of records'],
    [
      { countries: [{ code: 'XX', name: 'Nowhere' }] },
      'The record at index 0 of the data for "countries" is not valid: "code" (enum)',
    ],
    [{ countries: [{ code: 'ES', nam: 'Spain' }] }, '"nam" is not a member here. Did you mean "name"?'],
    [{ stocks: [{ sku: 'AA-0000', country: 'FR' }] }, '"sku" (link): "products" has no record "AA-0000"'],
    [
      { products: [{ sku: 'AA-0000' }, { sku: 'AA-0000' }] },
      'The record at index 1 of the data for "products" is not valid: "sku" (key): "AA-0000" already exists',
    ],
  ])('refuses the data %j with the message: %s', async (data, message) => {
    await expect(mocked(shop(), { data: data as never })).rejects.toThrow(message)
  })

  it('serves many records, with sort, filters, search and pages', async () => {
    const never = (): never => {
      throw new Error('A mock calls no adapter.')
    }
    const many = defineResource({
      collection: 'readings',
      key: 'id',
      schema: {
        type: 'object',
        required: ['id', 'size', 'state', 'title'],
        properties: {
          id: { type: 'integer' },
          size: { type: 'number' },
          state: { enum: ['new', 'old'] },
          title: { type: 'string' },
        },
      },
      filters: { state: true },
      sort: ['size'],
      search: ['title'],
    })
    const mock = await mocked(api({ versions: { v1: [mount(many, { list: never, read: never })] } }), {
      records: 10_000,
    })
    expect((await mock.ask('/v1/readings')).headers.get('x-total-count')).toBe('10000')
    const answer = await mock.ask('/v1/readings?sort=-size&limit=50&state=old&offest=40')
    expect(Number(answer.headers.get('x-total-count'))).toBeGreaterThan(4500)
    const sizes = ((await answer.json()) as Row[]).map(({ size }) => Number(size))
    expect(sizes).toEqual(sizes.toSorted((one, other) => other - one))
    const [first] = (await mock.json('/v1/readings?limit=1')) as Row[]
    expect((await mock.ask(`/v1/readings?q=${first?.title}`)).headers.get('x-total-count')).not.toBe('0')
  })

  it('serves a resourceRouter below /v1', async () => {
    const notes = defineResource({
      collection: 'notes',
      key: 'id',
      schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
    })
    const never = (): never => {
      throw new Error('A mock calls no adapter.')
    }
    const mock = await mocked(resourceRouter(notes, { list: never, read: never }))
    expect(await everything(mock, '/v1/notes')).toHaveLength(25)
    expect((await mock.ask('/v1/notes/1', { method: 'DELETE' })).status).toBe(405)
  })

  it('refuses a value that is not a service', async () => {
    await expect(mocked(() => {})).rejects.toThrow(
      'A mock needs the return value of api() or resourceRouter() of this version of the library.',
    )
  })

  it('fails to start if a schema cannot be satisfied: the error names the member, keyword and fix', async () => {
    const schema = {
      type: 'object',
      required: ['id', 'a'],
      properties: { id: { type: 'integer' }, a: { type: 'string', pattern: '^x$', minLength: 2 } },
    }
    const impossible = defineResource<Record<string, unknown>>()({ collection: 'notes', key: 'id', schema } as never)
    const never = (): never => {
      throw new Error('A mock calls no adapter.')
    }
    const service = api({ versions: { v1: [mount(impossible, { list: never, read: never } as never)] } })
    await expect(mocked(service)).rejects.toThrow(
      'No example of "notes" could be generated. Cause: "a" (pattern): no text was found that matches ^x$. ' +
        'Give that member "examples" in the schema, or give records of "notes" as data (mock --data file.json).',
    )
  })

  it('fails to start if a scope function throws for the principal, and the error names the resource', async () => {
    const scoped = defineResource({
      collection: 'notes',
      key: 'id',
      schema: {
        type: 'object',
        required: ['id', 'owner'],
        properties: { id: { type: 'integer' }, owner: { type: 'string' } },
      },
      scope: (principal) => ({ owner: (principal as { team: { name: string } }).team.name }),
    })
    const never = (): never => {
      throw new Error('A mock calls no adapter.')
    }
    const service = api({ versions: { v1: [mount(scoped, { list: never, read: never })] } })
    await expect(mocked(service)).rejects.toThrow(
      /The scope of "notes" fails with .* for the principal \{"sub":"mock".*--principal/,
    )
    const mock = await mocked(service, { visitors: { auth: 'off', principal: { team: { name: 'a' } }, isNamed: true } })
    expect(new Set((await everything(mock, '/v1/notes')).map(({ owner }) => owner))).toEqual(new Set(['a']))
  })

  it('reports rules that throw, and generates the records without these rules', async () => {
    const ruled = defineResource({
      collection: 'notes',
      key: 'id',
      schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
      rules: async () => {
        throw new Error('no database')
      },
    })
    const never = (): never => {
      throw new Error('A mock calls no adapter.')
    }
    const mock = await mocked(api({ versions: { v1: [mount(ruled, { list: never, read: never })] } }))
    expect(mock.notes).toEqual(['The rules of "notes" failed, so its records were generated without them: no database'])
  })
})
