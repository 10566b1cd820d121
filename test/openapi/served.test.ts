import { get } from 'node:http'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { authenticate } from '../../src/auth/index.js'
import { type Api, api, ConfigurationError, defineResource, endpoint, mount } from '../../src/index.js'
import { describeStrictly, type OpenApiDocument, openapi } from '../../src/openapi/index.js'
import { listen } from '../clauses/fixture.js'
import { itWithCaches } from '../with-caches.js'

const orders = defineResource({
  collection: 'orders',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, note: { type: 'string' } } },
})
const reports = endpoint('reports', { description: 'Reports.', methods: { GET: { handle: () => [] } } })
const entries = () => [mount(orders, memoryAdapter(orders)), reports]

const who = authenticate({
  field: 'X-Api-Key',
  challenge: 'ApiKey realm="orders"',
  identify: (key) => (key === 'none' ? undefined : { name: key }),
})
const info = { title: 'Orders', version: '1.4.0' }

const closed = api({ authenticate: who, describe: { info }, versions: { v1: entries(), v2: entries() } })
const open = api({ authenticate: who, describe: { info, public: true }, versions: { v1: entries() } })
const reduced = api<{ name: string }>({
  authenticate: who,
  permission: ({ name }, action, resource) =>
    name === 'reader' && (resource !== 'orders' || !['list', 'read'].includes(action)) ? 'forbidden' : 'allow',
  describe: { reduced: true },
  versions: { v1: entries() },
})

/** The document in the body of a response. */
const documentOf = async (response: Response): Promise<OpenApiDocument> => JSON.parse(await response.text())

type Listening = Awaited<ReturnType<typeof listen>>

const serve = (service: Api): Promise<Listening> => listen(express().use(describeStrictly(service), service))

describe('the document that a service serves', () => {
  let service: Listening
  let publicly: Listening
  let partly: Listening
  beforeAll(async () => {
    service = await serve(closed)
    publicly = await serve(open)
    partly = await serve(reduced)
  })
  afterAll(() => Promise.all([service.close(), publicly.close(), partly.close()]))
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(service.origin + path, { method, headers: { 'X-Api-Key': 'ana', ...headers }, redirect: 'manual' })

  it('is the result of openapi(), with a server URL that has the origin of the request', async () => {
    const response = await get('/v1/openapi')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await response.json()).toEqual(
      JSON.parse(JSON.stringify(openapi(closed, 'v1', { info, servers: [{ url: `${service.origin}/v1` }] }))),
    )
  })

  it('is JSON or YAML, depending on Accept or on the extension in the path', async () => {
    const json = await (await get('/v1/openapi')).json()
    const yaml = await get('/v1/openapi', { Accept: 'application/yaml' })
    expect(yaml.headers.get('content-type')).toBe('application/yaml; charset=utf-8')
    expect(parse(await yaml.text())).toEqual(json)
    expect(await (await get('/v1/openapi.json')).json()).toEqual(json)
    expect(parse(await (await get('/v1/openapi.yaml')).text())).toEqual(json)
  })

  it('HDR-1: an unsupported format gets 415', async () => {
    expect((await get('/v1/openapi', { Accept: 'application/xml' })).status).toBe(415)
    expect((await get('/v1/openapi.json', { Accept: 'application/yaml' })).status).toBe(415)
  })

  it('HDR-2, HDR-4: has a strong tag for each format, and a matching If-None-Match gets 304', async () => {
    const tag = (await get('/v1/openapi')).headers.get('etag') ?? ''
    const other = (await get('/v1/openapi', { Accept: 'application/yaml' })).headers.get('etag')
    expect(tag).toMatch(/^"[^"]+"$/)
    expect(other).not.toBe(tag)
    expect((await get('/v1/openapi')).headers.get('etag')).toBe(tag)
    expect((await get('/v1/openapi', { 'If-None-Match': tag })).status).toBe(304)
    expect((await get('/v1/openapi', { 'If-Match': '"another"' })).status).toBe(412)
  })

  it('VERB-8, VERB-9, QUERY-8: HEAD, OPTIONS and 405 work as usual, and query parameters are refused', async () => {
    const head = await get('/v1/openapi', {}, 'HEAD')
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await get('/v1/openapi', {}, 'OPTIONS')).headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    expect((await get('/v1/openapi', {}, 'POST')).status).toBe(405)
    expect((await get('/v1/openapi?x=1')).status).toBe(400)
  })

  it('AUTH-4: requires the authentication of its version, unless it is public', async () => {
    expect((await get('/v1/openapi', { 'X-Api-Key': 'none' })).status).toBe(401)
    const response = await fetch(`${publicly.origin}/v1/openapi`)
    expect(response.status).toBe(200)
    expect((await documentOf(response)).paths['/openapi']?.get).toMatchObject({ security: [] })
    expect((await fetch(`${publicly.origin}/v1/orders`)).status).toBe(401)
  })

  it('AUTH-4: can show a caller only the operations that the caller may use', async () => {
    const described = async (name: string) => {
      const { paths } = await documentOf(await fetch(`${partly.origin}/v1/openapi`, { headers: { 'X-Api-Key': name } }))
      return {
        list: Object.keys(paths['/orders'] ?? {}),
        item: Object.keys(paths['/orders/{id}'] ?? {}),
        reports: Object.keys(paths['/reports'] ?? {}),
      }
    }
    expect(await described('reader')).toEqual({
      list: ['get', 'head', 'options'],
      item: ['parameters', 'get', 'head', 'options'],
      reports: ['options'],
    })
    expect((await described('ana')).list).toEqual(['get', 'head', 'post', 'options'])
  })

  it('PATH-1: no endpoint can have the path of the document', () => {
    const taken = endpoint('openapi', { description: 'Another.', methods: { GET: { handle: () => 1 } } })
    expect(() => api({ describe: true, versions: { v1: [taken] } })).toThrow(ConfigurationError)
    expect(() => api({ versions: { v1: [taken] } })).not.toThrow()
  })

  it('ready() rejects if a version cannot be described', async () => {
    const twin = defineResource({
      collection: 'pedidos',
      singular: 'order',
      key: 'id',
      schema: { type: 'object', properties: { id: { type: 'integer' } } },
    })
    const clashing = api({ describe: true, versions: { v1: [...entries(), mount(twin, memoryAdapter(twin))] } })
    await expect(clashing.ready()).rejects.toThrow(/"orders" and "pedidos"|"pedidos" and "orders"/)
  })

  it('cannot be both public and reduced to the operations of the caller', () => {
    expect(() => api({ describe: { public: true, reduced: true }, versions: { v1: [] } })).toThrow(/public and reduced/)
  })
})

