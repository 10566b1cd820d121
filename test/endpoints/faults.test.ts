/**
 * Faults of endpoint handlers. The service reports a clear error, and the response never makes a
 * false statement about the outcome (VERB-13).
 */
import { Readable } from 'node:stream'
import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import {
  api,
  type ConfigurationError,
  endpoint,
  endpointReply,
  HttpProblem,
  mount,
  representation,
  Unavailable,
} from '../../src/index.js'
import { preconditionFailed } from '../../src/middleware/index.js'
import type { EndpointText } from '../../src/openapi/index.js'
import { listen, problem } from '../clauses/fixture.js'
import { clientes } from './service.js'

let close: (() => Promise<void>) | undefined
afterEach(() => close?.())

async function serve(handle: () => unknown) {
  const errors: Error[] = []
  const csv = representation('text/csv', { value: (value) => value as string })
  const describe: EndpointText = { problems: ['rule', 'stale', 'absent'] }
  const methods = { GET: { handle, representations: [csv] }, POST: { describe, handle }, DELETE: { handle } }
  const made = endpoint('pruebas', { description: 'Fails.', timeout: 50, methods })
  const resources = [made, mount(clientes, memoryAdapter(clientes, { records: [{ id: 1 }] }), { endpoints: [made] })]
  const handler = api({ onError: ({ error }) => void errors.push(error as Error), versions: { v1: resources } })
  const service = await listen(express().use(handler))
  close = service.close
  return { ...service, errors }
}

const circular: { self?: unknown } = {}
circular.self = circular
async function* generated() {
  yield 1
}

describe.each(['/v1/pruebas', '/v1/clientes/1/pruebas'])('the endpoint %s', (path) => {
  it.each<[string, () => unknown, string]>([
    ['a stream', () => Readable.from(['a']), 'a stream'],
    ['a web stream', () => new ReadableStream(), 'a stream'],
    ['an async generator', generated, 'a stream'],
    ['a Buffer', () => Buffer.from('a'), 'bytes'],
    ['an ArrayBuffer', () => new ArrayBuffer(1), 'bytes'],
    ['a Map', () => new Map([[1, 2]]), 'an iterable that is not an array'],
    ['a Response', () => new Response('a'), 'a Response'],
    ['a BigInt', () => 1n, "a value that can't be written as application/json"],
    ['a BigInt inside an object', () => ({ n: [1n] }), "a value that can't be written as application/json"],
    ['a cycle', () => circular, "a value that can't be written as application/json"],
    ['a function', () => () => 1, 'a function'],
    ['a symbol', () => Symbol('a'), 'a symbol'],
    ['a value without a JSON form', () => ({ toJSON: () => undefined }), 'a value without a JSON form'],
    ['a Buffer in a reply', () => endpointReply({ status: 200, body: Buffer.from('a') }), 'bytes'],
  ])('ERR-3: returning %s causes a 500, and the reported error names the endpoint', async (_, handle, what) => {
    const { send, errors } = await serve(handle)
    const answer = await send('GET', path)
    expect([answer.status, answer.json.code]).toEqual([500, 'internal'])
    const route = path.replace('/v1', '').replace('1', '{id}')
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining(`GET ${route} returned ${what}`)])
    expect(answer.text).not.toContain('returned')
  })

  it.each([{ pipe: 'PVC' }, { getReader: null }, { pipe: { diameter: 40 }, getReader: 1 }])(
    'HDR-1: an object is sent as JSON, even if its members have the names of stream methods: %j',
    async (value) => {
      const { send, errors } = await serve(() => value)
      const answer = await send('GET', path)
      expect([answer.status, answer.json, errors]).toEqual([200, value, []])
    },
  )

  it.each<[string, () => unknown]>([
    ['a BigInt', () => ({ n: 1n })],
    ['a cycle', () => circular],
    ['bytes', () => Buffer.from('a')],
  ])('ERR-3: returning %s causes a 500 in XML too', async (_, handle) => {
    const { send, errors } = await serve(handle)
    expect((await send('GET', path, { accept: 'application/xml' })).status).toBe(500)
    expect(errors[0]?.message).toContain('returned')
  })

  it('HDR-1: a handler can return bytes if a representation function encodes them', async () => {
    const { send } = await serve(() => Buffer.from('a;b'))
    const answer = await send('GET', path, { accept: 'text/csv' })
    expect([answer.status, answer.text]).toEqual([200, 'a;b'])
  })

  it('VERB-13: if the result of a POST cannot be encoded, the response is 200 without a body', async () => {
    const { send, errors } = await serve(() => ({ n: 1n }))
    const answer = await send('POST', path)
    expect([answer.status, answer.text]).toEqual([200, ''])
    expect(errors[0]?.message).toContain('returned')
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('password=hunter2')
      },
    ],
    ['rejects', () => Promise.reject(new Error('password=hunter2'))],
    [
      'throws undefined',
      () => {
        throw undefined
      },
    ],
    ['returns 201 without a Location', () => endpointReply({ status: 201 })],
    ['returns an invalid Location', () => endpointReply({ status: 201, headers: { Location: 'http://' } })],
  ])('VERB-13: a handler that %s causes a 500, whose text says that the outcome is unknown', async (_, handle) => {
    const { send } = await serve(handle)
    const answer = await send('POST', path)
    expect([answer.status, answer.json.code]).toEqual([500, 'internal'])
    expect(answer.json.detail).toMatch(/may or may not|not known|unknown/i)
    expect(answer.text).not.toContain('hunter2')
    expect((await send('GET', path)).text).not.toContain('hunter2')
  })

  it('VERB-13: a handler that never settles causes a 503, whose text differs for GET and POST', async () => {
    const { send } = await serve(() => new Promise(() => {}))
    const [read, written] = [await send('GET', path), await send('POST', path)]
    expect([problem(read), problem(written)].map(({ status, code }) => [status, code])).toEqual([
      [503, 'unavailable'],
      [503, 'unavailable'],
    ])
    expect(written.json.detail).not.toBe(read.json.detail)
    expect(written.headers['retry-after']).toBeDefined()
  })

  it('VERB-13: if a POST throws Unavailable({ unchanged: true }), the outcome is reported as unknown', async () => {
    const detail = 'The store is busy. Nothing was changed: try again in a moment.'
    const { send } = await serve(() => {
      throw new Unavailable({ unchanged: true, detail })
    })
    expect((await send('POST', path)).json.detail).toMatch(/whether the change took place is unknown/i)
    expect((await send('GET', path)).json.detail).toBe(detail)
  })

  it.each([
    ['a problem', () => new HttpProblem('unavailable')],
    ['an error of http-errors', () => Object.assign(new Error('busy'), { status: 503, expose: false })],
  ])(
    'VERB-13: if a POST throws %s with status 503 and no detail, the outcome is reported as unknown',
    async (_, made) => {
      const { send } = await serve(() => {
        throw made()
      })
      const answer = await send('POST', path)
      expect([answer.status, answer.json.code]).toEqual([503, 'unavailable'])
      expect(answer.json.detail).toMatch(/whether the change took place is unknown/i)
      expect((await send('GET', path)).text).not.toMatch(/unknown/i)
    },
  )

  it('ERR-1: problems thrown by the handler are sent with their status and code', async () => {
    for (const [made, status, code] of [
      [new HttpProblem('rule', { detail: 'No.' }), 422, 'rule'],
      [preconditionFailed(), 412, 'stale'],
      [new HttpProblem('absent'), 404, 'absent'],
      [new Unavailable({ retryAfter: 3 }), 503, 'unavailable'],
    ] as const) {
      const { send } = await serve(() => {
        throw made
      })
      expect(problem(await send('POST', path))).toMatchObject({ status, code })
      await close?.()
    }
  })

  it('HDR-5: a request body is skipped if the method declares no body', async () => {
    const { send } = await serve(() => ({ a: 1 }))
    for (const method of ['GET', 'POST', 'DELETE']) {
      expect((await send(method, path, {}, { x: 1 })).status, method).toBe(200)
      // After the skipped body, the connection is usable for the next request.
      expect((await send(method, path)).status, method).toBe(200)
    }
  })
})

