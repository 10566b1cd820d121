import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, type Middleware, mount, resourceRouter } from '../../src/index.js'
import { compareContracts, openapi } from '../../src/openapi/index.js'
import type { PartLifeOptions } from '../../src/plan/life.js'
import { type Answer, frameworks, listen } from './fixture.js'
import { type Lives, pedidos, resourcesOf, serviceOf, start, stores } from './retired-fixture.js'

const over: PartLifeOptions = { retired: true }
const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const close of closers.splice(0)) await close()
})

const expectGone = (answer: Answer, what: string): void =>
  expect([
    what,
    answer.status,
    answer.text,
    answer.headers['content-length'],
    answer.headers['content-type'],
    answer.headers['cache-control'],
  ]).toEqual([what, 410, '', '0', undefined, 'no-store'])

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']

/**
 * The kinds of parts that can retire. Each entry has the declaration that retires the part, and the
 * paths and methods that get 410 because of it.
 */
const parts: readonly {
  readonly name: string
  readonly lives: Lives
  readonly gone: RegExp
  readonly methods?: readonly string[]
}[] = [
  { name: 'a collection', lives: { pedidos: over }, gone: /^\/pedidos(\/|$)|^\/clientes\/[^/]+\/pedidos(\/|$)/ },
  { name: 'a contained sub-collection', lives: { lineas: over }, gone: /^\/pedidos\/[^/]+\/lineas(\/|$)/ },
  {
    name: 'an associated sub-collection',
    lives: { clientes: { below: { pedidos: over } } },
    gone: /^\/clientes\/[^/]+\/pedidos(\/|$)/,
  },
  { name: 'a flag', lives: { pedidos: { below: { urgente: over } } }, gone: /^\/pedidos\/[^/]+\/urgente(\/|$)/ },
  { name: 'a top-level endpoint', lives: { search: over }, gone: /^\/search(\/|$)/ },
  { name: 'an endpoint below an item', lives: { cancelaciones: over }, gone: /^\/pedidos\/[^/]+\/cancelaciones(\/|$)/ },
  {
    name: 'DELETE of items',
    lives: { pedidos: { operations: { remove: over } } },
    gone: /^\/pedidos\/[^/]+\/?$/,
    methods: ['DELETE'],
  },
  {
    name: 'GET of a collection',
    lives: { pedidos: { operations: { list: over } } },
    gone: /^\/pedidos\/?$/,
    methods: ['GET', 'HEAD'],
  },
  { name: 'a method of an endpoint', lives: { searchPost: over }, gone: /^\/search\/?$/, methods: ['POST'] },
  {
    name: 'a method below an item',
    lives: { cancelacionesPost: over },
    gone: /^\/pedidos\/[^/]+\/cancelaciones\/?$/,
    methods: ['POST'],
  },
]

const paths = [
  '/pedidos',
  '/pedidos/',
  '/pedidos/1',
  '/pedidos/9',
  '/pedidos/%31',
  '/pedidos/1/',
  '/pedidos/x',
  '/pedidos/%zz',
  '/pedidos//',
  '/pedidos?nota=a&limit=1',
  '/pedidos?nope=1',
  '/%70edidos/1',
  '/Pedidos/1',
  '/pedidos.json',
  '/pedidos/1/urgente',
  '/pedidos/2/urgente',
  '/pedidos/x/urgente',
  '/pedidos/1/urgente/deep/%zz',
  '/pedidos/1/lineas',
  '/pedidos/1/lineas/pedido=1,secuencia=1',
  '/pedidos/1/lineas/x/y',
  '/pedidos/1/cancelaciones',
  '/pedidos/9/cancelaciones',
  '/clientes',
  '/clientes/1',
  '/clientes/1/pedidos',
  '/clientes/1/pedidos/1',
  '/clientes/x/pedidos',
  '/search?q=a',
  '/search',
  '/search/more',
  '/a-mano',
  '/nothing',
  '/',
  '',
]

/**
 * Returns a malformed body for methods with a body, so that no request changes the data.
 */
