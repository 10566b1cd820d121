/** Endpoints below an item. They exist only if the item does (PATH-8). */
import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import type { Permission } from '../../src/auth/index.js'
import {
  adapterView,
  api,
  defineResource,
  type EndpointItem,
  endpoint,
  endpointReply,
  mount,
  resourceRouter,
} from '../../src/index.js'
import { frameworks, listen, problem } from '../clauses/fixture.js'
import { clientes, pedidos, serve, tramos } from './service.js'

const cancel = '/v2/pedidos/7/cancelaciones'
const body = { motivo: 'tarde' }
const open: { close(): Promise<void> }[] = []
const served = async (...options: Parameters<typeof serve>) => {
  const service = await serve(...options)
  open.push(service)
  return service
}
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

describe('an endpoint below an item', () => {
  it('PATH-8: the handler gets the key, record, version and URL of the item, as read in this request', async () => {
    const { send, calls, origin } = await served()
    const { headers } = await send('PATCH', '/v2/pedidos/7', {}, { motivo: 'antes' })
    expect((await send('POST', cancel, {}, body)).json).toEqual({ estado: 'cancelado' })
    const [item] = calls
    expect(item).toMatchObject({ key: 7, record: { numero: 7, motivo: 'antes' }, href: `${origin}/v2/pedidos/7` })
    expect(String(headers.etag)).toContain(`"${item?.version}.`)
  })

  it('ERR-2: gets 404, and no handler runs, if the item is absent, out of scope or below another parent', async () => {
    const { send, calls } = await served()
    for (const path of [
      '/v2/pedidos/9/cancelaciones',
      '/v2/pedidos/8/cancelaciones',
      '/v2/clientes/2/tramos/clienteId=1,parte=a/pesos',
    ])
      expect((await send('POST', path, {}, body)).json, path).toMatchObject({ status: 404, code: 'absent' })
    expect(calls).toEqual([])
    expect((await send('POST', '/v2/pedidos/07/cancelaciones', {}, body)).json).toMatchObject({ code: 'unknown-path' })
    expect((await send('POST', `${cancel}/1`, {}, body)).json).toMatchObject({ code: 'unknown-path' })
    expect((await send('POST', '/v2/pedidos/8/cancelaciones', { 'x-user': 'eva' }, body)).status).toBe(200)
  })

  it('PATH-7: items of contained resources can have endpoints too', async () => {
    const { send, origin } = await served()
    const path = '/v2/clientes/1/tramos/clienteId=1,parte=a'
    const { json, status } = await send('GET', `${path}/pesos`)
    expect(status).toBe(200)
    expect(json).toMatchObject({ key: { clienteId: 1, parte: 'a' }, record: { km: 5 } })
    expect(json.href).toBe(origin + path)
    expect((await send('GET', json.href.slice(origin.length))).status).toBe(200)
  })

  it('VERB-9: the Allow of a 405 and of OPTIONS lists exactly the methods of the endpoint', async () => {
    const { send } = await served()
    const refused = await send('DELETE', cancel)
    expect([refused.status, refused.headers.allow]).toEqual([405, 'POST, GET, HEAD, OPTIONS'])
    const asked = await send('OPTIONS', cancel)
    expect([asked.status, asked.headers.allow]).toEqual([204, 'POST, GET, HEAD, OPTIONS'])
    expect((await send('OPTIONS', '/v2/pedidos/7/pruebas')).headers.allow).toBe(
      'GET, HEAD, PUT, PATCH, DELETE, OPTIONS',
    )
  })
})

describe.each(frameworks)('over %s', (_, framework) => {
  it('PATH-8: an endpoint below an item responds to each of its methods', async () => {
    const { send, origin } = await served({}, framework)
    expect((await send('GET', cancel)).json).toEqual({ motivo: null, href: `${origin}/v2/pedidos/7` })
    expect((await send('HEAD', cancel)).status).toBe(200)
    expect((await send('POST', cancel, {}, body)).status).toBe(200)
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      expect((await send(method, '/v2/pedidos/7/pruebas')).status, method).toBe(204)
    expect((await send('DELETE', cancel)).status).toBe(405)
    expect((await send('GET', '/v2/pedidos/9/cancelaciones')).status).toBe(404)
  })
})

