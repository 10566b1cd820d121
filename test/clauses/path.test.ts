import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, mount } from '../../src/index.js'
import { frameworks, listen, problem, serve, shared } from './fixture.js'

describe.each(frameworks)('the PATH clauses on %s', (_name, express) => {
  const service = shared(express)
  const { send } = service

  it('PATH-1: GET gets 200 for collections, items, sub-collections, their items, and items in areas', async () => {
    for (const path of [
      '/v8/piezas',
      '/v8/piezas/1',
      '/v8/piezas/1/componentes',
      '/v8/piezas/1/componentes/numeroDeCabecera=1,secuencia=2',
      '/v8/tax/facturas/1',
    ]) {
      expect((await send('GET', path)).status, path).toBe(200)
    }
  })

  it('PATH-1: an unknown path in a version gets 404. The app handles paths without a version', async () => {
    for (const path of [
      '/v8',
      '/v8/',
      '/v8//piezas',
      '/v8/piezas//',
      '/v8/facturas',
      '/v8/tax',
      '/v8/nada',
      '/v8/piezas/1/nada',
      '/v8/piezas/1/componentes/numeroDeCabecera=1,secuencia=1/nada',
      '/v8/search/x',
      '/v8/__proto__',
      '/v8/constructor',
    ]) {
      expect(problem(await send('GET', path)), path).toEqual({ status: 404, code: 'unknown-path', named: [] })
    }
    for (const path of ['/', '/piezas', '/V8/piezas', '/v08/piezas', '/v/piezas', '/v8x/piezas', '/%768/piezas']) {
      const answer = await send('GET', path)
      expect([answer.status, answer.headers['content-type']], path).toEqual([404, 'text/html; charset=utf-8'])
    }
  })

  it('PATH-2..4, PATH-10: defineResource() refuses a singular, a verb or a format suffix in a name', () => {
    const declare = (collection: string) =>
      defineResource({ collection, key: 'id', schema: { type: 'object', properties: { id: { type: 'string' } } } })
    expect(() => declare('factura')).toThrow(/facturas.*PATH-2/)
    expect(() => declare('editar-facturas')).toThrow(/PATH-3/)
    expect(() => declare('facturas.pdf')).toThrow(/PATH-4/)
  })

  it('PATH-5, PATH-7: a contained resource exists only below its parent', async () => {
    const { json } = await send('GET', '/v8/piezas/1/componentes')
    expect(json.map((item: { secuencia: number }) => item.secuencia)).toEqual([1, 2])
    expect((await send('GET', '/v8/componentes')).status).toBe(404)
    expect(problem(await send('GET', '/v8/piezas/2/componentes/numeroDeCabecera=1,secuencia=1')).code).toBe('absent')
    expect(problem(await send('GET', '/v8/piezas/99/componentes')).code).toBe('absent')
    expect(problem(await send('GET', '/v8/piezas/99/componentes/numeroDeCabecera=99,secuencia=1')).code).toBe('absent')
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const answer = await send(
        method,
        '/v8/piezas/2/componentes/numeroDeCabecera=1,secuencia=1',
        {},
        method === 'DELETE' ? undefined : { nombre: 'x' },
      )
      expect([method, answer.status]).toEqual([method, 404])
    }
  })

  it('PATH-1: a misspelt collection gets 404 with the closest name', async () => {
    const { json } = await send('GET', '/v8/pieza/1')
    expect([json.code, json.detail]).toEqual([
      'unknown-path',
      'There is no collection "pieza" in v8. Did you mean "piezas"?',
    ])
  })

  it('PATH-1: a path without a route gets 404, and the detail says which paths exist', async () => {
    const detail = async (path: string) => (await send('GET', path)).json.detail
    const known = /Collections in v8: clientes, contratos, .*\.$/
    expect(await detail('/v8')).toMatch(/^This path has no resource\. /)
    expect(await detail('/v8/zzzzzzzz')).toMatch(/^There is no collection "zzzzzzzz" in v8\. /)
    for (const path of ['/v8', '/v8/', '/v8/zzzzzzzz']) expect(await detail(path)).toMatch(known)
    expect(await detail('/v8/componentes')).toBe(
      '"componentes" exists only below its parent: /piezas/{numero}/componentes.',
    )
    expect(await detail('/v8/piezas/1/componente')).toBe(
      'The items of "piezas" have no "componente" below them. Did you mean "componentes"?',
    )
    expect(await detail('/v8/piezas/1/zzzzzzzz')).toMatch(/"zzzzzzzz" below them\. They have: .*componentes/)
    expect(await detail('/v8/piezas/1/componentes/1')).toBe(
      '"1" can\'t be a key of "componentes": its keys have the form "numeroDeCabecera=...,secuencia=...", and ' +
        '"numeroDeCabecera" must be a whole number such as 3 (not 03), "secuencia" must be a whole number such as 3 ' +
        "(not 03). Use a URL from the service's own links.",
    )
  })

  it('PATH-11: an id gets 404 with the reason if no item of the collection can have it', async () => {
    for (const id of ['abc', '07', '1.5', `9${'9'.repeat(200)}`]) {
      const { status, json } = await send('GET', `/v8/piezas/${id}`)
      expect([status, json.code], id).toEqual([404, 'unknown-path'])
      expect(json.detail).toMatch(
        /^"[^"]{1,83}" can't be a key of "piezas": "numero" must be a whole number such as 3 \(not 03\)\./,
      )
    }
    expect((await send('GET', '/v8/piezas/abc/componentes')).json.detail).toContain('"abc"')
  })

  it('PATH-6: lists are filtered by parameters, never in the path', async () => {
    expect(problem(await send('GET', '/v8/piezas/lote=L-1')).code).toBe('unknown-path')
    expect(problem(await send('GET', '/v8/piezas/lote/L-1')).code).toBe('unknown-path')
    expect((await send('GET', '/v8/piezas?lote=L-1')).status).toBe(200)
  })

  it('PATH-7: a contained sub-collection has GET, POST, PUT, PATCH and DELETE. The URL sets the parent', async () => {
    const { send, close } = await serve(express)
    const made = await send('POST', '/v8/piezas/3/componentes', {}, { secuencia: 1, nombre: 'asa' })
    expect(made.status).toBe(201)
    expect(made.headers.location).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/v8\/piezas\/3\/componentes\/numeroDeCabecera=3,secuencia=1$/,
    )
    const path = new URL(made.headers.location as string).pathname
    expect((await send('GET', path)).json).toEqual({ numeroDeCabecera: 3, secuencia: 1, nombre: 'asa' })
    expect((await send('PUT', path, {}, { nombre: 'asa grande' })).json).toEqual({
      numeroDeCabecera: 3,
      secuencia: 1,
      nombre: 'asa grande',
    })
    expect((await send('PATCH', path, {}, { nombre: 'asa' })).status).toBe(200)
    expect(problem(await send('PATCH', path, {}, { numeroDeCabecera: 4 }))).toEqual({
      status: 422,
      code: 'invalid-body',
      named: ['/numeroDeCabecera'],
    })
    expect(
      problem(await send('POST', '/v8/piezas/3/componentes', {}, { numeroDeCabecera: 4, secuencia: 2, nombre: 'x' })),
    ).toEqual({
      status: 422,
      code: 'invalid-body',
      named: ['/numeroDeCabecera'],
    })
    expect(problem(await send('POST', '/v8/piezas/99/componentes', {}, { secuencia: 1, nombre: 'x' })).status).toBe(404)
    expect((await send('DELETE', path)).status).toBe(204)
    expect((await send('GET', path)).status).toBe(404)
    await close()
  })

  it('PATH-7, VERB-4: an associated sub-collection lists, attaches, detaches and creates records', async () => {
    const { send, close, origin } = await serve(express)
    const codes = async (id: number) =>
      (await send('GET', `/v8/clientes/${id}/contratos`)).json.map((item: { codigo: string }) => item.codigo)
    expect(await codes(1)).toEqual(['C1'])
    expect((await send('GET', '/v8/clientes/1/contratos/C1')).json).toEqual(
      (await send('GET', '/v8/contratos/C1')).json,
    )
    expect(problem(await send('GET', '/v8/clientes/1/contratos/C2')).code).toBe('absent')
    for (const _ of [1, 2]) {
      const attached = await send('PUT', '/v8/clientes/1/contratos/C2')
      expect([attached.status, attached.text]).toEqual([204, ''])
    }
    expect(await codes(1)).toEqual(['C1', 'C2'])
    expect((await send('GET', '/v8/contratos/C2')).json.cliente).toEqual({ href: `${origin}/v8/clientes/1` })
    expect((await send('DELETE', '/v8/clientes/1/contratos/C2')).status).toBe(204)
    expect((await send('DELETE', '/v8/clientes/1/contratos/C2')).status).toBe(404)
    expect((await send('GET', '/v8/contratos/C2')).status).toBe(200)
    expect((await send('PUT', '/v8/clientes/9/contratos/C2')).status).toBe(404)
    expect((await send('PUT', '/v8/clientes/1/contratos/C9')).status).toBe(404)
    const made = await send('POST', '/v8/clientes/2/contratos', {}, { codigo: 'C3', descripcion: 'tres' })
    expect([made.status, made.headers.location]).toEqual([201, `${origin}/v8/contratos/C3`])
    expect(await codes(2)).toEqual(['C3'])
    expect(
      problem(
        await send('POST', '/v8/clientes/2/contratos', {}, { codigo: 'C4', descripcion: 'x', cliente: { id: 1 } }),
      ),
    ).toEqual({
      status: 422,
      code: 'invalid-body',
      named: ['/cliente'],
    })
    await close()
  })

  it('PATH-7: in a many-to-many association, a record is in several collections but has one URL', async () => {
    const { send, close, origin } = await serve(express)
    for (const cartera of ['k1', 'k2']) expect((await send('PUT', `/v8/carteras/${cartera}/piezas/3`)).status).toBe(204)
    expect((await send('PUT', '/v8/carteras/k1/piezas/1')).status).toBe(204)
    const list = await send('GET', '/v8/carteras/k%31/piezas?limit=1&sort=-numero')
    expect(list.json.map((item: { numero: number }) => item.numero)).toEqual([3])
    expect(list.headers['x-total-count']).toBe('2')
    expect(list.headers.link).toMatch(
      new RegExp(`<${origin}/v8/carteras/k1/piezas\\?limit=1&sort=-numero&offest=2&after=[\\w-]+>; rel="next"`),
    )
    expect((await send('DELETE', '/v8/carteras/k1/piezas/3')).status).toBe(204)
    expect((await send('GET', '/v8/carteras/k2/piezas/3')).status).toBe(200)
    const made = await send('POST', '/v8/carteras/k2/piezas', {}, { lote: 'Z' })
    expect(made.headers.location).toBe(`${origin}/v8/piezas/13`)
    expect((await send('HEAD', '/v8/carteras/k2/piezas/13')).status).toBe(302)
    await close()
  })

  it('PATH-8: PUT sets a flag, DELETE unsets it, GET and HEAD read it, and its Etag is that of the item', async () => {
    const { send, close } = await serve(express)
    const flag = '/v8/contratos/C2/activo'
    expect(problem(await send('GET', flag))).toEqual({ status: 404, code: 'absent', named: [] })
    expect((await send('HEAD', flag)).status).toBe(404)
    const set = await send('PUT', flag)
    expect([set.status, set.text]).toEqual([204, ''])
    expect(set.headers.etag).toBe((await send('GET', '/v8/contratos/C2')).headers.etag)
    expect((await send('PUT', flag)).headers.etag).toBe(set.headers.etag)
    expect((await send('GET', '/v8/contratos/C2')).json.estaActivo).toBe(true)
    const read = await send('GET', flag)
    expect([read.status, read.headers.etag, read.text]).toEqual([204, set.headers.etag, ''])
    expect((await send('GET', flag, { 'If-None-Match': set.headers.etag as string })).status).toBe(304)
    expect((await send('HEAD', flag)).status).toBe(302)
    expect(problem(await send('DELETE', flag, { 'If-Match': '"other.x"' })).status).toBe(412)
    expect((await send('DELETE', flag, { 'If-Match': set.headers.etag as string })).status).toBe(204)
    expect((await send('DELETE', flag)).status).toBe(204)
    expect((await send('GET', flag)).status).toBe(404)
    expect((await send('PUT', '/v8/contratos/nada/activo')).status).toBe(404)
    expect(problem(await send('PUT', flag, {}, { a: 1 })).code).toBe('unexpected-body')
    await close()
  })

  it('PATH-8: a read-only flag accepts only GET, HEAD and OPTIONS', async () => {
    expect((await send('GET', '/v8/sucursales/MAD/abierta')).status).toBe(204)
    const refused = await send('PUT', '/v8/sucursales/MAD/abierta')
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  it('PATH-8: requests to an endpoint get the same checks as requests to a resource', async () => {
    expect((await send('GET', '/v8/search?q=a%20b&n=3')).json).toEqual({ found: 'a b', n: 3 })
    expect(problem(await send('GET', '/v8/search?n=x&p=1'))).toEqual({
      status: 400,
      code: 'invalid-query',
      named: ['p', 'q', 'n'],
    })
    expect((await send('POST', '/v8/search')).headers.allow).toBe('GET, HEAD, OPTIONS')
    expect((await send('GET', '/v8/search?q=a', { Accept: 'text/html' })).status).toBe(415)
    const { headers } = await send('GET', '/v8/search?q=a')
    expect((await send('GET', '/v8/search?q=a', { 'If-None-Match': headers.etag as string })).status).toBe(304)
    expect(problem(await send('POST', '/v8/informes', {}, { como: 3 }))).toEqual({
      status: 422,
      code: 'invalid-body',
      named: ['/como'],
    })
    expect((await send('POST', '/v8/informes', {}, { como: 'ya' })).status).toBe(204)
  })

  it('PATH-9: a composite id is key-value pairs in a fixed order, raw or encoded. Other ids get 404', async () => {
    for (const id of [
      'numeroDeCabecera=1,secuencia=2',
      'numeroDeCabecera%3D1%2Csecuencia%3D2',
      'numeroDeCabecera=1%2csecuencia=2',
    ]) {
      expect((await send('GET', `/v8/piezas/1/componentes/${id}`)).json?.nombre, id).toBe('fondo')
    }
    for (const id of [
      'secuencia=2,numeroDeCabecera=1',
      'numeroDeCabecera=1',
      'numeroDeCabecera=1,secuencia=02',
      'numeroDeCabecera=1,secuencia=2,x=1',
      'numeroDeCabecera=1,secuencia=+2',
      '1,2',
    ]) {
      expect((await send('GET', `/v8/piezas/1/componentes/${id}`)).status, id).toBe(404)
    }
  })

  it('PATH-9: any well-formed string can be a part of a composite id', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), async (desde, hasta) => {
        const wellFormed = !/\p{Surrogate}/u.test(desde + hasta)
        const made = await send('POST', '/v8/tramos', {}, { desde, hasta })
        expect([made.status, problem(made).code]).toEqual(
          !wellFormed ? [422, 'invalid-body'] : made.status === 422 ? [422, 'duplicate'] : [201, undefined],
        )
        if (made.status === 422) return
        const path = (made.headers.location as string).slice(service.origin.length)
        expect((await send('GET', path)).json).toEqual({ desde, hasta, km: 0 })
        expect((await send('GET', path.replaceAll(',', '%2C').replaceAll('=', '%3D'))).status).toBe(200)
      }),
      {
        examples: [
          ['a,hasta=b', '=%2C'],
          ['%3D', '%'],
          ['', ''],
          ['/', '?#'],
        ],
        numRuns: 60,
      },
    )
  })

  const survives = async (id: string) => {
    const made = await send('POST', '/v8/notas', {}, { id, texto: 'hola' })
    if (made.status === 422 && problem(made).code === 'duplicate') return
    expect(made.status).toBe(201)
    const location = made.headers.location as string
    expect(location.startsWith(`${service.origin}/v8/notas/`)).toBe(true)
    expect(location).toMatch(/^[\x21-\x7e]+$/)
    const read = await send('GET', location.slice(service.origin.length))
    expect([read.status, read.json?.id]).toEqual([200, id])
    const after = await send(
      'POST',
      '/v8/notas',
      { Prefer: 'return=representation' },
      { id: `tras ${id}`, anterior: { href: location } },
    )
    expect(after.json?.anterior).toEqual({ href: location })
    const followed = await send('GET', after.json.anterior.href.slice(service.origin.length))
    expect([followed.status, followed.json?.id]).toEqual([200, id])
    const filtered = await send('GET', `/v8/notas?id=${encodeURIComponent(id)}`)
    expect(filtered.json.map((item: { id: string }) => item.id)).toEqual([id])
  }

  it('PATH-11: an id with unusual characters works in POST, GET, Location, a filter and a link', async () => {
    for (const id of [
      'a/b?c#d!',
      '100%',
      '%2F',
      'a,b=c',
      '🙂',
      '..x',
      '.json',
      'x.json',
      ' ',
      'a b+c',
      '\u0000',
      '\u007f\u0085',
      'é',
      'e\u0301',
      '__proto__',
      'constructor',
      '\\',
      '"<>|^`{}',
      "'();:@&$*",
      'x'.repeat(4_000),
    ]) {
      await survives(id)
    }
  })

  it('PATH-11: random Unicode ids work in POST, GET, Location, a filter and a link', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }), async (id) => {
        fc.pre(!/\p{Surrogate}/u.test(id) && id !== '.' && id !== '..')
        await survives(id)
      }),
      { numRuns: 60 },
    )
  })

  it('PATH-11: POST gets 422 if the id of the record cannot be a segment of a URL, or is too long', async () => {
    for (const id of ['', '.', '..', '\\ud800', 'a\\udc00b', 'x'.repeat(8_001), 'ñ'.repeat(1_400)]) {
      expect(problem(await send('POST', '/v8/notas', {}, `{"id":"${id}"}`)), id).toEqual({
        status: 422,
        code: 'invalid-body',
        named: ['/id'],
      })
    }
  })

  it('PATH-11: segments are case-sensitive, a trailing slash is ignored, and ".json" is part of the id', async () => {
    for (const path of [
      '/v8/Piezas',
      '/v8/PIEZAS/1',
      '/v8/piezas/1/Componentes',
      '/v8/piezas/1.json',
      '/v8/piezas/.json',
      '/v8/contratos/c1',
    ]) {
      expect((await send('GET', path)).status, path).toBe(404)
    }
    for (const path of [
      '/v8/piezas',
      '/v8/piezas/1',
      '/v8/piezas/1/componentes',
      '/v8/contratos/C1/activo',
      '/v8/search',
    ]) {
      const query = path.endsWith('search') ? '?q=1' : ''
      const [plain, slashed] = [await send('GET', path + query), await send('GET', `${path}/${query}`)]
      expect([slashed.status, slashed.text, slashed.headers.etag?.slice(0, 8)]).toEqual([
        plain.status,
        plain.text,
        plain.headers.etag?.slice(0, 8),
      ])
    }
  })

  it('PATH-11: a number has only one valid spelling as an id, and ".." does not lead to the parent', async () => {
    for (const id of [
      '03',
      '+3',
      '3.0',
      '-0',
      '3e0',
      '0x3',
      ' 3',
      '3 ',
      '9007199254740993',
      'NaN',
      'Infinity',
      '..',
      '.',
      '%2E%2E',
    ]) {
      expect((await send('GET', `/v8/piezas/${id.replaceAll(' ', '%20')}`)).status, id).toBe(404)
    }
    expect((await send('GET', '/v8/notas/../piezas')).status).toBe(404)
    expect((await send('GET', '/v8/piezas/%33')).status).toBe(200)
  })

  it('PATH-11: an id that cannot be decoded gets 400, and percent-decoding happens exactly once', async () => {
    for (const id of ['%', '%zz', '%C3', '%c3%28', '%ED%A0%80', '%2']) {
      expect(problem(await send('GET', `/v8/notas/${id}`)), id).toEqual({
        status: 400,
        code: 'malformed-path',
        named: [],
      })
    }
    expect((await send('POST', '/v8/notas', {}, { id: '%2541' })).status).toBe(201)
    expect((await send('GET', '/v8/notas/%252541')).json.id).toBe('%2541')
    expect((await send('GET', '/v8/notas/%2541')).status).toBe(404)
  })

  it('PATH-11: names of collections and areas can use any script, and their URLs are ASCII', async () => {
    const años = defineResource({
      collection: 'años',
      key: 'id',
      schema: { type: 'object', properties: { id: { type: 'integer' } } },
    })
    const zakazy = defineResource({
      collection: 'заказы',
      key: 'id',
      schema: { type: 'object', properties: { id: { type: 'integer' } } },
      attachedTo: [{ of: años }],
    })
    const app = express().use(
      api({
        versions: {
          v1: [
            mount(años, memoryAdapter(años, { records: [{ id: 1 }] })),
            mount(zakazy, memoryAdapter(zakazy), { area: 'año' }),
          ],
        },
      }),
    )
    const { send, close, origin } = await listen(app)
    const made = await send('POST', `/v1/${encodeURIComponent('año')}/${encodeURIComponent('заказы')}`, {}, { id: 1 })
    expect([made.status, made.headers.location]).toEqual([
      201,
      `${origin}/v1/a%C3%B1o/%D0%B7%D0%B0%D0%BA%D0%B0%D0%B7%D1%8B/1`,
    ])
    expect((await send('GET', new URL(made.headers.location as string).pathname)).status).toBe(200)
    const members = await send('GET', `/v1/a%C3%B1os/1/${encodeURIComponent('заказы')}`)
    expect(members.headers.link).toContain(
      `<${origin}/v1/a%C3%B1os/1/%D0%B7%D0%B0%D0%BA%D0%B0%D0%B7%D1%8B?offest=1>; rel="first"`,
    )
    await close()
  })
})
