/**
 * describeStrictly() finds the differences between a response and the document of the service.
 */
import { gzipSync } from 'node:zlib'
import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import {
  api,
  ConfigurationError,
  defineResource,
  endpoint,
  type Middleware,
  mount,
  representation,
  resourceRouter,
} from '../../src/index.js'
import { type DescribeStrictlyOptions, describeStrictly } from '../../src/openapi/index.js'
import { listen, type Served } from '../clauses/fixture.js'

const orders = defineResource({
  collection: 'orders',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'tags'],
    properties: {
      id: { type: 'integer' },
      note: { type: ['string', 'null'] },
      paid: { type: 'boolean', default: false },
      tags: { type: 'array', items: { type: 'string' } },
      size: { type: 'object', properties: { width: { type: 'number' } } },
    },
  },
})
const byHand = {
  '/by-hand': {
    get: { operationId: 'getByHand', responses: { 200: { description: 'By hand.', content: { 'text/plain': {} } } } },
  },
}
const service = api({ versions: { v1: [mount(orders, memoryAdapter(orders))] } })

let served: Omit<Served, 'data'> | undefined
afterEach(() => served?.close())

/**
 * Requests a path. The middleware `behind` responds in place of the service, and
 * `describeStrictly()` compares the response.
 */
async function answered(behind: Middleware, path = '/v1/orders/1', options: DescribeStrictlyOptions = {}) {
  served = await listen(
    express()
      .use(describeStrictly(service, options))
      .use(behind as never),
  )
  return served.send('GET', path)
}

const head = {
  'Cache-Control': 'private, no-cache',
  Vary: 'Accept',
  Etag: '"1.a"',
  'x-request-id': 'r1',
  'Content-Type': 'application/json; charset=utf-8',
}
const record = { id: 1, note: null, paid: true, tags: ['a'], size: { width: 1.5 } }
const sends =
  (status: number, headers: Record<string, string | undefined>, body?: string | Buffer): Middleware =>
  (_req, res) => {
    const given = Object.entries({ ...head, ...headers }).filter(
      (field): field is [string, string] => field[1] !== undefined,
    )
    res.writeHead(status, Object.fromEntries(given)).end(body)
  }
const detailOf = async (...given: Parameters<typeof answered>): Promise<string> => {
  const { status, json } = await answered(...given)
  return status === 500 ? json.detail : `${status}`
}
const problem = (code: string, status: number) =>
  JSON.stringify({ type: 'urn:x', title: 'No', status, code, clause: 'ERR-1', instance: '/v1/orders/1' })