const bodyOf = (method: string): unknown => (['POST', 'PUT', 'PATCH'].includes(method) ? '{' : undefined)

/**
 * Removes the fields of a response that differ between the services with and without retired parts.
 */
function comparable({ status, headers, text }: Answer, withoutAllowed: readonly string[] = []) {
  const { date: _, allow, 'accept-patch': patch, ...rest } = headers
  const allowed = allow?.split(', ').filter((method) => !withoutAllowed.includes(method))
  // The body of a 405 lists the methods of Allow, so the body and its length are not compared.
  const namesThem = withoutAllowed.length > 0 && status === 405
  return {
    status,
    rest: namesThem ? { ...rest, 'content-length': '' } : rest,
    allowed,
    patch,
    text: namesThem ? '' : text,
  }
}

describe.each(frameworks)('VER-2: retired parts on %s', (_name, express) => {
  it('VER-2: a retired part gets 410 without a body, and all other parts respond as before', async () => {
    const from = stores()
    const plain = await start(express, serviceOf(from, {}))
    closers.push(plain.close)
    for (const part of parts) {
      const living = await start(express, serviceOf(from, part.lives))
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...paths),
          fc.constantFrom(...methods),
          fc.constantFrom('ana', 'eva', 'nobody'),
          fc.constantFrom(undefined, 'text/html', 'application/xml'),
          async (path, method, user, accept) => {
            // Both services share their data. This entity tag never matches, so no request changes
            // the data.
            const headers = {
              'x-user': user,
              'x-request-id': 'r1',
              'If-Match': '"none"',
              ...(accept === undefined ? {} : { Accept: accept }),
            }
            const answer = await living.send(method, `/v1${path}`, headers, bodyOf(method))
            const what = `${part.name}: ${method} ${path} as ${user}`
            const [bare = ''] = path.split('?')
            const isBelow = part.gone.test(bare.replace(/%70/, 'p').replace('%31', '1'))
            if (isBelow && (part.methods?.includes(method) ?? true)) {
              expectGone(answer, what)
              return
            }
            const before = await plain.send(method, `/v1${path}`, headers, bodyOf(method))
            const hidden = isBelow ? (part.methods ?? []) : []
            expect({ what, ...comparable(answer, hidden) }).toEqual({ what, ...comparable(before, hidden) })
          },
        ),
        { numRuns: 40 },
      )
      await living.close()
    }
  })

  it('VER-2: Allow omits a retired method, both for OPTIONS and in a 405', async () => {
    const { send, close } = await start(
      express,
      serviceOf(stores(), { pedidos: { operations: { remove: over, replace: over } } }),
    )
    closers.push(close)
    for (const answer of [await send('OPTIONS', '/v1/pedidos/1'), await send('PROPFIND', '/v1/pedidos/1')])
      expect(answer.headers.allow).toBe('GET, HEAD, PATCH, OPTIONS')
    const bare = await start(
      express,
      serviceOf(stores(), { pedidos: { operations: { remove: over } } }, { permission: undefined }),
    )
    closers.push(bare.close)
    expect((await bare.send('OPTIONS', '/v1/pedidos/1')).headers.allow).toBe('GET, HEAD, PUT, PATCH, OPTIONS')
    expect((await bare.send('POST', '/v1/pedidos/1')).headers.allow).toBe('GET, HEAD, PUT, PATCH, OPTIONS')
  })

  it('VER-2: if all methods of a collection have retired, OPTIONS gets 410 too, but the items remain', async () => {
    const { send, close } = await start(
      express,
      serviceOf(stores(), { pedidos: { operations: { list: over, create: over } } }),
    )
    closers.push(close)
    for (const method of methods) expectGone(await send(method, '/v1/pedidos'), method)
    expect((await send('GET', '/v1/pedidos/1')).status).toBe(200)
  })

  it('VER-2: a retired method gets 410 even if the adapter lacks this method', async () => {
    const from = stores()
    const { list, read } = from.pedidos
    const readOnly = { list: list.bind(from.pedidos), read: read.bind(from.pedidos) }
    const router = resourceRouter(pedidos, readOnly, { operations: { remove: over } })
    const { send, close } = await start(express, router)
    closers.push(close)
    expectGone(await send('DELETE', '/pedidos/1'), 'DELETE')
    expect((await send('PUT', '/pedidos/1', {}, {})).status).toBe(405)
  })

  it('VER-2: resourceRouter() returns 410 for a retired resource and for everything below it', async () => {
    const app = express()
    app.use(resourceRouter(pedidos, stores().pedidos, { retired: true }), (_req, res) => void res.status(418).end())
    const { send, close } = await start(express, app as never)
    closers.push(close)
    for (const path of ['/pedidos', '/pedidos/1', '/pedidos/x', '/pedidos/1/more/%zz'])
      expectGone(await send('POST', path), path)
    expect((await send('GET', '/pedido')).status).toBe(418)
  })

  it('VER-2, VER-3: a part gets 410 from its retirement date on. Responses and OpenAPI announce the date', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2027-06-30T23:59:59Z') })
    const since = '2027-07-01T00:00:00Z'
    const service = serviceOf(stores(), { pedidos: { retired: { since } } }, { describe: {} })
    const { send, close } = await start(express, service)
    closers.push(close)
    const before = await send('GET', '/v1/pedidos/1')
    expect([before.status, before.headers.sunset, before.headers.deprecation]).toEqual([
      200,
      'Thu, 01 Jul 2027 00:00:00 GMT',
      undefined,
    ])
    expect((await send('GET', '/v1/clientes')).headers.sunset).toBeUndefined()
    const old = (await send('GET', '/v1/openapi')).json
    expect(old.paths['/pedidos'].get).toMatchObject({
      deprecated: true,
      'x-sunset': '2027-07-01T00:00:00.000Z',
      responses: { 410: {} },
    })
    vi.setSystemTime(new Date(since))
    expectGone(await send('GET', '/v1/pedidos/1'), 'after')
    const now = (await send('GET', '/v1/openapi')).json
    expect(Object.keys(now.paths).filter((path) => path.includes('pedidos'))).toEqual([])
    expect(now.tags.map(({ name }: { name: string }) => name)).not.toContain('pedidos')
  })

  it('VER-3: responses of a deprecated part have Deprecation, Sunset and a Link to its replacement', async () => {
    const deprecated = { since: '2026-01-01', sunset: '2027-01-01', use: '/pedidos/{numero}/cancelaciones' }
    const lives: Lives = {
      pedidos: { below: { urgente: { deprecated } }, operations: { remove: { deprecated: true } } },
    }
    const { send, close } = await start(express, serviceOf(stores(), lives))
    closers.push(close)
    for (const [path, user, status] of [
      ['/v1/pedidos/1/urgente', 'ana', 204],
      ['/v1/pedidos/1/urgente', 'nobody', 401],
      ['/v1/pedidos/9/urgente', 'ana', 404],
    ] as const) {
      const { status: given, headers } = await send('GET', path, { 'x-user': user })
      expect([given, headers.deprecation, headers.sunset, headers.link]).toEqual([
        status,
        '@1767225600',
        'Fri, 01 Jan 2027 00:00:00 GMT',
        `<http://api.example.com${path.replace('urgente', 'cancelaciones')}>; rel="successor-version"`,
      ])
    }
    expect((await send('DELETE', '/v1/pedidos/9')).headers.deprecation).toBe('@0')
    expect((await send('GET', '/v1/pedidos/1')).headers.deprecation).toBeUndefined()
  })

  it('VER-3: a part that was deprecated before its version keeps its own date and replacement', async () => {
    const from = stores()
    const { send, close } = await start(
      express,
      serviceOf(
        from,
        {},
        {
          versions: {
            v1: {
              resources: resourcesOf(from, {
                clientes: { deprecated: { since: '2025-01-01', use: 'https://other.example/clientes' } },
              }),
              deprecated: '2026-01-01',
              sunset: '2030-01-01',
              successor: 'v2',
            },
            v2: resourcesOf(from, { pedidos: over }),
          },
        },
      ),
    )
    closers.push(close)
    const part = (await send('GET', '/v1/clientes/1')).headers
    expect([part.deprecation, part.sunset, part.link]).toEqual([
      '@1735689600',
      'Tue, 01 Jan 2030 00:00:00 GMT',
      '<https://other.example/clientes>; rel="successor-version"',
    ])
    const whole = (await send('GET', '/v1/pedidos/1')).headers
    expect(whole.deprecation).toBe('@1767225600')
    // This path has retired in the newer version, so the link leads to the version and not to the
    // path.
    expect(whole.link).toBe('<http://api.example.com/v2>; rel="successor-version"')
  })

  it('VER-2: onResponse gets the version, route and operation of a 410 on a known route', async () => {
    const seen: unknown[] = []
    const service = serviceOf(
      stores(),
      { pedidos: over },
      {
        onResponse: ({ status, version, route, httpRoute, operation }) =>
          seen.push([status, version, route, httpRoute, operation]),
      },
    )
    const { send, close } = await start(express, service)
    closers.push(close)
    await send('GET', '/v1/pedidos/1')
    await send('GET', '/v1/pedidos/1/nothing')
    expect(seen).toEqual([
      [410, 'v1', '/pedidos/{numero}', '/v1/pedidos/{numero}', 'read'],
      [410, undefined, undefined, undefined, undefined],
    ])
  })
})

