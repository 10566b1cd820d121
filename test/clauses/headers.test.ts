import { describe, expect, it } from 'vitest'
import { frameworks, problem, serve, shared } from './fixture.js'

describe.each(frameworks)('the HDR clauses on %s', (_name, express) => {
  const service = shared(express)
  const { send } = service
  const tag = async (path: string, headers: Record<string, string> = {}) =>
    (await send('GET', path, headers)).headers.etag as string

  it('HDR-1: Accept is honoured with q-values, wildcards and parameters, and the default is JSON', async () => {
    for (const accept of [
      undefined,
      '',
      '*/*',
      'application/*',
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
      'APPLICATION/JSON',
      'text/html, application/json;q=0.1',
      'text/html;q=0, */*;q=0.1',
      'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
    ]) {
      const answer = await send('GET', '/v8/piezas/1', accept === undefined ? {} : { Accept: accept })
      expect([accept, answer.status, answer.headers['content-type'], answer.headers.vary]).toEqual([
        accept,
        200,
        'application/json; charset=utf-8',
        'Accept',
      ])
    }
  })

  it('HDR-1: an unsupported Accept gets 415 for every method except OPTIONS, before anything is changed', async () => {
    for (const accept of [
      'text/html',
      'application/json;q=0',
      'application/json;q=0, application/*;q=0, text/xml;q=0, */*',
      'application/problem+json',
      'application/json; version=1',
      'garbage',
      'application/json; charset=latin1',
    ]) {
      const answer = await send('GET', '/v8/piezas/1', { Accept: accept })
      expect([accept, problem(answer), answer.headers['content-type']]).toEqual([
        accept,
        { status: 415, code: 'unsupported-accept', named: ['Accept'] },
        'application/problem+json',
      ])
    }
    for (const [method, path, body] of [
      ['HEAD', '/v8/piezas/1'],
      ['DELETE', '/v8/piezas/1'],
      ['PUT', '/v8/carteras/k1/piezas/1'],
      ['PUT', '/v8/contratos/C2/activo'],
      ['POST', '/v8/piezas', { lote: 'no' }],
      ['PATCH', '/v8/piezas/1', { lote: 'no' }],
    ] as const) {
      expect([method, (await send(method, path, { Accept: 'text/html' }, body)).status]).toEqual([method, 415])
    }
    expect((await send('GET', '/v8/piezas/1')).json.lote).toBe('A')
    expect((await send('GET', '/v8/contratos/C2')).json.estaActivo).toBe(false)
    expect((await send('OPTIONS', '/v8/piezas/1', { Accept: 'text/html' })).status).toBe(204)
  })

  it('HDR-2: entity tags are strong, with a record version and a digest. An Etag in a request is ignored', async () => {
    const etag = await tag('/v8/piezas/1')
    expect(etag).toMatch(/^"[\x21\x23-\x7e]+\.[\w-]+"$/)
    expect(await tag('/v8/piezas/1', { Etag: '"other"' })).toBe(etag)
    expect((await send('PATCH', '/v8/piezas/1', { Etag: '"other"' }, {})).status).toBe(200)
    expect(await tag('/v8/piezas/1')).not.toBe(etag)
  })

  it('HDR-2: the entity tag depends on the expansion, the base URL and the related records shown', async () => {
    const { send, close } = await serve(express)
    const tagOf = async (path: string, headers = {}) => (await send('GET', path, headers)).headers.etag
    const brief = await tagOf('/v8/piezas/1')
    const expanded = await tagOf('/v8/piezas/1?expand=nota')
    expect(
      new Set([
        brief,
        expanded,
        await tagOf('/v8/piezas/1?expand=contrato'),
        await tagOf('/v8/piezas/1', { Host: 'other.example' }),
      ]).size,
    ).toBe(4)
    await send('PATCH', '/v8/notas/a%2Fb%3Fc%23d', {}, { texto: 'new' })
    expect(await tagOf('/v8/piezas/1')).toBe(brief)
    expect(await tagOf('/v8/piezas/1?expand=nota')).not.toBe(expanded)
    // Members that a link shows are part of the unexpanded representation too.
    await send('PATCH', '/v8/contratos/C1', {}, { esUrgente: false })
    expect(await tagOf('/v8/piezas/1')).not.toBe(brief)
    await close()
  })

  it('HDR-2: a record that was deleted and created again has a new entity tag, and the old tag gets 412', async () => {
    const { send, close } = await serve(express)
    const first = (await send('GET', '/v8/clientes/2')).headers.etag as string
    await send('DELETE', '/v8/clientes/2')
    await send('POST', '/v8/clientes', {}, { id: 2, nombre: 'Bea' })
    expect((await send('GET', '/v8/clientes/2')).headers.etag).not.toBe(first)
    expect((await send('PUT', '/v8/clientes/2', { 'If-Match': first }, { nombre: 'x' })).status).toBe(412)
    await close()
  })

  it('HDR-2: a record version with unusual characters results in an entity tag that can be sent back', async () => {
    for (const id of ['odd"\\, *', 'odd ñ🙂', 'odd%41.x.', 'odd\t', 'odd/W']) {
      const path = `/v8/averias/${encodeURIComponent(id)}`
      const etag = await tag(path)
      expect(etag).toMatch(/^"[\x21\x23-\x7e]+"$/)
      expect((await send('GET', path, { 'If-None-Match': `"a", ${etag}` })).status).toBe(304)
      expect((await send('PUT', path, { 'If-Match': etag }, {})).status).toBe(200)
      expect((await send('PUT', path, { 'If-Match': '"odd.x"' }, {})).status).toBe(412)
    }
  })

  it('HDR-3: If-Match accepts the entity tag of any representation of the current record version', async () => {
    const expanded = await tag('/v8/piezas/2?expand=nota,contrato')
    expect((await send('PATCH', '/v8/piezas/2', { 'If-Match': expanded }, { peso: 1 })).status).toBe(200)
    const other = await tag('/v8/piezas/2', { Host: 'elsewhere.example' })
    expect((await send('PATCH', '/v8/piezas/2', { 'If-Match': `"x", ${other},"y"` }, { peso: 2 })).status).toBe(200)
    expect((await send('PATCH', '/v8/piezas/2', { 'If-Match': '*' }, { peso: 3 })).status).toBe(200)
    const now = await tag('/v8/piezas/2')
    expect((await send('PUT', '/v8/piezas/2', { 'If-Match': now }, { lote: 'z' })).status).toBe(200)
    expect((await send('DELETE', '/v8/piezas/2', { 'If-Match': await tag('/v8/piezas/2') })).status).toBe(204)
  })

  it('HDR-3: If-Match without a strong tag of the current record version gets 412 and changes nothing', async () => {
    const old = await tag('/v8/piezas/3')
    await send('PATCH', '/v8/piezas/3', {}, { peso: 7 })
    const now = await tag('/v8/piezas/3')
    const etags = [old, `W/${now}`, '"x"', 'x', now.slice(1, -1), '', `"${now}"`, '"*"', `${now.slice(0, -1)}`]
    for (const etag of etags) {
      for (const [method, body] of [
        ['PUT', { lote: 'no' }],
        ['PATCH', { lote: 'no' }],
        ['DELETE', undefined],
      ] as const) {
        expect([method, etag, problem(await send(method, '/v8/piezas/3', { 'If-Match': etag }, body))]).toEqual([
          method,
          etag,
          { status: 412, code: 'stale', named: [] },
        ])
      }
    }
    expect(await tag('/v8/piezas/3')).toBe(now)
    expect((await send('GET', '/v8/piezas/3', { 'If-Match': '"x.y"' })).status).toBe(412)
    expect((await send('GET', '/v8/piezas', { 'If-Match': '"x.y"' })).status).toBe(412)
  })

  it('HDR-3: an absent item gets 404 before any precondition is evaluated', async () => {
    for (const headers of [{ 'If-Match': '"x.y"' }, { 'If-Match': '*' }, { 'If-None-Match': '*' }]) {
      for (const [method, body] of [['GET'], ['PUT', { lote: 'x' }], ['PATCH', {}], ['DELETE']] as const) {
        expect([method, (await send(method, '/v8/piezas/999', headers, body)).status]).toEqual([method, 404])
      }
      expect((await send('DELETE', '/v8/clientes/1/contratos/C2', headers)).status).toBe(404)
      expect((await send('PUT', '/v8/clientes/9/contratos/C2', headers)).status).toBe(404)
      expect((await send('PUT', '/v8/clientes/1/contratos/C9', headers)).status).toBe(404)
      expect((await send('PUT', '/v8/contratos/C9/activo', headers)).status).toBe(404)
    }
  })

  it('HDR-3: If-Match also works for writes to items of contained and associated sub-collections', async () => {
    const { send, close } = await serve(express)
    const tagOf = async (path: string) => (await send('GET', path)).headers.etag as string
    const part = '/v8/piezas/1/componentes/numeroDeCabecera=1,secuencia=1'
    expect((await send('PATCH', part, { 'If-Match': '"x.y"' }, { nombre: 'x' })).status).toBe(412)
    expect((await send('PATCH', part, { 'If-Match': await tagOf(part) }, { nombre: 'x' })).status).toBe(200)
    expect((await send('DELETE', part, { 'If-Match': '"x.y"' })).status).toBe(412)
    const member = '/v8/clientes/1/contratos/C2'
    const contract = await tagOf('/v8/contratos/C2')
    expect((await send('PUT', member, { 'If-Match': '"x.y"' })).status).toBe(412)
    expect((await send('PUT', member, { 'If-Match': contract })).status).toBe(204)
    expect((await send('DELETE', member, { 'If-Match': contract })).status).toBe(412)
    expect((await send('DELETE', member, { 'If-Match': await tagOf(member) })).status).toBe(204)
    await close()
  })

  it('HDR-4: a PUT with If-None-Match: * attaches a record only if it is not yet attached', async () => {
    const { send, close } = await serve(express)
    expect((await send('PUT', '/v8/carteras/k1/piezas/1', { 'If-None-Match': '*' })).status).toBe(204)
    expect((await send('PUT', '/v8/carteras/k1/piezas/1', { 'If-None-Match': '*' })).status).toBe(412)
    await close()
  })

  it('HDR-3: a tag that a proxy has weakened matches only if "weakIfMatch" is set', async () => {
    const { send, close } = await serve(express, { weakIfMatch: true })
    const weakened = `W/${(await send('GET', '/v8/piezas/1')).headers.etag}`
    expect((await send('PATCH', '/v8/piezas/1', { 'If-Match': weakened }, {})).status).toBe(200)
    expect((await send('PATCH', '/v8/piezas/1', { 'If-Match': weakened }, {})).status).toBe(412)
    await close()
    const strict = await serve(express)
    const again = `W/${(await strict.send('GET', '/v8/piezas/1')).headers.etag}`
    expect((await strict.send('PATCH', '/v8/piezas/1', { 'If-Match': again }, {})).status).toBe(412)
    await strict.close()
  })

  it('HDR-3: with "requireIfMatch", updates and deletes without If-Match get 428. Absent items get 404', async () => {
    const { send, close } = await serve(express, { requireIfMatch: true })
    for (const [method, path, body] of [
      ['PUT', '/v8/piezas/1', { lote: 'x' }],
      ['PATCH', '/v8/piezas/1', {}],
      ['DELETE', '/v8/piezas/1'],
      ['PUT', '/v8/clientes/1/contratos/C2'],
      ['DELETE', '/v8/clientes/1/contratos/C1'],
      ['PUT', '/v8/contratos/C1/activo'],
      ['DELETE', '/v8/contratos/C1/activo'],
    ] as const) {
      expect([method, path, problem(await send(method, path, {}, body))]).toEqual([
        method,
        path,
        { status: 428, code: 'precondition-required', named: [] },
      ])
    }
    expect((await send('PUT', '/v8/piezas/999', {}, { lote: 'x' })).status).toBe(404)
    expect((await send('PUT', '/v8/piezas/1', {}, { lote: 3 })).status).toBe(422)
    expect((await send('PUT', '/v8/piezas/1', {}, '{')).status).toBe(400)
    expect((await send('PATCH', '/v8/piezas/1', { 'If-Match': '*' }, {})).status).toBe(200)
    expect((await send('POST', '/v8/piezas', {}, { lote: 'x' })).status).toBe(201)
    await close()
  })

  it('HDR-4: If-None-Match is compared weakly, even if the request has no-cache. A 304 has Etag and Vary', async () => {
    for (const path of [
      '/v8/piezas/4',
      '/v8/piezas/4?expand=nota',
      '/v8/piezas?lote=B',
      '/v8/piezas/1/componentes',
      '/v8/search?q=x',
      '/v8/clientes/1/contratos',
    ]) {
      const { headers } = await send('GET', path)
      for (const [etag, extra] of [
        [headers.etag, {}],
        [`W/${headers.etag}`, {}],
        [`"a", W/"b" , ${headers.etag}`, {}],
        ['*', {}],
        [headers.etag, { 'Cache-Control': 'no-cache', Pragma: 'no-cache' }],
        [headers.etag, { 'If-Modified-Since': 'Mon, 01 Jan 1990 00:00:00 GMT' }],
      ] as const) {
        const answer = await send('GET', path, { 'If-None-Match': String(etag), ...extra })
        expect([
          path,
          answer.status,
          answer.text,
          answer.headers.etag,
          answer.headers.vary,
          answer.headers['cache-control'],
          answer.headers['content-length'],
          answer.headers['content-type'],
        ]).toEqual([path, 304, '', headers.etag, headers.vary, headers['cache-control'], undefined, undefined])
      }
      expect((await send('GET', path, { 'If-None-Match': '"x.y", x' })).status).toBe(200)
    }
  })

  it('HDR-4: a GET with If-None-Match, sent with fetch() of Node, gets a 304', async () => {
    const url = `${service.origin}/v8/piezas/4`
    const first = await fetch(url)
    await first.text()
    const again = await fetch(url, { headers: { 'If-None-Match': first.headers.get('etag') as string } })
    expect([again.status, again.headers.get('etag')]).toEqual([304, first.headers.get('etag')])
  })

  it('HDR-4: the entity tag of another representation, or of another list, does not give a 304', async () => {
    expect(
      (await send('GET', '/v8/piezas/4?expand=contrato', { 'If-None-Match': await tag('/v8/piezas/4') })).status,
    ).toBe(200)
    const lists = [
      '/v8/piezas',
      '/v8/piezas?offest=2',
      '/v8/piezas?offest=3',
      '/v8/piezas?lote=none',
      '/v8/piezas?lote=nothing',
      '/v8/piezas?expand=contrato',
      '/v8/piezas?sort=-numero',
      '/v8/piezas?limit=5',
    ]
    expect(new Set(await Promise.all(lists.map((path) => tag(path)))).size).toBe(lists.length)
  })

  it('HDR-4: the entity tag of a list changes with the total, and with related records that are shown', async () => {
    const { send, close } = await serve(express)
    const page = async (path = '/v8/piezas?limit=2') => {
      const { text, headers } = await send('GET', path)
      return { text, etag: headers.etag }
    }
    const before = await page()
    await send('POST', '/v8/piezas', {}, { lote: 'z' })
    const after = await page()
    expect(after.text).toBe(before.text)
    expect(after.etag).not.toBe(before.etag)
    await send('DELETE', '/v8/contratos/C2/activo')
    expect((await page()).etag).toBe(after.etag)
    await send('PATCH', '/v8/contratos/C2', {}, { descripcion: 'otra' })
    expect((await page()).etag).not.toBe(after.etag)
    await close()
  })

  it('HDR-4: PUT, PATCH and DELETE get 412 if If-None-Match matches, and POST ignores If-None-Match', async () => {
    const now = await tag('/v8/piezas/5')
    for (const [method, body] of [
      ['PUT', { lote: 'x' }],
      ['PATCH', {}],
      ['DELETE', undefined],
    ] as const) {
      for (const etag of ['*', now, `W/${now}`]) {
        expect([method, etag, problem(await send(method, '/v8/piezas/5', { 'If-None-Match': etag }, body))]).toEqual([
          method,
          etag,
          { status: 412, code: 'precondition-failed', named: [] },
        ])
      }
    }
    expect((await send('PATCH', '/v8/piezas/5', { 'If-None-Match': '"x.y"' }, {})).status).toBe(200)
    expect(
      (await send('POST', '/v8/piezas', { 'If-None-Match': '*', 'If-Match': '"x.y"' }, { lote: 'x' })).status,
    ).toBe(201)
  })

  it('HDR-5: the media type of JSON is accepted in any spelling. A 415 lists the accepted media types', async () => {
    for (const type of [
      'application/json',
      'Application/JSON',
      'application/json;charset=utf-8',
      'application/json; charset="UTF-8"',
      'application/json; x=y',
    ]) {
      expect([type, (await send('POST', '/v8/piezas', { 'Content-Type': type }, { lote: 'x' })).status]).toEqual([
        type,
        201,
      ])
    }
    for (const type of [
      'text/plain',
      'application/atom+xml',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
      'application/merge-patch+json',
      'json',
      '',
      'application/jsonx',
      'multipart/form-data; boundary=x',
    ]) {
      const answer = await send('POST', '/v8/piezas', { 'Content-Type': type }, '{"lote":"x"}')
      expect([type, problem(answer), answer.headers.accept]).toEqual([
        type,
        { status: 415, code: 'unsupported-content', named: ['Content-Type'] },
        'application/json, application/xml, text/xml',
      ])
    }
    expect((await send('POST', '/v8/piezas', { 'Content-Encoding': 'zstd' }, { lote: 'x' })).status).toBe(415)
  })

  it('HDR-5: a body that cannot be parsed gets 400', async () => {
    for (const body of [
      '{',
      '',
      ' ',
      '{"lote":}',
      "{'lote':1}",
      '{"lote":"x"}x',
      '[1,]',
      'undefined',
      'NaN',
      '{"lote":"\u0001"}',
      '{"lote":"x","lote":"y"}',
      '{"a":{"b":1,"b":2}}',
      '{"__proto__":{"x":1}}',
      '{"lote":"x","destino":{"__proto__":1}}',
      '{"peso":1e999}',
      '{"peso":9007199254740993}',
      '\ufeff{',
    ]) {
      const answer = await send('POST', '/v8/piezas', body === '' ? { 'Transfer-Encoding': 'chunked' } : {}, body)
      expect([body, answer.status, answer.json.code]).toEqual([
        body,
        400,
        body === '' ? expect.stringMatching(/^(malformed|missing)-body$/) : 'malformed-body',
      ])
    }
    expect(
      problem(await send('POST', '/v8/piezas', { 'Content-Type': 'application/json', 'Content-Length': '0' })).code,
    ).toBe('missing-body')
    expect(problem(await send('PATCH', '/v8/piezas/1')).code).toBe('missing-body')
    expect(problem(await send('POST', '/v8/piezas', {}, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))).code).toBe(
      'malformed-body',
    )
  })

  it('HDR-6: representations have Cache-Control "private, no-cache", and problems have "no-store"', async () => {
    expect((await send('GET', '/v8/piezas/1')).headers['cache-control']).toBe('private, no-cache')
    expect((await send('GET', '/v8/piezas')).headers['cache-control']).toBe('private, no-cache')
    expect((await send('GET', '/v8/piezas/999')).headers['cache-control']).toBe('no-store')
    expect((await send('GET', '/v0/piezas')).headers['cache-control']).toBe('no-store')
  })
})
