import { request as httpRequest, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { type BodyOptions, bodyLimitKinds, hasBody, readBody, resolveBodyLimits } from '../../src/middleware/body.js'
import { checkOptions } from '../../src/options/check.js'
import { openForm } from '../../src/plan/form.js'
import { ConfigurationError, type HttpProblem, toProblem } from '../../src/problem.js'
import { problemAnswer, send } from '../../src/representation/answer.js'
import { json } from '../../src/representation/encoding.js'
import { type Express, listen, majors, raw } from './majors.js'

const defaults: BodyOptions = {
  accepted: ['application/json'],
  form: openForm,
  bodyLimit: 1000,
  depthLimit: 3,
  timeLeft: () => 5000,
  patch: false,
}

/**
 * Returns a handler that responds with the body that `readBody` returns, or with a problem if
 * `readBody` fails. The handler adds the body or the error to `found`.
 */
const reading = (options: Partial<BodyOptions> = {}, found: unknown[] = []) =>
  ((req: IncomingMessage, res: ServerResponse) => {
    const read = async () => readBody(req, { ...defaults, ...options }, (value) => value)
    read().then(
      (value) => {
        found.push(value)
        send(
          res,
          { status: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ value }) },
          false,
        )
      },
      (error: unknown) => {
        found.push(error)
        const problem: HttpProblem = toProblem(error)
        send(
          res,
          problemAnswer(problem, { representation: json, base: undefined, instance: '/', requestId: undefined }),
          false,
        )
      },
    )
  }) satisfies RequestListener

const post = (headers: Record<string, string>, body: string | Buffer = '{"a":1}', options?: Partial<BodyOptions>) =>
  request(reading(options))
    .post('/')
    .set(headers)
    .serialize((sent) => sent as string)
    .send(body)
const asJson = { 'Content-Type': 'application/json' }

describe('resolveBodyLimits', () => {
  it('HDR-5: applies defaults, and limits the timeout to the longest delay of a timer in Node', () => {
    expect(resolveBodyLimits({})).toEqual({ bodyLimit: 1_048_576, depthLimit: 32, timeout: 30_000 })
    expect(resolveBodyLimits({ bodyLimit: 1, depthLimit: 2, timeout: 1e12 })).toEqual({
      bodyLimit: 1,
      depthLimit: 2,
      timeout: 2 ** 31 - 1,
    })
  })

  it.each(['bodyLimit', 'depthLimit', 'timeout'])('HDR-5: "%s" must be a whole number from 1', (name) => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 0, -1, 1.5, '5', null]) {
      expect(() =>
        checkOptions('api()', { bodyLimit: 1, depthLimit: 1, timeout: 1, [name]: value }, bodyLimitKinds),
      ).toThrow(ConfigurationError)
    }
  })
})

