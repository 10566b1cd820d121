import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { type Adapter, api, defineResource, mount } from '../../src/index.js'
import { clientes, contratos, frameworks, listen, problem, serve, shared } from './fixture.js'

describe.each(frameworks)('the VERB clauses on %s', (_name, express) => {
  const service = shared(express)
  const { send } = service

  it('VERB-1: GET returns the list of a collection or sub-collection, or one item', async () => {
    const { send, close } = await serve(express)
    const list = await send('GET', '/v8/piezas')
    expect([list.status, list.json.length, list.headers['content-type'], list.headers['x-total-count']]).toEqual([
      200,
      12,
      'application/json; charset=utf-8',
      '12',
    ])
    const item = await send('GET', '/v8/piezas/2')
    expect([item.status, item.json]).toEqual([200, list.json[1]])
    expect((await send('GET', '/v8/piezas/1/componentes')).json).toHaveLength(2)
    await close()
  })

  it('VERB-2: POST gets 201 with an absolute Location and the Etag, without a body', async () => {
    const made = await send('POST', '/v8/piezas', {}, { lote: 'n' })
    expect([made.status, made.text, made.headers['content-length'], made.headers['content-type']]).toEqual([
      201,
      '',
      '0',
      undefined,
    ])
    expect(made.headers.location).toMatch(new RegExp(`^${service.origin}/v8/piezas/\\d+$`))
    const read = await send('GET', new URL(made.headers.location as string).pathname)
    expect(read.headers.etag).toBe(made.headers.etag)
  })

  it('VERB-2: POST with Prefer: return=representation returns the created record', async () => {
    const made = await send(
      'POST',
      '/v8/piezas?expand=contrato',
      { Prefer: 'respond-async, return=representation' },
      { lote: 'n', contrato: { codigo: 'C1' } },
    )
    expect([made.status, made.headers['preference-applied'], made.json.lote, made.json.contrato.codigo]).toEqual([
      201,
      'return=representation',
      'n',
      'C1',
    ])
  })

  it('VERB-2: POST gets 202 with Location if it creates the record later, and 200 if it creates nothing', async () => {
    const later = await send('POST', '/v8/encargos', {}, { id: 'later' })
    expect([later.status, later.headers.location, later.text]).toEqual([202, `${service.origin}/v8/encargos/later`, ''])
    const uncreated = await send('POST', '/v8/encargos', {}, { id: 'none' })
    expect([uncreated.status, uncreated.headers.location, uncreated.text]).toEqual([200, undefined, ''])
  })

  it('VERB-2: a relative Location of an endpoint is made absolute. A 201 without Location becomes a 500', async () => {
    const later = await send('POST', '/v8/informes', {}, { como: 'luego' })
    expect([later.status, later.headers.location]).toEqual([202, `${service.origin}/v8/notas/7`])
    expect(problem(await send('POST', '/v8/informes', {}, { como: 'sin sitio' })).status).toBe(500)
    const empty = await send('POST', '/v8/informes', {}, { como: 'vacio' })
    expect([empty.status, empty.text, empty.headers['content-length']]).toEqual([204, '', undefined])
  })

  it('VERB-2: the client can choose the key in a POST, but can use each key only once', async () => {
    expect((await send('POST', '/v8/piezas', {}, { numero: 1000, lote: 'n' })).headers.location).toBe(
      `${service.origin}/v8/piezas/1000`,
    )
    expect(problem(await send('POST', '/v8/piezas', {}, { numero: 1000, lote: 'n' }))).toEqual({
      status: 422,
      code: 'duplicate',
      named: ['/numero'],
    })
  })

  it('VERB-3: PUT replaces an item. Another id in the body gets 422, and an absent item gets 404', async () => {
    const put = await send('PUT', '/v8/piezas/5', {}, { numero: 5, lote: 'put' })
    expect([put.status, put.json.numero, put.json.lote, put.json.peso, put.json.contrato]).toEqual([
      200,
      5,
      'put',
      null,
      null,
    ])
    expect(put.headers.etag).toBe((await send('GET', '/v8/piezas/5')).headers.etag)
    expect(problem(await send('PUT', '/v8/piezas/5', {}, { numero: 6, lote: 'put' }))).toEqual({
      status: 422,
      code: 'invalid-body',
      named: ['/numero'],
    })
    expect(problem(await send('PUT', '/v8/contratos/C1', {}, { codigo: 'C2', descripcion: 'x' })).named).toEqual([
      '/codigo',
    ])
    const absent = await send('PUT', '/v8/piezas/999', {}, { lote: 'put' })
    expect(problem(absent)).toEqual({ status: 404, code: 'absent', named: [] })
    expect(absent.json.detail).toMatch(/ PUT does not create records: use POST on the collection\.$/)
    for (const method of ['GET', 'PATCH'])
      expect((await send(method, '/v8/piezas/999', {}, method === 'GET' ? undefined : {})).json.detail).toBe(
        'It was never created, has been deleted, or lies outside of what you may see.',
      )
    expect((await send('GET', '/v8/piezas/999')).status).toBe(404)
  })

  it('VERB-4: PUT with a body into an associated sub-collection gets 400 and attaches nothing', async () => {
    expect(problem(await send('PUT', '/v8/carteras/k1/piezas/1', {}, {})).code).toBe('unexpected-body')
    expect(problem(await send('PUT', '/v8/carteras/k1/piezas/1', { 'Transfer-Encoding': 'chunked' }, 'x')).code).toBe(
      'unexpected-body',
    )
    expect((await send('GET', '/v8/carteras/k1/piezas')).json).toEqual([])
    expect((await send('PUT', '/v8/carteras/k1/piezas/1', { 'Content-Length': '0' })).status).toBe(204)
  })

  it('VERB-5: PATCH is a merge patch: null is stored in a nullable member, and removes any other member', async () => {
    for (const type of ['application/json', 'application/merge-patch+json', 'application/json; charset=UTF-8']) {
      const answer = await send('PATCH', '/v8/piezas/6', { 'Content-Type': type }, { lote: type, peso: 9 })
      expect([answer.status, answer.json.lote, answer.json.peso, answer.json.estado]).toEqual([
        200,
        type,
        9,
        'entregada',
      ])
    }
    expect((await send('PATCH', '/v8/piezas/6', {}, { peso: null })).json.peso).toBeNull()
    const removed = (await send('PATCH', '/v8/piezas/6', {}, { estado: null, marcas: null, destino: { cp: null } }))
      .json
    expect([removed.estado, removed.marcas, removed.destino]).toEqual([
      undefined,
      undefined,
      { calle: 'Calle Mayor 5', cp: null },
    ])
    expect((await send('PATCH', '/v8/piezas/6', {}, { destino: null })).json.destino).toBeUndefined()
    expect((await send('PATCH', '/v8/piezas/6', {}, {})).status).toBe(200)
  })

  it('VERB-5: PATCH gets 422 if the merged item is invalid, and 415 for another media type', async () => {
    expect(problem(await send('PATCH', '/v8/piezas/6', {}, { lote: null }))).toEqual({
      status: 422,
      code: 'invalid-body',
      named: ['/lote'],
    })
    expect(
      problem(await send('PATCH', '/v8/piezas/6', {}, { nada: null, destino: { x: 1 }, peso: 'x' })).named,
    ).toEqual(expect.arrayContaining(['/nada']))
    expect(problem(await send('PATCH', '/v8/piezas/6', {}, { destino: { calle: 'c', x: 1 } })).named).toEqual([
      '/destino/x',
    ])
    expect(problem(await send('PATCH', '/v8/piezas/6', {}, { marcas: [1] })).named).toEqual(['/marcas/0'])
    for (const body of [[], 'x', 3, null, true])
      expect(problem(await send('PATCH', '/v8/piezas/6', {}, JSON.stringify(body)))).toEqual({
        status: 422,
        code: 'invalid-body',
        named: [''],
      })
    const jsonPatch = await send('PATCH', '/v8/piezas/6', { 'Content-Type': 'application/json-patch+json' }, [])
    expect([jsonPatch.status, jsonPatch.headers['accept-patch']]).toEqual([
      415,
      'application/merge-patch+json, application/json, application/xml, text/xml',
    ])
  })

  it('VERB-6: DELETE gets 204 without a body, and the item gets 404 afterwards', async () => {
    const gone = await send('DELETE', '/v8/piezas/8')
    expect([gone.status, gone.text, gone.headers['content-length'], gone.headers['content-type']]).toEqual([
      204,
      '',
      undefined,
      undefined,
    ])
    for (const method of ['GET', 'HEAD', 'DELETE']) expect((await send(method, '/v8/piezas/8')).status).toBe(404)
    expect((await send('PATCH', '/v8/piezas/8', {}, {})).status).toBe(404)
  })

  it('VERB-7: DELETE of a collection gets 405 with Allow', async () => {
    for (const path of [
      '/v8/piezas',
      '/v8/piezas/',
      '/v8/piezas/1/componentes',
      '/v8/clientes/1/contratos',
      '/v8/piezas?lote=A',
    ]) {
      const answer = await send('DELETE', path)
      expect([path, answer.status, answer.headers.allow, answer.json.code]).toEqual([
        path,
        405,
        'GET, HEAD, POST, OPTIONS',
        'method-not-allowed',
      ])
    }
  })

  it('VERB-8: HEAD of an item gets 302 with the Etag of GET, without Location. An absent item gets 404', async () => {
    const get = await send('GET', '/v8/piezas/1')
    const head = await send('HEAD', '/v8/piezas/1')
    expect([head.status, head.headers.etag, head.headers.location, head.text]).toEqual([
      302,
      get.headers.etag,
      undefined,
      '',
    ])
    expect((await send('HEAD', '/v8/piezas/1?expand=nota')).headers.etag).not.toBe(get.headers.etag)
    const absent = await send('HEAD', '/v8/piezas/999')
    expect([absent.status, absent.text, absent.headers['content-type']]).toEqual([404, '', 'application/problem+json'])
  })

  it('VERB-8: fetch() returns the 302 of HEAD, and neither redirects nor throws', async () => {
    const answer = await fetch(`${service.origin}/v8/piezas/1`, { method: 'HEAD' })
    expect([answer.status, answer.redirected, answer.headers.get('etag') !== null]).toEqual([302, false, true])
  })

  it('VERB-8: HEAD of a collection has the headers of GET and no body', async () => {
    const get = await send('GET', '/v8/piezas?limit=2')
    const head = await send('HEAD', '/v8/piezas?limit=2')
    const { date: _a, 'x-request-id': _b, ...ofGet } = get.headers
    const { date: _c, 'x-request-id': _d, ...ofHead } = head.headers
    expect([head.status, head.text, ofHead]).toEqual([200, '', ofGet])
  })

  it('VERB-9: a method that the adapter or the path does not support gets 405 with an exact Allow', async () => {
    const allow = async (method: string, path: string) => {
      const { status, headers } = await send(method, path)
      return [status, headers.allow]
    }
    expect(await allow('POST', '/v8/sucursales')).toEqual([405, 'GET, HEAD, OPTIONS'])
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      expect(await allow(method, '/v8/sucursales/MAD')).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect(await allow('POST', '/v8/piezas/1')).toEqual([405, 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'])
    expect(await allow('PUT', '/v8/piezas')).toEqual([405, 'GET, HEAD, POST, OPTIONS'])
    expect(await allow('PATCH', '/v8/clientes/1/contratos/C1')).toEqual([405, 'GET, HEAD, PUT, DELETE, OPTIONS'])
    for (const method of ['TRACE', 'PROPFIND', 'MKCOL', 'SEARCH'])
      expect((await allow(method, '/v8/piezas'))[0]).toBe(405)
  })

  it('VERB-9: OPTIONS gets 204 with Allow, regardless of Accept and query', async () => {
    for (const [path, allow] of [
      ['/v8/piezas?limit=5&lote=A', 'GET, HEAD, POST, OPTIONS'],
      ['/v8/piezas/1?expand=nota', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
      ['/v8/search?q=x', 'GET, HEAD, OPTIONS'],
      ['/v8/contratos/C1/activo', 'GET, HEAD, PUT, DELETE, OPTIONS'],
    ] as const) {
      const answer = await send('OPTIONS', path, { Accept: 'text/html' })
      expect([path, answer.status, answer.headers.allow, answer.text]).toEqual([path, 204, allow, ''])
    }
    expect((await send('OPTIONS', '/v8/nada')).status).toBe(404)
  })

  it('VERB-10: PUT and PATCH return the new representation, or no body for Prefer: return=minimal', async () => {
    for (const method of ['PUT', 'PATCH']) {
      const full = await send(method, '/v8/piezas/9?expand=contrato', {}, { lote: 'a', contrato: { codigo: 'C1' } })
      expect([full.status, full.json.lote, full.json.contrato.codigo]).toEqual([200, 'a', 'C1'])
      const bare = await send(method, '/v8/piezas/9', { Prefer: 'return=minimal' }, { lote: 'b' })
      expect([bare.status, bare.text, bare.headers['preference-applied'], bare.headers['content-type']]).toEqual([
        200,
        '',
        'return=minimal',
        undefined,
      ])
      expect(bare.headers.etag).toBe((await send('GET', '/v8/piezas/9')).headers.etag)
    }
  })

  it.each([200, 202, 204] as const)(
    'VERB-6: if the option "deleteStatus" is %i, DELETE gets this status without a body',
    async (deleteStatus) => {
      const { send, close } = await serve(express, { deleteStatus })
      const answer = await send('DELETE', '/v8/piezas/2')
      expect([answer.status, answer.text]).toEqual([deleteStatus, ''])
      expect((await send('GET', '/v8/piezas/2')).status).toBe(404)
      await close()
    },
  )

  it('VERB-11: a public API has POST on the collection, and GET and DELETE on the item', async () => {
    const store = memoryAdapter(contratos)
    const v1 = [
      mount(clientes, memoryAdapter(clientes)),
      mount(contratos, store, { collection: ['POST'], item: ['GET', 'DELETE'] }),
    ]
    const { send, close } = await listen(express().use('/public', api({ versions: { v1 } })))
    expect((await send('POST', '/public/v1/contratos', {}, { codigo: 'x/y', descripcion: 'd' })).status).toBe(201)
    expect((await send('GET', '/public/v1/contratos')).headers.allow).toBe('POST, OPTIONS')
    expect((await send('PATCH', '/public/v1/contratos/x%2Fy', {}, {})).headers.allow).toBe('GET, HEAD, DELETE, OPTIONS')
    expect((await send('DELETE', '/public/v1/contratos/x%2Fy')).status).toBe(204)
    await close()
  })

  it('VERB: GET, PUT and DELETE call the adapter once, and PATCH calls it twice', async () => {
    const cosas = defineResource({
      collection: 'cosas',
      key: 'id',
      schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
    })
    const calls: string[] = []
    const under = memoryAdapter(cosas, { records: [{ id: 1 }] })
    const adapter = new Proxy(under, {
      get: (target, name, receiver) => {
        const found = Reflect.get(target, name, receiver)
        if (typeof found !== 'function') return found
        return (...rest: unknown[]) => {
          calls.push(String(name))
          return found(...rest)
        }
      },
    }) as Adapter<{ id: number }, number>
    const { send, close } = await listen(express().use(api({ versions: { v1: [mount(cosas, adapter)] } })))
    const { headers } = await send('GET', '/v1/cosas/1')
    await send('PUT', '/v1/cosas/1', { 'If-Match': headers.etag as string }, { id: 1 })
    await send('PUT', '/v1/cosas/1', {}, { id: 1 })
    await send('PATCH', '/v1/cosas/1', {}, {})
    await send('DELETE', '/v1/cosas/1', {})
    expect(calls).toEqual(['read', 'replace', 'replace', 'read', 'replace', 'remove'])
    await close()
  })
})