describe('VER-2: invalid declarations', () => {
  const build = (lives: Lives) => () => serviceOf(stores(), lives)

  it('VER-2: retiring an unknown operation or path throws when the service is built', () => {
    expect(build({ pedidos: { operations: { remov: over } } })).toThrow(
      /"remov", which is not one of its operations. Did you mean "remove"/,
    )
    expect(build({ pedidos: { below: { urgent: over } } })).toThrow(/Did you mean "urgente"/)
    expect(build({ pedidos: { below: { lineas: over } } })).toThrow(/"retired" to that mount instead/)
    expect(build({ pedidos: { below: { cancelaciones: over } } })).toThrow(/"retired" to endpoint\(\) instead/)
    expect(build({ pedidos: { retired: { sinec: '2027-01-01' } as never } })).toThrow(/retired/)
  })

  it('VER-3: contradictory dates and unknown replacements throw when the service is built', () => {
    expect(build({ search: { deprecated: { since: '2027-01-01', sunset: '2026-01-01' } } })).toThrow(
      /before its deprecation/,
    )
    expect(build({ search: { deprecated: { sunset: '2027-01-01' }, retired: { since: '2026-12-31' } } })).toThrow(
      /retires before/,
    )
    expect(build({ search: { deprecated: { use: 'clients' } } })).toThrow(/Did you mean "\/clientes"/)
    expect(build({ search: { deprecated: { use: '/clientes/{id}' } } })).toThrow(/\{id\}/)
    expect(build({ search: { deprecated: { use: 'clientes' } }, clientes: over })).toThrow(
      /before "\/search" does\. Give a replacement that does not retire earlier/,
    )
    expect(build({ search: { deprecated: { since: 'soon' } } })).toThrow(/not a date/)
  })
})