describe('readBody', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; x=y',
    'application/json;charset=utf8',
  ])('HDR-5: a body of the type %s is read', async (type) => {
    expect((await post({ 'Content-Type': type })).body).toEqual({ value: { a: 1 } })
  })

  it.each([
    'text/json',
    'application/json-seq',
    'application/xml',
    'application',
    'application/json; charset=latin1',
    'application/json; charset',
    '*/*',
    'application/*',
  ])('HDR-5: a body of the type %s gets 415, which names the accepted types', async (type) => {
    const { status, body, headers } = await post({ 'Content-Type': type })
    expect([status, body.code, headers.accept]).toEqual([415, 'unsupported-content', 'application/json'])
    expect(body.errors[0]).toMatchObject({ header: 'Content-Type', allowed: ['application/json'], clause: 'HDR-5' })
  })

  it.each([
    ['Text/JSON; charset=utf-8', 'The Content-Type "text/json" is not supported here.'],
    ['application', 'The Content-Type "application" is not a valid media type.'],
    [
      'application/json; charset="\xe9\t',
      'The Content-Type "application/json; charset=\\"??" is not a valid media type.',
    ],
    [`a/${'b'.repeat(200)}`, `The Content-Type "a/${'b'.repeat(78)}" is not supported here.`],
  ])('HDR-5: the detail of the 415 for the Content-Type %j quotes the media type', async (type, fault) => {
    const { body } = await post({ 'Content-Type': type })
    expect(body.detail).toBe(`${fault} Send application/json.`)
  })

  it('HDR-5: a body without Content-Type gets 415, and for a patch the 415 has Accept-Patch', async () => {
    const bare = await raw(reading(), 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}')
    expect(bare).toMatch(/^HTTP\/1\.1 415 [\s\S]*has no Content-Type/)
    const patch = await post({ 'Content-Type': 'text/plain' }, '{}', {
      patch: true,
      accepted: ['application/merge-patch+json', 'application/json'],
    })
    expect([patch.headers['accept-patch'], patch.headers.accept]).toEqual([
      'application/merge-patch+json, application/json',
      undefined,
    ])
  })

  it('HDR-5: an unsupported content coding gets 415 with Accept-Encoding, and identity is accepted', async () => {
    for (const coding of ['zstd', 'gzip, gzip', 'gzip, br', 'compress', 'gzip;q=1', 'gzi p']) {
      const { status, headers, body } = await post({ ...asJson, 'Content-Encoding': coding })
      expect(body.detail).toContain(`The Content-Encoding "${coding}" is not supported.`)
      expect([coding, status, headers['accept-encoding'], body.errors[0].allowed]).toEqual([
        coding,
        415,
        'gzip, br, deflate',
        ['gzip', 'br', 'deflate', 'identity'],
      ])
    }
    for (const coding of ['identity', 'Identity'])
      expect((await post({ ...asJson, 'Content-Encoding': coding })).status).toBe(200)
  })

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ] as const)(
    'HDR-5: a body in %s is decompressed within the limit, and invalid data gets 400',
    async (coding, pack) => {
      const headers = { ...asJson, 'Content-Encoding': coding }
      const text = JSON.stringify({ a: 'ñ'.repeat(20) })
      expect((await post(headers, pack(text))).body).toEqual({ value: JSON.parse(text) })
      for (const broken of [Buffer.from(text), pack(text).subarray(0, -3), pack(text).fill(7, 2, 9)]) {
        const answer = await post(headers, broken)
        expect([answer.status, answer.body.code]).toEqual([400, 'malformed-body'])
      }
      // The text has 1,002 bytes after decompression: one more than the first limit, and exactly
      // the second limit.
      expect((await post(headers, pack(JSON.stringify('x'.repeat(1000))), { bodyLimit: 1001 })).status).toBe(413)
      expect((await post(headers, pack(JSON.stringify('x'.repeat(1000))), { bodyLimit: 1002 })).status).toBe(200)
      const bomb = pack(Buffer.alloc(50_000_000, ' '))
      const before = process.memoryUsage().arrayBuffers
      expect((await post(headers, bomb, { bodyLimit: 100_000 })).status).toBe(413)
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000)
    },
  )

  it.each(['Content-Length: 0\r\n', ''])(
    'HDR-5: a request without a body (%j) gets 400 missing-body',
    async (field) => {
      const answer = await raw(
        reading(),
        `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${field}Connection: close\r\n\r\n`,
      )
      expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*missing-body/)
    },
  )

  it('HDR-5: an empty chunked body gets 400 malformed-body', async () => {
    const answer = await raw(
      reading(),
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: ' +
        'close\r\n\r\n0\r\n\r\n',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*malformed-body/)
  })

  it.each([
    ['malformed JSON', '{"a":', undefined],
    ['a member named __proto__', '{"a":{"__proto__":{}}}', '/a/__proto__'],
    ['a body that is nested too deeply', '[[[[]]]]', undefined],
    ['a duplicate member', '{"a":1,"a":2}', '/a'],
    ['a number that is too large for a double', '{"a":1e999}', '/a'],
  ])('HDR-5: %s gets 400', async (_name, text, pointer) => {
    const { status, body } = await post(asJson, text)
    expect([status, body.code]).toEqual([400, 'malformed-body'])
    if (pointer !== undefined) expect(body.errors[0].pointer).toBe(pointer)
  })

  it('HDR-5: invalid UTF-8 gets 400, and a byte order mark is skipped', async () => {
    const bytes = (body: Buffer) =>
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ' +
      `${body.length}\r\nConnection: close\r\n\r\n`
    const sendBytes = async (body: Buffer) => {
      const port = await listen(reading())
      return new Promise<string>((resolve) => {
        let answer = ''
        const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.concat([Buffer.from(bytes(body)), body])))
        socket.on('data', (data) => {
          answer += data
        })
        socket.on('close', () => resolve(answer))
      })
    }
    expect(await sendBytes(Buffer.from([0x22, 0xff, 0x22]))).toMatch(/^HTTP\/1\.1 400 [\s\S]*not valid UTF-8/)
    expect(await sendBytes(Buffer.from('\ufeff{"a":"ñ"}'))).toContain('{"value":{"a":"ñ"}}')
  })

  it('HDR-5: a body gets the same response whether it arrives with the head of its request or later', async () => {
    const port = await listen(reading({ bodyLimit: 20 }))
    const bodies = [
      '{"a":1}',
      '{"a":1,"a":2}',
      '{"a":',
      '"ñ"',
      '[[[[]]]]',
      `"${'x'.repeat(18)}"`,
      `"${'x'.repeat(19)}"`,
    ]
    const chunked = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n0\r\n\r\n`
    const heads = [
      (text: string) => [`Content-Length: ${Buffer.byteLength(text)}`, text] as const,
      (text: string) => ['Transfer-Encoding: chunked', chunked(text)] as const,
    ]
    const ask = (parts: readonly string[]): Promise<string> =>
      new Promise((resolve) => {
        let text = ''
        const socket = connect(port, '127.0.0.1', async () => {
          for (const part of parts) {
            socket.write(part)
            await new Promise((sent) => setTimeout(sent, 5))
          }
        })
        socket.on('data', (data) => {
          text += data
        })
        socket.on('close', () => resolve(text.replace(/^Date: .*\r\n/gm, '')))
      })
    for (const body of bodies) {
      for (const framed of heads) {
        const [field, content] = framed(body)
        const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${field}\r\n`
        // Only the second request asks the server to close the connection.
        const first = `${head}\r\n${content}`
        const last = `${head}Connection: close\r\n\r\n`
        const whole = await ask([first + last + content])
        const split = await ask([first, last, content.slice(0, 2), content.slice(2)])
        expect(split).toBe(whole)
        expect(whole.match(/HTTP\/1/g)).toHaveLength(Buffer.byteLength(body) > 20 ? 1 : 2)
      }
    }
  })

  it.each<[string, (req: IncomingMessage) => unknown]>([
    ['no delay', () => {}],
    ['a microtask', async () => {}],
    ['all data has arrived', () => new Promise((resolve) => setImmediate(resolve))],
    ['the stream was paused', (req) => req.pause() && setTimeout(() => req.resume(), 5)],
    ['a "data" listener was added', (req) => req.on('data', () => {})],
    ['a "readable" listener that reads no data was added', (req) => req.once('readable', () => {})],
  ])('HDR-5: a body is read correctly after %s, and the connection stays open', async (_name, before) => {
    const found: unknown[] = []
    const port = await listen((req, res) => {
      const waits = before(req)
      if (waits instanceof Promise) void waits.then(() => reading({}, found)(req, res))
      else reading({}, found)(req, res)
    })
    const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 7\r\n'
    const answer = await new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(`${head}\r\n{"a":1}${head}Connection: close\r\n\r\n{"a":2}`),
      )
      socket.on('data', (data) => {
        text += data
      })
      socket.on('close', () => resolve(text))
    })
    expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(2)
    expect(found).toEqual([{ a: 1 }, { a: 2 }])
  })

  it('HDR-5: a body that has already arrived is delivered synchronously, and the stream ends', async () => {
    const text = '{"a":1}'
    for (const [headers, body] of [
      [asJson, text],
      [{ ...asJson, 'Content-Encoding': 'identity' }, text],
    ] as const) {
      const found: unknown[] = []
      const listener: RequestListener = (req, res) => {
        setImmediate(() => {
          found.push(readBody(req, defaults, (value) => ({ value })))
          req.on('end', () => res.end())
        })
      }
      await request(listener)
        .post('/')
        .set(headers)
        .serialize((sent) => sent as string)
        .send(body)
      expect(found).toEqual([{ value: { a: 1 } }])
    }
  })

  it('HDR-5: if the callback `use` throws, readBody throws the same error or rejects with it', async () => {
    const failing = (): never => {
      throw new Error('no use')
    }
    const found: unknown[] = []
    const listener: RequestListener = (req, res) => {
      const answer = (): void => void res.end()
      if (req.url === '/late') {
        setImmediate(() => {
          expect(() => readBody(req, defaults, failing)).toThrow('no use')
          answer()
        })
      }
      if (req.url === '/')
        void (readBody(req, defaults, failing) as Promise<never>)
          .catch((error: unknown) => found.push(error))
          .then(answer)
    }
    for (const path of ['/', '/late']) await request(listener).post(path).set(asJson).send('{"a":1}')
    expect(found).toEqual([new Error('no use')])
  })

  it('HDR-5: the body of an HTTP/2 request is read if the request has a Content-Length', async () => {
    const server = createHttp2Server((req, res) => {
      const read = async () => readBody(req as unknown as IncomingMessage, defaults, (value) => value)
      read().then(
        (value) => res.end(JSON.stringify(value)),
        (error: Error) => res.end(error.message),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const client = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    for (const length of [{ 'content-length': '7' }, {}]) {
      const stream = client.request({ ':method': 'POST', ':path': '/', 'content-type': 'application/json', ...length })
      stream.end('{"a":1}')
      // Without Content-Length and Transfer-Encoding, the request counts as having no body.
      expect(await readText(stream)).toBe('content-length' in length ? '{"a":1}' : 'Send a body of application/json.')
    }
    client.close()
    server.close()
  })

  it('HDR-5: a body with as many bytes as the limit is accepted, and a body with one more byte gets 413', async () => {
    const body = (length: number) => `"${'x'.repeat(length - 2)}"`
    expect((await post(asJson, body(1000))).status).toBe(200)
    const { status, body: problem, headers } = await post(asJson, body(1001))
    expect([status, problem.code, headers.connection]).toEqual([413, 'body-too-large', 'close'])
  })

  it.each([true, false])(
    'HDR-5: a client that sends far more than the limit receives its 413, and the connection closes (chunked: %s)',
    async (chunked) => {
      const port = await listen(reading())
      const size = 20_000_000
      const piece = Buffer.alloc(65_536, 0x20)
      for (let round = 0; round < 5; round++) {
        const outcome = await new Promise<unknown>((resolve) => {
          const headers = { ...asJson, ...(chunked ? {} : { 'Content-Length': String(size) }) }
          const client = httpRequest({ port, method: 'POST', headers, agent: false }, (res) => {
            let text = ''
            res.on('data', (data) => {
              text += data
            })
            res.on('end', () => resolve([res.statusCode, JSON.parse(text).code, res.headers.connection]))
          })
          client.on('error', resolve)
          Readable.from(
            (function* () {
              for (let sent = 0; sent < size; sent += piece.length)
                yield piece.subarray(0, Math.min(piece.length, size - sent))
            })(),
          ).pipe(client)
        })
        expect(outcome).toEqual([413, 'body-too-large', 'close'])
      }
    },
  )

  it('HDR-5, RFC 9112 9.6: a client that reads only after it has sent everything receives its 413', async () => {
    const port = await listen(reading())
    const piece = Buffer.alloc(65_536, 0x20)
    const answer = await new Promise<string>((resolve) => {
      let text = ''
      let left = 100
      const socket = connect(port, '127.0.0.1', () => {
        socket.pause()
        socket.write(
          'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ' +
            `${left * piece.length}\r\n\r\n`,
        )
        const more = (): void => {
          if (left-- > 0) socket.write(piece, () => setTimeout(more, 1))
          else socket.resume()
        }
        more()
      })
      socket.on('data', (data) => {
        text += data
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve(text))
    })
    expect(answer).toMatch(/^HTTP\/1\.1 413 [\s\S]*body-too-large/)
  })

  it('HDR-5: fetch receives the 413 for a body above the limit', async () => {
    const port = await listen(reading())
    const { status } = await fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      headers: asJson,
      body: 'x'.repeat(5_000_000),
    })
    expect(status).toBe(413)
  })

  it('HDR-5: a client that never stops sending is disconnected after its response', async () => {
    const port = await listen(reading())
    // Only the server closes this connection.
    const answer = await new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(
          'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
        )
        const more = setInterval(() => socket.write(`400\r\n${'x'.repeat(1024)}\r\n`), 5)
        socket.on('close', () => {
          clearInterval(more)
          resolve(text)
        })
      })
      socket.on('error', () => {})
      socket.on('data', (data) => {
        text += data
      })
    })
    expect(answer).toMatch(/^HTTP\/1\.1 413 [\s\S]*body-too-large/)
  })

  it('ERR-1: an incomplete body gets 408 at its timeout, or at once if no time is left', async () => {
    const slow = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a"'
    for (const timeLeft of [50, 0, -10])
      expect(await raw(reading({ timeLeft: () => timeLeft }), slow)).toMatch(/^HTTP\/1\.1 408 [\s\S]*request-timeout/)
  })

  it('ERR-1: a timeout above the longest delay of a timer in Node does not cause an immediate 408', async () => {
    expect(
      (await post(asJson, '{}', { timeLeft: () => resolveBodyLimits({ timeout: Number.MAX_SAFE_INTEGER }).timeout }))
        .status,
    ).toBe(200)
  })

  it('HDR-5: if a client aborts its upload, the promise of readBody rejects with a 400', async () => {
    const found: unknown[] = []
    const port = await listen(reading({}, found))
    const socket = connect(port, '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a"')
    setTimeout(() => socket.destroy(), 30)
    await expect.poll(() => found.length).toBe(1)
    expect(found[0]).toMatchObject({ code: 'malformed-body', detail: 'The body is incomplete.' })
  })

  it('HDR-5: a stream on which setEncoding() was called is an error of the service', async () => {
    const found: unknown[] = []
    const listener: RequestListener = (req, res) => {
      req.setEncoding('utf8')
      reading({}, found)(req, res)
    }
    const { status } = await request(listener).post('/').set(asJson).send('{}')
    expect(status).toBe(500)
    expect(found[0]).toBeInstanceOf(ConfigurationError)
  })
})

