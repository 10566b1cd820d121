/** Every status that a document tells is one that a request can get, and nothing is served that it does not tell. */
import net from 'node:net'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { authenticate } from '../../src/auth/index.js'
import { type Adapter, type AdapterCall, api, defineResource, endpoint, mount, type Stored, Unavailable } from '../../src/index.js'
import { rateLimit } from '../../src/middleware/index.js'
import { type DescribeStrictly, describeStrictly, openapi } from '../../src/openapi/index.js'
import { csv } from '../../src/transfer/index.js'
import { listen } from '../clauses/fixture.js'

const clients = defineResource({
  collection: 'clients',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
})
const orders = defineResource({
  collection: 'orders',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'total'],
    properties: {
      id: { type: 'integer' },
      total: { type: 'integer' },
      urgent: { type: 'boolean', default: false },
      clientId: { type: ['integer', 'null'] },
    },
  },
  filters: { total: true },
  sort: ['total'],
  links: { client: { to: clients, by: 'clientId' } },
  attachedTo: [{ of: clients, by: 'clientId' }],
  flags: { urgent: 'urgent' },
})
const lines = defineResource({
  collection: 'lines',
  key: ['orderId', 'number'],
  schema: { type: 'object', required: ['orderId', 'number'], properties: { orderId: { type: 'integer' }, number: { type: 'integer' } } },
  parent: { of: orders, by: 'orderId' },
})

interface Caller {
  readonly name: string
}

const nameOf = ({ principal }: AdapterCall): string => (principal as Caller).name

/** A store that refuses what one caller writes, puts off what another creates, and finds nothing to do for a third. */
function moody<T, K>(under: Adapter<T, K>): Adapter<T, K> {
  const refused = { refused: 'rule', members: [] } as const
  const isRefused = (call: AdapterCall): boolean => nameOf(call) === 'refused'
  const { create, replace, remove, attach, detach } = under
  return {
    list: (request, call) => under.list(request, call),
    read: (keys, call) => under.read(keys, call),
    create: (value, call) => {
      if (isRefused(call)) return refused
      if (nameOf(call) === 'nothing') return { nothing: true }
      if (nameOf(call) === 'later') return { accepted: 1 as K }
      return create?.(value, call) ?? refused
    },
    recall: () => undefined as Stored<T> | undefined,
    replace: (key, value, expected, call) => (isRefused(call) ? refused : (replace?.(key, value, expected, call) ?? 'absent')),
    remove: (key, expected, call) => (isRefused(call) ? refused : (remove?.(key, expected, call) ?? 'absent')),
    attach: (parent, key, expected, call) => (isRefused(call) ? refused : (attach?.(parent, key, expected, call) ?? 'absent')),
    detach: (parent, key, expected, call) => (isRefused(call) ? refused : (detach?.(parent, key, expected, call) ?? 'absent')),
  }
}

const handle = () => ({ done: true })
const body = { type: 'object', required: ['x'], properties: { x: { type: 'integer' } } } as const

const serviceOf = (limit: number) =>
  api<Caller>({
    authenticate: authenticate({
      field: 'X-Api-Key',
      challenge: 'ApiKey realm="orders"',
      identify(name) {
        if (name === 'broken') throw new Error('The directory is broken.')
        if (name === 'down') throw new Unavailable()
        return { name }
      },
    }),
    permission: ({ name }, _action, resource) =>
      name === 'stranger' ? 'forbidden' : name === `not ${resource}` ? 'method-not-allowed' : 'allow',
    rateLimit: rateLimit({ limit, key: (principal) => (principal as Caller).name }),
    describe: true,
    requireIfMatch: true,
    jsonPatch: true,
    bodyLimit: 2_000,
    timeout: 300,
    onError: () => {},
    versions: {
      v1: [
        mount(clients, moody(memoryAdapter(clients, { records: [{ id: 1 }] }))),
        mount(
          orders,
          moody(
            memoryAdapter(orders, { records: Array.from({ length: 40 }, (_, id) => ({ id, total: id, urgent: id !== 2, clientId: 1 })) }),
          ),
          {
            exports: { formats: [csv()] },
            endpoints: [
              endpoint('cancellations', {
                description: 'Cancels an order.',
                methods: { POST: { body, describe: { responses: { 200: { schema: { type: 'object' } } } }, handle } },
              }),
            ],
          },
        ),
        mount(
          lines,
          moody(
            memoryAdapter(lines, {
              records: [
                { orderId: 1, number: 1 },
                { orderId: 1, number: 2 },
              ],
            }),
          ),
        ),
        endpoint('search', {
          description: 'Looks for a text.',
          methods: {
            GET: {
              query: { properties: { q: { type: 'string' } } },
              handle: ({ query }) => (query.q === 'none' ? undefined : [query.q ?? null]),
            },
          },
        }),
      ],
    },
  })

