import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import {
  api,
  ConfigurationError,
  type CustomRepresentation,
  defineResource,
  endpoint,
  endpointReply,
  mount,
  representation,
} from '../../src/index.js'
import { frameworks, listen, problem, type Served } from './fixture.js'

const facturas = defineResource({
  collection: 'facturas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'total'],
    properties: { id: { type: 'integer' }, total: { type: 'number' }, secreto: { type: 'string', writeOnly: true } },
  },
})

const equivocadas = defineResource({
  collection: 'equivocadas',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, n: { type: 'integer' } } },
})

interface Factura {
  readonly id: number
  readonly total: number
}

const seen: { calls: unknown[]; reported: unknown[] } = { calls: [], reported: [] }

const pdf = representation<Factura>('application/pdf', {
  item: async (factura, call) => {
    seen.calls.push({ factura, ...call, left: call.left() > 0, aborted: call.signal.aborted })
    if (factura.total < 0) throw new Error('no negative PDF')
    return {
      body: Buffer.from(`%PDF ${factura.total} \xff`, 'latin1'),
      headers: { 'content-disposition': `inline; filename="f${factura.id}.pdf"` },
    }
  },
})

const csv = (): CustomRepresentation =>
  representation<Factura>('text/csv; charset=utf-8', {
    list: (page) => ['id,total', ...page.map(({ id, total }) => `${id},${total}`), ''].join('\r\n'),
    value: (value) => `value\r\n${JSON.stringify(value)}\r\n`,
  })

/** Functions that return an invalid result, or throw. */
const invalidResults: Readonly<Record<string, () => unknown>> = {
  nothing: () => undefined,
  null: () => null,
  number: () => 7,
  list: () => ['x'],
  object: () => ({}),
  'number-body': () => ({ body: 7 }),
  'buffer-body': () => ({ body: new ArrayBuffer(2) }),
  'thrown-at-once': () => {
    throw new Error('at once')
  },
  'line-break': async () => ({ body: 'x', headers: { 'X-A': 'a\r\nX-B: b' } }),
  name: () => ({ body: 'x', headers: { 'X A': 'a' } }),
  'no-header': () => ({ body: 'x', headers: { 'X-A': undefined } }),
  'beyond-latin': () => ({ body: 'x', headers: { 'X-A': '\u20ac' } }),
  'no-headers': () => ({ body: 'x', headers: 'X-A' }),
  'transfer-encoding': () => ({ body: 'x', headers: { 'transfer-encoding': 'chunked' } }),
  trailer: () => ({ body: 'x', headers: { Trailer: 'X-A' } }),
}
const wrong = Object.entries(invalidResults).map(([name, item]) =>
  representation(`text/${name}`, { item: item as () => string }),
)
const varying = representation('text/varying', { item: () => ({ body: 'hola', headers: { vary: 'Accept-Language' } }) })

const slow = representation('text/slow', { item: () => new Promise(() => {}) })

describe('representation()', () => {
  it.each([
    'pdf',
    'text/*',
    '',
    7,
    'application/json',
    'Text/XML',
    'application/problem+json',
    'application/merge-patch+json',
  ])('HDR-1: representation() refuses the media type %j', (type) => {
    expect(() => representation(type as string, { item: () => '' })).toThrow(ConfigurationError)
  })

  it.each([{}, { item: 'x' }, { items: () => '' }, { item: () => '', revision: 3 }, null])(
    'HDR-1: representation() refuses the options %j',
    (options) => {
      expect(() => representation('text/csv', options as never)).toThrow(ConfigurationError)
    },
  )

  it('HDR-1: "representations" takes only results of representation(), and each media type only once', () => {
    const adapter = memoryAdapter(facturas)
    const otherCsv = representation('text/csv', { list: () => '' })
    for (const given of [[{ mediaType: 'text/csv' }], csv(), [csv(), csv()], [csv(), otherCsv], [null], 'text/csv']) {
      expect(() => mount(facturas, adapter, { representations: given as never })).toThrow(
        /"representations(\[\d\])?" of the mount of "facturas"/,
      )
      expect(() => api({ versions: { v1: [mount(facturas, adapter)] }, representations: given as never })).toThrow(
        ConfigurationError,
      )
      const GET = { handle: () => 1, representations: given as never }
      expect(() => endpoint('informe', { description: 'x', methods: { GET } })).toThrow(ConfigurationError)
    }
  })

  it('HDR-1: mount() and endpoint() refuse a representation without a function that they can call', () => {
    const value = representation('text/plain', { value: () => '' })
    const list = representation('text/csv', { list: () => '' })
    expect(() => mount(facturas, memoryAdapter(facturas), { representations: [list, value] })).toThrow(
      'The option "representations" of the mount of "facturas" contains "text/plain" without the function ' +
        '"item" or "list", so no request could use this media type. Add such a function.',
    )
    const GET = { handle: () => 1, representations: [value, list] }
    expect(() => endpoint('informe', { description: 'x', methods: { GET } })).toThrow(
      /^The option "representations" of GET of the endpoint "informe" .+"text\/csv" without the function "value"/,
    )
    expect(() =>
      api({ versions: { v1: [mount(facturas, memoryAdapter(facturas))] }, representations: [list, value] }),
    ).not.toThrow()
  })
})

