import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { type Action, type Permission, scopePermission } from '../../src/auth/index.js'
import { type Adapter, api, defineResource, endpoint, type Hooks, mount, resourceRouter } from '../../src/index.js'
import { methodRules } from '../../src/middleware/index.js'
import { type Answer, type Express, frameworks, listen, problem } from './fixture.js'

/**
 * This string occurs in the description of every contract. No response to a caller without read
 * permission for contracts may contain it.
 */
const secret = 'confidencial'
const text = { type: 'string' } as const

const clientes = defineResource({
  collection: 'clientes',
  key: 'id',
  schema: { type: 'object', required: ['id', 'nombre'], properties: { id: { type: 'integer' }, nombre: text } },
  links: { contratos: { sub: 'contratos' } },
})
const contratos = defineResource({
  collection: 'contratos',
  key: 'codigo',
  schema: {
    type: 'object',
    required: ['codigo', 'descripcion'],
    properties: {
      codigo: text,
      descripcion: text,
      estaActivo: { type: 'boolean', default: true },
      clienteId: { type: ['integer', 'null'] },
    },
  },
  search: ['descripcion'],
  links: { cliente: { to: clientes, by: 'clienteId', show: ['nombre'] } },
  attachedTo: [{ of: clientes, by: 'clienteId' }],
  flags: { activo: 'estaActivo' },
})
const piezas = defineResource({
  collection: 'piezas',
  key: 'numero',
  assigned: true,
  schema: {
    type: 'object',
    required: ['numero', 'lote'],
    properties: {
      numero: { type: 'integer' },
      lote: text,
      contratoId: { type: ['string', 'null'] },
      sello: { type: 'string', readOnly: true },
    },
  },
  filters: { lote: true, contrato: { field: 'contratoId' } },
  search: ['lote'],
  links: { contrato: { to: contratos, by: 'contratoId', show: ['descripcion'] }, componentes: { sub: 'componentes' } },
})
const componentes = defineResource({
  collection: 'componentes',
  key: ['pieza', 'secuencia'],
  schema: {
    type: 'object',
    required: ['pieza', 'secuencia'],
    properties: { pieza: { type: 'integer' }, secuencia: { type: 'integer' }, nombre: { type: 'string', default: '' } },
  },
  parent: { of: piezas, by: 'pieza' },
})

/** Counts the calls to an adapter. */
function watched<T, K>(adapter: Adapter<T, K>, seen: { calls: number }): Adapter<T, K> {
  return new Proxy(adapter, {
    get(target, name, receiver) {
      const found = Reflect.get(target, name, receiver) as unknown
      if (typeof found !== 'function' || name === 'ready') return found
      return (...rest: unknown[]) => {
        seen.calls += 1
        return (found as (...rest: unknown[]) => unknown).apply(target, rest)
      }
    },
  })
}

const scopeOf = (req: IncomingMessage) => ({ sub: 'ana', scope: String(req.headers['x-scope'] ?? '') })

function build(permission: Permission, onError: NonNullable<Hooks['onError']>) {
  const seen = { calls: 0 }
  const data = {
    clientes: memoryAdapter(clientes, { records: [{ id: 1, nombre: 'Ana' }] }),
    contratos: watched(
      memoryAdapter(contratos, {
        records: [
          { codigo: 'C1', descripcion: `${secret} uno`, estaActivo: true, clienteId: 1 },
          { codigo: 'C2', descripcion: `${secret} dos`, estaActivo: false, clienteId: null },
        ],
      }),
      seen,
    ),
    piezas: memoryAdapter(piezas, {
      records: [
        { numero: 1, lote: 'A', contratoId: 'C1', sello: 's' },
        { numero: 2, lote: 'B', contratoId: null, sello: 's' },
      ],
    }),
    componentes: memoryAdapter(componentes, { records: [{ pieza: 1, secuencia: 1, nombre: 'tapa' }] }),
  }
  const handler = api({
    principal: scopeOf,
    permission,
    onError,
    versions: {
      v1: {
        resources: [
          mount(clientes, data.clientes),
          mount(contratos, data.contratos),
          mount(piezas, data.piezas),
          mount(componentes, data.componentes),
          endpoint('search', {
            description: 'Looks for a text everywhere.',
            methods: {
              GET: {
                handle: async ({ may }) => ({
                  contratos: await may('list', 'contratos'),
                  piezas: await may('list', 'piezas'),
                }),
              },
              POST: { handle: () => undefined },
            },
          }),
        ],
        routes: (req: IncomingMessage, res: never, next: (error?: unknown) => void) =>
          methodRules({
            on: req.url === '/sucursales' ? 'collection' : 'item',
            allow: req.url === '/sucursales' ? ['GET', 'POST'] : ['GET', 'PUT'],
            permission,
            resource: 'sucursales',
            key: () => 'ROS',
          })(req, res, (error) => {
            if (error !== undefined) return next(error)
            ;(res as { end(text: string): void }).end('by hand')
          }),
      },
    },
  })
  return { handler, seen }
}