it('HDR-2: endpointReply() accepts "version" only as a string, and only in an endpoint below an item', async () => {
  for (const [path, version, status] of [
    ['/v1/pruebas', '1', 500],
    ['/v1/clientes/1/pruebas', 1, 500],
    ['/v1/clientes/1/pruebas', '1', 204],
  ] as const) {
    const { send, errors } = await serve(() => endpointReply({ status: 204, version: version as string }))
    const answer = await send('POST', path)
    expect([path, answer.status, answer.headers.etag]).toEqual([path, status, status === 204 ? '"1.~"' : undefined])
    if (status === 500)
      expect(errors[0]?.message).toContain(
        version === 1 ? '"version" of endpointReply() is 1. Give a string.' : 'Call endpointReply() without a version',
      )
    await close?.()
  }
})

it('VERB-13: the Etag of a changed item is sent even if the body of the response cannot be encoded', async () => {
  const { send } = await serve(() => endpointReply({ status: 200, body: 1n, version: 'v' }))
  const answer = await send('POST', '/v1/clientes/1/pruebas')
  expect([answer.status, answer.text, answer.headers.etag]).toEqual([200, '', '"v.~"'])
})

it('callOf() throws if the resource is not mounted in the API version of the endpoint', async () => {
  const { send, errors } = await serve(function (this: void, ...[call]: unknown[]) {
    return (call as { callOf(collection: string): unknown }).callOf('bajas')
  } as () => unknown)
  expect((await send('GET', '/v1/clientes/1/pruebas')).status).toBe(500)
  expect((errors[0] as ConfigurationError).message).toContain('"bajas", which is not mounted in the same version')
})

it('a handler that modifies its record does not change the store', async () => {
  const data = memoryAdapter(clientes, { records: [{ id: 1 }] })
  const made = endpoint('pruebas', {
    description: 'Writes where it should not.',
    methods: {
      POST: {
        handle: ({ item }) => {
          try {
            Object.assign(item as { record: object }, { record: 5 })
          } catch {}
          try {
            Object.assign((item as { record: object }).record, { id: 5 })
          } catch {}
        },
      },
    },
  })
  const service = await listen(express().use(api({ versions: { v1: [mount(clientes, data, { endpoints: [made] })] } })))
  close = service.close
  expect((await service.send('POST', '/v1/clientes/1/pruebas')).status).toBe(204)
  expect((await service.send('GET', '/v1/clientes/1')).json).toEqual({ id: 1 })
})