describe('an older API version with an adapterView()', () => {
  it('PATH-8: passes the records and record versions of the view to handlers of endpoints', async () => {
    const viejos = defineResource({
      collection: 'pedidos',
      key: 'numero',
      schema: {
        type: 'object',
        required: ['numero', 'de'],
        properties: { numero: { type: 'integer' }, de: { type: 'string' } },
      },
    })
    const store = memoryAdapter(pedidos, { records: [{ numero: 7, dueno: 'ana' }] })
    const old = adapterView<{ numero: number; de: string }, number>(store as never, {
      rename: { de: 'dueno' },
      hides: ['estado', 'motivo'],
    })
    const bajas = endpoint<EndpointItem<{ numero: number; de: string }, number>>()('bajas', {
      description: 'Changes the owner of an order.',
      methods: {
        POST: {
          handle: async ({ item, callOf }) => {
            const saved = await old.replace?.(
              item.key,
              { ...item.record, de: `${item.record.de}!` },
              item.version,
              callOf('pedidos'),
            )
            return typeof saved === 'object' && 'version' in saved
              ? endpointReply({ status: 204, version: saved.version })
              : saved
          },
        },
      },
    })
    const service = await listen(express().use(api({ versions: { v1: [mount(viejos, old, { endpoints: [bajas] })] } })))
    open.push(service)
    const { etag = '' } = (await service.send('GET', '/v1/pedidos/7')).headers
    const answer = await service.send('POST', '/v1/pedidos/7/bajas', { 'if-match': etag })
    expect(answer.status).toBe(204)
    const now = await service.send('GET', '/v1/pedidos/7', { 'if-match': String(answer.headers.etag) })
    expect([now.status, now.json]).toEqual([200, { numero: 7, de: 'ana!' }])
  })
})

describe('preconditions and entity tags', () => {
  it('HDR-3: If-Match is compared with the version of the item, for every method that changes it', async () => {
    const { send, calls } = await served()
    const { etag = '' } = (await send('GET', '/v2/pedidos/7')).headers
    for (const [method, path] of [
      ['POST', cancel],
      ['PUT', '/v2/pedidos/7/pruebas'],
      ['PATCH', '/v2/pedidos/7/pruebas'],
      ['DELETE', '/v2/pedidos/7/pruebas'],
    ] as const) {
      const refused = await send(method, path, { 'if-match': '"other.~"' }, method === 'POST' ? body : undefined)
      expect(refused.json, method).toMatchObject({ status: 412, code: 'stale' })
    }
    expect(calls).toEqual([])
    expect((await send('PUT', '/v2/pedidos/7/pruebas', { 'if-match': etag })).status).toBe(204)
    const made = await send('POST', cancel, { 'if-match': etag }, body)
    expect(made.status).toBe(200)
    // The first tag is stale now. The tag of the response is the current one.
    expect((await send('POST', cancel, { 'if-match': etag }, body)).status).toBe(412)
    expect(
      (await send('PATCH', '/v2/pedidos/7', { 'if-match': String(made.headers.etag) }, { motivo: 'x' })).status,
    ).toBe(200)
  })

  it('HDR-4: PUT, PATCH and DELETE evaluate If-None-Match, and POST ignores it', async () => {
    const { send } = await served()
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      expect((await send(method, '/v2/pedidos/7/pruebas', { 'if-none-match': '*' })).json, method).toMatchObject({
        code: 'precondition-failed',
      })
    expect((await send('POST', cancel, { 'if-none-match': '*' }, body)).status).toBe(200)
  })

  it('HDR-3: with requireIfMatch, every method that changes an existing item needs If-Match', async () => {
    const { send } = await served({ requireIfMatch: true })
    expect((await send('POST', cancel, {}, body)).json).toMatchObject({ status: 428, code: 'precondition-required' })
    expect((await send('DELETE', '/v2/pedidos/7/pruebas')).status).toBe(428)
    expect((await send('POST', '/v2/pedidos/9/cancelaciones', {}, body)).status).toBe(404)
    expect((await send('GET', cancel)).status).toBe(200)
    const { etag = '' } = (await send('GET', cancel)).headers
    expect((await send('POST', cancel, { 'if-match': etag }, body)).status).toBe(200)
  })

  it('HDR-8: the Etag of a GET consists of the item version and a digest of the body', async () => {
    const { send } = await served()
    const first = await send('GET', cancel)
    const other = await send('GET', cancel, { accept: 'application/xml' })
    const { version } = (await itemVersion(send)) as { version: string }
    expect(first.headers.etag).toMatch(new RegExp(`^"${version}\\.[\\w-]+"$`))
    expect(other.headers.etag).not.toBe(first.headers.etag)
    const again = await send('GET', cancel, { 'if-none-match': String(first.headers.etag) })
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', first.headers.etag])
    expect((await send('GET', cancel, { 'if-match': '"x.y"' })).status).toBe(412)
    expect((await send('GET', '/v2/pedidos/7/pruebas')).headers.etag).toMatch(new RegExp(`^"${version}\\.`))
    const head = await send('HEAD', cancel)
    expect([head.status, head.text, head.headers.etag]).toEqual([200, '', first.headers.etag])
    expect((await send('HEAD', '/v2/pedidos/9/cancelaciones')).status).toBe(404)
  })

  it('HDR-3: of many concurrent cancellations with the same If-Match, exactly one succeeds', async () => {
    const { send } = await served()
    const { etag = '' } = (await send('GET', '/v2/pedidos/7')).headers
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => send('POST', cancel, { 'if-match': etag }, body)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 412)])
  })
})

