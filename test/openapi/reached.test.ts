/**
 * The document and the service agree. Every described status, code and header field occurs in some
 * response, except a few that no test can reach. Responses contain only what is described.
 */
import net from 'node:net'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type DescribeStrictly, describeStrictly, openapi } from '../../src/openapi/index.js'
import { listen } from '../clauses/fixture.js'
import { refusals, serviceOf, sunset } from './every-feature.js'

const service = serviceOf(100_000)

/** A path of the document, with the keys of existing records in place of its parameters. */
const withKeys = (path: string, id = '1'): string =>
  path
    .replace('{lineId}', 'orderId=1,number=1')
    .replace('{file}', 'orders')
    .replaceAll(/\{id\}|\{orderId\}|\{clientId\}/g, id)
const withoutRecords = (path: string): string =>
  path.replace('{lineId}', 'orderId=999,number=1').replaceAll(/\{\w+\}/g, '999')

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
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, operation]) =>
    method === 'parameters' || path === '/login'
      ? []
      : [
          {
            path,
            method: method.toUpperCase(),
            operation: operation as { operationId: string; responses: object; requestBody?: unknown },
          },
        ],
  ),
)

type Operation = (typeof operations)[number]

/** Statuses, codes and header fields that no test can reach, each with its reason. */
const unreachable: readonly { readonly what: RegExp; readonly why: string }[] = [
  {
    what: /^options(?:Openapi(?:Json|Yaml)?|Docs(?:File)?) (?:500|503) RateLimit(?:-Policy)?$/,
    why:
      'These responses have the fields only if the request fails after its rate limit was checked. After this check, ' +
      'OPTIONS of a document or of a docs page fails only because of a fault in the library.',
  },
  {
    what: / 400 bad-request$/,
    why: 'createServer() sends this problem for bytes that are not HTTP. The service gets no request.',
  },
]

/** An origin whose pages may read the responses. */
const origin = 'https://page.example'

/**
 * Whether a store can refuse the operation for this reason. A create is never refused as
 * `referenced`, and a delete is never refused as `duplicate`.
 */
const isPossible = (refused: string, operationId: string): boolean =>
  !(refused === 'referenced' && operationId.startsWith('create')) &&
  !(refused === 'duplicate' && operationId.startsWith('delete'))

const reachable = (one: string): boolean => !unreachable.some(({ what }) => what.test(one))

