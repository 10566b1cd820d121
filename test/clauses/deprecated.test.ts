import { afterEach, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { type ApiOptions, api, defineResource, endpoint, mount, type ResponseEvent } from '../../src/index.js'
import { compareContracts, openapi } from '../../src/openapi/index.js'
import { usage } from '../../src/usage/index.js'
import { frameworks, listen } from './fixture.js'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const notas = defineResource({
  collection: 'notas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'integer' },
      texto: { type: 'string', default: '' },
      viejo: { type: ['string', 'null'], deprecated: true, 'x-sunset': '2027-01-01' },
      lineas: {
        type: 'array',
        items: { type: 'object', properties: { n: { type: 'integer' }, codigo: { type: 'string', deprecated: true } } },
      },
      autor: { type: ['object', 'null'], properties: { apodo: { type: 'string', deprecated: true } } },
    },
  },
  filters: {
    texto: true,
    viejo: true,
    contiene: { field: 'texto', deprecated: { sunset: '2027-06-30', use: 'texto' } },
  },
})

const search = endpoint('search', {
  description: 'Searches.',
  methods: {
    GET: {
      query: {
        properties: { q: { type: 'string' }, texto: { type: 'string', deprecated: true, 'x-sunset': '2027-01-01' } },
      },
      handle: ({ query }) => query,
    },
    POST: {
      deprecated: true,
      body: { type: 'object', properties: { a: { type: 'integer', deprecated: true }, b: { type: 'integer' } } },
      handle: () => ({}),
    },
  },
})

const serviceOf = (more: Partial<ApiOptions> = {}) =>
  api({
    jsonPatch: true,
    versions: { v1: [mount(notas, memoryAdapter(notas, { records: [{ id: 1, texto: 'a' }] })), search] },
    ...more,
  })

describe.each(frameworks)('VER-3: deprecated parameters and members on %s', (_name, express) => {
  const start = async (more: Partial<ApiOptions> = {}) => {
    const seen: string[][] = []
    const note = ({ deprecatedUses }: ResponseEvent): void =>
      void seen.push(deprecatedUses.map(({ kind, name }) => `${kind} ${name}`))
    const { send, close } = await listen(express().use(serviceOf({ onResponse: note, ...more })) as never)
    closers.push(close)
    const used = async (...request: Parameters<typeof send>) => {
      const { status } = await send(...request)
      return [status, ...(seen.at(-1) ?? [])]
    }
    return { used, send }
  }

  it('VER-3: a deprecated parameter still works, and the response event names it', async () => {
    const { used } = await start()
    expect(await used('GET', '/v1/notas?texto=a')).toEqual([200])
    expect(await used('GET', '/v1/notas?viejo=a&contiene=b&limit=1')).toEqual([
      200,
      'parameter viejo',
      'parameter contiene',
    ])
    expect(await used('GET', '/v1/search?q=a')).toEqual([200])
    expect(await used('HEAD', '/v1/search?texto=a')).toEqual([200, 'parameter texto'])
  })

  it('VER-3: a deprecated member is accepted, and the response event names its path but never its value', async () => {
    const { used } = await start()
    expect(await used('POST', '/v1/notas', {}, { id: 2, texto: 'x' })).toEqual([201])
    expect(
      await used(
        'POST',
        '/v1/notas',
        {},
        { id: 3, viejo: 'x', lineas: [{ n: 1 }, { codigo: 'secret' }], autor: { apodo: 'x' } },
      ),
    ).toEqual([201, 'member viejo', 'member lineas[].codigo', 'member autor.apodo'])
    expect(await used('PATCH', '/v1/notas/3', {}, { viejo: null })).toEqual([200, 'member viejo'])
    expect(await used('PUT', '/v1/notas/3', {}, { id: 3, texto: 'y' })).toEqual([200])
    const patch = [
      { op: 'add', path: '/lineas/-', value: { codigo: 'x' } },
      { op: 'replace', path: '/viejo', value: 'z' },
    ]
    // Without the operation on `lineas`, only `viejo` is reported.
    expect(
      await used('PATCH', '/v1/notas/1', { 'Content-Type': 'application/json-patch+json' }, patch.slice(1)),
    ).toEqual([200, 'member viejo'])
    expect(
      (await used('PATCH', '/v1/notas/1', { 'Content-Type': 'application/json-patch+json' }, patch)).slice(1),
    ).toEqual(['member lineas[].codigo', 'member viejo'])
    expect(await used('POST', '/v1/search', {}, { a: 1 })).toEqual([200, 'member a', 'operation POST /search'])
    expect(
      await used('POST', '/v1/notas', { 'Content-Type': 'application/xml' }, '<nota><id>9</id><viejo>x</viejo></nota>'),
    ).toEqual([201, 'member viejo'])
    // The use of a deprecated member counts even if the body is refused.
    expect(await used('POST', '/v1/notas', {}, { viejo: 'x', nope: 1 })).toEqual([422, 'member viejo'])
  })

  it('VER-3: a JSON Patch with an unknown path gets 422, even if the path is very long', async () => {
    const { send } = await start()
    const patch = (path: string) =>
      send(
        'PATCH',
        '/v1/notas/1',
        { 'Content-Type': 'application/json-patch+json' },
        JSON.stringify([{ op: 'remove', path }]),
      )
    const short = await patch('/nada/nada')
    const long = await patch('/nada'.repeat(50_000))
    expect([short.status, long.status]).toEqual([422, 422])
  })

  it('VER-3: uses of deprecated parts are counted per client', async () => {
    const counts = usage({ client: (_, req) => String(req.headers['x-client']) })
    closers.push(() => counts.close())
    const { send } = await start({ usage: counts })
    await send('GET', '/v1/notas?viejo=a', { 'x-client': 'shop' })
    await send('POST', '/v1/search', { 'x-client': 'billing' }, { b: 1 })
    const { wouldBreak } = await counts.read()
    expect(
      wouldBreak.map(({ clause, route, detail, client, count }) => [clause, route, detail, client, count]).sort(),
    ).toEqual([
      ['VER-3', '/v1/notas', 'parameter viejo', 'shop', 1],
      ['VER-3', '/v1/search', 'operation POST /search', 'billing', 1],
    ])
  })
})

