import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import type { Permission } from '../../src/auth/index.js'
import { api, defineResource, mount } from '../../src/index.js'
import { type Answer, clientes, type Express, frameworks, listen, problem, type Served, serve } from './fixture.js'

const type = { 'Content-Type': 'application/json-patch+json' }
const codes = (answer: Answer) =>
  (answer.json.errors ?? []).map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
const at = (value: unknown): string => `2024-01-31T08:30:00.${value}`

describe.each(frameworks)('JSON Patch as an option on %s', (_, express: Express) => {
  let service: Served
  const patch = (path: string, operations: unknown, headers = {}) =>
    service.send('PATCH', `/v8/${path}`, { ...type, ...headers }, operations)
  const get = async (path: string) => (await service.send('GET', `/v8/${path}`)).json
  beforeAll(async () => {
    service = await serve(express, { jsonPatch: true })
  })
  afterAll(() => service.close())

  /** The stored record, including writeOnly members. */
  const stored = async (numero: number) => {
    const [found] = await service.data.piezas.read([numero], {
      principal: undefined,
      requestId: '',
      scope: {},
    } as never)
    return found?.value as Record<string, unknown>
  }

  it('VERB-5: unless "jsonPatch" is set, a JSON Patch gets 415, and Accept-Patch lists the allowed types', async () => {
    const off = await serve(express)
    const types = 'application/merge-patch+json, application/json, application/xml, text/xml'
    const refused = await off.send('PATCH', '/v8/piezas/1', type, [])
    expect([refused.status, refused.headers['accept-patch'], refused.headers.accept]).toEqual([415, types, undefined])
    expect((await off.send('OPTIONS', '/v8/piezas/1')).headers['accept-patch']).toBe(types)
    await off.close()
  })

  it('VERB-5, RFC 5789 3.1: if a path allows PATCH, responses to OPTIONS and a 415 to PATCH have Accept-Patch', async () => {
    const types =
      'application/merge-patch+json, application/json, application/xml, text/xml, application/json-patch+json'
    expect((await service.send('OPTIONS', '/v8/piezas/1')).headers['accept-patch']).toBe(types)
    for (const path of [
      '/v8/piezas',
      '/v8/sucursales/MAD',
      '/v8/facturas',
      '/v8/search',
      '/v8/contratos/C1/activo',
      '/v8/clientes/1/contratos/C1',
    ]) {
      expect([path, (await service.send('OPTIONS', path)).headers['accept-patch']]).toEqual([path, undefined])
    }
    for (const sent of [
      'text/plain',
      'application/json-patch',
      'application/json-patch+json; charset=latin1',
      'application/xml-patch+xml',
    ]) {
      const answer = await service.send('PATCH', '/v8/piezas/1', { 'Content-Type': sent }, '[]')
      expect([sent, answer.status, answer.headers['accept-patch']]).toEqual([sent, 415, types])
    }
    for (const [method, path] of [
      ['PUT', '/v8/piezas/1'],
      ['POST', '/v8/piezas'],
    ] as const) {
      const answer = await service.send(method, path, type, [])
      expect([answer.status, answer.headers['accept-patch']]).toEqual([415, undefined])
    }
  })

  it('VERB-5: a patch can address every part of the GET response: links, nulls, nested members and lists', async () => {
    const before = await get('piezas/1')
    const { origin } = service
    const answer = await patch('piezas/1', [
      { op: 'test', path: '', value: before },
      {
        op: 'test',
        path: '/contrato',
        value: { href: `${origin}/v8/contratos/C1`, esUrgente: true, estaActivo: true },
      },
      { op: 'test', path: '/componentes/href', value: `${origin}/v8/piezas/1/componentes` },
      { op: 'test', path: '/destino/cp', value: null },
      { op: 'replace', path: '/contrato/href', value: '/v8/contratos/C2' },
      { op: 'replace', path: '/destino/calle', value: 'Otra' },
      { op: 'add', path: '/marcas/-', value: 'urgente' },
      { op: 'add', path: '/marcas/0', value: 'primera' },
      { op: 'move', from: '/marcas/2', path: '/lote' },
      { op: 'replace', path: '/peso', value: 0.5 },
      { op: 'replace', path: '/fecha', value: at('5') },
    ])
    expect([answer.status, answer.headers['content-location']]).toEqual([200, `${origin}/v8/piezas/1`])
    expect(answer.json).toEqual({
      ...before,
      contrato: { href: `${origin}/v8/contratos/C2`, esUrgente: false, estaActivo: false },
      destino: { calle: 'Otra', cp: null },
      marcas: ['primera', 'fragil'],
      lote: 'urgente',
      peso: 0.5,
      fecha: at('5000000'),
    })
    expect(await stored(1)).toMatchObject({
      secreto: 's0',
      creadoPor: 'store',
      contratoId: 'C2',
      sitio: { href: '/sucursales/MAD', ciudad: 'Madrid' },
    })
    expect(await get('piezas/1')).toEqual(answer.json)
  })

  it('VERB-5: an empty patch gets 200 and changes no member', async () => {
    const before = await stored(2)
    expect((await patch('piezas/2', [])).status).toBe(200)
    expect(await stored(2)).toEqual(before)
  })

  it('VERB-5: a removed member becomes null if the schema allows null, else absent, never the default', async () => {
    const before = await stored(3)
    const answer = await patch('piezas/3', [
      { op: 'remove', path: '/peso' },
      { op: 'remove', path: '/estado' },
      { op: 'remove', path: '/marcas' },
      { op: 'remove', path: '/contrato' },
      { op: 'remove', path: '/destino/cp' },
    ])
    expect(answer.status).toBe(200)
    const { estado: _, marcas: __, ...rest } = before
    expect(await stored(3)).toEqual({
      ...rest,
      peso: null,
      contratoId: null,
      destino: { calle: 'Calle Mayor 2', cp: null },
    })
  })

  it('VERB-5: an operation can replace the whole record by another object with the same key', async () => {
    const answer = await patch('piezas/4', [{ op: 'add', path: '', value: { lote: 'Z', contrato: { codigo: 'C1' } } }])
    expect(codes(answer)).toEqual(['/numero fixed'])
    expect(
      (
        await patch('piezas/4', [
          { op: 'replace', path: '', value: { numero: 4, lote: 'Z', contrato: { codigo: 'C1' } } },
        ])
      ).status,
    ).toBe(200)
    expect(await stored(4)).toMatchObject({ numero: 4, lote: 'Z', contratoId: 'C1', secreto: 's3', creadoPor: 'store' })
    expect(await stored(4)).not.toHaveProperty('estado')
    for (const operation of [
      { op: 'remove', path: '' },
      { op: 'replace', path: '', value: [] },
      { op: 'move', from: '/lote', path: '' },
    ]) {
      expect([operation, codes(await patch('piezas/4', [operation]))]).toEqual([operation, [' type']])
    }
  })

  it('REP-8: an unchanged read-only member is accepted. If it is changed or removed, the response is 422', async () => {
    const value = 'store'
    for (const operations of [
      [{ op: 'replace', path: '/creadoPor', value }],
      [
        { op: 'remove', path: '/creadoPor' },
        { op: 'add', path: '/creadoPor', value },
      ],
      [{ op: 'copy', from: '/creadoPor', path: '/lote' }],
    ])
      expect((await patch('piezas/5', operations)).status).toBe(200)
    for (const operation of [
      { op: 'replace', path: '/creadoPor', value: 'yo' },
      { op: 'remove', path: '/creadoPor' },
      { op: 'move', from: '/creadoPor', path: '/lote' },
    ])
      expect(codes(await patch('piezas/5', [operation]))).toEqual(['/creadoPor readOnly'])
    expect((await stored(5)).creadoPor).toBe('store')
  })

  it('REP-8: a writeOnly member can be added, but not tested, replaced, copied or removed', async () => {
    for (const operation of [
      { op: 'test', path: '/secreto', value: 's5' },
      { op: 'remove', path: '/secreto' },
      { op: 'replace', path: '/secreto', value: 'x' },
    ])
      expect(codes(await patch('piezas/6', [operation]))).toEqual(['/0/path path-absent'])
    expect(codes(await patch('piezas/6', [{ op: 'copy', from: '/secreto', path: '/lote' }]))).toEqual([
      '/0/from path-absent',
    ])
    expect((await patch('piezas/6', [{ op: 'replace', path: '/lote', value: 'x' }])).status).toBe(200)
    expect((await stored(6)).secreto).toBe('s5')
    const answer = await patch('piezas/6', [{ op: 'add', path: '/secreto', value: 'nuevo' }])
    expect([answer.status, answer.json.secreto]).toEqual([200, undefined])
    expect((await stored(6)).secreto).toBe('nuevo')
  })

  it('REP-8: a member that is removed from an item of a list stays removed if the item moves', async () => {
    const listas = defineResource({
      collection: 'listas',
      key: 'id',
      schema: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'integer' },
          items: {
            type: 'array',
            items: {
              type: 'object',
              required: ['k', 'nota'],
              properties: {
                k: { type: 'string' },
                nota: { type: ['string', 'null'] },
                creado: { type: 'integer', readOnly: true },
                secreto: { type: 'string', writeOnly: true },
              },
            },
          },
        },
      },
    })
    const [a, b] = ['a', 'b'].map((k, i) => ({ k, nota: 'n', creado: i, secreto: `s${k}` }))
    const itemsAfter = async (...operations: object[]) => {
      const adapter = memoryAdapter(listas, { records: [{ id: 1, items: [a, b] }] as never })
      const other = await listen(express().use(api({ jsonPatch: true, versions: { v1: [mount(listas, adapter)] } })))
      const answer = await other.send('PATCH', '/v1/listas/1', type, operations).finally(() => other.close())
      const [found] = await adapter.read([1], { principal: undefined, requestId: '', scope: {} } as never)
      return answer.status === 200 ? (found?.value as { items: unknown } | undefined)?.items : codes(answer)
    }
    const swap = { op: 'move', from: '/items/0', path: '/items/1' }
    expect(await itemsAfter({ op: 'remove', path: '/items/0/nota' }, swap)).toEqual([b, { ...a, nota: null }])
    expect(
      await itemsAfter(
        { op: 'remove', path: '/items/0/nota' },
        { op: 'add', path: '/items/0', value: { k: 'z', nota: 'n' } },
      ),
    ).toEqual([{ k: 'z', nota: 'n' }, { ...a, nota: null }, b])
    expect(await itemsAfter({ op: 'remove', path: '/items/0/creado' }, swap)).toEqual(['/items/1/creado readOnly'])
    const secret = '/items/0/secreto'
    expect(
      await itemsAfter(
        { op: 'add', path: secret, value: 'x' },
        { op: 'remove', path: secret },
        { op: 'remove', path: '/items/0' },
      ),
    ).toEqual([b])
  })

  it('VERB-3, REP-7: keys, scope members and link keys cannot be set, and links need an existing target', async () => {
    for (const operation of [
      { op: 'replace', path: '/numero', value: 99 },
      { op: 'remove', path: '/numero' },
      { op: 'move', from: '/numero', path: '/peso' },
    ])
      expect(codes(await patch('piezas/7', [operation]))).toContain('/numero fixed')
    expect(codes(await patch('piezas/7', [{ op: 'add', path: '/contratoId', value: 'C1' }]))).toEqual([
      '/contratoId unknown',
    ])
    expect(
      codes(await patch('piezas/8', [{ op: 'replace', path: '/contrato/href', value: '/v8/contratos/nada' }])),
    ).toEqual(['/contrato reference'])
    expect(
      codes(await patch('piezas/8', [{ op: 'replace', path: '/contrato/href', value: '/v8/clientes/1' }])),
    ).toEqual(['/contrato link'])
    expect(
      codes(
        await patch('piezas/1/componentes/numeroDeCabecera=1,secuencia=1', [
          { op: 'replace', path: '/numeroDeCabecera', value: 2 },
        ]),
      ),
    ).toEqual(['/numeroDeCabecera fixed'])
    expect(codes(await patch('documentos/d1', [{ op: 'replace', path: '/de', value: 'eva' }]))).toEqual(['/de fixed'])
    expect((await patch('documentos/d2', [{ op: 'test', path: '/titulo', value: 'ajeno' }])).status).toBe(404)
  })

  it('REP-7: PUT and PATCH accept null for a link with no target, even if the foreign key cannot be null', async () => {
    const cajas = defineResource({
      collection: 'cajas',
      key: 'id',
      schema: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'integer' }, n: { type: 'integer' }, clienteId: { type: 'integer' } },
      },
      links: { cliente: { to: clientes, by: 'clienteId' } },
    })
    const store = memoryAdapter(cajas, { records: [{ id: 1, n: 1 }] })
    const v1 = [mount(clientes, memoryAdapter(clientes, { records: [{ id: 1, nombre: 'Ana' }] })), mount(cajas, store)]
    const { send, close } = await listen(express().use(api({ jsonPatch: true, versions: { v1 } })))
    const seen = (await send('GET', '/v1/cajas/1')).json
    expect(seen).toEqual({ id: 1, n: 1, cliente: null })
    const change = async (operation: object) => (await send('PATCH', '/v1/cajas/1', type, [operation])).json
    expect((await send('PUT', '/v1/cajas/1', {}, seen)).json).toEqual(seen)
    expect(await change({ op: 'replace', path: '/n', value: 2 })).toEqual({ ...seen, n: 2 })
    expect(await change({ op: 'replace', path: '/cliente', value: { id: 1 } })).toMatchObject({
      cliente: { href: expect.any(String) },
    })
    expect(await change({ op: 'replace', path: '/cliente', value: null })).toEqual({ ...seen, n: 2 })
    await close()
  })

  it('REP-7: a link to a record that does not exist does not block other changes', async () => {
    expect((await stored(6)).contratoId).toBe('ausente')
    expect((await patch('piezas/6', [{ op: 'replace', path: '/lote', value: 'y' }])).status).toBe(200)
    expect((await stored(6)).contratoId).toBe('ausente')
  })

  it('ERR-2, ERR-3: the whole result is validated, and all violations are reported with pointers into it', async () => {
    const answer = await patch('piezas/9', [
      { op: 'replace', path: '/lote', value: null },
      { op: 'add', path: '/nada', value: 1 },
      { op: 'add', path: '/marcas/-', value: 1 },
      { op: 'add', path: '/destino/cp', value: 'x' },
      { op: 'remove', path: '/destino/calle' },
    ])
    expect(problem(answer)).toMatchObject({ status: 422, code: 'invalid-body' })
    expect(codes(answer).sort()).toEqual([
      '/destino/calle required',
      '/destino/cp type',
      '/lote type',
      '/marcas/1 type',
      '/nada unknown',
    ])
    const ruled = await patch('contratos/C1', [{ op: 'replace', path: '/descripcion', value: 'prohibido' }])
    expect(codes(ruled)).toEqual(['/descripcion rule'])
  })

  it('ERR-3: an invalid JSON Patch is reported with pointers into the patch, all errors at once', async () => {
    const answer = await patch('piezas/9', [
      1,
      {},
      { op: 'replce', path: 'lote', value: 1 },
      { op: 'add', path: '/lote' },
      { op: 'move', path: '/a~2b' },
      { op: 'move', from: '/a', path: '/a/b' },
      { op: 'copy', from: 5, path: '/__proto__/x' },
      { op: 'test', path: '/constructor', value: 1, extra: 1 },
      { op: 'remove', path: null },
      null,
      [],
    ])
    expect(answer.status).toBe(422)
    expect(codes(answer)).toEqual([
      '/0 type',
      '/1/op required',
      '/2/op enum',
      '/3/value required',
      '/4/path pointer',
      '/4/from required',
      '/5/path pointer',
      '/6/path pointer',
      '/6/from pointer',
      '/8/path pointer',
      '/9 type',
      '/10 type',
    ])
    expect(answer.json.errors[2].suggestion).toBe('replace')
    for (const body of [{}, 'x', 5, null])
      expect(codes(await patch('piezas/9', JSON.stringify(body)))).toEqual([' type'])
    expect(
      codes(
        await patch(
          'piezas/9',
          Array.from({ length: 1_001 }, () => 1),
        ),
      ),
    ).toEqual([' maxItems'])
    expect((await patch('piezas/9', '[{"op":"test","op":"remove","path":"/lote"}]')).status).toBe(400)
    expect((await patch('piezas/9', '')).status).toBe(400)
  })

  it('RFC 6902 5: if one operation fails, nothing is changed', async () => {
    const before = await service.send('GET', '/v8/piezas/10')
    for (const [operation, expected] of [
      [{ op: 'test', path: '/lote', value: 'no' }, '/1 test-failed'],
      [{ op: 'test', path: '/peso', value: '4.5' }, '/1 test-failed'],
      [{ op: 'test', path: '/destino', value: { calle: 'Calle Mayor 9' } }, '/1 test-failed'],
      [{ op: 'remove', path: '/nada' }, '/1/path path-absent'],
      [{ op: 'remove', path: '/toString' }, '/1/path path-absent'],
      [{ op: 'remove', path: '/marcas/length' }, '/1/path path-absent'],
      [{ op: 'replace', path: '/marcas/-', value: 'x' }, '/1/path path-absent'],
      [{ op: 'replace', path: '/marcas/00', value: 'x' }, '/1/path path-absent'],
      [{ op: 'add', path: '/marcas/9', value: 'x' }, '/1/path path-absent'],
      [{ op: 'add', path: '/lote/0', value: 'x' }, '/1/path path-absent'],
      [{ op: 'copy', from: '/lote/length', path: '/peso' }, '/1/from path-absent'],
      [{ op: 'copy', from: '/lote', path: '/marcas/7' }, '/1/path path-absent'],
      [{ op: 'copy', from: '/constructor/name', path: '/lote' }, '/1/from path-absent'],
    ] as const) {
      const answer = await patch('piezas/10', [{ op: 'replace', path: '/estado', value: 'entregada' }, operation])
      expect([operation, answer.status, answer.json.code, codes(answer)]).toEqual([
        operation,
        422,
        'invalid-body',
        [expected],
      ])
    }
    expect((await service.send('GET', '/v8/piezas/10')).headers.etag).toBe(before.headers.etag)
  })

  it('HDR-5: operations cannot make a record larger than the body limit, or too deeply nested', async () => {
    const bomb = Array.from({ length: 30 }, (_, i) => ({ op: 'copy', from: '/m', path: `/m/m${i}` }))
    const answer = await patch('bolsas/1', [{ op: 'add', path: '/m', value: { x: 'x'.repeat(100) } }, ...bomb])
    expect([answer.status, answer.json.errors[0].code]).toEqual([422, 'too-large'])
    const deep = Array.from({ length: 40 }, (_, i) => ({ op: 'add', path: '/a'.repeat(i + 1), value: {} }))
    expect(codes(await patch('bolsas/1', deep))).toEqual(['/31/path too-deep'])
    expect(await get('bolsas/1')).toEqual({ id: 1 })
  })

  it('VERB-5: in open objects any name is allowed, including names that JavaScript objects inherit', async () => {
    const operations = [
      { op: 'add', path: '/constructor', value: { prototype: 1 } },
      { op: 'add', path: '/', value: [1] },
      { op: 'test', path: '/constructor/prototype', value: 1 },
      { op: 'copy', from: '/constructor', path: '/hasOwnProperty' },
      { op: 'add', path: '/a~1b~0c', value: null },
    ]
    const answer = await patch('bolsas/2', operations)
    expect([answer.status, answer.json]).toEqual([
      200,
      { id: 2, constructor: { prototype: 1 }, '': [1], hasOwnProperty: { prototype: 1 }, 'a/b~c': null },
    ])
    expect(
      (
        await patch(
          'bolsas/2',
          ['/constructor', '/', '/a~1b~0c'].map((path) => ({ op: 'remove', path })),
        )
      ).json,
    ).toEqual({
      id: 2,
      hasOwnProperty: { prototype: 1 },
    })
  })

  it('HDR-3: a stale If-Match gets 412, and even without If-Match no concurrent update is lost', async () => {
    const { headers } = await service.send('GET', '/v8/piezas/11')
    const operations = [{ op: 'add', path: '/marcas/-', value: 'x' }]
    const { marcas } = await get('piezas/11')
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => patch('piezas/11', [{ op: 'add', path: '/marcas/-', value: `m${i}` }])),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await get('piezas/11')).marcas).toHaveLength(marcas.length + 20)
    expect((await patch('piezas/11', operations, { 'If-Match': headers.etag })).status).toBe(412)
    const counted = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        patch('piezas/12', [
          { op: 'test', path: '/lote', value: 'B' },
          { op: 'replace', path: '/lote', value: `L${i}` },
        ]),
      ),
    )
    expect(counted.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(counted.filter((answer) => answer.status === 422 && codes(answer)[0] === '/0 test-failed')).toHaveLength(7)
  })

  it('VERB-10: with Prefer: return=minimal, the response has no body', async () => {
    const answer = await patch('piezas/2', [{ op: 'replace', path: '/lote', value: 'C' }], { Prefer: 'return=minimal' })
    expect([
      answer.status,
      answer.text,
      answer.headers['preference-applied'],
      answer.headers['content-location'],
    ]).toEqual([200, '', 'return=minimal', undefined])
  })

  it('HDR-5: a body that another middleware has already parsed is used', async () => {
    const parsing = await serve(express, { jsonPatch: true }, [express.json({ type: '*/*' })])
    const answer = await parsing.send('PATCH', '/v8/piezas/1', type, [{ op: 'replace', path: '/lote', value: 'P' }])
    expect([answer.status, answer.json.lote]).toEqual([200, 'P'])
    await parsing.close()
  })

  it('AUTH-4: a caller without read permission gets 403 for any JSON Patch. A merge patch is accepted', async () => {
    const permission: Permission = (_principal, action, resource) =>
      action === 'read' && resource === 'piezas' ? 'forbidden' : 'allow'
    const blind = await serve(express, {
      jsonPatch: true,
      permission,
      authenticate: undefined,
      principal: () => ({ name: 'ana' }),
    })
    for (const operations of [
      [],
      [{ op: 'test', path: '/lote', value: 'A' }],
      [{ op: 'replace', path: '/nada', value: 1 }],
      'x',
    ]) {
      const answer = await blind.send('PATCH', '/v8/piezas/1', type, operations)
      expect([answer.status, answer.json.detail]).toEqual([403, expect.stringMatching(/merge-patch\+json/)])
    }
    const merged = await blind.send('PATCH', '/v8/piezas/1', {}, { lote: 'M' })
    expect([merged.status, merged.text, merged.headers['content-location']]).toEqual([200, '', undefined])
    await blind.close()
  })

  it('AUTH-4, REP-7: if the caller must not read the target of a link, "test" compares only its "href"', async () => {
    const permission: Permission = (_principal, action, resource) =>
      action === 'read' && resource === 'contratos' ? 'forbidden' : 'allow'
    const half = await serve(express, { jsonPatch: true, permission })
    const send = (operation: object) => half.send('PATCH', '/v8/piezas/1', type, [operation])
    expect(codes(await send({ op: 'test', path: '/contrato/esUrgente', value: true }))).toEqual(['/0/path path-absent'])
    expect(
      (await send({ op: 'test', path: '/contrato', value: { href: `${half.origin}/v8/contratos/C1` } })).status,
    ).toBe(200)
    await half.close()
  })
})