describe('VER-2: retirement and the contract', () => {
  const documents = (before: Lives, after: Lives) =>
    [openapi(serviceOf(stores(), before), 'v1'), openapi(serviceOf(stores(), after), 'v1')] as const
  const breaking = (before: Lives, after: Lives, now: string) =>
    compareContracts(...documents(before, after), { now: new Date(now) })
      .filter((change) => change.breaking)
      .map(({ kind, path }) => `${kind} ${path ?? ''}`)

  it('VER-2: retiring a method is a breaking change, unless its announced sunset has passed', () => {
    const announced: Lives = { pedidos: { operations: { remove: { deprecated: { sunset: '2027-01-01' } } } } }
    const gone: Lives = { pedidos: { operations: { remove: over } } }
    expect(breaking({}, gone, '2028-01-01')).toEqual(['operation-removed /pedidos/{numero}'])
    expect(breaking(announced, gone, '2026-12-31')).toEqual(['operation-removed /pedidos/{numero}'])
    expect(breaking(announced, gone, '2027-01-02')).toEqual([])
    expect(breaking({}, announced, '2026-01-01')).toEqual([])
  })

  it('VER-2: retiring a whole path is a breaking change before its announced date, but not after it', () => {
    const announced: Lives = { search: { retired: { since: '2099-01-01' } } }
    expect(breaking(announced, { search: over }, '2098-01-01')).toEqual(['path-removed '])
    expect(breaking(announced, { search: over }, '2099-01-02')).toEqual([])
  })

  it('VER-2: OpenAPI documents omit retired parts', () => {
    const document = openapi(serviceOf(stores(), { pedidos: over, searchPost: over }), 'v1')
    expect(Object.keys(document.paths)).toEqual(['/clientes', '/clientes/{id}', '/search'])
    expect(Object.keys(document.paths['/search'] as object)).not.toContain('post')
    expect(JSON.stringify(document)).not.toMatch(/edido/)
  })
})