type Send = (
  method: string,
  path: string,
  scope: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>

async function serve(express: Express, permission: Permission, onError: Hooks['onError'] = () => {}) {
  const { handler, seen } = build(permission, onError)
  const served = await listen(express().use(handler))
  const send: Send = (method, path, scope, body, headers = {}) =>
    served.send(method, path, { 'x-scope': scope, ...headers }, body)
  return { ...served, send, seen }
}

const allowOf = (answer: Answer) => [answer.status, answer.headers.allow]

describe.each(frameworks)('AUTH-4: permissions by scopes on %s', (_name, express) => {
  let service: Awaited<ReturnType<typeof serve>>
  beforeAll(async () => {
    service = await serve(express, scopePermission())
  })
  afterAll(() => service.close())
  const ask: Send = (...request) => service.send(...request)

  it('a caller without a scope for a resource gets 403 for every request, and the adapter is not called', async () => {
    for (const [method, path, body] of [
      ['GET', '/v1/contratos'],
      ['HEAD', '/v1/contratos'],
      ['POST', '/v1/contratos', { codigo: 'C3', descripcion: 'x' }],
      ['GET', '/v1/contratos/C1'],
      ['GET', '/v1/contratos/nada'],
      ['HEAD', '/v1/contratos/C1'],
      ['PUT', '/v1/contratos/C1', { codigo: 'C1', descripcion: 'x' }],
      ['PATCH', '/v1/contratos/C1', {}],
      ['DELETE', '/v1/contratos/C1'],
      ['OPTIONS', '/v1/contratos/C1'],
      ['DELETE', '/v1/contratos'],
      ['GET', '/v1/contratos/C1/activo'],
      ['PUT', '/v1/contratos/C1/activo'],
      ['DELETE', '/v1/contratos/C1/activo'],
      ['GET', '/v1/clientes/1/contratos'],
      ['HEAD', '/v1/clientes/1/contratos'],
      ['POST', '/v1/clientes/1/contratos', { codigo: 'C3', descripcion: 'x' }],
      ['GET', '/v1/clientes/1/contratos/C1'],
      ['HEAD', '/v1/clientes/1/contratos/C1'],
      ['PUT', '/v1/clientes/1/contratos/C2'],
      ['DELETE', '/v1/clientes/1/contratos/C1'],
      ['OPTIONS', '/v1/clientes/1/contratos'],
    ] as const) {
      const before = service.seen.calls
      const answer = await ask(method, path, 'piezas:read piezas:write clientes:read clientes:write', body, {
        'If-None-Match': '*',
        'If-Match': '*',
      })
      expect([
        method,
        path,
        answer.status,
        answer.headers['x-total-count'],
        answer.headers.etag,
        service.seen.calls - before,
      ]).toEqual([method, path, 403, undefined, undefined, 0])
      if (method !== 'HEAD') expect(problem(answer)).toEqual({ status: 403, code: 'forbidden', named: [] })
    }
  })

  it('the 403 names the first scope that the request needs and the caller lacks', async () => {
    for (const [method, path, scope, needed] of [
      ['GET', '/v1/contratos', '', 'contratos:read'],
      ['DELETE', '/v1/contratos/C1', 'piezas:write', 'contratos:write'],
      ['PUT', '/v1/contratos/C1/activo', '', 'contratos:write'],
      ['GET', '/v1/clientes/1/contratos', 'contratos:read', 'clientes:read'],
      ['GET', '/v1/clientes/1/contratos', 'clientes:read', 'contratos:read'],
    ] as const) {
      const { status, json } = await ask(method, path, scope)
      expect([method, path, status]).toEqual([method, path, 403])
      expect(json.detail).toMatch(
        new RegExp(
          `^You have no permission for ${method} of .*\\. This needs the scope "${needed}"\\. Request the scope from`,
        ),
      )
    }
  })

  it('a caller with only the read or only the write scope gets 405 for the methods of the other scope', async () => {
    expect(allowOf(await ask('POST', '/v1/piezas', 'piezas:read', { lote: 'A' }))).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect(allowOf(await ask('DELETE', '/v1/piezas/1', 'piezas:read'))).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect(allowOf(await ask('GET', '/v1/piezas', 'piezas:write'))).toEqual([405, 'POST, OPTIONS'])
    expect(allowOf(await ask('HEAD', '/v1/piezas/1', 'piezas:write'))).toEqual([405, 'PUT, PATCH, DELETE, OPTIONS'])
    expect(allowOf(await ask('PUT', '/v1/contratos/C1/activo', 'contratos:read'))).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect(allowOf(await ask('PUT', '/v1/clientes/1/contratos/C2', 'clientes:read contratos:read'))).toEqual([
      405,
      'GET, HEAD, OPTIONS',
    ])
    expect(allowOf(await ask('POST', '/v1/search', 'search:read'))).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  it('the Allow of OPTIONS and of a 405 lists the methods that the caller may use', async () => {
    expect(allowOf(await ask('OPTIONS', '/v1/piezas', '*:read'))).toEqual([204, 'GET, HEAD, OPTIONS'])
    expect(allowOf(await ask('OPTIONS', '/v1/piezas/1', '*:read *:write'))).toEqual([
      204,
      'GET, HEAD, PUT, PATCH, DELETE, OPTIONS',
    ])
    expect(allowOf(await ask('DELETE', '/v1/piezas', '*:read'))).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect(allowOf(await ask('TRACE', '/v1/piezas', 'piezas:write'))).toEqual([405, 'POST, OPTIONS'])
  })

  it('a caller who must not read a parent gets 403 for everything below it', async () => {
    expect((await ask('GET', '/v1/piezas/1/componentes', 'componentes:read')).status).toBe(403)
    expect((await ask('GET', '/v1/piezas/1/componentes', 'componentes:read piezas:write')).status).toBe(403)
    expect((await ask('GET', '/v1/clientes/1/contratos', 'contratos:read')).status).toBe(403)
    expect((await ask('GET', '/v1/piezas/1/componentes', 'componentes:read piezas:read')).status).toBe(200)
    expect(
      (await ask('GET', '/v1/piezas/1/componentes/pieza=1,secuencia=1', 'componentes:read piezas:read')).status,
    ).toBe(200)
  })

  it('REP-1: a link to a record that the caller must not read has only its href', async () => {
    const before = service.seen.calls
    const scope = 'piezas:read clientes:read componentes:read'
    const answers = [
      await ask('GET', '/v1/piezas', scope),
      await ask('GET', '/v1/piezas?q=A&lote=A&contrato=C1', scope),
      await ask('GET', '/v1/piezas/1', scope),
    ]
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200])
    expect(answers[2]?.json.contrato).toEqual({ href: `${service.origin}/v1/contratos/C1` })
    expect(answers[0]?.json[0].contrato).toEqual({ href: `${service.origin}/v1/contratos/C1` })
    for (const answer of answers) expect(answer.text).not.toContain(secret)
    expect(service.seen.calls).toBe(before)
    expect((await ask('GET', '/v1/piezas/1', `${scope} contratos:read`)).json.contrato.descripcion).toBe(
      `${secret} uno`,
    )
  })

  it('REP-2: a request that expands a record that the caller must not read gets 403 and changes nothing', async () => {
    for (const [method, path, body] of [
      ['GET', '/v1/piezas?expand=contrato'],
      ['HEAD', '/v1/piezas?expand=contrato'],
      ['GET', '/v1/piezas/1?expand=contrato'],
      ['HEAD', '/v1/piezas/1?expand=contrato'],
      ['POST', '/v1/piezas?expand=contrato', { lote: 'nuevo' }],
      ['PUT', '/v1/piezas/1?expand=contrato', { lote: 'nuevo', contrato: null }],
      ['PATCH', '/v1/piezas/1?expand=contrato', { lote: 'nuevo' }],
    ] as const) {
      const answer = await ask(method, path, 'piezas:read piezas:write', body, { Prefer: 'return=representation' })
      expect([method, path, answer.status]).toEqual([method, path, 403])
      if (method !== 'HEAD') expect(problem(answer)).toEqual({ status: 403, code: 'forbidden', named: ['expand'] })
    }
    expect((await ask('GET', '/v1/piezas?lote=nuevo', '*:read')).headers['x-total-count']).toBe('0')
    // A link inside an expanded record needs its own permission.
    const nested = (await ask('GET', '/v1/piezas/1?expand=contrato', 'piezas:read contratos:read')).json.contrato
    expect(nested.descripcion).toBe(`${secret} uno`)
    expect(nested.cliente).toEqual({ href: `${service.origin}/v1/clientes/1` })
  })

  it('HDR-2, HDR-4: principals who may see different parts of an item get different Etags', async () => {
    const whole = await ask('GET', '/v1/piezas/1', '*:read')
    const part = await ask('GET', '/v1/piezas/1', 'piezas:read')
    expect(part.headers.etag).not.toBe(whole.headers.etag)
    const again = await ask('GET', '/v1/piezas/1', 'piezas:read', undefined, {
      'If-None-Match': whole.headers.etag as string,
    })
    expect(again.status).toBe(200)
    expect(
      (await ask('GET', '/v1/piezas/1', 'piezas:read', undefined, { 'If-None-Match': part.headers.etag as string }))
        .status,
    ).toBe(304)
    const lists = [await ask('GET', '/v1/piezas', '*:read'), await ask('GET', '/v1/piezas', 'piezas:read')]
    expect(lists[0]?.headers.etag).not.toBe(lists[1]?.headers.etag)
  })

  it('REP-7: a link gets the same 422 whether its target is absent or the caller must not read it', async () => {
    const tell = async (contrato: unknown, scope: string) => {
      const answer = await ask('PATCH', '/v1/piezas/2', scope, { contrato })
      return { status: answer.status, detail: answer.json.detail }
    }
    for (const of of ['C1', 'nada']) {
      expect((await tell({ codigo: of }, 'piezas:read piezas:write')).status).toBe(422)
      expect((await tell({ href: `${service.origin}/v1/contratos/${of}` }, 'piezas:read piezas:write')).status).toBe(
        422,
      )
    }
    expect(await tell({ codigo: 'C1' }, 'piezas:read piezas:write')).toEqual(
      await tell({ codigo: 'nada' }, 'piezas:read piezas:write'),
    )
    // A link that the change does not touch can lead to a record that the caller must not read.
    expect((await ask('PATCH', '/v1/piezas/1', 'piezas:read piezas:write', { lote: 'A' })).status).toBe(200)
  })

  it('a caller with write but no read permission can change records, and gets no body', async () => {
    const patched = await ask('PATCH', '/v1/piezas/1', 'piezas:write', { lote: 'A' })
    expect([patched.status, patched.text, typeof patched.headers.etag]).toEqual([200, '', 'string'])
    const created = await ask('POST', '/v1/piezas', 'piezas:write', { lote: 'Z' }, { Prefer: 'return=representation' })
    expect([created.status, created.text, created.headers['preference-applied']]).toEqual([201, '', undefined])
  })

  it('PATH-8: an endpoint needs its own permission, and its handler can check other permissions', async () => {
    expect((await ask('GET', '/v1/search', 'piezas:read')).status).toBe(403)
    expect((await ask('GET', '/v1/search', 'search:read piezas:read')).json).toEqual({ contratos: false, piezas: true })
    expect((await ask('GET', '/v1/search', '*:read')).json).toEqual({ contratos: true, piezas: true })
  })

  it('methodRules() checks the permissions of callers on hand-written routes', async () => {
    expect((await ask('GET', '/v1/sucursales', '')).status).toBe(403)
    expect((await ask('OPTIONS', '/v1/sucursales', '')).status).toBe(403)
    expect(allowOf(await ask('POST', '/v1/sucursales', 'sucursales:read'))).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect(allowOf(await ask('OPTIONS', '/v1/sucursales/1', 'sucursales:read'))).toEqual([204, 'GET, HEAD, OPTIONS'])
    expect(allowOf(await ask('DELETE', '/v1/sucursales/1', 'sucursales:read sucursales:write'))).toEqual([
      405,
      'GET, HEAD, PUT, OPTIONS',
    ])
    const answer = await ask('GET', '/v1/sucursales', 'sucursales:read')
    expect([answer.status, answer.text, answer.headers['cache-control']]).toEqual([200, 'by hand', 'private, no-cache'])
  })
})

describe("AUTH-4: the service's own permission function", () => {
  const asked: unknown[][] = []
  const serving = async (permission: Permission, onError?: Hooks['onError']) =>
    serve(frameworks[0]?.[1] as Express, permission, onError)

  it('is called with the action, the resource and the key, also for parents', async () => {
    const service = await serving((principal, action, resource, key) => {
      asked.push([(principal as { sub: string }).sub, action, resource, key])
      return 'allow'
    })
    const ask = async (...[method, path, body, headers]: [string, string, unknown?, Record<string, string>?]) => {
      asked.length = 0
      await service.send(method, path, '', body, headers)
      return asked.map(([, ...rest]) => rest)
    }
    expect(await ask('GET', '/v1/clientes/1/contratos/C1')).toContainEqual(['read', 'clientes', 1])
    expect(await ask('GET', '/v1/clientes/1/contratos/C1')).toContainEqual(['read', 'contratos', 'C1'])
    expect(await ask('PUT', '/v1/clientes/1/contratos/C2')).toEqual([
      ['read', 'clientes', 1],
      ['attach', 'contratos', 'C2'],
    ])
    expect(await ask('POST', '/v1/piezas/1/componentes', { secuencia: 9 })).toEqual([
      ['read', 'piezas', 1],
      ['create', 'componentes', undefined],
    ])
    // Read permission for a written record is checked only if the response would show the record.
    expect(
      await ask('POST', '/v1/piezas/1/componentes', { secuencia: 10 }, { Prefer: 'return=representation' }),
    ).toEqual([
      ['read', 'piezas', 1],
      ['create', 'componentes', undefined],
      ['read', 'componentes', { pieza: 1, secuencia: 10 }],
    ])
    expect(
      await ask('PATCH', '/v1/contratos/C1', { descripcion: 'x' }, { Prefer: 'return=minimal' }),
    ).not.toContainEqual(['read', 'contratos', 'C1'])
    expect(await ask('PUT', '/v1/contratos/C1/activo')).toContainEqual(['patch', 'contratos', 'C1'])
    expect(await ask('GET', '/v1/piezas?expand=contrato')).toEqual([
      ['list', 'piezas', undefined],
      ['read', 'contratos', undefined],
      ['read', 'contratos', 'C1'],
      ['read', 'clientes', 1],
    ])
    await service.close()
  })

  it('can be asynchronous, and can hide one item of a resource and show another', async () => {
    const service = await serving(async (_principal: unknown, _action: Action, resource: string, key?: unknown) =>
      resource === 'contratos' && key === 'C1' ? 'forbidden' : 'allow',
    )
    const answer = await service.send('GET', '/v1/piezas/1?expand=contrato', '')
    expect([answer.status, answer.json.contrato]).toEqual([200, { href: `${service.origin}/v1/contratos/C1` }])
    expect((await service.send('GET', '/v1/contratos/C1', '')).status).toBe(403)
    expect((await service.send('GET', '/v1/contratos/C2', '')).status).toBe(200)
    await service.close()
  })

  it('if the function throws after a write, the change stays, and the response is a 2xx without a body', async () => {
    const errors: unknown[] = []
    const service = await serving(
      (_principal: unknown, action: Action) => {
        if (action === 'read') throw new Error('the directory is down')
        return 'allow'
      },
      ({ error }) => void errors.push(error),
    )
    const created = await service.send('POST', '/v1/piezas', '', { lote: 'hecha' }, { Prefer: 'return=representation' })
    expect([created.status, created.text, typeof created.headers.location]).toEqual([201, '', 'string'])
    const patched = await service.send('PATCH', '/v1/piezas/1', '', { lote: 'cambiada' })
    expect([patched.status, patched.text]).toEqual([200, ''])
    expect(errors.map(String)).toContain('Error: the directory is down')
    expect((await service.send('GET', '/v1/piezas?lote=cambiada', '')).status).toBe(500)
    await service.close()
  })

  it('PATH-8: callOf() returns the adapter call for a mounted resource, and throws for other resources', async () => {
    const carteras = defineResource({
      collection: 'carteras',
      key: 'id',
      schema: { type: 'object', required: ['id', 'de'], properties: { id: { type: 'integer' }, de: text } },
      scope: (principal: { sub: string }) => ({ de: principal.sub }),
    })
    const calls: unknown[] = []
    const handler = api({
      principal: scopeOf,
      onError: () => {},
      versions: {
        v1: [
          mount(carteras, memoryAdapter(carteras)),
          endpoint('resumen', {
            description: 'Records the adapter call for a resource.',
            methods: {
              GET: {
                query: { properties: { de: text }, required: ['de'] },
                handle: ({ callOf, query }) => {
                  const call = callOf(query.de as string)
                  calls.push([call.scope, call.principal, call.requestId, (call.left?.() ?? 0) > 0])
                },
              },
            },
          }),
        ],
      },
    })
    const [, express] = frameworks[0] as (typeof frameworks)[number]
    const service = await listen(express().use(handler))
    expect((await service.send('GET', '/v1/resumen?de=carteras', { 'x-request-id': 'r1' })).status).toBe(204)
    expect(calls).toEqual([[{ de: 'ana' }, { sub: 'ana', scope: '' }, 'r1', true]])
    expect((await service.send('GET', '/v1/resumen?de=nada')).status).toBe(500)
    await service.close()
  })

  it('if the function throws or returns an unknown result, nothing is allowed and the response is 500', async () => {
    for (const permission of [
      () => true,
      () => undefined,
      () => 'allowed',
      async () => 'yes',
      () => {
        throw new Error(secret)
      },
      () => Promise.reject(new Error(secret)),
      (_principal: unknown, action: Action) => (action === 'list' ? Promise.reject(new Error(secret)) : 'broken'),
    ]) {
      const service = await serving(permission as never)
      for (const [method, path] of [
        ['GET', '/v1/piezas'],
        ['OPTIONS', '/v1/piezas'],
        ['GET', '/v1/piezas/1?expand=contrato'],
        ['DELETE', '/v1/piezas/1'],
        ['TRACE', '/v1/piezas'],
      ] as const) {
        const answer = await service.send(method, path, '')
        expect([String(permission), method, path, answer.status, answer.text.includes(secret)]).toEqual([
          String(permission),
          method,
          path,
          500,
          false,
        ])
      }
      await service.close()
    }
  })
})

describe('permission and authentication', () => {
  it('AUTH-4: with a permission function but no authentication, every request gets 500', async () => {
    const errors: unknown[] = []
    const handler = api({
      permission: () => 'allow',
      onError: ({ error }) => void errors.push(error),
      versions: { v1: [mount(clientes, memoryAdapter(clientes)), mount(contratos, memoryAdapter(contratos))] },
    })
    const [, express] = frameworks[0] as (typeof frameworks)[number]
    const service = await listen(express().use(handler))
    for (const method of ['GET', 'POST', 'OPTIONS'])
      expect((await service.send(method, '/v1/clientes')).status).toBe(500)
    expect(String(errors[0])).toContain('this request was not authenticated')
    await service.close()
  })

  it('AUTH-4, HDR-6: responses of resourceRouter() behind an authenticating middleware are private', async () => {
    const { authenticate } = await import('../../src/auth/index.js')
    for (const [, express] of frameworks) {
      const who = authenticate({ field: 'X-Scope', challenge: 'Scope', identify: (scope) => ({ scope }) })
      const app = express().use(
        who as never,
        resourceRouter(clientes, memoryAdapter(clientes), {
          permission: scopePermission(),
          related: [mount(contratos, memoryAdapter(contratos))],
          onError: () => {},
        }) as never,
      )
      const service = await listen(app)
      const good = await service.send('GET', '/clientes', { 'X-Scope': 'clientes:read' })
      expect([good.status, good.headers['cache-control'], good.headers.vary]).toEqual([
        200,
        'private, no-cache',
        'X-Scope, Accept',
      ])
      expect((await service.send('GET', '/clientes', { 'X-Scope': 'x:read' })).status).toBe(403)
      await service.close()
    }
  })
})
