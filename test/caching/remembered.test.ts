/**
 * Rendered bytes are reused (`src/representation/reuse.ts`). They must equal newly rendered bytes,
 * after any change and for any caller.
 */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import express from 'express'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import {
  type Adapter,
  type AdapterCall,
  adapterView,
  api,
  defineResource,
  type ListRequest,
  mount,
} from '../../src/index.js'
import { size } from '../size.js'

const text = { type: 'string' } as const
const zonas = defineResource({
  collection: 'zonas',
  key: 'id',
  schema: { type: 'object', required: ['id', 'nombre'], properties: { id: { type: 'integer' }, nombre: text } },
})
const sedes = defineResource({
  collection: 'sedes',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'nombre'],
    properties: { id: { type: 'integer' }, nombre: text, zonaId: { type: ['integer', 'null'] } },
  },
  links: { zona: { to: zonas, by: 'zonaId', show: ['nombre'] } },
})
const fichas = defineResource({
  collection: 'fichas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'nombre'],
    properties: {
      id: { type: 'integer' },
      nombre: text,
      grupo: { type: 'integer' },
      sedeId: { type: ['integer', 'null'] },
      otraId: { type: ['integer', 'null'] },
      notas: { type: 'array', items: { type: 'object', properties: { texto: text } } },
    },
  },
  filters: { grupo: true },
  sort: ['nombre', 'id'],
  links: { sede: { to: sedes, by: 'sedeId', show: ['nombre'] }, otra: { to: 'fichas', by: 'otraId' } },
})
const viejas = defineResource({
  collection: 'fichas',
  key: 'id',
  schema: { type: 'object', required: ['id', 'titulo'], properties: { id: { type: 'integer' }, titulo: text } },
})

type Any = Adapter<Record<string, unknown>, unknown>

/** A copy of the adapter whose results are mutable copies of the records. */
const copying = (adapter: Any): Any => ({
  ...adapter,
  list: async (request: ListRequest, call: AdapterCall) => {
    const page = await adapter.list(request, call)
    return { ...page, items: page.items.map(({ value, version }) => ({ value: structuredClone(value), version })) }
  },
  read: async (keys: readonly unknown[], call: AdapterCall) =>
    (await adapter.read(keys, call)).map(
      (stored) => stored && { value: structuredClone(stored.value), version: stored.version },
    ),
})

const asItIs = (adapter: Any): Any => adapter

const records = {
  zonas: [1, 2].map((id) => ({ id, nombre: `Zona ${id}` })),
  sedes: [1, 2, 3].map((id) => ({ id, nombre: `Sede Ñ${id}`, zonaId: id === 3 ? null : id })),
  fichas: Array.from({ length: 12 }, (_, i) => ({
    id: i + 1,
    nombre: `Ficha é${i % 5} 漢${i} \u{1f600}`,
    grupo: i % 3,
    sedeId: i % 4 === 3 ? null : (i % 4) + 1,
    otraId: i === 0 ? null : i,
    notas: [{ texto: 'ñ' }],
  })),
}

const stores = () => ({
  zonas: memoryAdapter(zonas, { records: records.zonas }) as unknown as Any,
  sedes: memoryAdapter(sedes, { records: records.sedes }) as unknown as Any,
  fichas: memoryAdapter(fichas, { records: records.fichas }) as unknown as Any,
})

function service(wrap: (adapter: Any) => Any, over: ReturnType<typeof stores>, caches: boolean) {
  const adapters = { zonas: wrap(over.zonas), sedes: wrap(over.sedes), fichas: wrap(over.fichas) }
  const old = adapterView(
    adapters.fichas as never,
    { rename: { titulo: 'nombre' }, hides: ['grupo', 'sedeId', 'otraId', 'notas'] } as never,
  )
  return api({
    caches,
    principal: (req) => req.headers.authorization ?? 'nadie',
    permission: (who, action, resource) =>
      who === 'ajena' && resource !== 'fichas' && action === 'read' ? 'forbidden' : 'allow',
    versions: {
      v8: [
        mount(fichas, adapters.fichas as never),
        mount(sedes, adapters.sedes as never),
        mount(zonas, adapters.zonas as never),
      ],
      v1: [mount(viejas, old as never)],
    },
  })
}