describe('VER-2: links to retired parts', () => {
  const target = defineResource({
    collection: 'autores',
    key: 'id',
    schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
  })
  const libros = defineResource({
    collection: 'libros',
    key: 'id',
    schema: {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'integer' }, autorId: { type: ['integer', 'null'] } },
    },
    links: { autor: { to: target, by: 'autorId' } },
  })
  const data = () => ({
    autores: memoryAdapter(target, { records: [{ id: 1 }] }),
    libros: memoryAdapter(libros, { records: [{ id: 1, autorId: 1 }] }),
  })
  const build = (of: PartLifeOptions, to: PartLifeOptions) => () => {
    const { autores, libros: books } = data()
    return api({ versions: { v1: [mount(target, autores, to), mount(libros, books, of)] } })
  }

  it('REP-1, VER-2: a resource cannot link to a resource that retires earlier', () => {
    expect(build({}, over)).toThrow(
      /The link "autor" of "libros" leads to "autores", which retires: clients that follow it would get 410/,
    )
    expect(build({}, { retired: { since: '2027-01-31' } })).toThrow(/which retires on 2027-01-31/)
    expect(build({ retired: { since: '2027-02-01' } }, { retired: { since: '2027-01-31' } })).toThrow(/retires on/)
    expect(build({ retired: { since: '2027-01-31' } }, { retired: { since: '2027-01-31' } })).not.toThrow()
    expect(build(over, over)).not.toThrow()
    expect(build(over, {})).not.toThrow()
    expect(build({}, { deprecated: true })).not.toThrow()
  })

  it('REP-1, VER-2: a resource cannot link to a sub-collection that retires earlier', () => {
    const padre = defineResource({
      collection: 'padres',
      key: 'id',
      schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
      links: { hijos: { sub: 'hijos' } },
    })
    const hijo = defineResource({
      collection: 'hijos',
      key: 'id',
      schema: {
        type: 'object',
        required: ['id', 'padre'],
        properties: { id: { type: 'integer' }, padre: { type: 'integer' } },
      },
      parent: { of: padre, by: 'padre' },
    })
    const parts = (life: PartLifeOptions) => () =>
      api({ versions: { v1: [mount(padre, memoryAdapter(padre)), mount(hijo, memoryAdapter(hijo), life)] } })
    expect(parts(over)).toThrow(/The link "hijos" of "padres" leads to "hijos"/)
    expect(parts({})).not.toThrow()
  })

  it('REP-7, VER-2: a body with a link to a retired resource gets 422', async () => {
    const { autores, libros: books } = data()
    const service = api({
      baseUrl: 'http://api.example.com',
      onError: () => {},
      versions: {
        v2: [mount(target, autores), mount(libros, books)],
        v1: [mount(target, autores, over)],
        v0: [mount(target, autores)],
      },
    })
    const { send, close } = await listen(service as never)
    closers.push(close)
    const post = async (id: number, version: string) =>
      (await send('POST', '/v2/libros', {}, { id, autor: { href: `http://api.example.com/${version}/autores/1` } }))
        .status
    expect([await post(7, 'v0'), await post(8, 'v2'), await post(9, 'v1')]).toEqual([201, 201, 422])
  })
})