describe('hasBody', () => {
  it.each([
    [{}, false],
    [{ 'content-length': '0' }, false],
    [{ 'content-length': '1' }, true],
    [{ 'transfer-encoding': 'chunked' }, true],
  ])('HDR-5, RFC 9112 6.3: for a request with the header fields %j, hasBody() returns %s', (headers, has) =>
    expect(hasBody({ headers } as unknown as IncomingMessage)).toBe(has),
  )
})

describe.each(majors)('readBody behind other parsers on %s', (_, express: Express) => {
  const behind = (parser: RequestHandler, options?: Partial<BodyOptions>, found?: unknown[]) => {
    const app = express()
    app.use(parser)
    app.use(reading(options, found))
    return (body: string | Buffer, headers: Record<string, string> = asJson) =>
      request(app)
        .post('/')
        .set(headers)
        .serialize((sent) => sent as string)
        .send(body as string)
  }

  it('HDR-5: readBody uses the result of express.json(), and checks it like a body that it parses itself', async () => {
    const call = behind(express.json())
    expect((await call('{"a":1}')).body).toEqual({ value: { a: 1 } })
    expect((await call('{"a":{"__proto__":1}}')).body).toMatchObject({
      code: 'malformed-body',
      errors: [{ pointer: '/a/__proto__' }],
    })
    expect((await call('[[[[]]]]')).status).toBe(400)
  })

  it('HDR-5: a body that a parser has already decompressed or decoded is used', async () => {
    const gzip = await behind(express.json())(gzipSync('{"a":1}'), { ...asJson, 'Content-Encoding': 'gzip' })
    expect(gzip.body).toEqual({ value: { a: 1 } })
    const utf16 = await behind(express.json())(Buffer.from('{"a":"ñ"}', 'utf16le'), {
      'Content-Type': 'application/json; charset=utf-16le',
    })
    expect(utf16.body).toEqual({ value: { a: 'ñ' } })
    const rawGzip = await behind(express.raw({ type: () => true }))(gzipSync('{"a":1}'), {
      ...asJson,
      'Content-Encoding': 'gzip',
    })
    expect(rawGzip.body).toEqual({ value: { a: 1 } })
  })

  it('HDR-5: a body that a parser has skipped is read', async () => {
    const call = behind(express.json({ type: 'application/other' }))
    expect((await call('{"a":1}')).body).toEqual({ value: { a: 1 } })
  })

  it('HDR-5: text and bytes from another parser are parsed as JSON, up to bodyLimit', async () => {
    for (const parser of [express.text({ type: () => true }), express.raw({ type: () => true })]) {
      expect((await behind(parser)('{"a":"ñ"}')).body).toEqual({ value: { a: 'ñ' } })
      expect((await behind(parser)('{"a":')).status).toBe(400)
      expect((await behind(parser)('{"a":1,"a":1}')).status).toBe(400)
      expect((await behind(parser, { bodyLimit: 5 })('{"a":1}')).status).toBe(413)
    }
    expect(
      (
        await behind(express.raw({ type: () => true }))('"\xe9"', {
          'Content-Type': 'application/json; charset=latin1',
        })
      ).status,
    ).toBe(415)
  })

  it('HDR-5: a form gets 415 even if a parser has already parsed it', async () => {
    const call = behind(express.urlencoded({ extended: false }))
    expect((await call('a=1', { 'Content-Type': 'application/x-www-form-urlencoded' })).status).toBe(415)
  })

  it('HDR-5: a body that another parser has parsed as null is read as null', async () => {
    expect((await behind(express.json({ strict: false }))('null')).body).toEqual({ value: null })
  })

  it('HDR-5: if other middleware consumed the body and set no req.body, that is an error of the service', async () => {
    const found: unknown[] = []
    const consuming = (req: Request, _res: Response, next: NextFunction): void => void req.resume().on('end', next)
    expect((await behind(consuming, {}, found)('{"a":1}')).status).toBe(500)
    expect(found[0]).toBeInstanceOf(ConfigurationError)
    expect(String(found[0])).toContain('has consumed the body')
  })
})
