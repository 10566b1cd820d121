/**
 * For the same requests, a server from `createServer(app)` sends the same bytes as a Node server.
 * `app.listen` creates such a Node server.
 */
import { createServer as nodeServer, type Server } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createServer } from '../../src/server/index.js'
import { type App, majors } from '../middleware/majors.js'
import { richApp } from './rich-app.js'
import { answers, port } from './serving.js'

const get = (path: string, ...fields: string[]): string => message(`GET ${path}`, ['Connection: close', ...fields])
const post = (path: string, body: string, ...fields: string[]): string =>
  message(
    `POST ${path}`,
    [`Content-Length: ${Buffer.byteLength(body, 'latin1')}`, 'Connection: close', ...fields],
    body,
  )
const message = (line: string, fields: string[], body = ''): string =>
  `${[`${line} HTTP/1.1`, 'Host: a.b.example.com:81', 'X-Request-Id: r-1', ...fields].join('\r\n')}\r\n\r\n${body}`

const table: Readonly<Record<string, string>> = {
  'the properties of req and res': get('/looks'),
  'req and res in a sub-app': get('/sub/looks'),
  'req and res after a sub-app has called next()': get('/sub/back'),
  'req and res in a nested sub-app': get('/nested/deeper/looks'),
  'an error of a sub-app': get('/sub/error'),
  'an extension of the prototypes': get('/extended'),
  'trust proxy': get(
    '/proxy',
    'X-Forwarded-For: 1.2.3.4, 5.6.7.8',
    'X-Forwarded-Proto: https',
    'X-Forwarded-Host: z.y.example.org',
    'X-Requested-With: XMLHttpRequest',
  ),
  'the getters of a request': get(
    '/words?a[b]=1&c=2&c=3',
    'X-Odd: \xf1',
    'Accept: text/html;q=0.5, application/json',
    'Accept-Language: es',
    'Range: bytes=2-5',
    'If-None-Match: "x"',
  ),
  'req.is() with JSON': post('/is', '{"a":"\xc3\xb1"}', 'Content-Type: application/json; charset=utf-8'),
  'req.is() with text': post('/is', 'abc', 'Content-Type: text/plain'),
  'a body that is not JSON': post('/is', '{', 'Content-Type: application/json'),
  'send: text': get('/send/text'),
  'send: a buffer': get('/send/buffer'),
  'send: an object': get('/send/object'),
  'send: an empty text': get('/send/empty'),
  'send: null': get('/send/none'),
  'sendStatus 204': get('/status/204'),
  'sendStatus 304': get('/status/304'),
  'sendStatus 500': get('/status/500'),
  redirect: get('/redirect'),
  'redirect as text': get('/redirect', 'Accept: text/plain'),
  sendFile: get('/file'),
  'sendFile, a range': get('/file', 'Range: bytes=3-9'),
  'sendFile, an unsatisfiable range': get('/file', 'Range: bytes=99999999-'),
  'sendFile, 304': get('/file', 'If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT'),
  'sendFile, missing': get('/missing'),
  download: get('/download'),
  static: get('/static/errors.md', 'Range: bytes=0-10'),
  'static, missing': get('/static/none'),
  'static, a directory': get('/static'),
  'cookies, links and JSONP': get('/cookie?callback=f'),
  'format: JSON': get('/format', 'Accept: application/json'),
  'format: none': get('/format', 'Accept: image/png'),
  'a stream': get('/stream'),
  'a piped file': get('/pipe'),
  'a piped body': post('/echo', 'x'.repeat(50_000)),
  'a piped chunked body': message(
    'POST /echo',
    ['Transfer-Encoding: chunked', 'Connection: close'],
    '3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n',
  ),
  trailers: message(
    'POST /trailers',
    ['Transfer-Encoding: chunked', 'Trailer: X-T', 'Connection: close'],
    '1\r\na\r\n0\r\nX-T: v\r\n\r\n',
  ),
  'stack traces': post('/stack', 'abc'),
  'res.writeHead()': get('/raw'),
  'early hints, and async storage': get('/hints'),
  locals: get('/locals'),
  'an error with a status': get('/throws'),
  'no route': get('/nowhere'),
  'the response of Express to OPTIONS': message('OPTIONS /is', ['Connection: close']),
  'a path that cannot be decoded': get('/send/%ff'),
  'an absolute URL in the request line': message('GET http://q.example/words', ['Connection: close']),
  'OPTIONS *': message('OPTIONS *', ['Connection: close']),
  HEAD: message('HEAD /file', ['Connection: close']),
  'HEAD of a stream': message('HEAD /stream', ['Connection: close']),
  'HTTP/1.0': 'GET /looks HTTP/1.0\r\n\r\n',
  'HTTP/1.0 with keep-alive': 'GET /send/text HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /stream HTTP/1.0\r\n\r\n',
  'HTTP/1.1 with keep-alive': message('GET /send/text', []) + message('GET /looks', []) + get('/send/text'),
  'a pipeline that starts with the slowest request':
    message('GET /pipe', []) + message('HEAD /file', []) + message('GET /sub/back', []) + get('/locals'),
  '100-continue': post('/echo', 'abc', 'Expect: 100-continue'),
  'an unknown value of Expect': post('/echo', 'abc', 'Expect: a-miracle'),
  'an upgrade without a listener': message('GET /words', ['Upgrade: websocket', 'Connection: Upgrade, close']),
  'CONNECT without a listener': message('CONNECT a:80', []),
  'no Host': 'GET / HTTP/1.1\r\n\r\n',
  'an item of the library': get('/v1/cosas/3'),
  'an item in XML': get('/v1/cosas/3', 'Accept: application/xml'),
  'an item, 304': get('/v1/cosas/3', 'If-None-Match: *'),
  'a page': get('/v1/cosas?sort=-nombre&limit=3&offest=2'),
  'an invalid query': get('/v1/cosas?srot=a'),
  'HEAD of an item': message('HEAD /v1/cosas/3', ['Connection: close']),
  'a stale PATCH': message(
    'PATCH /v1/cosas/3',
    ['If-Match: "1.x"', 'Content-Type: application/merge-patch+json', 'Content-Length: 2', 'Connection: close'],
    '{}',
  ),
  'a body that violates the schema': post('/v1/cosas', '{"id":"x"}', 'Content-Type: application/json'),
  'a method that is not allowed': message('DELETE /v1/cosas', ['Connection: close']),
}