async function itemVersion(send: Awaited<ReturnType<typeof serve>>['send']) {
  const { etag = '' } = (await send('GET', '/v2/pedidos/7')).headers
  return { version: String(etag).slice(1).split('.')[0] }
}

describe('permission', () => {
  const by = (permission: Permission) => served({ authenticate: undefined, permission })

  it('AUTH-4: GET needs read permission for the item and its parent; POST needs patch permission', async () => {
    const asked: unknown[] = []
    const { send } = await by((_who, action, resource, key) => {
      asked.push([action, resource, key])
      return 'allow'
    })
    await send('GET', cancel)
    await send('POST', cancel, {}, body)
    await send('DELETE', '/v2/clientes/1/tramos/clienteId=1,parte=a/pesos')
    await send('GET', '/v2/clientes/1/tramos/clienteId=1,parte=a/pesos')
    expect(asked.slice(0, 2)).toEqual([
      ['read', 'pedidos', 7],
      ['patch', 'pedidos', 7],
    ])
    expect(asked.slice(-2)).toEqual([
      ['read', 'clientes', 1],
      ['read', 'tramos', { clienteId: 1, parte: 'a' }],
    ])
  })

  it('AUTH-4: a method without permission gets 405 with the permitted methods, or 403 if there are none', async () => {
    const reader = await by((_who, action) => (action === 'read' || action === 'list' ? 'allow' : 'method-not-allowed'))
    const refused = await reader.send('POST', cancel, {}, body)
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect((await reader.send('OPTIONS', cancel)).headers.allow).toBe('GET, HEAD, OPTIONS')
    expect((await reader.send('GET', cancel)).status).toBe(200)
    const nobody = await by(() => 'forbidden')
    expect((await nobody.send('POST', cancel, {}, body)).status).toBe(403)
    expect((await nobody.send('OPTIONS', cancel)).status).toBe(403)
    // A caller who must not read the parent gets 403 for everything below it.
    const below = await by((_who, action, resource) =>
      resource === 'clientes' && action === 'read' ? 'method-not-allowed' : 'allow',
    )
    expect((await below.send('GET', '/v2/clientes/1/tramos/clienteId=1,parte=a/pesos')).status).toBe(403)
  })
})

describe('requests and responses', () => {
  it('ERR-2: the order of checks is 410, 405, 415, 400, 422, 404, 412', async () => {
    const { send } = await served()
    const path = '/v2/pedidos/9/cancelaciones'
    const tag = { 'if-match': '"x.y"' }
    const accept = { accept: 'text/csv' }
    expect((await send('PUT', '/v0/pedidos/9/cancelaciones', { ...tag, ...accept }, '{')).status).toBe(410)
    expect((await send('PUT', path, { ...tag, ...accept }, '{')).status).toBe(405)
    expect((await send('POST', path, { ...tag, ...accept }, '{')).status).toBe(415)
    expect((await send('POST', `${path}?x=1`, tag, '{')).json).toMatchObject({ code: 'invalid-query' })
    expect((await send('POST', path, tag, '{')).json).toMatchObject({ code: 'malformed-body' })
    expect((await send('POST', path, tag, {})).json).toMatchObject({ status: 422 })
    expect((await send('POST', path, tag, body)).status).toBe(404)
    expect((await send('POST', cancel, tag, body)).status).toBe(412)
  })

  it('HDR-5: a declared body is required, must be JSON or XML, and must match its schema', async () => {
    const { send, calls } = await served()
    expect(problem(await send('POST', cancel))).toMatchObject({ status: 400, code: 'missing-body' })
    expect(problem(await send('POST', cancel, { 'content-type': 'text/plain' }, '{}'))).toMatchObject({
      status: 415,
      named: ['Content-Type'],
    })
    expect(problem(await send('POST', cancel, {}, { motivo: '' }))).toMatchObject({ status: 422, named: ['/motivo'] })
    expect(calls).toEqual([])
    const xml = await send(
      'POST',
      cancel,
      { 'content-type': 'application/xml' },
      '<cancelaciones><motivo>tarde</motivo></cancelaciones>',
    )
    expect(xml.status).toBe(200)
  })

  it('VER-3: in a deprecated version, responses announce the deprecation, and links stay in the version', async () => {
    const { send, origin } = await served()
    const { headers, json } = await send('GET', '/v1/pedidos/7/cancelaciones')
    expect(headers.deprecation).toMatch(/^@\d+$/)
    expect(headers.link).toContain(`${origin}/v2/pedidos/7/cancelaciones`)
    expect(json.href).toBe(`${origin}/v1/pedidos/7`)
  })

  it('onQuery and onResponse get the template of the route', async () => {
    const events: unknown[] = []
    const { send } = await served({
      onQuery: ({ call, route }) => events.push([call, route]),
      onResponse: ({ status, route }) => events.push([status, route]),
    })
    await send('GET', cancel)
    const route = '/pedidos/{numero}/cancelaciones'
    expect(events).toEqual([
      ['read', route],
      [200, route],
    ])
  })
})

