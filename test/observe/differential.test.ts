/**
 * Every response has the same bytes with `observe()` and without it, on both major versions of
 * Express.
 */

import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import compression from 'compression'
import fc from 'fast-check'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { observe, usage } from '../../src/usage/index.js'
import { type App, type Express, listen, majors } from '../middleware/majors.js'

const file = join(mkdtempSync(join(tmpdir(), 'observe-')), 'file.json')
writeFileSync(file, JSON.stringify({ text: 'x'.repeat(5000) }))

/** Adds routes that use a response in many ways. */
function routes(express: Express, app: App): void {
  app.use('/compressed', compression({ threshold: 0 }))
  for (const path of ['', '/compressed']) {
    const router = express.Router()
    router.get('/send', (_req, res) => void res.send('text'))
    router.get('/json', (_req, res) => void res.json([{ id: 1 }, { id: 2 }]))
    router.get('/big', (_req, res) => void res.json(Array.from({ length: 5000 }, (_, id) => ({ id }))))
    router.get('/pipe', (_req, res) => void Readable.from(['[', '1', ',2', ']']).pipe(res.type('json')))
    router.get(
      '/buffers',
      (_req, res) =>
        void Readable.from([Buffer.from('  \n'), Buffer.from([0xff, 0xfe]), Buffer.alloc(70_000, 97)]).pipe(res),
    )
    router.get('/write', (_req, res) => {
      const order: string[] = []
      res.write('5b31', 'hex', () => order.push('one'))
      res.write(Buffer.from(',2'), () => order.push('two'))
      res.write(new Uint8Array([44, 51]))
      res.write('', 'utf8')
      res.end('é]', 'latin1', () => order.push('three'))
    })
    router.get('/end-callback', (_req, res) => void res.end(() => {}))
    router.get('/end-twice', (_req, res) => {
      res.on('error', () => {})
      res.end('one')
      res.end('two')
    })
    router.get('/returned', (_req, res) => {
      const returned = [res.write('a') === true, res.end('b') === res]
      expect(returned).toEqual([true, true])
    })
    router.get('/bad-chunk', (_req, res) => {
      try {
        res.write(7 as never)
      } catch (error) {
        res.end((error as { code: string }).code)
      }
    })
    router.get('/file', (_req, res) => void res.sendFile(file))
    router.get('/redirect', (_req, res) => void res.redirect('/v1/json'))
    router.get('/error', () => {
      throw Object.assign(new Error('no'), { stack: 'stack' })
    })
    router.get('/teapot', (_req, res) => void res.sendStatus(418))
    router.get('/none', (_req, res) => void res.status(204).end('never sent'))
    router.get('/not-modified', (_req, res) => void res.status(304).end())
    router.get('/head', (_req, res) => void res.set('x-total-count', '3').json([1]))
    router.get(
      '/head-line',
      (_req, res) => void res.writeHead(207, 'Odd Words', { 'X-One': ['a', 'b'], 'x-TWO': 'c' }).end('x'),
    )
    router.get('/raw-head', (_req, res) => void res.writeHead(200, ['A', '1', 'a', '2']).end())
    router.get('/flush', (_req, res) => {
      res.setHeader('Content-Type', 'text/event-stream')
      res.flushHeaders()
      setTimeout(() => {
        res.write('data: 1\n\n')
        res.end()
      }, 5)
    })
    router.get('/trailers', (_req, res) => {
      res.setHeader('Trailer', 'X-Sum')
      res.write('abc')
      res.addTrailers({ 'X-Sum': '3' })
      res.end()
    })
    router.get('/early', (_req, res) => {
      res.writeEarlyHints({ link: '</x>; rel=preload' })
      res.writeProcessing()
      res.end('later')
    })
    router.get('/patched', (_req, res) => {
      const { end } = res
      res.end = function upper(this: ServerResponse, chunk?: unknown) {
        return end.call(this, String(chunk ?? '').toUpperCase(), 'utf8')
      } as never
      res.send('patched')
    })
    router.get('/destroyed', (_req, res) => {
      res.write('half')
      setTimeout(() => res.destroy(), 5)
    })
    router.get('/corked', (_req, res) => {
      res.cork()
      res.write('a')
      res.write('b')
      process.nextTick(() => {
        res.uncork()
        res.end('c')
      })
    })
    router.post('/echo', (req, res) => void req.pipe(res))
    router.delete('/item/:id', (req, res) => void res.json(req.params))
    app.use(`${path}/v1`, router)
  }
}

