import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, mount } from '../../src/index.js'
import { problemKinds } from '../../src/problem.js'
import { frameworks, listen, problem, serve, shared } from './fixture.js'

describe.each(frameworks)('the ERR clauses on %s', (_name, express) => {
  const service = shared(express)
  const { send } = service

  it('ERR-3: a problem follows RFC 9457 and has the clause, a stable code and every violation', async () => {
    const answer = await send('POST', '/v8/piezas', { 'x-request-id': 'r-1' }, { lot: 'x', peso: 'y' })
    expect(answer.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      vary: 'Accept',
      'x-request-id': 'r-1',
    })
    expect(answer.json).toEqual({
      type: 'tag:express-rest-conventions,2026:errors#ERR-2-invalid-body',
      title: problemKinds['invalid-body'].title,
      status: 422,
      detail: expect.stringContaining('"lot" is not a member here. Did you mean "lote"?'),
      instance: '/v8/piezas',
      code: 'invalid-body',
      clause: 'ERR-2',
      requestId: 'r-1',
      errors: expect.any(Array),
    })
    expect(problem(answer).named.sort()).toEqual(['/lot', '/lote', '/peso'])
  })

  it('ERR-3: the base URL of problem types is configurable. The trace id replaces an invalid request id', async () => {
    const { send, close } = await serve(express, { problemBase: 'https://docs.example/errors' })
    const trace = '0af7651916cd43dd8448eb211c80319c'
    const { json } = await send('GET', '/v8/piezas/999', {
      traceparent: `00-${trace}-b7ad6b7169203331-01`,
      'x-request-id': 'bad id\u00e9',
    })
    expect(json).toMatchObject({
      type: 'https://docs.example/errors#VERB-1-absent',
      requestId: trace,
      instance: '/v8/piezas/999',
    })
    await close()
  })

  it('ERR-2: malformed input gets 400. Input that violates the schema, a rule or a reference gets 422', async () => {
    const post = async (path: string, body: unknown) => problem(await send('POST', path, {}, body))
    expect((await post('/v8/contratos', '{')).status).toBe(400)
    expect(await post('/v8/contratos', { codigo: 'X' })).toEqual({
      status: 422,
      code: 'invalid-body',
      named: ['/descripcion'],
    })
    expect(await post('/v8/contratos', { codigo: 'X', descripcion: 'prohibido' })).toEqual({
      status: 422,
      code: 'invalid-body',
      named: ['/descripcion'],
    })
    expect(await post('/v8/contratos', { codigo: 'C1', descripcion: 'x' })).toEqual({
      status: 422,
      code: 'duplicate',
      named: ['/codigo'],
    })
    expect(await post('/v8/contratos', { codigo: 'X', descripcion: 'x', cliente: { id: 99 } })).toEqual({
      status: 422,
      code: 'invalid-body',
      named: ['/cliente'],
    })
    expect(problem(await send('PATCH', '/v8/contratos/C1', {}, { descripcion: 'prohibido' })).status).toBe(422)
    expect(problem(await send('PUT', '/v8/contratos/C1', {}, { descripcion: 'prohibido' })).status).toBe(422)
  })

  it('ERR-1, ERR-3: a failure causes a 500 without details, or a 503 if a dependency is unavailable', async () => {
    for (const id of ['secret', 'nothing', 'garbage', 'unversioned']) {
      const answer = await send('GET', `/v8/averias/${id}`)
      expect([id, answer.status, answer.json.code, answer.json.detail]).toEqual([id, 500, 'internal', undefined])
      expect(answer.text).not.toMatch(/hunter2|at |Error/)
    }
    const down = await send('GET', '/v8/averias/down')
    expect([down.status, down.json.code, down.headers['retry-after']]).toEqual([503, 'unavailable', '7'])
    const refused = await send('GET', '/v8/averias/refused')
    expect([refused.status, refused.json.detail]).toEqual([429, 'The quota is used up.'])
  })

  it('ERR-1: a problem whose header or member cannot be sent causes a 500, and the service keeps running', async () => {
    for (const id of ['unwritable', 'uncodable']) {
      const answer = await send('GET', `/v8/averias/${id}`)
      expect([id, answer.status, answer.json.code]).toEqual([id, 500, 'internal'])
    }
  })

  it('ERR-1: an adapter, handler or principal function that never settles causes a 503 after the configured time', async () => {
    const over = new AbortController()
    // This limit is shorter than the default timeout, and much longer than the timeout of this
    // service.
    const isLate = sleep(15_000, true, { signal: over.signal }).catch(() => false)
    const timed = async (method: string, path: string, headers = {}, body?: unknown) => {
      const answer = send(method, path, headers, body)
      if (await Promise.race([isLate, answer.then(() => false)])) return 'late'
      const { status, headers: fields } = await answer
      return [status, fields['retry-after']]
    }
    const calls: [string, string, Record<string, string>?, unknown?][] = [
      ['GET', '/v8/averias/hang'],
      ['DELETE', '/v8/averias/hang'],
      ['PUT', '/v8/averias/hang', {}, {}],
      ['PATCH', '/v8/averias/write-hang', {}, {}],
      ['PATCH', '/v8/averias/write-hang', {}, {}],
      ['POST', '/v8/averias', {}, { id: 'hang' }],
      ['POST', '/v8/informes', {}, { como: 'nunca' }],
      ['GET', '/v8/piezas', { 'x-user': 'hang' }],
      ['PATCH', '/v8/averias/write-stale', {}, {}],
    ]
    expect(await Promise.all(calls.map((call) => timed(...call)))).toEqual(calls.map(() => [503, '1']))
    over.abort()
  })

  it('ERR-1: a rule that never settles causes a 503, and a rule that throws causes a 500', async () => {
    const lentas = defineResource({
      collection: 'lentas',
      key: 'id',
      schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
      rules: ({ id }) => {
        if (id === 'throws') throw new Error('rule')
        return new Promise(() => {})
      },
    })
    const app = express().use(
      api({ timeout: 50, onError: () => {}, versions: { v1: [mount(lentas, memoryAdapter(lentas))] } }),
    )
    const { send, close } = await listen(app)
    expect((await send('POST', '/v1/lentas', {}, { id: 'hangs' })).status).toBe(503)
    expect((await send('POST', '/v1/lentas', {}, { id: 'throws' })).status).toBe(500)
    expect((await send('GET', '/v1/lentas')).json).toEqual([])
    await close()
  })

  // Each request except the last fails several checks. The response shows which check came first.
  const order: [
    status: number,
    method: string,
    path: string,
    headers: Record<string, string>,
    body: string | undefined,
    what: string,
  ][] = [
    [
      410,
      'DELETE',
      '/v0/nada/%zz?x=1',
      { Accept: 'text/html', 'x-user': 'nobody' },
      undefined,
      'retired version before everything else',
    ],
    [
      404,
      'DELETE',
      '/v9/nada?x=1',
      { Accept: 'text/html', 'x-user': 'nobody' },
      undefined,
      'unknown version before 401',
    ],
    [
      401,
      'DELETE',
      '/v8/nada?x=1',
      { Accept: 'text/html', 'x-user': 'nobody' },
      undefined,
      '401 before 404 of the path',
    ],
    [404, 'DELETE', '/v8/nada?x=1', { Accept: 'text/html' }, undefined, '404 of the path before 405'],
    [405, 'DELETE', '/v8/piezas?x=1', { Accept: 'text/html' }, undefined, '405 before 415 of Accept'],
    [415, 'GET', '/v8/piezas?x=1', { Accept: 'text/html' }, undefined, '415 of Accept before 400 of the query'],
    [
      415,
      'POST',
      '/v8/piezas?x=1',
      { Accept: 'text/html', 'Content-Type': 'text/plain' },
      '{',
      '415 of Accept before every error of the body',
    ],
    [
      400,
      'PUT',
      '/v8/piezas/999?x=1',
      { 'If-Match': '"x.y"' },
      '{"lote":"x"}',
      '400 of the query before 404 of the item',
    ],
    [
      400,
      'POST',
      '/v8/piezas?x=1',
      { 'Content-Type': 'text/plain' },
      '{"lote":"x"}',
      '400 of the query before 415 of the body',
    ],
    [
      415,
      'PUT',
      '/v8/piezas/999',
      { 'Content-Type': 'text/plain', 'If-Match': '"x.y"' },
      '{',
      '415 of the body before 400 of the body',
    ],
    [400, 'PUT', '/v8/piezas/999', { 'If-Match': '"x.y"' }, '{', '400 of the body before 404 of the item'],
    [422, 'PUT', '/v8/piezas/999', { 'If-Match': '"x.y"' }, '{"lote":3}', '422 of the body before 404 of the item'],
    [422, 'POST', '/v8/piezas/999/componentes', {}, '{}', '422 of the body before 404 of the parent'],
    [404, 'PUT', '/v8/piezas/999', { 'If-Match': '"x.y"' }, '{"lote":"x"}', '404 of the item before 412'],
    [
      404,
      'PATCH',
      '/v8/piezas/999',
      { 'If-Match': '"x.y"' },
      '{"lote":3}',
      '404 of the item before 412 and 422 of the merged result',
    ],
    [412, 'PATCH', '/v8/piezas/1', { 'If-Match': '"x.y"' }, '{"lote":3}', '412 before 422 of the merged result'],
    [
      412,
      'PUT',
      '/v8/contratos/C1',
      { 'If-Match': '"x.y"' },
      '{"descripcion":"prohibido"}',
      '412 before the rules of the resource',
    ],
    [422, 'PATCH', '/v8/piezas/1', {}, '{"lote":3}', '422 of the merged result last'],
  ]
  const titled = order.map(([status, method, path, headers, body, what]) => ({
    what,
    status,
    method,
    path,
    headers,
    body,
  }))
  it.each(titled)(
    'ERR-2: the order of checks is $what, so $method $path gets $status',
    async ({ status, method, path, headers, body }) => {
      const answer = await send(method, path, headers, body)
      expect(answer.status).toBe(status)
      expect(answer.text === '').toBe(status === 410)
    },
  )

  it('ERR-2: a body above the limit gets 413, even if the item does not exist', async () => {
    const answer = await send('PUT', '/v8/piezas/999', {}, 'x'.repeat(30_000))
    expect(problem(answer)).toEqual({ status: 413, code: 'body-too-large', named: [] })
  })

  it('ERR-2: if "requireIfMatch" is set, 404 comes before 428, and 428 before 422 of the merged result', async () => {
    const { send, close } = await serve(express, { requireIfMatch: true })
    expect((await send('PATCH', '/v8/piezas/999', {}, { lote: 3 })).status).toBe(404)
    expect((await send('PATCH', '/v8/piezas/1', {}, { lote: 3 })).status).toBe(428)
    await close()
  })
})