const service = serviceOf(100_000)

/** What a path of the document is with the keys of records that exist. */
const withKeys = (path: string, id = '1'): string =>
  path.replace('{lineId}', 'orderId=1,number=1').replaceAll(/\{id\}|\{orderId\}|\{clientId\}/g, id)
const withoutRecords = (path: string): string => path.replace('{lineId}', 'orderId=999,number=1').replaceAll(/\{\w+\}/g, '999')

const sent: Readonly<Record<string, unknown>> = {
  '/clients': { id: 50 },
  '/orders': { id: 50, total: 1 },
  '/clients/{id}': {},
  '/orders/{id}': { total: 1, client: { id: 1 } },
  '/orders/{id}/lines': { number: 9 },
  '/orders/{id}/lines/{lineId}': {},
  '/orders/{id}/cancellations': { x: 1 },
  '/clients/{id}/orders': { id: 51, total: 1 },
}

const document = openapi(service, 'v1')
const told = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, operation]) =>
    method === 'parameters'
      ? []
      : [{ path, method: method.toUpperCase(), operation: operation as { operationId: string; responses: object; requestBody?: unknown } }],
  ),
)

describe('the document of a rich service', () => {
  let served: Awaited<ReturnType<typeof listen>>
  let strictly: DescribeStrictly
  const faults: string[] = []
  beforeAll(async () => {
    strictly = describeStrictly(service, { onFault: (fault) => faults.push(fault) })
    served = await listen(express().use(strictly, service))
  })
  afterAll(() => served.close())

  const send = (method: string, path: string, headers: Record<string, string> = {}, given?: unknown) =>
    served.send(method, `/v1${path}`, { 'X-Api-Key': 'ana', ...headers }, given)

  /** Requests that end in each status, each whatever the operation is. */
  async function provoke({ path, method, operation }: (typeof told)[number]): Promise<void> {
    // A flag that is set already is not set again.
    const here = withKeys(path, operation.operationId === 'setOrderUrgent' ? '2' : '1')
    const given = operation.requestBody === undefined ? undefined : (sent[path] ?? { id: 1 })
    const any = { 'If-Match': '*' }
    await send(method, here, { ...any, 'X-Api-Key': 'stranger' }, given)
    for (const name of ['clients', 'orders', 'lines', 'search'])
      await send(method, here, { 'If-Match': '"other"', 'X-Api-Key': `not ${name}` }, given)
    for (const name of ['broken', 'down', '']) await send(method, here, { 'X-Api-Key': name }, given)
    await served.send(method, `/v1${here}`)
    await send(method, `${here}?nope=1`, any, given)
    if (path.includes('{')) {
      await send(method, path.replaceAll(/\{\w+\}/g, '%ff'), any, given)
      await send(method, withoutRecords(path), any, given)
      await send(method, path.replaceAll(/\{\w+\}/g, 'abc'), any, given)
    }
    await send(method, here, { ...any, Host: 'a/b' }, given)
    await send(method, here, { ...any, Accept: 'image/png' }, given)
    await send(method, here, { 'If-Match': '"other"' }, given)
    await send(method, here, {}, given)
    await send(method, here, { ...any, 'X-Api-Key': 'refused' }, given)
    if (given !== undefined) {
      await send(method, here, { ...any, 'Content-Type': 'text/plain' }, 'x')
      await send(method, here, any, { text: 'x'.repeat(3_000) })
      await send(method, here, any, ['no object'])
      await unfinished(method, `/v1${here}`)
    }
  }

  /** A request whose body never comes. */
  const unfinished = (method: string, path: string): Promise<void> =>
    new Promise((resolve) => {
      const socket = net.connect(served.port, '127.0.0.1')
      socket
        .on('data', () => socket.destroy())
        .on('close', () => resolve())
        .on('error', () => {})
      socket.write(
        `${method} ${path} HTTP/1.1\r\nHost: a\r\nX-Api-Key: ana\r\nIf-Match: *\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n`,
      )
    })

  /** What succeeds, as few requests as it takes. */
  async function succeed(): Promise<void> {
    const tagOf = async (path: string): Promise<string> => String((await send('GET', path)).headers.etag)
    const gets = told.filter(({ method }) => method === 'GET').map(({ path }) => withKeys(path))
    for (const path of gets) {
      const tag = await tagOf(path)
      await send('GET', path, { 'If-None-Match': tag })
      await send('HEAD', path)
      await send('HEAD', path, { 'If-None-Match': tag })
      await send('OPTIONS', path)
    }
    await send('OPTIONS', '/orders/1/cancellations')
    await send('GET', '/search?q=none')
    await send('HEAD', '/search?q=none')
    for (const [name, id] of [
      ['ana', 60],
      ['later', 61],
      ['nothing', 62],
    ] as const) {
      await send('POST', '/orders', { 'X-Api-Key': name }, { id, total: 1 })
      await send('POST', '/clients', { 'X-Api-Key': name }, { id })
      await send('POST', '/orders/1/lines', { 'X-Api-Key': name }, { number: id })
      await send('POST', '/clients/1/orders', { 'X-Api-Key': name }, { id: id + 10, total: 1 })
    }
    await send('POST', '/clients', {}, { id: 77 })
    await send('POST', '/orders/1/lines', {}, { number: 8 })
    const any = { 'If-Match': '*' }
    await send('PUT', '/orders/20', any, { total: 3 })
    await send('PATCH', '/orders/20', any, { total: 4 })
    await send('PUT', '/clients/1', any, {})
    await send('PATCH', '/clients/1', any, { id: 1 })
    await send('PUT', '/orders/1/lines/orderId=1,number=2', any, {})
    await send('PATCH', '/orders/1/lines/orderId=1,number=2', any, { number: 2 })
    await send('POST', '/orders/20/cancellations', any, { x: 1 })
    await send('PUT', '/orders/20/urgent', any)
    await send('DELETE', '/orders/20/urgent', any)
    await send('PUT', '/clients/1/orders/20', any)
    await send('DELETE', '/clients/1/orders/20', any)
    await send('DELETE', '/orders/20', any)
    await send('DELETE', '/orders/1/lines/orderId=1,number=2', any)
    await send('DELETE', '/clients/77', any)
  }

  it('tells no status that nobody can reach, and every answer fits what it tells', { timeout: 60_000 }, async () => {
    await succeed()
    for (const one of told) await provoke(one)
    expect([...new Set(faults)]).toEqual([])
    expect(strictly.unreached('v1').filter((one) => !one.endsWith(' 429'))).toEqual([])
  })

  it('LIMIT-1: every operation can end with 429', async () => {
    const narrow = serviceOf(1)
    const watching = describeStrictly(narrow)
    const other = await listen(express().use(watching, narrow))
    try {
      await other.send('GET', '/v1/orders', { 'X-Api-Key': 'ana' })
      for (const { method, path } of told)
        expect((await other.send(method, `/v1${withKeys(path)}`, { 'X-Api-Key': 'ana' })).status).toBe(429)
      expect(watching.unreached('v1').filter((one) => one.endsWith(' 429'))).toEqual([])
    } finally {
      await other.close()
    }
  })

  it('tells every method of every address, by what OPTIONS and 405 say', async () => {
    for (const path of Object.keys(document.paths)) {
      const methods = told.filter((one) => one.path === path).map(({ method }) => method)
      const allow = String((await send('OPTIONS', withKeys(path))).headers.allow).split(', ')
      expect(allow.sort(), path).toEqual(methods.sort())
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((one) => !methods.includes(one))) {
        expect((await send(method, withKeys(path))).status, `${method} ${path}`).toBe(405)
      }
    }
  })
})