const paths = [
  'send json big pipe buffers write end-callback end-twice returned bad-chunk file redirect error teapot none ' +
    'not-modified',
  'head head-line raw-head flush early patched destroyed corked nowhere',
]
  .join(' ')
  .split(' ')

const requests: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    paths.flatMap((path) =>
      ['', '/compressed'].flatMap((base) =>
        ['GET', 'HEAD'].map((method) => [
          `${method} ${base}/${path}`,
          head(method, `${base}/v1/${path}`, 'Accept-Encoding: gzip'),
        ]),
      ),
    ),
  ),
  trailers: head('GET', '/v1/trailers'),
  'HTTP/1.0': 'GET /v1/json HTTP/1.0\r\n\r\n',
  'HTTP/1.0 kept alive': 'GET /v1/pipe HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /v1/send HTTP/1.0\r\n\r\n',
  'kept alive, pipelined': `GET /v1/json HTTP/1.1\r\nHost: a\r\n\r\nGET /v1/big HTTP/1.1\r\nHost: a\r\n\r\n${head('GET', '/v1/send')}`,
  'a part of a file': head('GET', '/v1/file', 'Range: bytes=0-9'),
  'a conditional request': head('GET', '/v1/json', 'If-None-Match: *'),
  'a body': `POST /v1/echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello`,
  'a body with Expect: 100-continue':
    'POST /v1/echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: ' +
    '5\r\n\r\nhello',
  OPTIONS: head('OPTIONS', '/v1/json'),
  DELETE: head('DELETE', '/v1/item/7%2F8?x=%E0'),
  'absolute form': head('GET', 'http://host/v1/json?a=1'),
  undecodable: head('GET', '/v1/%E0%A4'),
  'no request': 'nonsense\r\n\r\n',
}

function head(method: string, path: string, ...fields: readonly string[]): string {
  return (
    `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: ` +
    `close\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`
  )
}

async function bytes(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('error', () => {})
  socket.setTimeout(3000, () => socket.destroy(void chunks.push(Buffer.from('HANGS'))))
  socket.write(request)
  await new Promise((resolve) => socket.once('close', resolve))
  // Only dates may differ.
  return Buffer.concat(chunks)
    .toString('latin1')
    .replace(/^Date: .*$/gm, 'Date: now')
}

/** Errors that `observe()` itself causes. */
const errors: unknown[] = []
afterEach(() => expect(errors.splice(0)).toEqual([]))

const counting = () => {
  const counts = usage({ client: () => 'x' })
  const onError = (error: unknown): void => void errors.push(error)
  return { counts, middleware: observe({ usage: counts, budget: 1, parameters: { '/v1/json': [] }, onError }) }
}

describe.each(majors)('a service with observe() on %s', (_, express) => {
  it('sends the same bytes as without observe()', async () => {
    const { counts, middleware } = counting()
    const [plain, observed] = await Promise.all(
      [false, true].map((isObserved) => {
        const app = express()
        app.set('env', 'test')
        if (isObserved) app.use(middleware)
        routes(express, app)
        return listen(app)
      }),
    )
    for (const [name, request] of Object.entries(requests)) {
      const expected = await bytes(plain as number, request)
      expect(await bytes(observed as number, request), name).toBe(expected)
      expect(expected, name).not.toContain('HANGS')
    }
    expect((await counts.read()).wouldBreak.length).toBeGreaterThan(5)
    await counts.close()
  })

  it('still responds after a request was aborted', async () => {
    const { counts, middleware } = counting()
    const app = express()
    app.use(middleware)
    app.get('/v1/slow', (_req, res) => {
      res.write('[')
      setTimeout(() => res.end(']'), 20)
    })
    const port = await listen(app)
    const socket = connect(port, '127.0.0.1')
    socket.write(head('GET', '/v1/slow'))
    await sleep(5)
    socket.resetAndDestroy()
    await sleep(40)
    expect(await bytes(port, head('GET', '/v1/slow'))).toContain('200 OK')
    await counts.close()
  })
})