describe('the document of a service with every feature', () => {
  let served: Awaited<ReturnType<typeof listen>>
  const faults: string[] = []
  /**
   * One `describeStrictly()` middleware for each service. A status, code or header field counts as
   * reached if a response of one of these services has it.
   */
  const watches: DescribeStrictly[] = []
  const watch = (one: ReturnType<typeof serviceOf>) => {
    const made = describeStrictly(one, { onFault: (fault) => faults.push(fault) })
    watches.push(made)
    return listen(express().use(made, one))
  }
  const unreached = (what: 'statuses' | 'codes' | 'headers') =>
    watches
      .map((one) => one.unreached('v1', what))
      .reduce((left, found) => left.filter((one) => found.includes(one)))
      .filter(reachable)
  beforeAll(async () => {
    served = await watch(service)
  })
  afterAll(() => served.close())

  let keys = 0
  /** Sends a request with the usual header fields. A field with the value `null` is not sent. */
  function send(method: string, path: string, headers: Record<string, string | null> = {}, given?: unknown) {
    keys += 1
    const all = {
      'X-Api-Key': 'ana',
      Origin: origin,
      ...(method === 'POST' ? { 'Idempotency-Key': `k${keys}` } : {}),
      ...headers,
    }
    const fields = Object.entries(all).filter((field): field is [string, string] => field[1] !== null)
    return served.send(method, `/v1${path}`, Object.fromEntries(fields), given)
  }
  const any = { 'If-Match': '*' }

  /** Sends requests that make an operation return each of its problems. */
  async function provoke({ path, method, operation }: Operation): Promise<void> {
    // Only order 2 does not have the flag yet.
    const here = withKeys(path, operation.operationId === 'setOrderUrgent' ? '2' : '1')
    const given = operation.requestBody === undefined ? undefined : (sent[path] ?? { id: 1 })
    for (const name of ['stranger', 'breaking', 'downing'])
      await send(method, here, { ...any, 'X-Api-Key': name }, given)
    for (const name of ['clients', 'orders', 'lines', 'search'])
      await send(method, here, { 'If-Match': '"other"', 'X-Api-Key': `not ${name}` }, given)
    for (const name of ['broken', 'down', null]) await send(method, here, { 'X-Api-Key': name }, given)
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
    for (const name of refusals.filter((one) => isPossible(one, operation.operationId)))
      await send(method, here, { ...any, 'X-Api-Key': name }, given)
    if (given !== undefined) await provokeByBody({ method, here, given })
    else if (method === 'PUT') await send(method, here, any, { a: 'body' })
    // If the operation sets a flag, the first of these requests sets it, and the second finds it
    // set.
    for (let again = 0; again < 2; again += 1) await send(method, here, { ...any, 'If-None-Match': '*' }, given)
  }

  async function provokeByBody({
    method,
    here,
    given,
  }: {
    method: string
    here: string
    given: unknown
  }): Promise<void> {
    await send(method, here, { ...any, 'Content-Type': 'text/plain' }, 'x')
    await send(method, here, { ...any, 'Content-Encoding': 'odd' }, given)
    await send(method, here, any, { text: 'x'.repeat(3_000) })
    await send(method, here, any, ['no object'])
    await send(method, here, { ...any, 'Content-Type': 'application/json' }, '{')
    await send(method, here, { ...any, 'Content-Type': 'application/json' })
    await raw(`${method} /v1${here} HTTP/1.1`, [
      'If-Match: *',
      'Idempotency-Key: never',
      'Content-Type: application/json',
      'Content-Length: 10',
    ])
    if (method !== 'POST') return
    await send(method, here, { ...any, 'Idempotency-Key': '"' }, given)
    await send(method, here, { ...any, 'Idempotency-Key': null }, given)
  }

  /** Sends only the head of a request. Closes the connection when the response arrives. */
  const raw = (line: string, fields: readonly string[]): Promise<void> =>
    new Promise((resolve) => {
      const socket = net.connect(served.port, '127.0.0.1')
      socket
        .on('data', () => socket.destroy())
        .on('close', () => resolve())
        .on('error', () => {})
      socket.write([line, 'Host: a', 'X-Api-Key: ana', `Origin: ${origin}`, ...fields, '', ''].join('\r\n'))
    })

  /** Sends plain and conditional reads, and a read in each format. */
  async function read(): Promise<void> {
    for (const { path } of operations.filter(({ method }) => method === 'GET')) {
      const here = withKeys(path)
      const { etag } = (await send('GET', here)).headers
      for (const method of ['GET', 'HEAD']) {
        await send(method, here)
        await send(method, here, { 'If-None-Match': String(etag) })
        for (const Accept of ['text/plain', 'text/csv', 'application/xml']) await send(method, here, { Accept })
      }
      await send('OPTIONS', here)
    }
    await send('OPTIONS', '/orders/1/cancellations')
    await send('GET', '/search?q=none')
    await send('HEAD', '/search?q=none')
    for (const path of ['/orders', '/clients/1/orders']) await raw(`GET /v1${path} HTTP/1.0`, ['Accept: text/csv'])
  }

  /**
   * Sends successful writes with several callers and preferences. Some creates repeat an
   * idempotency key with another body.
   */
  async function write(): Promise<void> {
    const creates: readonly (readonly [path: string, body: (id: number) => object])[] = [
      ['/orders', (id) => ({ id, total: 1 })],
      ['/clients', (id) => ({ id })],
      ['/orders/1/lines', (id) => ({ number: id })],
      ['/clients/1/orders', (id) => ({ id: id + 100, total: 1 })],
    ]
    const shown = { Prefer: 'return=representation' }
    for (const [path, body] of creates) {
      await send('POST', path, { 'Idempotency-Key': `same${path}` }, body(60))
      await send('POST', path, { 'Idempotency-Key': `same${path}` }, body(61))
      await send('POST', path, { 'X-Api-Key': 'later' }, body(62))
      await send('POST', path, { 'X-Api-Key': 'nothing' }, body(63))
      await send('POST', path, shown, body(64))
      await send('POST', path, { ...shown, Accept: 'text/plain' }, body(65))
    }
    const line = '/orders/1/lines/orderId=1,number=2'
    for (const more of [{}, { Prefer: 'return=minimal' }, { Accept: 'text/plain' }]) {
      const headers = { ...any, ...more }
      await send('PUT', '/orders/20', headers, { total: 3 })
      await send('PATCH', '/orders/20', headers, { total: 4 })
      await send('PUT', '/clients/1', headers, {})
      await send('PATCH', '/clients/1', headers, { id: 1 })
      await send('PUT', line, headers, {})
      await send('PATCH', line, headers, { number: 2 })
      await send('POST', '/orders/20/cancellations', headers, { x: 1 })
    }
    await send('PUT', '/orders/20/urgent', any)
    await send('DELETE', '/orders/20/urgent', any)
    await send('PUT', '/clients/1/orders/20', any)
    await send('DELETE', '/clients/1/orders/20', any)
    await send('DELETE', '/orders/20', any)
    await send('DELETE', line, any)
    await send('DELETE', '/clients/64', any)
  }

  it('LIMIT-1: every operation responds with 429 when the rate limit is exceeded', async () => {
    const other = await watch(serviceOf(1))
    try {
      await other.send('GET', '/v1/orders', { 'X-Api-Key': 'ana' })
      for (const { method, path } of operations)
        expect((await other.send(method, `/v1${withKeys(path)}`, { 'X-Api-Key': 'ana', Origin: origin })).status).toBe(
          429,
        )
    } finally {
      await other.close()
    }
  })

  it('VER-2, VER-3: every operation responds with 410 after the sunset of its version', async () => {
    const other = await watch(serviceOf(100_000))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(sunset) + 1 })
    try {
      for (const { method, path } of operations) {
        const { status, text } = await other.send(method, `/v1${withKeys(path)}`, {
          'X-Api-Key': 'ana',
          Origin: origin,
        })
        expect([status, text]).toEqual([410, ''])
      }
    } finally {
      vi.useRealTimers()
      await other.close()
    }
  })

  it('AUTH-2, AUTH-6: a login can respond with every described status', async () => {
    const logIn = (method: string, user: string, password: string, query = '') =>
      served.send(method, `/login${query}`, {
        Origin: origin,
        Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
      })
    for (const method of ['GET', 'HEAD']) {
      const statuses = [
        (await logIn(method, 'ana', 'right')).status,
        (await logIn(method, 'ana', 'right', '?x=1')).status,
        (await logIn(method, 'broken', 'right')).status,
        (await logIn(method, 'down', 'right')).status,
      ]
      for (let attempt = 0; attempt < 4; attempt += 1)
        statuses.push((await logIn(method, `eva-${method}`, 'wrong')).status)
      expect(statuses).toEqual([200, 400, 500, 503, 401, 401, 401, 429])
    }
    expect((await served.send('OPTIONS', '/login', { Origin: origin })).status).toBe(204)
    expect(unreached('statuses').filter((one) => /login/i.test(one))).toEqual([])
  })

  it('every described status, code and header that tests can reach occurs, and every response matches the document', {
    timeout: 120_000,
  }, async () => {
    await read()
    await write()
    for (const one of operations) await provoke(one)
    expect([...new Set(faults)]).toEqual([])
    expect((['statuses', 'codes', 'headers'] as const).flatMap(unreached)).toEqual([])
  })

  it('describes exactly the methods that OPTIONS lists for a path, and other methods get 405', async () => {
    for (const path of new Set(operations.map((one) => one.path))) {
      const methods = operations.filter((one) => one.path === path).map(({ method }) => method)
      const allow = String((await send('OPTIONS', withKeys(path))).headers.allow).split(', ')
      expect(allow.sort(), path).toEqual(methods.sort())
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((one) => !methods.includes(one))) {
        expect((await send(method, withKeys(path))).status, `${method} ${path}`).toBe(405)
      }
    }
  })
})
