import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Permission } from '../../src/auth/index.js'
import { api, endpoint } from '../../src/index.js'
import { type Express, frameworks, listen, type Served, serve } from './fixture.js'

describe.each(frameworks)('Content-Location on %s', (_, express: Express) => {
  let service: Served
  const send: Served['send'] = (method, path, headers, body) => service.send(method, `/v8/${path}`, headers, body)
  const full = { Prefer: 'return=representation' }
  beforeAll(async () => {
    service = await serve(express)
  })
  afterAll(() => service.close())

  it('RFC 9110 8.7: the response to a POST has Content-Location if it contains the created record', async () => {
    for (const [path, body] of [
      ['notas', { id: 'a b/c' }],
      ['piezas/2/componentes', { secuencia: 9, nombre: 'x' }],
      ['clientes/1/contratos', { codigo: 'C7', descripcion: 'x' }],
    ] as const) {
      const { status, headers, json } = await send('POST', path, full, body)
      expect([status, headers['content-location']]).toEqual([201, headers.location])
      expect((await service.send('GET', String(headers.location).replace(service.origin, ''))).json).toEqual(json)
    }
    expect(
      (await send('POST', 'clientes/1/contratos', full, { codigo: 'C8', descripcion: 'x' })).headers.location,
    ).toMatch(/\/v8\/contratos\/C8$/)
  })

  it('RFC 9110 8.7: responses to PUT and PATCH name the URL of the item, with the requested expansions', async () => {
    const tag = (await send('GET', 'piezas/1?expand=contrato')).headers.etag
    for (const [method, body] of [
      ['PATCH', { lote: 'x' }],
      ['PUT', { lote: 'y', contrato: { codigo: 'C1' } }],
    ] as const) {
      expect((await send(method, 'piezas/1', {}, body)).headers['content-location']).toBe(
        `${service.origin}/v8/piezas/1`,
      )
      const { headers, json } = await send(method, 'piezas/1/?expand=contrato', {}, body)
      expect(headers['content-location']).toBe(`${service.origin}/v8/piezas/1?expand=contrato`)
      const read = await send('GET', 'piezas/1?expand=contrato')
      expect([read.json, read.headers.etag]).toEqual([json, headers.etag])
      expect(headers.etag).not.toBe(tag)
    }
    const id = encodeURIComponent('a/b?c#d')
    expect((await send('PATCH', `notas/${id}`, {}, { texto: 'y' })).headers['content-location']).toBe(
      `${service.origin}/v8/notas/${id}`,
    )
  })

  it("RFC 9110 8.7: a 200, 302 or 304 in an associated sub-collection names the item's own URL", async () => {
    const own = `${service.origin}/v8/contratos/C1`
    const read = await send('GET', 'clientes/1/contratos/C1')
    const again = await send('GET', 'clientes/1/contratos/C1', { 'If-None-Match': String(read.headers.etag) })
    const head = await send('HEAD', 'clientes/1/contratos/C1')
    for (const [answer, status] of [
      [read, 200],
      [again, 304],
      [head, 302],
    ] as const)
      expect([answer.status, answer.headers['content-location'], answer.headers.location]).toEqual([
        status,
        own,
        undefined,
      ])
    expect((await send('GET', 'clientes/1/contratos/C1?expand=cliente')).headers['content-location']).toBe(
      `${own}?expand=cliente`,
    )
  })

  it('RFC 9110 8.7: items at their own URL, lists, empty responses and errors have no Content-Location', async () => {
    const etag = String((await send('GET', 'piezas/1')).headers.etag)
    for (const [method, path, headers, body, status] of [
      ['GET', 'piezas/1', {}, undefined, 200],
      ['GET', 'piezas/1', { 'If-None-Match': etag }, undefined, 304],
      ['HEAD', 'piezas/1', {}, undefined, 302],
      ['GET', 'piezas', {}, undefined, 200],
      ['GET', 'clientes/1/contratos', {}, undefined, 200],
      ['POST', 'notas', {}, { id: 'bare' }, 201],
      ['POST', 'notas', { Prefer: 'return=minimal' }, { id: 'barer' }, 201],
      ['POST', 'encargos', full, { id: 'later' }, 202],
      ['POST', 'encargos', full, { id: 'never' }, 200],
      ['PUT', 'piezas/1', { Prefer: 'return=minimal' }, { lote: 'x' }, 200],
      ['PATCH', 'piezas/1', { Prefer: 'return=minimal' }, { lote: 'x' }, 200],
      ['PATCH', 'piezas/1', {}, { lote: null }, 422],
      ['PATCH', 'piezas/99', {}, { lote: 'x' }, 404],
      ['GET', 'clientes/2/contratos/C1', {}, undefined, 404],
      ['PUT', 'contratos/C1/activo', full, undefined, 204],
      ['PUT', 'clientes/1/contratos/C1', full, undefined, 204],
      ['DELETE', 'notas/bare', {}, undefined, 204],
      ['GET', 'search?q=x', {}, undefined, 200],
    ] as const) {
      const answer = await send(method, path, headers, body)
      expect([method, path, answer.status, answer.headers['content-location']]).toEqual([
        method,
        path,
        status,
        undefined,
      ])
    }
  })

  it('AUTH-4: a caller without read permission gets no Content-Location for a record that it writes', async () => {
    const permission: Permission = (_principal, action) => (action === 'read' ? 'forbidden' : 'allow')
    const blind = await serve(express, { permission })
    for (const [method, path, body] of [
      ['POST', 'notas', { id: 'x' }],
      ['PATCH', 'notas/x', {}],
      ['PUT', 'notas/x', {}],
    ] as const) {
      const answer = await blind.send(method, `/v8/${path}`, full, body)
      expect([answer.text, answer.headers['content-location'], answer.headers['preference-applied']]).toEqual([
        '',
        undefined,
        undefined,
      ])
    }
    await blind.close()
  })

  it('RFC 7240: "return" works in any valid Prefer. Preference-Applied says whether it had an effect', async () => {
    for (const [prefer, applied] of [
      ['return=minimal', 'return=minimal'],
      ['respond-async, RETURN = "minimal"; q=1', 'return=minimal'],
      [['wait=5', 'return=minimal'], 'return=minimal'],
      [['return=minimal', 'return=representation'], 'return=minimal'],
      ['return=representation', undefined],
      ['return=other, return=minimal', undefined],
      ['foo="return=minimal"', undefined],
    ] as const) {
      const answer = await send('PATCH', 'piezas/3', { Prefer: prefer as string | string[] }, {})
      expect([prefer, answer.status, answer.headers['preference-applied'], answer.text === '']).toEqual([
        prefer,
        200,
        applied,
        applied !== undefined,
      ])
    }
    expect(
      (await send('POST', 'notas', { Prefer: 'return=minimal' }, { id: 'n1' })).headers['preference-applied'],
    ).toBeUndefined()
    expect((await send('POST', 'notas', full, { id: 'n2' })).headers['preference-applied']).toBe(
      'return=representation',
    )
    for (const [id, status] of [
      ['later', 202],
      ['never', 200],
    ] as const) {
      for (const Prefer of ['return=minimal', 'return=representation']) {
        const answer = await send('POST', 'encargos', { Prefer }, { id })
        expect([answer.status, answer.text, answer.headers['preference-applied']]).toEqual([status, '', undefined])
      }
    }
  })

  it('RFC 7240 2: responses to PATCH always vary by Prefer. Responses to GET do not', async () => {
    for (const headers of [{}, full, { Prefer: 'return=minimal' }]) {
      expect((await send('PATCH', 'piezas/3', headers, {})).headers.vary).toBe('Accept, Prefer')
      expect((await send('GET', 'piezas/3', headers)).headers.vary).toBe('Accept')
    }
  })

  it('no response has Content-Language, even if the request has Accept-Language', async () => {
    for (const [method, path, body] of [
      ['GET', 'piezas', undefined],
      ['GET', 'piezas/1', undefined],
      ['HEAD', 'piezas/1', undefined],
      ['PATCH', 'piezas/1', {}],
      ['PATCH', 'piezas/1', { nada: 1 }],
      ['POST', 'notas', { id: 'lengua' }],
      ['GET', 'nada', undefined],
      ['OPTIONS', 'piezas', undefined],
    ] as const) {
      const answer = await send(method, path, { 'Accept-Language': 'es', ...full }, body)
      expect([method, path, answer.headers['content-language']]).toEqual([method, path, undefined])
    }
  })

  it('RFC 5789: if an endpoint has PATCH with a body, Accept-Patch lists the media types of the body', async () => {
    const handle = () => undefined
    const ajuste = endpoint('ajustes', {
      description: 'Settings.',
      methods: { PATCH: { body: { type: 'object' }, handle } },
    })
    const reloj = endpoint('reloj', { description: 'Winds the clock.', methods: { PATCH: { handle } } })
    const { send: ask, close } = await listen(
      express().use(api({ jsonPatch: true, versions: { v1: [ajuste, reloj] } })),
    )
    const types = 'application/json, application/xml, text/xml'
    const refused = await ask('PATCH', '/v1/ajustes', { 'Content-Type': 'application/json-patch+json' }, [])
    expect([refused.status, refused.headers['accept-patch'], refused.headers.accept]).toEqual([415, types, undefined])
    expect((await ask('OPTIONS', '/v1/ajustes')).headers['accept-patch']).toBe(types)
    expect((await ask('OPTIONS', '/v1/reloj')).headers['accept-patch']).toBeUndefined()
    await close()
  })
})
