import http from 'node:http'
import net from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, type Middleware, mount, resourceRouter } from '../../src/index.js'
import { versions } from '../../src/middleware/index.js'
import { size } from '../size.js'
import { build, clientes, contratos, data, frameworks, listen, problem, serve, shared, wire } from './fixture.js'

const rejections: unknown[] = []
const collect = (reason: unknown): void => void rejections.push(reason)

beforeAll(() => {
  process.on('unhandledRejection', collect)
})
afterAll(() => {
  process.off('unhandledRejection', collect)
})

describe.each(frameworks)('hostile input on %s', (_name, express) => {
  const service = shared(express)
  const { send } = service
  const alive = async () => expect((await send('GET', '/v8/piezas/1')).status).toBe(200)
  afterAll(() => expect(rejections).toEqual([]))

  it('HDR-5: JSON that is nested a hundred thousand levels deep gets 400', async () => {
    const { send, close } = await serve(express, { bodyLimit: 1_000_000 })
    for (const body of [
      '['.repeat(100_000),
      `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      `{"lote":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
    ]) {
      expect(problem(await send('POST', '/v8/piezas', {}, body)).code).toBe('malformed-body')
      expect(problem(await send('PATCH', '/v8/bolsas/1', {}, body)).code).toBe('malformed-body')
    }
    expect((await send('GET', '/v8/piezas/1')).status).toBe(200)
    await close()
  })

  it('HDR-5: a body over the limit gets a readable 413, with or without Content-Length', async () => {
    const big = `{"lote":"${'x'.repeat(3_000_000)}"}`
    for (const headers of [{}, { 'Transfer-Encoding': 'chunked' }]) {
      expect(problem(await send('POST', '/v8/piezas', headers, big))).toEqual({
        status: 413,
        code: 'body-too-large',
        named: [],
      })
      await alive()
    }
    expect((await send('POST', '/v8/piezas', {}, `{"lote":"${'x'.repeat(19_980)}"}`)).status).toBe(201)
  })

  it('HDR-5: a body that is refused or ignored without being read does not break the connection', async () => {
    const body = `{"lote":"${'x'.repeat(15_000)}"}`
    for (const [method, path, headers, status] of [
      ['POST', '/v8/nada', {}, 404],
      ['POST', '/v8/piezas/1', {}, 405],
      ['POST', '/v8/piezas', { Accept: 'text/html' }, 415],
      ['POST', '/v8/piezas', { 'Content-Type': 'text/plain' }, 415],
      ['GET', '/v8/piezas/1', {}, 200],
      ['DELETE', '/v8/piezas/999', {}, 404],
    ] as const) {
      expect([path, (await send(method, path, headers, body)).status]).toEqual([path, status])
      await alive()
    }
  })

  it('names such as __proto__ are refused or treated as ordinary names, and no prototype is polluted', async () => {
    for (const query of [
      '__proto__=1',
      '__proto__[x]=1',
      'constructor.prototype.x=1',
      'lote[__proto__]=1',
      'expand=__proto__',
      'sort=__proto__',
      'expand=constructor',
      'sort=toString',
    ]) {
      expect([query, (await send('GET', `/v8/piezas?${query}`)).status]).toEqual([query, 400])
    }
    for (const path of [
      '/v8/__proto__',
      '/v8/piezas/__proto__',
      '/v8/piezas/1/__proto__',
      '/v8/notas/__proto__/x',
      '/__proto__/piezas',
    ])
      expect((await send('GET', path)).status).toBe(404)
    for (const [method, path] of [
      ['POST', '/v8/bolsas'],
      ['PATCH', '/v8/bolsas/1'],
      ['PUT', '/v8/bolsas/1'],
    ] as const) {
      expect((await send(method, path, {}, '{"id":1,"__proto__":{"x":1}}')).status).toBe(400)
      expect((await send(method, path, {}, '{"id":1,"a":[{"__proto__":{"x":1}}]}')).status).toBe(400)
      expect((await send(method, path, {}, '{"id":1,"\\u005f_proto__":{"x":1}}')).status).toBe(400)
    }
    const made = await send(
      'PATCH',
      '/v8/bolsas/2',
      {},
      '{"constructor":{"prototype":{"x":1}},"toString":null,"hasOwnProperty":3}',
    )
    expect([made.status, made.json.constructor]).toEqual([200, { prototype: { x: 1 } }])
    expect((await send('PATCH', '/v8/piezas/1', {}, '{"constructor":{"x":1}}')).status).toBe(422)
    expect(({} as { x?: number }).x).toBeUndefined()
  })

  it('an id in a body that differs from the id in the path gets 422', async () => {
    expect((await send('PUT', '/v8/piezas/1', {}, { numero: '1', lote: 'x' })).status).toBe(422)
    expect((await send('PATCH', '/v8/piezas/1', {}, { numero: null })).status).toBe(422)
    expect((await send('PUT', '/v8/tramos/desde=a,hasta=b', {}, { desde: 'b', hasta: 'b' })).status).toBe(422)
  })

  it('REP-5: a malformed Host gets 400 before anything is changed', async () => {
    const before = (await send('GET', '/v8/piezas')).headers['x-total-count']
    for (const host of ['ex ample', 'a/b', 'a@b', '[::1', 'a:99999', 'a,b', '<script>', 'é']) {
      const body = '{"lote":"host"}'
      const answer = await wire(
        service.port,
        `POST /v8/piezas HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ` +
          `${body.length}\r\nConnection: close\r\n\r\n${body}`,
      )
      expect([host, answer.slice(0, 12)]).toEqual([host, 'HTTP/1.1 400'])
      expect(
        (await wire(service.port, `GET /v1/contratos HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).slice(
          0,
          12,
        ),
      ).toBe('HTTP/1.1 400')
    }
    expect((await send('GET', '/v8/piezas')).headers['x-total-count']).toBe(before)
  })

  it('REP-5: links in the response to an HTTP/1.0 request without Host have the local IP address', async () => {
    const answer = await wire(service.port, 'GET /v8/contratos/C1 HTTP/1.0\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(answer).toContain(`"href":"${service.origin}/v8/clientes/1"`)
  })

  it('an absolute-form target is served like its path, and links name the host of the target', async () => {
    const answer = await wire(
      service.port,
      'GET http://api.example:81/v8/contratos/C1 HTTP/1.1\r\nHost: other\r\nConnection: close\r\n\r\n',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(answer).toContain('"href":"http://api.example:81/v8/clientes/1"')
    expect(await wire(service.port, 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 (?:404|200|204) /,
    )
  })

  it('pipelined requests get their responses in order, including the refused requests', async () => {
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
    const body = '{"lote":3}'
    const post =
      'POST /v8/piezas HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ' +
      `${body.length}\r\n\r\n${body}`
    const unread = `POST /v8/nada HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const all = await wire(
      service.port,
      get('/v8/piezas/1') +
        unread +
        post +
        get('/v8/piezas/%zz') +
        get('/v8/piezas?limit=0') +
        get('/v8/bolsas/1') +
        get('/v8/contratos/C1'),
    )
    expect([...all.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
      '200',
      '404',
      '422',
      '400',
      '400',
      '200',
      '200',
    ])
  })

  it('Expect: 100-continue gets a 100, and a body that stays incomplete gets 408', async () => {
    const head = 'POST /v8/contratos HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nConnection: close\r\n'
    expect(await wire(service.port, `${head}Expect: 100-continue\r\nContent-Length: 5\r\n\r\n{"a":`, 200)).toMatch(
      /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /,
    )
    expect(await wire(service.port, `${head}Content-Length: 500\r\n\r\n{"a":`, 1_800)).toMatch(/^HTTP\/1\.1 408 /)
    await alive()
  })

  it('unknown and lower-case methods and huge targets are refused, and huge header fields do no harm', async () => {
    const line = (text: string) => wire(service.port, `${text}\r\nHost: a\r\nConnection: close\r\n\r\n`)
    for (const method of ['TRACE', 'PROPFIND', 'LOCK', 'SEARCH'])
      expect(await line(`${method} /v8/piezas HTTP/1.1`)).toMatch(
        /^HTTP\/1\.1 405 [\s\S]*Allow: GET, HEAD, POST, OPTIONS/,
      )
    for (const method of ['get', 'Get', 'FOO', 'GET\u0000'])
      expect(await line(`${method} /v8/piezas HTTP/1.1`)).toMatch(/^HTTP\/1\.1 400 /)
    expect(await line(`GET /v8/piezas?lote=${'x'.repeat(20_000)} HTTP/1.1`)).toMatch(/^HTTP\/1\.1 431 /)
    expect((await send('GET', '/v8/piezas/1', { 'If-None-Match': '"x",'.repeat(3_500) })).status).toBe(200)
    expect((await send('GET', '/v8/piezas/1', { 'If-Match': '"'.repeat(14_000) })).status).toBe(412)
    expect((await send('GET', '/v8/piezas/1', { Accept: 'a/b;q=0.1,'.repeat(1_300) })).status).toBe(415)
    expect((await send('GET', '/v8/piezas/1', { Prefer: '=;,'.repeat(4_000) })).status).toBe(200)
    await alive()
  })

  it('clients that disconnect at different moments do not affect other clients', async () => {
    const body = '{"lote":"gone"}'
    const text =
      'POST /v8/piezas HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ' +
      `${body.length}\r\n\r\n${body}`
    await Promise.all(
      [10, 30, 60, text.length - 5, text.length].map(
        (length) =>
          new Promise<void>((resolve) => {
            const socket = net.connect(service.port, '127.0.0.1', () => {
              socket.write(text.slice(0, length), () => {
                socket.resetAndDestroy()
                resolve()
              })
            })
            socket.on('error', () => {})
          }),
      ),
    )
    await Promise.all(
      ['/v8/piezas?expand=nota', '/v8/bolsas/1', '/v8/averias/hang'].map(
        (path) =>
          new Promise<void>((resolve) => {
            const req = http.get({ port: service.port, path }, (res) => res.destroy())
            req.on('error', () => {})
            req.on('close', () => resolve())
            setTimeout(() => req.destroy(), 5)
          }),
      ),
    )
    await alive()
  })

  // --- unusual middleware orders and other entry points ---

  it.each([
    ['express.json()', () => express.json() as unknown as Middleware],
    ['express.json() for every media type', () => express.json({ type: '*/*' }) as unknown as Middleware],
    ['express.text()', () => express.text({ type: '*/*' }) as unknown as Middleware],
    ['express.raw()', () => express.raw({ type: '*/*' }) as unknown as Middleware],
    ['express.urlencoded()', () => express.urlencoded({ extended: true }) as unknown as Middleware],
  ])('HDR-5: %s before the API does not change how bodies are handled', async (_what, before) => {
    const { send, close } = await serve(express, {}, [before()])
    expect((await send('POST', '/v8/piezas', {}, { lote: 'x' })).status).toBe(201)
    expect((await send('POST', '/v8/piezas', {}, { lote: 3 })).status).toBe(422)
    expect(
      (await send('PATCH', '/v8/piezas/1', { 'Content-Type': 'application/merge-patch+json' }, { lote: 'y' })).json
        .lote,
    ).toBe('y')
    expect((await send('POST', '/v8/piezas', { 'Content-Type': 'text/plain' }, '{}')).status).toBe(415)
    expect(problem(await send('POST', '/v8/piezas')).code).toBe('missing-body')
    expect((await send('PUT', '/v8/carteras/k1/piezas/1')).status).toBe(204)
    expect((await send('PATCH', '/v8/bolsas/1', {}, '{"a":{"__proto__":{"x":1}}}')).status).toBe(400)
    expect((await send('DELETE', '/v8/piezas/1')).status).toBe(204)
    await close()
  })

  it('behind a middleware that wraps the response, such as compression, the response is complete', async () => {
    const wrapper: Middleware = (_req, res, next) => {
      const { write, end } = res
      res.setHeader('Vary', 'Accept-Encoding')
      res.write = ((...rest: Parameters<typeof write>) => write.apply(res, rest)) as typeof write
      res.end = ((...rest: Parameters<typeof end>) => end.apply(res, rest)) as typeof end
      next()
    }
    const { send, close } = await serve(express, {}, [wrapper])
    const { status, headers, json } = await send('GET', '/v8/piezas?limit=2')
    expect([status, headers.vary, json.length]).toEqual([200, 'Accept-Encoding, Accept', 2])
    const unchanged = await send('GET', '/v8/piezas?limit=2', { 'If-None-Match': headers.etag as string })
    expect([unchanged.status, unchanged.headers.vary]).toEqual([304, 'Accept-Encoding, Accept'])
    await close()
  })

  it('several api() handlers in one app, under different paths, use their own URLs in links', async () => {
    const store = memoryAdapter(contratos, { records: [{ codigo: 'P', descripcion: 'public' }] })
    const open = api({
      versions: { v1: [mount(clientes, memoryAdapter(clientes)), mount(contratos, store, { item: ['GET'] })] },
    })
    const inner = express().use('/deep', build(data()))
    const app = express().use('/private', build(data())).use('/public', open).use('/sub', inner)
    const { send, close, origin } = await listen(app)
    expect((await send('GET', '/private/v8/contratos/C1')).json.cliente.href).toBe(`${origin}/private/v8/clientes/1`)
    expect((await send('GET', '/sub/deep/v8/contratos/C1')).json.cliente.href).toBe(`${origin}/sub/deep/v8/clientes/1`)
    expect((await send('GET', '/sub/deep/v8/a-mano')).text).toBe('by hand')
    expect((await send('GET', '/public/v1/contratos/P')).json.descripcion).toBe('public')
    expect((await send('GET', '/public/v8/contratos/P')).status).toBe(404)
    const problemAt = await send('GET', '/sub/deep/v8/piezas/999')
    expect(problemAt.json.instance).toBe('/sub/deep/v8/piezas/999')
    const elsewhere = { contrato: { href: `${origin}/public/v1/contratos/P` } }
    expect((await send('PATCH', '/private/v8/piezas/1', {}, elsewhere)).status).toBe(422)
    await close()
  })

  it('on a plain Node server without Express, requests are served as usual, and no proxy is trusted', async () => {
    const handler = build(data())
    const { send, close, origin } = await listen((req, res) => handler(req, res, () => res.writeHead(404).end('mine')))
    const { json } = await send('GET', '/v8/contratos/C1', {
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'https',
    })
    expect(json.cliente.href).toBe(`${origin}/v8/clientes/1`)
    expect((await send('POST', '/v8/piezas', {}, { lote: 'x' })).headers.location).toBe(`${origin}/v8/piezas/13`)
    expect((await send('GET', '/other')).text).toBe('mine')
    expect((await send('HEAD', '/v8/piezas/1')).status).toBe(302)
    await close()
  })

  it('resourceRouter() works under a version, with and without baseUrl, next to hand-written routes', async () => {
    const people = memoryAdapter(clientes, { records: [{ id: 1, nombre: 'Ana' }] })
    const store = memoryAdapter(contratos, { records: [{ codigo: 'C1', descripcion: 'uno', clienteId: 1 }] })
    const related = [mount(clientes, people)]
    for (const [baseUrl, base] of [
      [undefined, undefined],
      ['https://api.example/private', 'https://api.example/private/v1'],
    ]) {
      const options = baseUrl === undefined ? {} : { baseUrl }
      const v1 = express.Router()
      v1.get('/contratos-de-hoy', (_req, res) => void res.end('today'))
      v1.use(resourceRouter(contratos, store, { ...options, related }) as never)
      v1.use(resourceRouter(clientes, people, options) as never)
      v1.get('/:other', (req, res) => void res.end(`other ${req.params.other}`))
      const { send, close, origin } = await listen(express().use('/v1', v1 as never))
      const at = base ?? `${origin}/v1`
      expect((await send('GET', '/v1/contratos/C1')).json.cliente).toEqual({ href: `${at}/clientes/1` })
      expect((await send('GET', '/v1/clientes/1')).json).toEqual({ id: 1, nombre: 'Ana' })
      expect((await send('GET', '/v1/contratos-de-hoy')).text).toBe('today')
      expect((await send('GET', '/v1/contrato')).text).toBe('other contrato')
      expect((await send('GET', '/v1/%63ontratos/C1')).status).toBe(200)
      expect((await send('PATCH', '/v1/contratos/C1', {}, { cliente: { href: `${at}/clientes/1` } })).status).toBe(200)
      expect((await send('GET', '/v1/contratos?limit=1')).headers.link).toContain(
        `<${at}/contratos?limit=1&offest=1>; rel="first"`,
      )
      await close()
    }
  })

  it('resourceRouter() behind versions() sends its page links and the deprecation notices of the version', async () => {
    const store = memoryAdapter(clientes, { records: [1, 2, 3].map((id) => ({ id, nombre: `n${id}` })) })
    const handler = express.Router().use(resourceRouter(clientes, store) as never) as never
    const app = express().use(
      versions({ v1: { handler, deprecated: '2024-01-01', successor: 'v2' }, v2: handler }) as never,
    )
    const { send, close, origin } = await listen(app)
    const { status, headers } = await send('GET', '/v1/clientes?sort=-nombre&limit=1')
    expect([status, headers.deprecation]).toEqual([200, '@1704067200'])
    expect(headers.link).toContain('rel="successor-version"')
    expect(headers.link).toMatch(
      new RegExp(`<${origin}/v1/clientes\\?sort=-nombre&limit=1&offest=2&after=[\\w-]+>; rel="next"`),
    )
    await close()
  })

  // --- arbitrary input ---

  const nearly = <T>(...values: T[]) => fc.constantFrom(...values)
  const segment = fc.oneof(
    {
      weight: 8,
      arbitrary: nearly(
        'piezas',
        'contratos',
        'notas',
        'clientes',
        'componentes',
        'bolsas',
        'carteras',
        'tramos',
        'tax',
        'facturas',
        'search',
        'informes',
        'activo',
        'encargos',
        'documentos',
        'sucursales',
      ),
    },
    {
      weight: 6,
      arbitrary: nearly(
        '1',
        '2',
        'C1',
        'C2',
        'k1',
        '0',
        '-1',
        '1.0',
        '%31',
        '%zz',
        '%00',
        '..',
        '',
        '__proto__',
        'numeroDeCabecera=1,secuencia=1',
        'desde=a,hasta=b',
        'a%2Fb%3Fc%23d',
        '9007199254740993',
      ),
    },
    {
      weight: 1,
      arbitrary: fc.string({ maxLength: 8 }).map((text) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, ''))),
    },
  )
  const path = fc
    .tuple(nearly('v8', 'v8', 'v8', 'v8', 'v1', 'v0', 'v2', 'v9'), fc.array(segment, { maxLength: 5 }))
    .map(([version, rest]) => `/${[version, ...rest].join('/')}`)
  const name = nearly(
    'sort',
    'limit',
    'offest',
    'expand',
    'q',
    'lote',
    'peso',
    'estado',
    'pesoDesde',
    'destino.cp',
    'after',
    'offset',
    'x',
    '__proto__',
    '%zz',
  )
  const value = fc.oneof(
    nearly(
      'A',
      '1',
      '-1',
      '1e3',
      '+numero',
      '-lote,peso',
      'contrato',
      'nota,contrato',
      '',
      'true',
      '%',
      '%00',
      'null',
      '9007199254740993',
      '100',
    ),
    fc.string({ maxLength: 6 }).map((text) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, ''))),
  )
  const query = fc
    .array(fc.tuple(name, value), { maxLength: 3 })
    .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.map(([n, v]) => `${n}=${v}`).join('&')}`))
  const header = fc.oneof(
    fc.tuple(nearly('Accept'), nearly('application/json', '*/*', 'text/html', 'application/json;q=0', 'x', '')),
    fc.tuple(nearly('If-Match', 'If-None-Match'), nearly('*', '"x.y"', 'W/"x"', '"', '', '"a","b', 'x')),
    fc.tuple(nearly('Prefer'), nearly('return=minimal', 'return=representation', 'return=', ',,')),
    fc.tuple(
      nearly('Content-Type'),
      nearly('application/json', 'application/merge-patch+json', 'text/plain', 'application/json; charset=x', ';'),
    ),
    fc.tuple(nearly('Host'), nearly('a', 'a:1', 'a b', '', '[::1]:80')),
    fc.tuple(nearly('x-user'), nearly('ana', 'nobody')),
    fc.tuple(
      nearly('x-request-id', 'traceparent', 'X-Forwarded-Host', 'Cache-Control', 'Range'),
      nearly('x', 'no-cache', 'bytes=0-1', ' '),
    ),
  )
  const member = nearly(
    'numero',
    'lote',
    'peso',
    'estado',
    'fecha',
    'marcas',
    'destino',
    'contrato',
    'nota',
    'sitio',
    'codigo',
    'descripcion',
    'cliente',
    'id',
    'nombre',
    'secreto',
    'x',
    'constructor',
  )
  const json = fc.oneof(
    nearly<unknown>(
      null,
      1,
      'A',
      'C1',
      true,
      [],
      {},
      -0,
      1e21,
      0.1,
      { href: '/v8/contratos/C1' },
      { codigo: 'C1' },
      { href: 'http://x/' },
      { calle: 'c', cp: 1 },
      '2024-01-01T00:00:00',
      ['a'],
    ),
    fc.jsonValue({ maxDepth: 3 }),
  )
  const body = fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .uniqueArray(fc.tuple(member, json), { maxLength: 6, selector: ([n]) => n })
        .map((pairs) => JSON.stringify(Object.fromEntries(pairs))),
    },
    { weight: 1, arbitrary: fc.jsonValue().map((any) => JSON.stringify(any)) },
    {
      weight: 1,
      arbitrary: nearly('{', '', '{"__proto__":1}', '{"a":1,"a":2}', 'x'.repeat(20_001), '\u0000', '['.repeat(5_000)),
    },
    { weight: 2, arbitrary: fc.constant(undefined) },
  )
  const method = nearly(
    'GET',
    'GET',
    'HEAD',
    'POST',
    'POST',
    'PUT',
    'PUT',
    'PATCH',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'TRACE',
    'PROPFIND',
  )
  const headers = (maxLength: number) => fc.array(header, { maxLength })
  /** Valid requests. Some of them get a few hostile parts. */
  const valid = fc
    .tuple(
      nearly<readonly [method: string, path: string, body?: string]>(
        ['GET', '/v8/piezas'],
        ['HEAD', '/v8/piezas/1'],
        ['POST', '/v8/piezas', '{"lote":"A"}'],
        ['PUT', '/v8/piezas/2', '{"lote":"B"}'],
        ['PATCH', '/v8/piezas/2', '{"peso":1}'],
        ['PUT', '/v8/contratos/C2/activo'],
        ['DELETE', '/v8/contratos/C2/activo'],
      ),
      fc.oneof(fc.constant(''), query),
      headers(2),
      fc.option(body, { nil: undefined, freq: 4 }),
    )
    .map(([[verb, at, content], asks, fields, other]) => [verb, at, asks, fields, other ?? content] as const)
  const used = [
    200, 201, 202, 204, 302, 304, 400, 401, 403, 404, 405, 408, 410, 412, 413, 414, 415, 422, 428, 429, 431, 503,
  ]

  it('ERR-1: random requests get an allowed status, never 500. Each problem has a code and a clause', async () => {
    const met = new Set<number>()
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.tuple(method, path, query, headers(4), body), valid),
        async ([verb, at, asks, fields, content]) => {
          const answer = await send(verb, at + asks, Object.fromEntries(fields), content)
          met.add(answer.status)
          expect(used).toContain(answer.status)
          if (answer.status >= 400 && answer.status !== 410 && verb !== 'HEAD') {
            // Node itself responds to an empty Host before the request reaches the service.
            if (answer.headers['content-type'] === undefined && answer.status === 400) return
            expect(answer.headers['content-type']).toBe('application/problem+json')
            expect(answer.json).toMatchObject({
              status: answer.status,
              code: expect.any(String),
              clause: expect.any(String),
            })
            for (const error of answer.json.errors ?? [])
              expect(
                error.parameter ??
                  error.pointer ??
                  error.header ??
                  (answer.json.code === 'malformed-body' ? '' : undefined),
              ).toBeTypeOf('string')
          }
          if (answer.status === 201) expect(answer.headers.location).toMatch(/^http:/)
          if (answer.status === 405) expect(answer.headers.allow).toBeTypeOf('string')
          if ([204, 302, 304, 410].includes(answer.status)) expect(answer.text).toBe('')
        },
      ),
      { numRuns: size(1_000, 8_000) },
    )
    expect([...met]).toEqual(expect.arrayContaining([200, 201, 204, 302, 404, 422]))
    await alive()
  })
})