it('observe() changes no byte of a service without Express', async () => {
  const handler: RequestListener = (req, res) => {
    if (req.url === '/v1/orders') res.writeHead(200, { 'Content-Type': 'application/json' }).end('[1]')
    else res.writeHead(500, { 'Content-Type': 'text/html' }).end('<html>')
  }
  const { counts, middleware } = counting()
  const observed: RequestListener = (req: IncomingMessage, res: ServerResponse) =>
    middleware(req, res, () => handler(req, res))
  const ports = await Promise.all([handler, observed].map((one) => listen(one)))
  for (const path of ['/v1/orders', '/v1/none']) {
    const [plain, same] = await Promise.all(ports.map((port) => bytes(port, head('GET', path))))
    expect(same).toBe(plain)
  }
  expect((await counts.read()).wouldBreak.map(({ clause, route }) => `${clause} ${route}`).sort()).toEqual([
    'ERR-3 /v1/none',
    'QUERY-7 /v1/orders',
  ])
  await counts.close()
})

it('observe() reports an error in its option `skip` or `route` once, and the service still responds', async () => {
  const reported: unknown[] = []
  const counts = usage()
  const broken = () => {
    throw new Error('broken')
  }
  for (const option of ['skip', 'route'] as const) {
    const middleware = observe({ usage: counts, [option]: broken, onError: (error) => void reported.push(error) })
    const server = createServer((req, res) => middleware(req, res, () => res.end('fine')))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    for (let at = 0; at < 3; at++) expect(await bytes(port, head('GET', '/'))).toContain('fine')
  }
  expect(reported).toHaveLength(2)
  await counts.close()
})

/** A step of a generated handler: a call on its response, or a wait (`later`). */
type Step =
  | { readonly write: string; readonly encoding?: BufferEncoding }
  | { readonly bytes: Uint8Array }
  | { readonly name: string; readonly value: string }
  | { readonly call: 'cork' | 'uncork' | 'flushHeaders' | 'later' }

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({
      write: fc.oneof(fc.string({ unit: 'binary', maxLength: 80 }), fc.constantFrom('[', '{', ' ', '<', '', '\ufeff[')),
    }),
    fc.record({
      write: fc.constantFrom('5b31', 'W3s=', '[é'),
      encoding: fc.constantFrom<BufferEncoding[]>('hex', 'base64', 'utf16le', 'latin1', 'utf8'),
    }),
    fc.record({ bytes: fc.uint8Array({ maxLength: 80 }) }),
    fc.record({
      name: fc.constantFrom('Location', 'Etag', 'x-total-count', 'Content-Type', 'Deprecation', 'Allow'),
      value: fc.constantFrom('/a', 'W/"1"', 'application/json', 'a/b;c;d="', ';', '@1', '7'),
    }),
    fc.record({ call: fc.constantFrom('cork', 'uncork', 'flushHeaders', 'later') }),
  ),
  { maxLength: 8 },
)

async function take(res: ServerResponse, all: readonly Step[], status: number): Promise<void> {
  res.on('error', () => {})
  res.statusCode = status
  for (const step of all) {
    if ('write' in step) res.write(step.write, step.encoding ?? 'utf8')
    else if ('bytes' in step) res.write(step.bytes)
    else if ('name' in step) {
      if (!res.headersSent) res.setHeader(step.name, step.value)
    } else if (step.call === 'later') await new Promise((resolve) => setImmediate(resolve))
    else res[step.call]()
  }
  res.end()
}

it('observe() changes no byte, regardless of what a handler writes', async () => {
  const { counts, middleware } = counting()
  let current: readonly Step[] = []
  let status = 200
  const handler: RequestListener = (_req, res) => void take(res, current, status)
  const observed: RequestListener = (req, res) => middleware(req, res, () => handler(req, res))
  const ports = await Promise.all([handler, observed].map((one) => listen(one)))
  const methods = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE')
  const statuses = fc.constantFrom(200, 201, 204, 302, 304, 401, 404, 405, 410, 429, 500, 503)
  await fc.assert(
    fc.asyncProperty(steps, methods, statuses, async (all, method, code) => {
      current = all
      status = code
      const [plain, same] = await Promise.all(
        ports.map((port) =>
          bytes(
            port,
            head(
              method,
              '/v1/orders/7',
              'If-Match: W/"1", "',
              'If-None-Match: W/"1"',
              'Accept: text/plain;q=0.1, ;,a/b;c="',
            ),
          ),
        ),
      )
      expect(same).toBe(plain)
    }),
    { numRuns: 100 },
  )
  expect((await counts.read()).wouldBreak.length).toBeGreaterThan(0)
  await counts.close()
})