const problemHead = { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store', Etag: undefined }
const xml = (inner: string, root = 'order') => `<?xml version="1.0" encoding="UTF-8"?><${root}>${inner}</${root}>`
const whole = '<id>1</id><note>x</note><paid>true</paid><tags><item>a</item></tags><size><width>1.5</width></size>'
const xmlHead = { 'Content-Type': 'application/xml; charset=utf-8' }

describe('describeStrictly()', () => {
  it.each<[what: string, behind: Middleware, path?: string]>([
    ['a record', sends(200, {}, JSON.stringify(record))],
    [
      'a record in two pieces',
      (_req, res) => {
        res.writeHead(200, head).write(JSON.stringify(record).slice(0, 9))
        res.end(JSON.stringify(record).slice(9))
      },
    ],
    [
      'a record whose headers are passed to writeHead as an array',
      (_req, res) => res.writeHead(200, Object.entries(head).flat()).end(JSON.stringify(record)),
    ],
    ['a record that is compressed', sends(200, { 'Content-Encoding': 'gzip' }, gzipSync(JSON.stringify(record)))],
    ['a record in XML', sends(200, xmlHead, xml(whole))],
    [
      'a null in XML',
      sends(
        200,
        xmlHead,
        xml(
          whole.replace(
            '<note>x</note>',
            '<note xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>',
          ),
        ),
      ),
    ],
    ['a list in XML', sends(200, xmlHead, xml(xml(whole).slice(38), 'orders')), '/v1/orders'],
    ['a problem', sends(404, problemHead, problem('absent', 404))],
    ['a 304', sends(304, { 'Content-Type': undefined })],
    ['a path with an encoded letter and a trailing slash', sends(200, {}, JSON.stringify(record)), '/v1/%6Frders/1/'],
    ['the problem for an unknown path', sends(404, problemHead, problem('unknown-path', 404)), '/v1/nope'],
    [
      'headers of the connection, and X-Powered-By',
      sends(200, { 'Keep-Alive': 'timeout=5', 'X-Powered-By': 'us' }, JSON.stringify(record)),
    ],
  ])('accepts %s', async (_, behind, path) => {
    expect(await detailOf(behind, path)).toMatch(/^\d{3}$/)
  })

  it.each<[what: string, expected: RegExp, behind: Middleware, path?: string]>([
    [
      'an undescribed status',
      /^GET \/orders\/\{id\} responds with 299, which the document does not describe\.$/,
      sends(299, {}, '{}'),
    ],
    [
      'an undescribed status of a problem, and reports the code of the problem',
      /responds with 409 \(sold-out\), which/,
      sends(409, problemHead, problem('sold-out', 409)),
    ],
    [
      'an undescribed operation',
      /^GET \/nope responds with 200, and the document has no such operation\.$/,
      sends(200, {}, '{}'),
      '/v1/nope',
    ],
    [
      'an undescribed header',
      /the document does not describe the header "x-total-count"/,
      sends(200, { 'x-total-count': '1' }, JSON.stringify(record)),
    ],
    ['a missing header', /the header "Etag" is missing/, sends(200, { Etag: undefined }, JSON.stringify(record))],
    [
      'an invalid value of a header',
      /the header "Etag" is "naked": The value must match pattern/,
      sends(200, { Etag: 'naked' }, JSON.stringify(record)),
    ],
    [
      'a header that must be an integer, but is not',
      /the header "x-total-count" is "many": The value must be integer/,
      sends(200, { 'x-total-count': 'many' }, '[]'),
      '/v1/orders',
    ],
    [
      'an empty value of a header that must be an integer',
      /"x-total-count" is "": The value must be integer/,
      sends(200, { 'x-total-count': '' }, '[]'),
      '/v1/orders',
    ],
    [
      'a malformed Link',
      /the header "Link" is "next": The value must match pattern/,
      sends(200, { Link: 'next' }, '[]'),
      '/v1/orders',
    ],
    [
      'an undescribed member',
      /the body does not match the schema: The value must NOT have additional properties "other"/,
      sends(200, {}, JSON.stringify({ ...record, other: 1 })),
    ],
    [
      'a member of the wrong type',
      /the body does not match the schema: \/id must be integer/,
      sends(200, {}, JSON.stringify({ ...record, id: '1' })),
    ],
    ['a body that is not JSON', /the body can't be read/, sends(200, {}, '{')],
    [
      'an undescribed media type',
      /the document has no body of type "text\/plain", only application\/json/,
      sends(200, { 'Content-Type': 'text/plain' }, 'x'),
    ],
    ['an empty body', /the body is empty/, sends(200, {}, '')],
    ['an empty body of a problem', /the body is empty/, sends(404, problemHead)],
    [
      'a problem code that the document does not list for the status',
      /\/code must be equal to one of the allowed values/,
      sends(404, problemHead, problem('rule', 404)),
    ],
    [
      'a response status that differs from the status in the problem',
      /\/status must be equal to constant/,
      sends(404, problemHead, problem('absent', 410)),
    ],
    [
      'a 404 for an unknown path, with a body that is not a problem',
      /the body is not a problem/,
      sends(404, problemHead, '{}'),
      '/v1/nope',
    ],
    [
      'a fault in compressed JSON',
      /\/id must be integer/,
      sends(200, { 'Content-Encoding': 'gzip' }, gzipSync(JSON.stringify({ ...record, id: '1' }))),
    ],
    [
      'an undescribed element',
      /NOT have additional properties "other"/,
      sends(200, xmlHead, xml(`${whole}<other>1</other>`)),
    ],
    [
      'an element of the wrong type',
      /\/id must be integer/,
      sends(200, xmlHead, xml(whole.replace('<id>1</id>', '<id>one</id>'))),
    ],
    [
      'an inner element of the wrong type',
      /\/size\/width must be number/,
      sends(200, xmlHead, xml(whole.replace('1.5', 'wide'))),
    ],
    [
      'the wrong root element',
      /the root is <pedido>, but the OpenAPI document requires <order>/,
      sends(200, xmlHead, xml(whole, 'pedido')),
    ],
    [
      'an item with the wrong name',
      /an item of <tags> is <tag>, but the OpenAPI document requires <item>/,
      sends(200, xmlHead, xml(whole.replaceAll('item>', 'tag>'))),
    ],
    ['a duplicate element', /<order> has the member "id" twice/, sends(200, xmlHead, xml(`${whole}<id>2</id>`))],
    ['text beside elements', /text beside its elements/, sends(200, xmlHead, xml(`${whole}loose`))],
    [
      'an attribute without meaning',
      /attribute "unit" has no meaning/,
      sends(200, xmlHead, xml(whole.replace('<id>', '<id unit="m">'))),
    ],
    ['a body that is not XML', /the body can't be read/, sends(200, xmlHead, '<order>')],
    [
      'a problem in the wrong XML namespace',
      /the namespace of the root is "", but the OpenAPI document requires "urn:ietf:rfc:7807"/,
      sends(404, { ...problemHead, 'Content-Type': 'application/problem+xml' }, xml('<code>absent</code>', 'problem')),
    ],
  ])('finds %s', async (_, expected, behind, path) => {
    expect(await detailOf(behind, path)).toMatch(expected)
  })

  it('ignores headers that the app sets before describeStrictly() runs', async () => {
    const strictly = describeStrictly(service)
    const app = express().use((_req, res, next) => {
      res.setHeader('X-Team', 'a')
      next()
    })
    served = await listen(app.use(strictly, sends(200, {}, JSON.stringify(record)) as never))
    expect((await served.send('GET', '/v1/orders/1')).status).toBe(200)
  })

  it('compares hand-written routes with their fragments, and also accepts problems of the service', async () => {
    const fragments = [{ paths: byHand }]
    expect(
      await detailOf(sends(200, { 'Content-Type': 'text/plain', 'x-other': '1' }, 'x'), '/v1/by-hand', { fragments }),
    ).toBe('200')
    expect(await detailOf(sends(200, {}, '{}'), '/v1/by-hand', { fragments })).toMatch(
      /no body of type "application\/json"/,
    )
    expect(await detailOf(sends(401, problemHead, problem('unauthenticated', 401)), '/v1/by-hand', { fragments })).toBe(
      '401',
    )
    expect(await detailOf(sends(201, { 'Content-Type': 'text/plain' }, 'x'), '/v1/by-hand', { fragments })).toMatch(
      /responds with 201, which/,
    )
  })

  it.each<[key: string, type: string, status: number]>([
    ['2XX', 'application/json', 201],
    ['2xx', 'application/*', 200],
    ['default', 'application/json; charset=utf-8', 503],
  ])('compares a response with "%s" in "responses", and its body with %s in "content"', async (key, type, status) => {
    const content = { [type]: { schema: { type: 'object', required: ['a'] } } }
    const get = { operationId: 'getRange', responses: { [key]: { description: 'It.', content } } }
    const fragments = [{ paths: { '/range': { get } } }]
    const faultsOf = async (body: string): Promise<readonly string[]> => {
      const faults: string[] = []
      await answered(sends(status, {}, body), '/v1/range', { fragments, onFault: (fault) => faults.push(fault) })
      await served?.close()
      return faults.filter((fault) => fault.includes('body'))
    }
    expect(await faultsOf('{"a":1}')).toEqual([])
    expect(await faultsOf('{}')).toEqual([expect.stringContaining('the body does not match the schema')])
  })

  it('if the schema of a header is a reference, the header is compared with the target of the reference', async () => {
    const whole = { type: 'integer' }
    const fragments = [
      {
        paths: {
          '/counted': {
            get: {
              operationId: 'getCounted',
              responses: {
                200: { description: 'It.', headers: { 'x-count': { schema: { $ref: '#/components/schemas/Count' } } } },
              },
            },
          },
        },
        components: { schemas: { Count: whole } },
      },
    ]
    const counted = (count: string) =>
      detailOf((_req, res) => res.writeHead(200, { 'x-count': count, 'x-request-id': 'r1' }).end(), '/v1/counted', {
        fragments,
      })
    expect(await counted('7')).not.toContain('x-count')
    expect(await counted('many')).toMatch(/the header "x-count" is "many"/)
  })

  it('onFault receives each finding, and the response is sent unchanged, even if it is written in parts', async () => {
    const faults: string[] = []
    const pieces: Middleware = (_req, res) => {
      res.writeHead(200, { ...head, 'x-odd': '1' })
      res.write('{"id":')
      setImmediate(() => res.end('"1"}'))
    }
    const { status, text } = await answered(pieces, '/v1/orders/1', { onFault: (fault) => faults.push(fault) })
    expect([status, text]).toEqual([200, '{"id":"1"}'])
    expect(faults.join()).toMatch(/does not describe the header "x-odd".*\/id must be integer/)
  })

  it('names an undescribed header that is passed to writeHead in an array', async () => {
    const behind: Middleware = (_req, res) =>
      res.writeHead(200, [...Object.entries(head).flat(), 'x-odd', '1']).end('{}')
    expect(await detailOf(behind)).toMatch(/the document does not describe the header "x-odd"/)
  })

  it('a response of more than a mebibyte is sent, and only its status and headers are compared', async () => {
    const long = 'x'.repeat(600_000)
    const writes =
      (headers: object): Middleware =>
      (_req, res) => {
        res.writeHead(200, { ...head, ...headers })
        for (const piece of ['{"id":"1","note":"', long, long]) res.write(piece)
        res.end('"}')
      }
    expect((await answered(writes({}))).text).toHaveLength(2 * long.length + 20)
    await served?.close()
    expect(await detailOf(writes({ 'x-odd': '1' }))).toMatch(
      /^GET \/orders\/\{id\} responds with 200: the document does not describe the header "x-odd"\.$/,
    )
  })

  it('headersSent is true after the first write, and a flushed response is sent completely', async () => {
    const seen: boolean[] = []
    const parts: Middleware = (_req, res) => {
      seen.push(res.headersSent)
      res.writeHead(200, head)
      res.write(JSON.stringify(record).slice(0, 5))
      seen.push(res.headersSent)
      res.flushHeaders()
      res.end(JSON.stringify(record).slice(5))
    }
    expect((await answered(parts)).json).toEqual(record)
    expect(seen).toEqual([false, true])
  })

  it('accepts a resourceRouter, and throws for a value that is not a service', async () => {
    const router = resourceRouter(orders, memoryAdapter(orders, { records: [{ id: 1, tags: [] }] }))
    served = await listen(express().use('/v7', describeStrictly(router), router))
    expect((await served.send('GET', '/v7/orders/1')).status).toBe(200)
    expect((await served.send('GET', '/v7/orders/1', { Accept: 'application/xml' })).status).toBe(200)
    expect(() => describeStrictly({})).toThrow(ConfigurationError)
  })

  it('a format that the service defines is compared only by its media type', async () => {
    const formats = [
      representation('text/csv', { value: () => '' }),
      representation('application/vnd.team+json', { value: () => '[1]' }),
      representation('application/vnd.team+xml', { value: () => '<a><b/>' }),
    ]
    const report = endpoint('report', {
      description: 'A report.',
      methods: { GET: { representations: formats, handle: () => [] } },
    })
    const reporting = api({ versions: { v1: [report] } })
    served = await listen(express().use(describeStrictly(reporting), reporting))
    for (const { contentType } of formats)
      expect((await served.send('GET', '/v1/report', { Accept: contentType })).status, contentType).toBe(200)
  })

  it('unreached() lists statuses, codes and headers that no response had', async () => {
    const strictly = describeStrictly(service)
    served = await listen(express().use(strictly, service))
    const all = strictly.unreached('v1', 'codes')
    expect(all).toContain('listOrders 400 invalid-query')
    expect(all.some((one) => one.startsWith('countOrders'))).toBe(false)
    expect(strictly.unreached('v1', 'headers')).toContain('listOrders 200 x-total-count')
    await served.send('GET', '/v1/orders?x=1')
    await served.send('GET', '/v1/orders')
    expect(strictly.unreached('v1', 'codes')).toEqual(all.filter((one) => one !== 'listOrders 400 invalid-query'))
    expect(strictly.unreached('v1')).not.toContain('listOrders 400')
    expect(strictly.unreached('v1', 'headers')).not.toContain('listOrders 200 x-total-count')
  })
})