describe.each(frameworks)('VER-2: the option "paths" on %s', (_name, express) => {
  const serviceWith = (paths: Record<string, PartLifeOptions>, routes?: Middleware) => {
    const from = stores()
    return api({
      baseUrl: 'http://api.example.com',
      onError: () => {},
      versions: {
        v1: { resources: resourcesOf(from, {}), paths, ...(routes === undefined ? {} : { routes: routes as never }) },
      },
    })
  }

  it('VER-2: the option "paths" retires and deprecates paths that have no mount', async () => {
    const routes = express.Router()
    routes.get('/a-mano/:id', (_req, res) => void res.send('by hand'))
    const service = serviceWith(
      {
        '/facturas': over,
        'POST /clientes/{id}': { retired: { since: '2020-01-01' } },
        '/a-mano/{id}/x': over,
        '/a-mano': { deprecated: { since: '2026-01-01', use: 'pedidos' } },
      },
      routes as never,
    )
    const { send, close } = await start(express, service)
    closers.push(close)
    for (const path of ['/v1/facturas', '/v1/facturas/1/%zz', '/v1/a-mano/1/x'])
      expectGone(await send('OPTIONS', path), path)
    expectGone(await send('POST', '/v1/clientes/1'), 'POST')
    expect((await send('GET', '/v1/clientes/1')).status).toBe(200)
    const { status, text, headers } = await send('GET', '/v1/a-mano/1')
    expect([status, text, headers.deprecation, headers.link]).toEqual([
      200,
      'by hand',
      '@1767225600',
      '<http://api.example.com/v1/pedidos>; rel="successor-version"',
    ])
    expect((await send('GET', '/v1/pedidos/1')).headers.deprecation).toBeUndefined()
  })

  it('VER-2: the retired path of a hand-written route is case-insensitive, unlike mounted paths', async () => {
    const routes = express.Router()
    routes.get('/a-mano/:id', (_req, res) => void res.send('by hand'))
    // A parameter can be written as `{id}`, or as `:id`, as in Express.
    const paths = { '/a-mano/{id}': over, '/clientes/:id/observaciones': over }
    const { send, close } = await start(express, serviceWith(paths, routes as never))
    closers.push(close)
    for (const path of ['/v1/a-mano/1', '/v1/A-Mano/1', '/v1/clientes/1/OBSERVACIONES'])
      expectGone(await send('GET', path), path)
    expect((await send('GET', '/v1/clientes/1')).status).toBe(200)
    expect((await send('GET', '/v1/CLIENTES/1')).status).toBe(404)
  })

  it('VER-2: a path that is misspelt or already mounted throws when the service is built', () => {
    expect(() => serviceWith({ '/pedido': over })).toThrow(/Did you mean "\/pedidos"/)
    expect(() => serviceWith({ '/pedidos/{id}/urgente': over })).toThrow(
      /is served by a resource or endpoint. Set the life cycle in its mount/,
    )
    expect(() => serviceWith({ 'DELETE /pedidos/{id}': over })).toThrow(/is served by a resource or endpoint/)
    expect(() => serviceWith({ '/facturas': { deprecated: true } })).toThrow(/^"\/facturas" in .* is not served/)
    expect(() => serviceWith({ 'PATCH /pedidos': { deprecated: true } })).toThrow(
      /^"PATCH \/pedidos" in "paths" of v1 is deprecated, but is not served/,
    )
    expect(() => serviceWith({ facturas: over })).toThrow(/is not a path/)
  })
})