describe('VER-3: OpenAPI documents with deprecated parts', () => {
  it('VER-3: OpenAPI documents list the deprecated parts, their sunset dates and their replacements', () => {
    const document = openapi(serviceOf(), 'v1')
    const { parameters = {}, schemas = {} } = document.components as Record<
      string,
      Record<string, Record<string, unknown>>
    >
    expect(parameters.NotaContieneFilter).toMatchObject({
      deprecated: true,
      'x-sunset': '2027-06-30',
      description: expect.stringContaining('Use `texto` instead'),
    })
    expect(parameters.NotaViejoFilter).toMatchObject({ deprecated: true, 'x-sunset': '2027-01-01' })
    expect(parameters.NotaTextoFilter).not.toHaveProperty('deprecated')
    expect(schemas.Nota?.properties).toMatchObject({ viejo: { deprecated: true, 'x-sunset': '2027-01-01' } })
    expect(document.paths['/search']).toMatchObject({
      get: {
        parameters: expect.arrayContaining([
          expect.objectContaining({ name: 'texto', deprecated: true, 'x-sunset': '2027-01-01' }),
        ]),
      },
    })
  })

  it('VER-3: removing a deprecated part is a breaking change before its sunset, but not after it', () => {
    const before = openapi(serviceOf(), 'v1')
    const { properties } = notas.schema as { properties: Record<string, object> }
    const { viejo: _, ...left } = properties
    const slim = defineResource({
      collection: 'notas',
      key: 'id',
      schema: { ...notas.schema, properties: left } as never,
      filters: { texto: true } as never,
    })
    const after = openapi(
      api({ jsonPatch: true, versions: { v1: [mount(slim, memoryAdapter(slim) as never), search] } }),
      'v1',
    )
    const breaking = (now: string) =>
      compareContracts(before, after, { now: new Date(now) })
        .filter((change) => change.breaking && change.kind.includes('removed'))
        .map(({ kind }) => kind)
    expect(breaking('2026-06-01')).toContain('filter-removed')
    expect(breaking('2027-07-01')).toEqual([])
  })

  it('VER-3: a filter can be deprecated only in favor of another filter of the resource', () => {
    expect(() =>
      defineResource({
        collection: 'notas',
        key: 'id',
        schema: notas.schema as never,
        filters: { a: { field: 'texto', deprecated: { use: 'textos' } }, texto: true } as never,
      }),
    ).toThrow(/deprecated in favor of "textos", which is not another filter of the resource. Did you mean "texto"/)
    expect(() =>
      defineResource({
        collection: 'notas',
        key: 'id',
        schema: notas.schema as never,
        filters: { texto: { deprecated: { use: 'texto' } } } as never,
      }),
    ).toThrow(/deprecated in favor of "texto", which is not another filter of the resource/)
  })
})