/**
 * Media types whose function fails, each in a different way, and the message that `onError` gets.
 */
const failing: readonly (readonly [string, () => unknown, RegExp])[] = [
  [
    'text/thrown',
    () => {
      throw new Error('no text today')
    },
    /no text today/,
  ],
  ['text/nothing', () => undefined, /representation\("text\/nothing"\) returned undefined\. Return text or bytes/],
  ['text/null', async () => null, /returned null/],
  ['text/number', async () => 7, /returned 7/],
  ['text/list', () => ['a'], /returned a list/],
  ['text/stream', () => Readable.from(['a']), /body is of type undefined/],
  ['text/body', () => ({ body: { a: 1 } }), /body is of type object/],
  ['text/header', () => ({ body: 'a', headers: { 'X-Nombre': 'a\nb' } }), /X-Nombre/],
  [
    'text/cyrillic',
    () => ({ body: 'a', headers: { 'Content-Disposition': 'inline; filename="счёт.pdf"' } }),
    /Content-Disposition/,
  ],
]

describe.each(frameworks)('HDR-1: custom representations on %s', (_name, express) => {
  let service: Omit<Served, 'data'>
  const send: Served['send'] = (...rest) => service.send(...rest)
  const serving = () => {
    const records = [
      { id: 1, total: 10.5, secreto: 'x' },
      { id: 2, total: -1 },
    ]
    const answers = api({
      timeout: 300,
      principal: () => ({ sub: 'ana' }),
      onError: ({ error }) => seen.reported.push(error),
      representations: [csv()],
      versions: {
        v2: [
          mount(facturas, memoryAdapter(facturas, { records }), {
            representations: failing.map(([type, item]) => representation(type, { item: item as never })),
          }),
        ],
        v1: [
          mount(facturas, memoryAdapter(facturas, { records }), { representations: [pdf, slow, varying] }),
          mount(equivocadas, memoryAdapter(equivocadas, { records: [{ id: 1 }] }), { representations: wrong }),
          endpoint('informe', {
            description: 'Tells.',
            methods: {
              GET: { handle: () => ({ a: 1 }) },
              POST: { handle: () => ({ b: 2 }) },
              PUT: {
                handle: () => endpointReply({ status: 200, body: 7, headers: { 'transfer-encoding': 'chunked' } }),
              },
            },
          }),
        ],
      },
    })
    const app = express()
    app.use(answers)
    return listen(app)
  }
  beforeAll(async () => {
    service = await serving()
  })
  afterAll(() => service.close())

  it('PATH-4: GET of an item with Accept: application/pdf returns the PDF of the custom representation', async () => {
    const answer = await send('GET', '/v1/facturas/1', { Accept: 'application/pdf' })
    expect([answer.status, answer.text]).toEqual([200, '%PDF 10.5 \ufffd'])
    expect(answer.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': '11',
      'content-disposition': 'inline; filename="f1.pdf"',
      vary: 'Accept',
    })
    expect(seen.calls.at(-1)).toMatchObject({
      factura: { id: 1, total: 10.5 },
      principal: { sub: 'ana' },
      left: true,
      aborted: false,
    })
    expect((seen.calls.at(-1) as { factura: object }).factura).not.toHaveProperty('secreto')
  })

  it('HDR-2, HDR-4: a custom representation has its own Etag, for If-None-Match and If-Match', async () => {
    const { etag: asJson } = (await send('GET', '/v1/facturas/1')).headers
    const { etag } = (await send('GET', '/v1/facturas/1', { Accept: 'application/pdf' })).headers as { etag: string }
    expect(etag).not.toBe(asJson)
    const calls = seen.calls.length
    const again = await send('GET', '/v1/facturas/1', { Accept: 'application/pdf', 'If-None-Match': etag })
    expect([again.status, again.headers.etag, again.headers['content-disposition'], seen.calls.length]).toEqual([
      304,
      etag,
      undefined,
      calls,
    ])
    expect((await send('GET', '/v1/facturas/1', { 'If-None-Match': etag })).status).toBe(200)
    expect((await send('PATCH', '/v1/facturas/1', { 'If-Match': etag }, { total: 10.5 })).status).toBe(200)
  })

  it('HDR-2: a new revision of a representation changes the Etag of an unchanged item', async () => {
    const adapter = memoryAdapter(facturas, { records: [{ id: 1, total: 1 }] })
    const tagOf = async (revision: string): Promise<string | undefined> => {
      const representations = [representation('text/plain', { item: () => 'same', revision })]
      const other = await listen(
        express().use(api({ baseUrl: 'http://a', representations, versions: { v1: [mount(facturas, adapter)] } })),
      )
      const { headers } = await other
        .send('GET', '/v1/facturas/1', { Accept: 'text/plain' })
        .finally(() => other.close())
      return headers.etag
    }
    const [one, same, different] = [await tagOf('a'), await tagOf('a'), await tagOf('b')]
    expect(one).toBe(same)
    expect(one).not.toBe(different)
    expect(one?.split('.')[0]).toBe(different?.split('.')[0])
  })

  it('HDR-1: a representation of a mount replaces that of the service, even if their charsets differ', async () => {
    const text = (contentType: string, body: string) => [representation(contentType, { item: () => body })]
    const adapter = memoryAdapter(facturas, { records: [{ id: 1, total: 1 }] })
    const served = await listen(
      express().use(
        api({
          versions: {
            v1: [mount(facturas, adapter, { representations: text('text/plain;charset="UTF-8"', 'mount') })],
          },
          representations: text('text/plain', 'service'),
        }),
      ),
    )
    const { text: body } = await served.send('GET', '/v1/facturas/1', { Accept: 'text/plain' })
    await served.close()
    expect(body).toBe('mount')
  })

  it('HDR-1: a CSV list has x-total-count, and HEAD has the Content-Length of GET', async () => {
    const answer = await send('GET', '/v1/facturas', { Accept: 'text/csv' })
    expect(answer.text).toMatch(/^id,total\r\n1,[\d.]+\r\n2,-1\r\n$/)
    expect(answer.headers).toMatchObject({ 'content-type': 'text/csv; charset=utf-8', 'x-total-count': '2' })
    const head = await send('HEAD', '/v1/facturas', { Accept: 'text/csv' })
    expect([head.status, head.headers['content-length']]).toEqual([200, answer.headers['content-length']])
  })

  it('HDR-1: each URL offers its own media types, and its 415 lists them', async () => {
    for (const [method, path, accept, allowed] of [
      ['GET', '/v1/facturas', 'application/pdf', ['text/csv; charset=utf-8']],
      ['GET', '/v1/facturas/1', 'text/csv', ['application/pdf', 'text/slow', 'text/varying']],
      ['DELETE', '/v1/facturas/1', 'text/csv', ['application/pdf', 'text/slow', 'text/varying']],
      ['POST', '/v1/facturas', 'text/csv', ['application/pdf', 'text/slow', 'text/varying']],
      ['GET', '/v1/informe', 'application/pdf', ['text/csv; charset=utf-8']],
    ] as const) {
      const answer = await send(method, path, { Accept: accept }, method === 'POST' ? { id: 9, total: 1 } : undefined)
      expect([path, problem(answer)]).toEqual([path, { status: 415, code: 'unsupported-accept', named: ['Accept'] }])
      expect(answer.json.errors[0].allowed).toEqual(['application/json', 'application/xml', 'text/xml', ...allowed])
    }
  })

  it('PATH-8: GET of an endpoint in a custom representation has an Etag, and If-None-Match gets a 304', async () => {
    const answer = await send('GET', '/v1/informe', { Accept: 'text/csv' })
    expect([answer.status, answer.text]).toEqual([200, 'value\r\n{"a":1}\r\n'])
    const { etag = '' } = answer.headers
    expect((await send('GET', '/v1/informe', { Accept: 'text/csv', 'If-None-Match': etag })).status).toBe(304)
    expect((await send('POST', '/v1/informe', { Accept: 'text/csv' })).text).toBe('value\r\n{"b":2}\r\n')
  })

  it('ERR-1: GET gets 500 if the function of a representation fails, and 503 if it never settles', async () => {
    const failed = await send('GET', '/v1/facturas/2', { Accept: 'application/pdf' })
    expect([failed.status, failed.headers['content-type'], failed.text.includes('negative')]).toEqual([
      500,
      'application/problem+json',
      false,
    ])
    expect((await send('GET', '/v1/facturas/2', { Accept: 'text/slow' })).status).toBe(503)
  })

  it('HDR-1: if a representation fails after a write, the change stays, and the response has no body', async () => {
    for (const [accept, message] of [
      ['application/pdf', /negative/],
      ['text/slow', /No response within 300 ms/],
    ] as const) {
      const total = -Math.random()
      const answer = await send('PUT', '/v1/facturas/2', { Accept: accept }, { id: 2, total })
      expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([200, '', undefined])
      expect((await send('GET', '/v1/facturas/2')).json.total).toBe(total)
      expect(String(seen.reported.at(-1))).toMatch(message)
    }
  })

  it.each(Object.keys(invalidResults))(
    'ERR-1: if a representation throws or returns an invalid result (%s), GET gets 500, and PUT gets no body',
    async (name) => {
      const Accept = `text/${name}`
      expect((await send('GET', '/v1/equivocadas/1', { Accept })).status).toBe(500)
      const n = Math.floor(Math.random() * 1e9)
      const before = seen.reported.length
      const put = await send('PUT', '/v1/equivocadas/1', { Accept }, { n })
      expect([put.status, put.text, put.headers['content-type'], put.headers['content-location']]).toEqual([
        200,
        '',
        undefined,
        undefined,
      ])
      expect([put.headers.etag?.startsWith('"'), seen.reported.length]).toEqual([true, before + 1])
      expect((await send('GET', '/v1/equivocadas/1')).json.n).toBe(n)
    },
  )

  it('HDR-1: the Vary of a custom representation is merged with the Vary of the library', async () => {
    const { headers } = await send('GET', '/v1/facturas/1', { Accept: 'text/varying' })
    expect(headers.vary).toBe('Accept-Language, Accept')
  })

  it('ERR-1: a Transfer-Encoding of an endpoint is not sent together with Content-Length (RFC 9112 6.2)', async () => {
    const answer = await send('PUT', '/v1/informe')
    expect([answer.status, answer.json, answer.headers['content-length'], answer.headers['transfer-encoding']]).toEqual(
      [200, 7, '1', undefined],
    )
  })

  it.each(failing)(
    'HDR-1, ERR-1: if the function of %s fails, GET gets 500, and PATCH gets a response without a body',
    async (Accept, _item, message) => {
      seen.reported.length = 0
      const read = await send('GET', '/v2/facturas/1', { Accept })
      expect([read.status, read.headers['content-type']]).toEqual([500, 'application/problem+json'])
      const total = Math.random()
      const write = await send('PATCH', '/v2/facturas/1', { Accept }, { total })
      expect([write.status, write.text, write.headers['content-type'], write.headers['content-location']]).toEqual([
        200,
        '',
        undefined,
        undefined,
      ])
      expect(write.headers.etag).toBeDefined()
      expect((await send('GET', '/v2/facturas/1')).json.total).toBe(total)
      expect(seen.reported.map(String)).toEqual([expect.stringMatching(message), expect.stringMatching(message)])
    },
  )

  it('VERB-2, VERB-10: responses to PUT and POST have the requested representation', async () => {
    const put = await send('PUT', '/v1/facturas/1', { Accept: 'application/pdf' }, { id: 1, total: 3 })
    expect([put.status, put.text]).toEqual([200, '%PDF 3 \ufffd'])
    const post = await send(
      'POST',
      '/v1/facturas',
      { Accept: 'application/pdf', Prefer: 'return=representation' },
      { id: 77, total: 4 },
    )
    expect([post.status, post.text, post.headers['content-type']]).toEqual([201, '%PDF 4 \ufffd', 'application/pdf'])
  })
})