describe.each(majors)('createServer and app.listen send the same bytes, on %s', (_, express) => {
  const extend = (app: App): void => {
    const { request, response } = app as unknown as { request: object; response: { early?: unknown } }
    Object.defineProperty(request, 'who', { configurable: true, get: () => 'parent' })
    response.early = function early(this: { send(text: string): void }, text: string) {
      this.send(`early ${text}`)
    }
  }
  const extendLater = (app: App): void => {
    const { response } = app as unknown as { response: { later?: unknown; json: unknown } }
    response.later = function later(this: { send(text: string): void }, text: string) {
      this.send(`later ${text}`)
    }
  }
  const servers = async (): Promise<readonly [number, number]> => {
    const made = [
      (app: App): Server => nodeServer(app),
      (app: App): Server => createServer(app, { keepAliveTimeout: 5_000 }),
    ].map((make) => {
      const app = richApp(express)
      extend(app)
      return { app, server: make(app) }
    })
    const ports = await Promise.all(made.map(({ server }) => port(server)))
    for (const { app } of made) extendLater(app)
    return ports as [number, number]
  }

  it.each(Object.entries(table))('%s', async (_name, bytes) => {
    const [node, ours] = await servers()
    const expected = await answers(node, bytes)
    expect(await answers(ours, bytes)).toBe(expected)
    if (!bytes.startsWith('CONNECT')) expect(expected).toMatch(/^HTTP\/1\.1 [1-5]/)
  })

  it('requests and responses have the prototypes of the app before Express receives them', async () => {
    const app = richApp(express)
    const server = createServer(app)
    const seen: unknown[] = []
    server.prependListener('request', (req, res) => {
      seen.push(Object.getPrototypeOf(req) === app.request, Object.getPrototypeOf(res) === app.response)
    })
    await answers(await port(server), get('/looks'))
    expect(seen).toEqual([true, true])
  })
})
