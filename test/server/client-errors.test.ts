import { createServer as nodeServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import express from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createServer, type ServerOptions } from '../../src/server/index.js'
import { answers, client, port } from './serving.js'

/**
 * Starts a service. Records the errors that `onClientError` gets, and the requests that reach the
 * handler.
 */
async function service(options: ServerOptions = {}) {
  const reported: (readonly [string | undefined, string | undefined])[] = []
  const served: string[] = []
  const app = express()
  app.use((req, res) => {
    served.push(req.url)
    req.resume().on('end', () => res.send('served'))
  })
  const server = createServer(app, {
    ...options,
    onClientError: (error, problem) => reported.push([(error as NodeJS.ErrnoException).code, problem?.code]),
  })
  return { server, at: await port(server), reported, served }
}

const parts = (text: string) => {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const [status, ...fields] = head.split('\r\n')
  return {
    status,
    fields: Object.fromEntries(fields.map((field) => field.split(': '))) as Record<string, string>,
    body,
  }
}

describe('ERR-3: requests that are refused before they reach the app', () => {
  const many = (count: number): string => Array.from({ length: count }, (_, at) => `X-${at}: 1\r\n`).join('')

  it.each<[string, string, number, string, RegExp]>([
    ['an invalid request line', 'what\r\n\r\n', 400, 'bad-request', /well-formed HTTP\/1\.1: .+\.$/],
    ['an invalid field', 'GET / HTTP/1.1\r\nHost: x\r\na b: c\r\n\r\n', 400, 'bad-request', /Invalid header token/],
    [
      'two Content-Length fields',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'bad-request',
      /Content-Length/,
    ],
    [
      'Content-Length together with Transfer-Encoding',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
      'bad-request',
      /Content-Length/,
    ],
    [
      'a null byte in a field',
      'GET / HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n',
      400,
      'bad-request',
      /Invalid header value char/,
    ],
    ['the first bytes of TLS', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', 400, 'bad-request', /./],
    [
      'fields that are too large',
      `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers-too-large',
      /16384 bytes/,
    ],
    [
      'a URL that is too large',
      `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      431,
      'headers-too-large',
      /request line/,
    ],
    [
      'too many fields',
      `GET / HTTP/1.1\r\nHost: x\r\n${many(100)}\r\n`,
      431,
      'headers-too-large',
      /more than 100 header fields/,
    ],
    [
      'far too many fields',
      `GET / HTTP/1.1\r\nHost: x\r\n${many(900)}\r\n`,
      431,
      'headers-too-large',
      /more than 100 (header )?fields/,
    ],
  ])('a request with %s gets a problem', async (_, bytes, status, code, detail) => {
    const { at, served } = await service({ problemBase: 'https://a.example/errors' })
    const { status: line, fields, body } = parts(await answers(at, bytes))
    expect(line).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(fields).toMatchObject({
      'Content-Type': 'application/problem+json',
      Connection: 'close',
      'X-Content-Type-Options': 'nosniff',
    })
    const problem = JSON.parse(body)
    expect(problem).toMatchObject({ type: `https://a.example/errors#ERR-1-${code}`, status, code, clause: 'ERR-1' })
    expect(problem.detail).toMatch(detail)
    expect(Number(fields['Content-Length'])).toBe(Buffer.byteLength(body))
    // The OpenAPI document describes these header fields for every problem.
    expect(fields).toMatchObject({ 'Cache-Control': 'no-store', Vary: 'Accept' })
    expect(fields['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(problem.requestId).toBe(fields['x-request-id'])
    expect(served).toEqual([])
  })

  it.each([
    ['fields that are too large', `Host: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['far too many fields', `Host: x\r\n${many(900)}\r\n`, 431],
    ['a null byte in a field', 'Host: x\r\nA: \0\r\n\r\n', 400],
    ['an invalid chunk', 'Host: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 400],
  ])('RFC 9110 9.3.2: the response to a HEAD request with %s has no body', async (_, rest, status) => {
    const { at } = await service()
    const { status: line, fields, body } = parts(await answers(at, `HEAD / HTTP/1.1\r\n${rest}`))
    expect(line).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(Number(fields['Content-Length'])).toBeGreaterThan(0)
    expect(body).toBe('')
  })

  it('a request may have the maximum number of fields, or any number if the maximum is 0', async () => {
    const { at, served } = await service()
    expect(await answers(at, `GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${many(98)}\r\n`)).toMatch(/200 OK/)
    const { at: open } = await service({ maxHeadersCount: 0 })
    expect(await answers(open, `GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${many(1_500)}\r\n`)).toMatch(
      /200 OK/,
    )
    expect(served).toEqual(['/'])
  })

  it.each([1, 2, 30, 31, 32, 33, 61, 62, 63, 64, 93, 124, 128])(
    'if the maximum is %i fields, a request with that many is accepted, and one with more is refused',
    async (bound) => {
      const { at } = await service({ maxHeadersCount: bound })
      const fields = (count: number): string => `GET / HTTP/1.0\r\n${many(count)}\r\n`
      expect(await answers(at, fields(bound))).toMatch(/^HTTP\/1.1 200/)
      expect(await answers(at, fields(bound + 1))).toMatch(/^HTTP\/1.1 431/)
    },
  )

  it('an invalid chunk in a body gets 400, or aborts a response that has already started', async () => {
    const { at, reported } = await service()
    const chunks = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'
    expect(parts(await answers(at, chunks)).status).toBe('HTTP/1.1 400 Bad Request')
    const begun = createServer((_req, res) => res.writeHead(200, { 'Content-Length': 5 }).flushHeaders(), {
      onClientError: (_error, problem) => reported.push(['begun', problem?.code]),
    })
    const one = await client(await port(begun))
    one.send(chunks.replace('zz\r\n', ''))
    await one.receives(/200 OK/)
    one.send('zz\r\n')
    expect(await one.closed).not.toMatch(/400/)
    expect(reported).toEqual([
      ['HPE_INVALID_CHUNK_SIZE', 'bad-request'],
      ['begun', undefined],
    ])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('hook')
      },
    ],
    ['rejects', () => Promise.reject(new Error('hook'))],
  ])('if "onClientError" %s, the error is logged, and the client gets its response', async (_how, onClientError) => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => logged.mockRestore())
    const at = await port(createServer((_req, res) => res.end(), { onClientError }))
    expect(parts(await answers(at, 'NOT HTTP\r\n\r\n')).status).toBe('HTTP/1.1 400 Bad Request')
    await vi.waitFor(() => expect(logged).toHaveBeenCalledOnce())
    expect(logged.mock.lastCall?.[1]).toMatchObject({ message: 'hook' })
  })

  it('chunk extensions that are too long get 413', async () => {
    const { at, reported } = await service()
    const text = `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;${'a'.repeat(20_000)}\r\n`
    expect(parts(await answers(at, text)).status).toBe('HTTP/1.1 413 Payload Too Large')
    expect(reported).toEqual([['HPE_CHUNK_EXTENSIONS_OVERFLOW', 'body-too-large']])
  })

  it.each([
    ['header', 'GET / HTTP/1.1\r\nHost: x\r\n', { headersTimeout: 50 }],
    ['body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc', { requestTimeout: 50 }],
  ])('a request whose %s does not arrive before the timeout gets 408', async (_, text, bounds) => {
    const { at, reported } = await service({ ...bounds, connectionsCheckingInterval: 20 })
    const { status, body } = parts(await answers(at, text))
    expect([status, JSON.parse(body).code]).toEqual(['HTTP/1.1 408 Request Timeout', 'request-timeout'])
    expect(reported).toEqual([['ERR_HTTP_REQUEST_TIMEOUT', 'request-timeout']])
  })

  it('a client that sends nothing before the timeout gets no response', async () => {
    const { at, reported } = await service({ headersTimeout: 50, connectionsCheckingInterval: 20 })
    // The client could mistake a 408 for the response to its first request.
    expect(await answers(at, '')).toBe('')
    expect(reported).toEqual([['ERR_HTTP_REQUEST_TIMEOUT', undefined]])
  })

  it('the responses to earlier requests stay complete, and the refusal follows them', async () => {
    const { at } = await service()
    const one = await client(at)
    one.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await one.receives(/served$/)
    one.send('what\r\n\r\n')
    expect(await one.closed).toMatch(/served[\s\S]*HTTP\/1\.1 400 Bad Request[\s\S]*}$/)
  })

  it('a client that keeps sending megabytes still gets its refusal, and its connection ends', async () => {
    const { at, reported } = await service()
    const one = await client(at)
    one.send(`GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}`)
    for (let count = 0; count < 50; count++) {
      one.send('a'.repeat(50_000))
      if (count % 10 === 0) await pause(1)
    }
    expect(parts(await one.closed).status).toBe('HTTP/1.1 431 Request Header Fields Too Large')
    expect(reported).toHaveLength(1)
  })

  it('the server closes the connection after a refusal if the client does not', async () => {
    const { server, at } = await service()
    const one = await client(at)
    one.socket.allowHalfOpen = true
    one.send('what\r\n\r\n')
    await one.receives(/}$/)
    await new Promise<void>((resolve) => {
      const look = (): void =>
        void server.getConnections((_error, count) => (count === 0 ? resolve() : setTimeout(look, 20)))
      look()
    })
  })

  it('a "clientError" listener of the service responds instead of the library', async () => {
    const { server, at, reported } = await service()
    server.on('clientError', (_error, socket) => socket.end('mine'))
    expect(await answers(at, 'what\r\n\r\n')).toBe('mine')
    expect(reported).toEqual([])
    server.removeAllListeners('clientError')
    expect(await answers(at, 'what\r\n\r\n')).toBe('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
  })

  it('a client that resets its connection gets no response', async () => {
    const { at, reported } = await service()
    const one = await client(at)
    one.send('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n')
    await pause(30)
    one.socket.resetAndDestroy()
    await one.closed
    await pause(30)
    expect(reported.filter(([, code]) => code !== undefined)).toEqual([])
  })

  it('Node 20 itself silently drops fields beyond its limit; later versions drop or refuse them', async () => {
    const server = nodeServer((req, res) => void res.end(String(req.headers['if-match'])))
    server.maxHeadersCount = 5
    onTestFinished(() => void server.close())
    expect(await answers(await port(server), `GET / HTTP/1.0\r\n${many(5)}If-Match: "1"\r\n\r\n`)).toMatch(
      process.version.startsWith('v20.') ? /undefined$/ : /undefined$|^HTTP\/1\.1 431/,
    )
  })
})