describe('the building of documents', () => {
  /**
   * A service that counts how often its document is built. The build fails while `fails` is true.
   */
  function counting(options: { readonly baseUrl?: string } = {}) {
    const state = { builds: 0, fails: false }
    const fragment = {}
    const service = api({
      ...options,
      describe: { info, public: true, fragments: [fragment] },
      versions: { v1: entries() },
    })
    Object.defineProperty(fragment, 'paths', {
      get: () => {
        state.builds += 1
        if (state.fails) throw new Error('The file of the fragment is not there yet.')
        return {}
      },
    })
    return { state, service }
  }

  async function withService<T>(
    service: Api,
    use: (get: (path?: string, headers?: Record<string, string>) => Promise<Response>) => Promise<T>,
  ) {
    const { origin, close } = await listen(express().use(service))
    try {
      return await use((path = '/v1/openapi', headers = {}) => fetch(origin + path, { headers }))
    } finally {
      await close()
    }
  }

  itWithCaches('happens in ready(), and not again for a request, with and without the option "baseUrl"', async () => {
    for (const options of [{}, { baseUrl: 'https://api.example.com' }]) {
      const { state, service } = counting(options)
      await service.ready()
      await withService(service, async (get) => {
        const { servers } = await documentOf(await get())
        expect(servers?.[0]?.url).toMatch(
          'baseUrl' in options ? /^https:\/\/api\.example\.com\/v1$/ : /^http:\/\/(?:127\.0\.0\.1|localhost):\d+\/v1$/,
        )
        expect(parse(await (await get('/v1/openapi.yaml')).text())).toMatchObject({ servers })
        expect((await get()).status).toBe(200)
      })
      expect(state.builds).toBe(1)
    }
  })

  itWithCaches('happens once for concurrent requests', async () => {
    const { state, service } = counting()
    await withService(service, async (get) => {
      const texts = await Promise.all(
        ['/v1/openapi', '/v1/openapi', '/v1/openapi.json'].map(async (path) => (await get(path)).text()),
      )
      expect(new Set(texts).size).toBe(1)
    })
    expect(state.builds).toBe(1)
  })

  itWithCaches('happens again after a failure', async () => {
    const { state, service } = counting()
    state.fails = true
    await expect(service.ready()).rejects.toThrow('not there yet')
    await withService(service, async (get) => {
      expect((await get()).status).toBe(500)
      state.fails = false
      expect((await get()).status).toBe(200)
      await service.ready()
    })
    expect(state.builds).toBe(3)
  })

  itWithCaches('happens once for several hosts, and each response has the URL of the host in its request', async () => {
    const { state, service } = counting()
    const { origin, close } = await listen(express().use(service))
    const textFor = (host: string) =>
      new Promise<string>((resolve, reject) => {
        get(`${origin}/v1/openapi`, { headers: { Host: host } }, (response) => {
          const chunks: Buffer[] = []
          response
            .on('data', (chunk: Buffer) => chunks.push(chunk))
            .on('end', () => resolve(Buffer.concat(chunks).toString()))
        }).on('error', reject)
      })
    try {
      for (const host of ['orders.example:8080', 'other.example', 'orders.example:8080']) {
        expect(JSON.parse(await textFor(host)).servers).toEqual([{ url: `http://${host}/v1` }])
      }
      expect(state.builds).toBe(1)
    } finally {
      await close()
    }
  })
})