interface Said {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

const servers: http.Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

async function serve(wrap: (adapter: Any) => Any, over = stores(), caches = true) {
  const server = http.createServer(express().use(service(wrap, over, caches))).listen(0, '127.0.0.1')
  servers.push(server)
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const agent = new http.Agent({ keepAlive: true })
  return (method: string, path: string, headers: Record<string, string> = {}, body?: string): Promise<Said> =>
    new Promise((resolve, reject) => {
      const request = http.request(
        {
          port,
          host: '127.0.0.1',
          agent,
          method,
          path,
          headers: { host: 'uno.example', 'x-request-id': 'una', ...headers },
        },
        (res) => {
          const parts: Buffer[] = []
          res.on('data', (part: Buffer) => parts.push(part))
          res.on('end', () =>
            resolve({ status: res.statusCode ?? 0, headers: res.headers, body: Buffer.concat(parts).toString() }),
          )
        },
      )
      request.on('error', reject)
      request.end(body)
    })
}

/**
 * The parts of a response that must be equal. Tags are left out, because the versions of each store
 * are random.
 */
const comparable = ({ status, headers, body }: Said) => {
  const { etag, date, 'x-request-id': _, ...others } = headers
  return {
    status,
    others,
    tagged: etag !== undefined,
    length: Number(headers['content-length'] ?? 0) === Buffer.byteLength(body),
    body,
  }
}

const id = (most: number) => fc.integer({ min: 1, max: most })
const headers = fc.record(
  {
    host: fc.constantFrom('uno.example', 'dos.example'),
    accept: fc.constantFrom('application/json', 'application/xml'),
    authorization: fc.constantFrom('ana', 'ajena'),
  },
  { requiredKeys: [] },
)
const reads = fc.oneof(
  fc.tuple(fc.constantFrom('/v8/fichas/', '/v8/fichas/', '/v1/fichas/'), id(12)).map(([path, at]) => path + at),
  id(3).map((at) => `/v8/sedes/${at}`),
  fc.constantFrom(
    '/v8/fichas',
    '/v8/fichas?sort=nombre&limit=5',
    '/v8/fichas?sort=nombre&limit=5&expand=sede,otra',
    '/v8/fichas?grupo=1&expand=sede',
    '/v8/fichas?sort=-nombre&limit=4&offest=2',
    '/v8/fichas/3?expand=sede',
    '/v8/fichas/3?expand=otra,sede',
    '/v1/fichas',
    '/v8/sedes',
    '/v8/fichas?grupo=7',
  ),
)
const patch = { 'content-type': 'application/merge-patch+json' }
const steps = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant('GET'), reads, headers, fc.constant(undefined)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom(
          ...[1, 2, 3].map((at) => `/v8/fichas/${at}`),
          ...[1, 2].map((at) => `/v8/sedes/${at}`),
          ...[1, 2].map((at) => `/v8/zonas/${at}`),
        ),
        fc.string({ minLength: 1, maxLength: 6, unit: 'grapheme' }),
      )
      .map(([path, nombre]) => ['PATCH', path, patch, JSON.stringify({ nombre })] as const),
  },
  { weight: 1, arbitrary: id(12).map((at) => ['DELETE', `/v8/fichas/${at}`, {}, undefined] as const) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(id(12), id(4))
      .map(
        ([at, sede]) =>
          ['PATCH', `/v8/fichas/${at}`, patch, JSON.stringify({ sede: sede > 3 ? null : { id: sede } })] as const,
      ),
  },
)

describe('repeated responses', () => {
  it('HDR-2, REP-1: have the same bytes as new renderings, for any caller and format, after any change', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(asItIs, copying),
        fc.array(steps, { minLength: 20, maxLength: 80 }),
        async (wrap, sequence) => {
          const [remembering, anew] = await Promise.all([serve(wrap), serve(copying, stores(), false)])
          const seen = new Map<string, string>()
          for (const [method, path, given, body] of sequence) {
            // The response to a request is cached only after some repetitions.
            if (method === 'GET') for (const _ of [1, 2, 3]) await remembering(method, path, given)
            const said = await remembering(method, path, given, body)
            const expected = await anew(method, path, given, body)
            expect([method, path, given, comparable(said)]).toEqual([method, path, given, comparable(expected)])
            // A strong tag always identifies the same body.
            if (method !== 'GET' || said.headers.etag === undefined || said.status !== 200) continue
            const name = [path, given.host, given.accept, said.headers.etag].join(' ')
            expect(seen.get(name) ?? said.body).toBe(said.body)
            seen.set(name, said.body)
          }
          for (const server of servers.splice(0)) {
            server.closeAllConnections()
            server.close()
          }
        },
      ),
      { numRuns: size(8, 80) },
    )
  }, 300_000)
})

