/** Limits of a single method of an endpoint (HDR-5, ERR-1). */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, endpoint, mount } from '../../src/index.js'
import { createServer } from '../../src/server/index.js'
import { clientes } from './service.js'

const body = { type: 'object', properties: { t: { type: 'string' } } } as const
let handled: unknown[] = []
let close: (() => Promise<unknown>) | undefined
afterEach(async () => {
  await close?.()
  handled = []
})

const upload = endpoint('cargas', {
  description: 'Takes a file.',
  bodyLimit: 500,
  methods: {
    POST: { body, bodyLimit: 5_000, handle: ({ body: sent }) => void handled.push(sent.t?.length) },
    PUT: { body, handle: ({ body: sent }) => void handled.push(sent.t?.length) },
    PATCH: { body, timeout: 20, handle: ({ signal, left }) => new Promise(() => handled.push(signal, left())) },
    GET: { timeout: 60_000, handle: ({ left }) => ({ left: left() }) },
  },
})

async function serve(): Promise<number> {
  const resources = [
    upload,
    mount(clientes, memoryAdapter(clientes, { records: [{ id: 1 }] }), { endpoints: [upload] }),
  ]
  // `createServer()` adds limits of its own, as in a real service.
  const server = createServer(
    express().use(api({ bodyLimit: 100, timeout: 5_000, onError: () => {}, versions: { v1: resources } })),
    {
      drain: 0,
    },
  )
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  close = () => server.shutdown({ drain: 0, grace: 0 })
  return (server.address() as AddressInfo).port
}

/** Sends a body in pieces, with these header fields. Returns the response as soon as it arrives. */
function send(
  port: number,
  method: string,
  path: string,
  pieces: readonly (string | Buffer)[],
  headers: http.OutgoingHttpHeaders,
): Promise<{ status: number | undefined; json: { detail?: string; left?: number }; closes: boolean }> {
  return new Promise((resolve, reject) => {
    const req = http.request(
      { host: '127.0.0.1', port, path, method, headers: { 'content-type': 'application/json', ...headers } },
      (res) => {
        const chunks: Buffer[] = []
        res.on('data', (chunk: Buffer) => chunks.push(chunk))
        res.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          resolve({
            status: res.statusCode,
            json: text === '' ? {} : JSON.parse(text),
            closes: res.headers.connection === 'close',
          })
          req.destroy()
        })
      },
    )
    req.on('error', reject)
    for (const piece of pieces) req.write(piece)
    if (headers['content-length'] === undefined || pieces.length > 0) req.end()
    else req.flushHeaders()
  })
}

const json = (size: number) => JSON.stringify({ t: 'x'.repeat(size) })
const xml = (size: number) => `<cargas><t>${'x'.repeat(size)}</t></cargas>`

describe.each(['/v1/cargas', '/v1/clientes/1/cargas'])('the endpoint %s', (path) => {
  it.each(['chunked', 'with a Content-Length'])(
    'HDR-5: a JSON or XML body up to the limit of the method is accepted, and a larger body gets 413 (%s)',
    async (how) => {
      const port = await serve()
      const sized = (text: string) =>
        how === 'chunked' ? { 'transfer-encoding': 'chunked' } : { 'content-length': Buffer.byteLength(text) }
      const types = [
        ['application/json', json],
        ['application/xml', xml],
      ] as const
      for (const [type, make] of types) {
        for (const [method, limit] of [
          ['POST', 5_000],
          ['PUT', 500],
        ] as const) {
          const fits = make(limit - make(0).length)
          const over = make(limit - make(0).length + 1)
          expect(
            (await send(port, method, path, [fits], { ...sized(fits), 'content-type': type })).status,
            `${method} ${type}`,
          ).toBe(204)
          const refused = await send(port, method, path, [over], { ...sized(over), 'content-type': type })
          expect(refused, `${method} ${type}`).toMatchObject({
            status: 413,
            json: { detail: `A body must not exceed ${limit} bytes.` },
            closes: true,
          })
        }
      }
      expect(handled).toHaveLength(4)
    },
  )

  it('HDR-5: a Content-Length beyond the limit is refused before the body arrives', async () => {
    const port = await serve()
    expect(await send(port, 'POST', path, [], { 'content-length': 5_001 })).toMatchObject({ status: 413, closes: true })
    expect(handled).toEqual([])
  })

  it('HDR-5: the limit of the method also applies to the decoded size of an encoded body', async () => {
    const port = await serve()
    const packed = gzipSync(json(6_000))
    expect(packed.length).toBeLessThan(500)
    const headers = { 'content-encoding': 'gzip', 'content-length': packed.length }
    expect(await send(port, 'POST', path, [packed], headers)).toMatchObject({
      status: 413,
      json: { detail: 'A body must not exceed 5000 bytes.' },
    })
    expect((await send(port, 'POST', path, [gzipSync(json(4_000))], { 'content-encoding': 'gzip' })).status).toBe(204)
  })

  it('ERR-1: the time limit of the method applies to the response, to left() and to the signal', async () => {
    const port = await serve()
    const late = await send(port, 'PATCH', path, [json(1)], {})
    expect(late).toMatchObject({ status: 503, json: { detail: expect.stringContaining('did not respond in time') } })
    const [signal, left] = handled as [AbortSignal, number]
    expect(signal.aborted).toBe(true)
    expect(left).toBeLessThanOrEqual(20)
    const quick = await send(port, 'GET', path, [], {})
    expect(quick.json.left).toBeGreaterThan(5_000)
  })

  it('ERR-1: a body that does not arrive within the time limit of the method gets 408', async () => {
    const port = await serve()
    expect((await send(port, 'PATCH', path, [], { 'content-length': 10 })).status).toBe(408)
    expect(handled).toEqual([])
  })
})

it('HDR-5: an encoded body is accepted, even if bodyLimit exceeds the maximum size of a buffer', async () => {
  const big = endpoint('cargas', {
    description: 'Takes a file.',
    methods: { POST: { body, bodyLimit: Number.MAX_SAFE_INTEGER, handle: () => 1 } },
  })
  const server = createServer(express().use(api({ versions: { v1: [big] } })), { drain: 0 })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  close = () => server.shutdown({ drain: 0, grace: 0 })
  const { port } = server.address() as AddressInfo
  expect((await send(port, 'POST', '/v1/cargas', [gzipSync(json(10))], { 'content-encoding': 'gzip' })).status).toBe(
    200,
  )
})

it('HDR-5: a request for an item has the body limit of the service, not that of an endpoint below it', async () => {
  const port = await serve()
  const sent = JSON.stringify({ id: 1, x: 'x'.repeat(200) })
  expect(await send(port, 'PUT', '/v1/clientes/1', [sent], {})).toMatchObject({
    status: 413,
    json: { detail: 'A body must not exceed 100 bytes.' },
  })
})
