import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, mount } from '../../src/index.js'
import { build, clientes, contratos, data, frameworks, listen, pieces, problem, serve, shared } from './fixture.js'

describe.each(frameworks)('the REP clauses on %s', (_name, express) => {
  const service = shared(express)
  const { send } = service

  const brief = (origin: string) => ({
    numero: 1,
    lote: 'A',
    peso: 0,
    estado: 'nueva',
    fecha: '2024-01-01T08:00:00.0000001',
    marcas: ['fragil'],
    destino: { calle: 'Calle Mayor 0', cp: null },
    creadoPor: 'store',
    contrato: { href: `${origin}/v8/contratos/C1`, esUrgente: true, estaActivo: true },
    nota: { href: `${origin}/v8/notas/a%2Fb%3Fc%23d` },
    sitio: { href: `${origin}/v8/sucursales/MAD`, ciudad: 'Madrid' },
    componentes: { href: `${origin}/v8/piezas/1/componentes` },
  })
  const contract = (origin: string) => ({
    codigo: 'C1',
    descripcion: 'uno',
    esUrgente: true,
    estaActivo: true,
    cliente: { href: `${origin}/v8/clientes/1` },
  })

  it('REP-1, REP-8: an association is an object with an absolute href. writeOnly members are not sent', async () => {
    const { json, text } = await send('GET', '/v8/piezas/1')
    expect(json).toEqual(brief(service.origin))
    expect(Object.keys(json)).toEqual([
      'componentes',
      'numero',
      'lote',
      'peso',
      'estado',
      'fecha',
      'marcas',
      'destino',
      'creadoPor',
      'contrato',
      'nota',
      'sitio',
    ])
    expect(text).not.toContain('s0')
    expect((await send('GET', '/v8/piezas')).json[0]).toEqual(json)
  })

  it('REP-2, REP-3: "expand" replaces links with full records, whose own links are not expanded', async () => {
    const { json } = await send('GET', '/v8/piezas/1?expand=contrato,nota')
    expect(json).toEqual({
      ...brief(service.origin),
      contrato: contract(service.origin),
      nota: { id: 'a/b?c#d', texto: 'x', anterior: null },
    })
    expect((await send('GET', '/v8/piezas?expand=nota,contrato&limit=1')).json).toEqual([json])
    expect((await send('GET', '/v8/piezas/1?expand=contrato')).json).toEqual({
      ...brief(service.origin),
      contrato: contract(service.origin),
    })
  })

  it('REP-3: an association with an absent target has only its href, and a null association is null', async () => {
    for (const query of ['', '?expand=contrato']) {
      expect((await send('GET', `/v8/piezas/6${query}`)).json.contrato).toEqual({
        href: `${service.origin}/v8/contratos/ausente`,
      })
      expect((await send('GET', `/v8/piezas/7${query}`)).json.contrato).toBeNull()
    }
  })

  it('REP-3: a list of 100 items with two expansions takes three adapter calls', async () => {
    const { send, close, data } = await serve(express)
    for (let numero = 13; numero <= 110; numero += 1) {
      data.notas.create({ id: `n${numero}` }, {} as never)
      data.contratos.create(
        { codigo: `D${numero}`, descripcion: 'x', esUrgente: false, estaActivo: true, clienteId: 1 },
        {
          scope: {},
        } as never,
      )
      data.piezas.create(
        { ...pieces[0], numero, contratoId: `D${numero}`, notaId: `n${numero}` } as never,
        { scope: {} } as never,
      )
    }
    for (const name of Object.keys(data.counts)) delete data.counts[name]
    const { json } = await send('GET', '/v8/piezas?limit=100&expand=contrato,nota&sort=-numero')
    expect(json).toHaveLength(100)
    expect(json[0].contrato.codigo).toBe('D110')
    expect(data.counts).toEqual({ 'piezas.list': 1, 'contratos.read': 1, 'notas.read': 1 })
    for (const name of Object.keys(data.counts)) delete data.counts[name]
    await send('GET', '/v8/piezas?limit=100')
    expect(data.counts).toEqual({ 'piezas.list': 1, 'contratos.read': 1 })
    await close()
  })

  it('REP-4: a local date-time can have 0 to 7 fractional digits in a request, and has 7 in a response', async () => {
    const write = async (fecha: unknown) => send('PATCH', '/v8/piezas/2', {}, { fecha })
    for (const [given, kept] of [
      ['2024-02-29T23:59:59', '2024-02-29T23:59:59.0000000'],
      ['2024-02-29T23:59:59.1234567', '2024-02-29T23:59:59.1234567'],
      ['2024-02-29T23:59:59.5', '2024-02-29T23:59:59.5000000'],
    ]) {
      expect((await write(given)).json.fecha).toBe(kept)
      expect((await send('GET', '/v8/piezas/2')).json.fecha).toBe(kept)
    }
    for (const fecha of [
      '2024-02-29T23:59:59.12345678',
      '2023-02-29T00:00:00',
      '2024-01-01',
      '2024-01-01T00:00:00Z',
      '2024-01-01T00:00:00+01:00',
      '2024-01-01T24:00:00',
      3,
    ]) {
      expect(problem(await write(fecha)), String(fecha)).toEqual({
        status: 422,
        code: 'invalid-body',
        named: ['/fecha'],
      })
    }
  })

  it('REP-5: links begin with a configured baseUrl, regardless of the Host and of proxies', async () => {
    const { send, close } = await serve(express, { baseUrl: 'https://api.example.com/private/' })
    const { json, headers } = await send('GET', '/v8/piezas/1', {
      Host: 'evil.example',
      'X-Forwarded-Host': 'evil.example',
    })
    expect(json).toEqual(brief('https://api.example.com/private'))
    expect((await send('GET', '/v8/piezas/1')).headers.etag).toBe(headers.etag)
    await close()
  })

  it('REP-5: without baseUrl, links have the host of the request, or the host that a trusted proxy sends', async () => {
    const href = async (trust: unknown, headers: Record<string, string>) => {
      const app = express()
      if (trust !== undefined) app.set('trust proxy', trust)
      app.use('/private', build(data()))
      const { send, close } = await listen(app)
      const { json } = await send('GET', '/private/v8/contratos/C1', headers)
      await close()
      return json.cliente.href
    }
    const forwarded = { Host: 'inner:8080', 'X-Forwarded-Host': 'Api.Example.com', 'X-Forwarded-Proto': 'https' }
    expect(await href(undefined, forwarded)).toBe('http://inner:8080/private/v8/clientes/1')
    expect(await href('10.0.0.1', forwarded)).toBe('http://inner:8080/private/v8/clientes/1')
    expect(await href('loopback', forwarded)).toBe('https://api.example.com/private/v8/clientes/1')
  })

  it('REP-7: PUT accepts the body that GET returned, plain and expanded, and changes no member', async () => {
    const { send, close } = await serve(express)
    for (const path of [
      '/v8/piezas/1',
      '/v8/piezas/6',
      '/v8/piezas/7',
      '/v8/contratos/C1',
      '/v8/notas/a%2Fb%3Fc%23d',
      '/v8/piezas/1/componentes/numeroDeCabecera=1,secuencia=1',
      '/v1/contratos/C1',
    ]) {
      for (const query of path.includes('piezas') && !path.includes('componentes')
        ? ['', '?expand=contrato,nota', '?expand=nota']
        : ['']) {
        const given = await send('GET', path + query)
        const put = await send('PUT', path + query, { 'If-Match': given.headers.etag as string }, given.text)
        expect([path + query, put.status, put.json]).toEqual([path + query, 200, given.json])
        expect((await send('GET', path + query)).json).toEqual(given.json)
      }
    }
    await close()
  })

  it('REP-7: PUT keeps values that the client cannot see, such as writeOnly members', async () => {
    const { send, close, data } = await serve(express)
    const { json } = await send('GET', '/v8/piezas/1')
    await send('PUT', '/v8/piezas/1', {}, json)
    const [stored] = data.piezas.read([1], { scope: {} } as never)
    expect(stored?.value).toMatchObject({
      secreto: 's0',
      sitio: { href: '/sucursales/MAD', ciudad: 'Madrid' },
      contratoId: 'C1',
    })
    await close()
  })

  it('REP-7: a link in a body can be null, the key of the target, or its URL in any unretired version', async () => {
    const { send, close, origin } = await serve(express)
    const lead = (contrato: unknown) => send('PATCH', '/v8/piezas/3', {}, { contrato })
    const c2 = { href: `${origin}/v8/contratos/C2`, esUrgente: false, estaActivo: false }
    for (const given of [
      { href: `${origin}/v8/contratos/C2` },
      { href: `${origin}/v8/contratos/C2/` },
      { href: `${origin}/v8/contratos/%432?expand=cliente` },
      { href: `${origin}/v1/contratos/C2` },
      { href: '/v8/contratos/C2', esUrgente: 'whatever', nada: {} },
      { href: `${origin}/v8/clientes/1/contratos/C2` },
      { codigo: 'C2', descripcion: 3 },
      { href: null, codigo: 'C2' },
    ]) {
      await lead({ codigo: 'C1' })
      const answer = await lead(given)
      expect([JSON.stringify(given), answer.status, answer.json?.contrato]).toEqual([JSON.stringify(given), 200, c2])
    }
    expect((await lead(null)).json.contrato).toBeNull()
    await close()
  })

  it('REP-7: a link without a target in this service gets a 422 that names the member', async () => {
    const { origin } = service
    for (const href of [
      'http://elsewhere.example/v8/contratos/C2',
      `${origin}.evil/v8/contratos/C2`,
      `https://127.0.0.1:${service.port}/v8/contratos/C2`,
      `//127.0.0.1:${service.port}/v8/contratos/C2`,
      `${origin}/v0/contratos/C2`,
      `${origin}/v2/contratos/C2`,
      `${origin}/v9/contratos/C2`,
      `${origin}/v8/contratos`,
      `${origin}/v8/contratos/`,
      `${origin}/v8/contratos/C2/activo`,
      `${origin}/v8/clientes/1`,
      `${origin}/v8/contratos/%zz`,
      `${origin}/v8/contratos/C2#x`,
      'contratos/C2',
      '',
    ]) {
      expect([href, problem(await send('PATCH', '/v8/piezas/3', {}, { contrato: { href } }))]).toEqual([
        href,
        { status: 422, code: 'invalid-body', named: ['/contrato'] },
      ])
    }
    for (const contrato of ['C2', 3, [], {}, true, { href: 3 }, { codigo: 3 }, { codigo: null }]) {
      expect([contrato, problem(await send('PATCH', '/v8/piezas/3', {}, { contrato })).named]).toEqual([
        contrato,
        ['/contrato'],
      ])
      expect([contrato, problem(await send('POST', '/v8/piezas', {}, { lote: 'x', contrato })).named]).toEqual([
        contrato,
        ['/contrato'],
      ])
    }
    const forms = `give { "href": "${origin}/v8/contratos/..." }, or { "codigo": ... }.`
    for (const [contrato, fault] of [
      ['C2', 'must be an object and lead to an item of contratos'],
      [{ codigo: 3 }, 'must lead to an item of contratos'],
    ])
      expect((await send('PATCH', '/v8/piezas/3', {}, { contrato })).json.detail).toBe(`"contrato" ${fault}: ${forms}`)
    expect(problem(await send('POST', '/v8/piezas', {}, { lote: 'x', contratoId: 'C1' })).named).toEqual([
      '/contratoId',
    ])
  })

  it('REP-7: the target of a link must exist, and must be in the scope of the caller', async () => {
    const absent = await send('PATCH', '/v8/piezas/3', {}, { contrato: { href: `${service.origin}/v8/contratos/C9` } })
    expect(problem(absent)).toEqual({ status: 422, code: 'invalid-body', named: ['/contrato'] })
    expect(absent.json.errors[0].code).toBe('reference')
    const docs = defineResource({
      collection: 'documentos',
      key: 'id',
      schema: {
        type: 'object',
        required: ['id', 'de'],
        properties: { id: { type: 'string' }, de: { type: 'string' } },
      },
      scope: (principal) => ({ de: String(principal) }),
    })
    const usos = defineResource({
      collection: 'usos',
      key: 'id',
      schema: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'integer' }, docId: { type: ['string', 'null'] } },
      },
      links: { doc: { to: docs, by: 'docId', show: ['de'] } },
    })
    const app = express().use(
      api({
        principal: () => 'ana',
        versions: {
          v1: [
            mount(
              docs,
              memoryAdapter(docs, {
                records: [
                  { id: 'suyo', de: 'ana' },
                  { id: 'ajeno', de: 'eva' },
                ],
              }),
            ),
            mount(usos, memoryAdapter(usos, { records: [{ id: 9, docId: 'ajeno' }] })),
          ],
        },
      }),
    )
    const { send: ask, close, origin } = await listen(app)
    expect((await ask('POST', '/v1/usos', {}, { id: 1, doc: { id: 'suyo' } })).status).toBe(201)
    expect(problem(await ask('POST', '/v1/usos', {}, { id: 2, doc: { id: 'ajeno' } })).named).toEqual(['/doc'])
    // A link must not reveal records of another principal.
    expect((await ask('GET', '/v1/usos/9?expand=doc')).json).toEqual({
      id: 9,
      doc: { href: `${origin}/v1/documentos/ajeno` },
    })
    await close()
  })

  it('REP-7: a stored link with an absent target does not block other changes', async () => {
    const { json } = await send('GET', '/v8/piezas/6')
    expect((await send('PUT', '/v8/piezas/6', {}, json)).status).toBe(200)
    expect((await send('PATCH', '/v8/piezas/6', {}, { lote: 'L' })).status).toBe(200)
  })

  it('REP-7: a link gets 422 if it contradicts the key of the linking record, or names the wrong parent', async () => {
    const partes = defineResource({
      collection: 'partes',
      key: ['de', 'n'],
      schema: {
        type: 'object',
        required: ['de', 'n'],
        properties: { de: { type: 'integer' }, n: { type: 'integer' } },
      },
      parent: { of: clientes, by: 'de' },
      links: { duenio: { to: clientes, by: 'de' } },
    })
    const citas = defineResource({
      collection: 'citas',
      key: 'id',
      schema: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'integer' }, de: { type: ['integer', 'null'] }, n: { type: ['integer', 'null'] } },
      },
      links: { parte: { to: partes, by: ['de', 'n'] } },
    })
    const people = memoryAdapter(clientes, {
      records: [
        { id: 1, nombre: 'a' },
        { id: 2, nombre: 'b' },
      ],
    })
    const app = express().use(
      api({
        versions: {
          v1: [mount(clientes, people), mount(partes, memoryAdapter(partes)), mount(citas, memoryAdapter(citas))],
        },
      }),
    )
    const { send, close, origin } = await listen(app)
    const made = await send('POST', '/v1/clientes/1/partes', {}, { n: 5, duenio: { id: 1 } })
    expect(made.headers.location).toBe(`${origin}/v1/clientes/1/partes/de=1,n=5`)
    expect((await send('GET', '/v1/clientes/1/partes/de=1,n=5')).json).toEqual({
      de: 1,
      n: 5,
      duenio: { href: `${origin}/v1/clientes/1` },
    })
    expect(problem(await send('POST', '/v1/clientes/1/partes', {}, { n: 6, duenio: { id: 2 } })).status).toBe(422)
    expect(
      problem(await send('PUT', '/v1/clientes/1/partes/de=1,n=5', {}, { de: 1, n: 5, duenio: { id: 2 } })).named,
    ).toEqual(['/duenio'])
    let cites = 0
    const cite = (parte: unknown) => {
      cites += 1
      return send('POST', '/v1/citas', { Prefer: 'return=representation' }, { id: cites, parte })
    }
    expect((await cite({ href: `${origin}/v1/clientes/1/partes/de=1,n=5` })).json.parte.href).toBe(
      `${origin}/v1/clientes/1/partes/de=1,n=5`,
    )
    expect(problem(await cite({ href: `${origin}/v1/clientes/2/partes/de=1,n=5` })).named).toEqual(['/parte'])
    await close()
  })

  it('REP-8: an absent optional member becomes its default, or else null if it is nullable', async () => {
    const { send, close } = await serve(express)
    const { headers } = await send('POST', '/v8/piezas', {}, { lote: 'x' })
    const path = new URL(headers.location as string).pathname
    const bare = {
      numero: 13,
      lote: 'x',
      peso: null,
      estado: 'nueva',
      fecha: null,
      marcas: [],
      creadoPor: 'store',
      contrato: null,
      nota: null,
      sitio: null,
      componentes: expect.anything(),
    }
    expect((await send('GET', path)).json).toEqual(bare)
    await send('PATCH', path, {}, { peso: 3, estado: 'enviada', destino: { calle: 'c' } })
    expect((await send('GET', path)).json).toEqual({
      ...bare,
      peso: 3,
      estado: 'enviada',
      destino: { calle: 'c', cp: null },
    })
    expect((await send('PUT', path, {}, { lote: 'y' })).json).toEqual({ ...bare, lote: 'y' })
    await close()
  })

  it('REP-8: a schema is closed by default, and all undeclared members are reported at once', async () => {
    const answer = await send('POST', '/v8/piezas', {}, { lot: 'x', destino: { calle: 'c', calles: 1 }, secreto: 3 })
    expect(problem(answer)).toEqual({
      status: 422,
      code: 'invalid-body',
      named: expect.arrayContaining(['/lot', '/lote', '/destino/calles', '/secreto']),
    })
    expect(answer.json.errors.find((error: { pointer: string }) => error.pointer === '/lot').suggestion).toBe('lote')
    expect(
      (await send('POST', '/v8/bolsas', { Prefer: 'return=representation' }, { id: 77, any: { thing: [1] } })).json,
    ).toEqual({
      id: 77,
      any: { thing: [1] },
    })
  })

  it('REP-8: POST refuses readOnly members, and PUT and PATCH cannot change them or the assigned key', async () => {
    expect(problem(await send('POST', '/v8/piezas', {}, { lote: 'x', creadoPor: 'me' }))).toEqual({
      status: 422,
      code: 'invalid-body',
      named: ['/creadoPor'],
    })
    expect((await send('PATCH', '/v8/piezas/4', {}, { creadoPor: 'store', numero: 4 })).status).toBe(200)
    for (const method of ['PATCH', 'PUT']) {
      expect([method, problem(await send(method, '/v8/piezas/4', {}, { lote: 'x', creadoPor: 'me' }))]).toEqual([
        method,
        { status: 422, code: 'invalid-body', named: ['/creadoPor'] },
      ])
      expect([method, problem(await send(method, '/v8/piezas/4', {}, { lote: 'x', numero: 5 }))]).toEqual([
        method,
        { status: 422, code: 'invalid-body', named: ['/numero'] },
      ])
    }
    expect((await send('PUT', '/v8/piezas/4', {}, { lote: 'x' })).json.creadoPor).toBe('store')
  })

  it('REP-8: undeclared stored members are not shown and block no PATCH, but sending them gets 422', async () => {
    const store = memoryAdapter(contratos, { records: [{ codigo: 'C1', descripcion: 'uno', interno: 'x' } as never] })
    const { send, close } = await listen(
      express().use(api({ versions: { v1: [mount(clientes, memoryAdapter(clientes)), mount(contratos, store)] } })),
    )
    expect((await send('GET', '/v1/contratos/C1')).text).not.toContain('interno')
    for (const interno of ['x', 'y', null]) {
      expect([interno, problem(await send('PATCH', '/v1/contratos/C1', {}, { interno }))]).toEqual([
        interno,
        { status: 422, code: 'invalid-body', named: ['/interno'] },
      ])
    }
    expect((await send('PATCH', '/v1/contratos/C1', {}, { esUrgente: true })).status).toBe(200)
    await close()
  })
})