describe('the tag of a page', () => {
  it('HDR-4: does not depend on which parts of the page are cached', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(asItIs, copying),
        fc.array(steps, { minLength: 20, maxLength: 80 }),
        async (wrap, sequence) => {
          const over = stores()
          const [remembering, anew] = await Promise.all([serve(wrap, over), serve(copying, over, false)])
          for (const [method, path, given, body] of sequence) {
            const said = await remembering(method, path, given, body)
            if (method !== 'GET') continue
            const expected = await anew(method, path, given)
            expect([path, given, said.headers.etag, said.body]).toEqual([
              path,
              given,
              expected.headers.etag,
              expected.body,
            ])
          }
          for (const server of servers.splice(0)) {
            server.closeAllConnections()
            server.close()
          }
        },
      ),
      { numRuns: size(8, 80) },
    )
  }, 300_000)
})

describe('one record in two lists', () => {
  it('QUERY-7: each list links to its own pages', async () => {
    const etiquetas = defineResource({
      collection: 'etiquetas',
      key: 'id',
      schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
      attachedTo: [{ of: zonas }],
    })
    const tags = memoryAdapter(etiquetas, { records: [{ id: 1 }] })
    const parents = memoryAdapter(zonas, { records: records.zonas })
    const app = express().use(api({ versions: { v1: [mount(zonas, parents), mount(etiquetas, tags)] } }))
    const server = http.createServer(app).listen(0, '127.0.0.1')
    servers.push(server)
    await new Promise((resolve) => server.once('listening', resolve))
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
    for (const zona of [1, 2])
      expect((await fetch(`${base}/zonas/${zona}/etiquetas/1`, { method: 'PUT' })).status).toBe(204)
    for (const path of [
      '/etiquetas',
      '/zonas/1/etiquetas',
      '/zonas/2/etiquetas',
      '/etiquetas',
      '/zonas/1/etiquetas',
      '/zonas/2/etiquetas',
    ]) {
      for (let again = 0; again < 5; again += 1) {
        const said = await fetch(`${base}${path}?limit=5`)
        expect(said.headers.get('link')).toBe(
          `<${base}${path}?limit=5&offest=1>; rel="first", <${base}${path}?limit=5&offest=1>; rel="last"`,
        )
        expect(await said.json()).toEqual([{ id: 1 }])
      }
    }
  })
})

describe('records that can still change', () => {
  const definition = defineResource({
    collection: 'cosas',
    key: 'id',
    schema: {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'integer' }, nombre: text, partes: { type: 'array' } },
    },
  })
  class Cosa {
    constructor(
      readonly id: number,
      public names: string[],
    ) {}
  }
  const changing: readonly (readonly [what: string, make: (state: { nombre: string }) => object])[] = [
    ['a frozen envelope with a mutable record', () => Object.freeze({ value: { id: 1 }, version: 'a' })],
    [
      'a frozen record with a mutable list',
      () => Object.freeze({ value: Object.freeze({ id: 1, partes: [] }), version: 'a' }),
    ],
    [
      'a member with a getter',
      (state) =>
        Object.freeze({
          value: Object.freeze({
            id: 1,
            get nombre() {
              return state.nombre
            },
          }),
          version: 'a',
        }),
    ],
    [
      'a nested instance of a class',
      () =>
        Object.freeze({
          value: Object.freeze({ id: 1, partes: Object.freeze([Object.freeze(new Cosa(1, []))]) }),
          version: 'a',
        }),
    ],
  ]

  it.each(changing)('REP-8: are rendered again, so that the next response shows the change: %s', async (_, make) => {
    const state = { nombre: 'uno' }
    const stored = make(state) as { value: { id: number; nombre?: string; partes?: unknown[] }; version: string }
    const adapter = { read: () => [stored], list: () => ({ items: [stored], total: 1 }) }
    const server = http
      .createServer(express().use(api({ versions: { v1: [mount(definition, adapter as never)] } })))
      .listen(0, '127.0.0.1')
    servers.push(server)
    await new Promise((resolve) => server.once('listening', resolve))
    const get = async (path: string) =>
      (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)).json()
    for (let again = 0; again < 4; again += 1) {
      await get('/v1/cosas/1')
      await get('/v1/cosas')
    }
    const part = stored.value.partes?.[0]
    if (part instanceof Cosa) part.names.push('dos')
    else if (stored.value.partes !== undefined) (stored.value.partes as unknown[]).push('dos')
    else if (Object.isFrozen(stored.value)) state.nombre = 'dos'
    else stored.value.nombre = 'dos'
    expect(JSON.stringify(await get('/v1/cosas/1'))).toContain('dos')
    expect(JSON.stringify(await get('/v1/cosas'))).toContain('dos')
  })
})