describe('a router of one resource', () => {
  it('PATH-8: serves the endpoints of its items too', async () => {
    const adapter = memoryAdapter(pedidos, { records: [{ numero: 7, dueno: 'ana' }] })
    const totales = endpoint('totales', {
      description: 'Its totals.',
      methods: { GET: { handle: () => ({ total: 5 }) } },
    })
    const tramosOf = memoryAdapter(tramos)
    const app = express()
      .use('/v1', resourceRouter(pedidos, adapter, { principal: () => 'ana', area: 'ui', endpoints: [totales] }))
      .use(
        '/v1',
        resourceRouter(clientes, memoryAdapter(clientes), {
          related: [mount(tramos, tramosOf, { endpoints: [totales] })],
        }),
      )
    const service = await listen(app)
    open.push(service)
    expect((await service.send('GET', '/v1/ui/pedidos/7/totales')).json).toEqual({ total: 5 })
    expect((await service.send('GET', '/v1/clientes/1/tramos/clienteId=1,parte=a/totales')).json).toMatchObject({
      code: 'absent',
    })
  })
})

describe('declarations', () => {
  const description = 'What it is for.'
  const methods = { POST: { handle: () => 1 } }
  const adapter = memoryAdapter(pedidos)
  const under = (name: string, more: object = {}) =>
    mount(pedidos, adapter, { endpoints: [endpoint(name, { description, methods, ...more })] })

  it.each(['cancel', 'cancelar', 'send-mail'])(
    'PATH-3: the verb %s is refused, and the message suggests a field or a flag',
    (name) => {
      expect(() => under(name)).toThrow(/name-is-verb/)
      expect(() => under(name)).toThrow(
        `The endpoint "${name}" below the items of "pedidos" names an action. ` +
          'Use a field that PATCH changes, or declare a flag that PUT sets and DELETE unsets (PATH-8).',
      )
    },
  )

  it('PATH-2, PATH-10: a singular or a verb is refused, unless "allow" lists it with a reason', () => {
    expect(() => under('cancelacion')).toThrow('Use "cancelaciones"')
    expect(() => under('cancelaciones')).not.toThrow()
    expect(() => under('cancel', { allow: { cancel: 'Clients of the old API use this name.' } })).not.toThrow()
    expect(() => under('cancel', { allow: { cancel: ' ' } })).toThrow('without a reason')
    expect(() => under('cancel', { allow: 'cancel' })).toThrow('allow')
  })

  const made = 'Give the result of endpoint(): endpoint(name, { description, methods }).'
  it.each<[string, () => unknown, string]>([
    ['an area for an endpoint below an item', () => under('cancelaciones', { area: 'ui' }), 'Leave the area "ui" out.'],
    [
      'an option "endpoints" that is not a list',
      () => mount(pedidos, adapter, { endpoints: endpoint('bajas', { description, methods }) as never }),
      'Give a list',
    ],
    [
      'an object that endpoint() did not create',
      () => mount(pedidos, adapter, { endpoints: [{ name: 'bajas' }] as never }),
      made,
    ],
    ['null in place of an endpoint', () => mount(pedidos, adapter, { endpoints: [null] as never }), made],
  ])('%s is a configuration error', (_, make, message) => {
    expect(make).toThrow(message)
  })

  it('PATH-11: two endpoints below one item, or an endpoint and a sub-collection, cannot have the same path', () => {
    const twice = [endpoint('bajas', { description, methods }), endpoint('bajas', { description, methods })]
    expect(() => api({ versions: { v1: [mount(pedidos, adapter, { endpoints: twice })] } })).toThrow(
      '"/pedidos/{numero}/bajas". Rename one. [PATH-1 path-taken]',
    )
    const tramo = endpoint('tramos', { description, methods })
    expect(() =>
      api({
        versions: {
          v1: [mount(tramos, memoryAdapter(tramos)), mount(clientes, memoryAdapter(clientes), { endpoints: [tramo] })],
        },
      }),
    ).toThrow(/path-taken/)
  })
})
