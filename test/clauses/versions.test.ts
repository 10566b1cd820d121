import { describe, expect, it } from 'vitest'
import type { Middleware } from '../../src/index.js'
import { frameworks, handWritten, problem, serve, shared, wire } from './fixture.js'

describe.each(frameworks)('the VER clauses on %s', (_name, express) => {
  const service = shared(express)
  const { send } = service

  it('VER-1: versions exist side by side over the same data, each with its own members and links', async () => {
    const old = await send('GET', '/v1/contratos/C1')
    expect(old.json).toEqual({ codigo: 'C1', nombre: 'uno', esUrgente: true })
    expect((await send('GET', '/v8/contratos/C1')).json).toMatchObject({
      codigo: 'C1',
      descripcion: 'uno',
      cliente: { href: `${service.origin}/v8/clientes/1` },
    })
    expect(
      (await send('PATCH', '/v1/contratos/C1', { 'If-Match': old.headers.etag as string }, { nombre: 'otro' })).json
        .nombre,
    ).toBe('otro')
    expect((await send('GET', '/v8/contratos/C1')).json).toMatchObject({
      descripcion: 'otro',
      estaActivo: true,
      cliente: { href: `${service.origin}/v8/clientes/1` },
    })
    expect((await send('GET', '/v1/contratos?nombre=otro&sort=-nombre')).json).toHaveLength(1)
    expect((await send('GET', '/v1/piezas')).status).toBe(404)
  })

  it('VER-1: an unknown version gets 404 with the names of the current versions', async () => {
    const answer = await send('GET', '/v9/contratos')
    expect(problem(answer)).toEqual({ status: 404, code: 'unknown-version', named: [] })
    expect(answer.json.detail).toBe('There is no version "v9". Current versions: v1, v8.')
    expect([answer.headers.deprecation, answer.headers.sunset, answer.headers.link]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect((await send('GET', '/v99999999999999999999999')).status).toBe(404)
  })

  it('VER-2: every request to a retired version gets 410 with an empty body', async () => {
    for (const version of ['v0', 'v2']) {
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PROPFIND']) {
        for (const path of ['', '/', '/contratos', '/%zz']) {
          const answer = await send(method, `/${version}${path}`, { 'x-user': 'nobody', Accept: 'text/html' })
          expect([version, method, path, answer.status, answer.text, answer.headers['content-length']]).toEqual([
            version,
            method,
            path,
            410,
            '',
            '0',
          ])
        }
      }
      const { headers } = await send('GET', `/${version}/contratos`)
      expect([headers['content-type'], headers.deprecation, headers.sunset]).toEqual([undefined, undefined, undefined])
    }
  })

  it('VER-3: responses of a deprecated version have Deprecation, Sunset, and a Link to the successor', async () => {
    for (const [path, status, successor] of [
      ['/v1/contratos/C1', 200, '/v8/contratos/C1'],
      ['/v1/contratos/C9', 404, '/v8/contratos/C9'],
      ['/v1/contratos?limit=0', 400, '/v8/contratos'],
    ] as const) {
      const { status: given, headers } = await send('GET', path)
      expect([given, headers.deprecation, headers.sunset]).toEqual([
        status,
        '@1704067200',
        'Thu, 01 Jan 2099 00:00:00 GMT',
      ])
      expect(headers.link).toContain(`<${service.origin}${successor}>; rel="successor-version"`)
    }
    const list = (await send('GET', '/v1/contratos')).headers.link
    expect(list).toContain('rel="first"')
    expect(list).toContain('rel="successor-version"')
    const { headers } = await send('GET', '/v1/contratos/C1')
    const unchanged = await send('GET', '/v1/contratos/C1', { 'If-None-Match': headers.etag as string })
    expect([unchanged.status, unchanged.headers.deprecation]).toEqual([304, '@1704067200'])
    expect((await send('GET', '/v8/contratos/C1')).headers.deprecation).toBeUndefined()
  })

  it('VER-3: a malformed Host or a hostile path neither removes nor corrupts the link to the successor', async () => {
    const answer = await wire(
      service.port,
      'GET /v1/contratos/C1 HTTP/1.1\r\nHost: ex ample\r\nConnection: close\r\n\r\n',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain('Link: </v8/contratos/C1>; rel="successor-version"')
    expect(answer).toContain('malformed-host')
    const { headers } = await send('GET', '/v1/contratos/a>;rel="next"')
    expect(headers.link).toBe(`<${service.origin}/v8/contratos/a%3E;rel=%22next%22>; rel="successor-version"`)
  })

  it('VER-3: on hand-written routes, the link to the successor is added to links of earlier middleware', async () => {
    const docs: Middleware = (_req, res, next) => {
      res.setHeader('Link', '</docs>; rel="service-doc"')
      next()
    }
    const versions = { v1: { resources: [], routes: handWritten, successor: 'v8' }, v8: [] }
    const { send, close, origin } = await serve(express, { versions }, [docs])
    const { headers } = await send('GET', '/v1/a-mano')
    expect(headers.link).toBe(`</docs>; rel="service-doc", <${origin}/v8>; rel="successor-version"`)
    await close()
  })

  it('VER-1: hand-written routes work next to the resources of a version, and unknown paths get 404', async () => {
    expect((await send('GET', '/v8/a-mano')).text).toBe('by hand')
    expect(problem(await send('GET', '/v8/roto'))).toEqual({ status: 403, code: 'forbidden', named: [] })
    expect(problem(await send('GET', '/v8/otro'))).toEqual({ status: 404, code: 'unknown-path', named: [] })
    expect((await send('GET', '/v8/a-mano', { 'x-user': 'nobody' })).status).toBe(401)
    await expect(send('GET', '/v8/a-medias')).rejects.toThrow()
  })
})