describe('a list that its adapter modifies later', () => {
  it('QUERY-7: is rendered in its current state, although the adapter returned the same object before', async () => {
    const definition = defineResource({
      collection: 'cosas',
      key: 'id',
      schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
    })
    const stored = (id: number) => Object.freeze({ value: Object.freeze({ id }), version: `v${id}` })
    const items = [stored(1)]
    const page = { items, total: 1 }
    const adapter = { read: () => [undefined], list: () => page }
    const server = http
      .createServer(express().use(api({ versions: { v1: [mount(definition, adapter as never)] } })))
      .listen(0, '127.0.0.1')
    servers.push(server)
    await new Promise((resolve) => server.once('listening', resolve))
    const get = async () => (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/cosas`)).json()
    for (let again = 0; again < 4; again += 1) expect(await get()).toEqual([{ id: 1 }])
    items[0] = stored(2)
    expect(await get()).toEqual([{ id: 2 }])
  })
})

describe('responses behind other middlewares', () => {
  it('HDR-1: a middleware that replaces res.end() gets the body as a string or a Buffer', async () => {
    const received: string[] = []
    const app = express()
    app.use((_req, res, next) => {
      const end = res.end.bind(res) as (...given: unknown[]) => typeof res
      res.end = ((chunk: unknown, ...rest: unknown[]) => {
        received.push(Buffer.isBuffer(chunk) ? chunk.toString() : String(chunk))
        return end(chunk, ...rest)
      }) as typeof res.end
      next()
    })
    app.use(service(asItIs, stores(), true))
    const server = http.createServer(app).listen(0, '127.0.0.1')
    servers.push(server)
    await new Promise((resolve) => server.once('listening', resolve))
    for (let again = 0; again < 4; again += 1) {
      const body = await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v8/fichas/2`)).text()
      expect(JSON.parse(body).nombre).toBe('Ficha é1 漢1 \u{1f600}')
      expect(received.at(-1)).toBe(body)
      const page = await (
        await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v8/fichas?limit=3`)
      ).text()
      expect(JSON.parse(page)[1].nombre).toBe('Ficha é1 漢1 \u{1f600}')
      expect(received.at(-1)).toBe(page)
    }
  })
})

describe('the cache of lists', () => {
  const definition = defineResource({
    collection: 'cosas',
    key: 'id',
    schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, nombre: text } },
  })
  const frozen = (id: number, nombre: string, version = 'a') =>
    Object.freeze({ value: Object.freeze({ id, nombre }), version })

  async function get(adapter: object) {
    const server = http
      .createServer(express().use(api({ versions: { v1: [mount(definition, adapter as never)] } })))
      .listen(0, '127.0.0.1')
    servers.push(server)
    await new Promise((resolve) => server.once('listening', resolve))
    return (path: string) => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)
  }

  it('HDR-4: is not used after a record of the page was replaced, so the body and the entity tag change', async () => {
    const rows = [frozen(1, 'uno'), frozen(2, 'dos')]
    const page = { items: rows, total: 2 }
    const ask = await get({ read: () => [rows[0]], list: () => page })
    let before = ''
    for (let again = 0; again < 4; again += 1) before = (await ask('/v1/cosas')).headers.get('etag') as string
    rows[1] = frozen(2, 'tres', 'b')
    const after = await ask('/v1/cosas')
    expect(await after.json()).toEqual([
      { id: 1, nombre: 'uno' },
      { id: 2, nombre: 'tres' },
    ])
    expect(after.headers.get('etag')).not.toBe(before)
    page.total = 3
    expect((await ask('/v1/cosas')).headers.get('x-total-count')).toBe('3')
  })

  it('keeps few records in memory if the adapter returns new objects for each request', async () => {
    setFlagsFromString('--expose-gc')
    const gc = runInNewContext('gc') as () => void
    const given: WeakRef<object>[] = []
    const anew = () => {
      const stored = frozen(1, 'x'.repeat(1_000))
      given.push(new WeakRef(stored))
      return stored
    }
    const ask = await get({ read: () => [anew()], list: () => ({ items: [anew()], total: 1 }) })
    for (let again = 0; again < 40; again += 1) {
      await (await ask('/v1/cosas/1')).text()
      await (await ask(`/v1/cosas?limit=${1 + (again % 20)}`)).text()
    }
    for (let again = 0; again < 3; again += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      gc()
    }
    // The cache can keep the last page of each list that is requested repeatedly.
    expect(given.filter((one) => one.deref() !== undefined).length).toBeLessThanOrEqual(22)
  })
})
