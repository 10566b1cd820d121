/**
 * The middleware `compression`, in front of a service and within it. For each content coding, the
 * body is a separate representation with its own strong tag (RFC 9110 8.8.3.3).
 */
import { setTimeout as pause } from 'node:timers/promises'
import zlib from 'node:zlib'
import compression from 'compression'
import type { Request, Response } from 'express'
import { Agent, request } from 'undici'
import { afterAll, describe, expect, it } from 'vitest'
import { checkVersion, ifMatch, methodRules, sendTag } from '../../src/middleware/index.js'
import { build, data, type Express, frameworks, listen } from '../clauses/fixture.js'
import { service } from '../middleware/majors.js'

type Fields = Record<string, string>

const agent = new Agent()
afterAll(() => agent.close())

/** Sends a request. Returns the raw bytes of the body, and their decoded text. */
async function ask(origin: string, method: string, path: string, headers: Fields = {}, body?: string) {
  const answer = await request(origin + path, {
    method: method as 'GET',
    headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
    body: body ?? null,
    dispatcher: agent,
  })
  const bytes = Buffer.from(await answer.body.arrayBuffer())
  const field = (name: string): string | undefined => answer.headers[name] as string | undefined
  return {
    status: answer.statusCode,
    field,
    bytes,
    text: unpacked(bytes, field('content-encoding')).toString(),
    etag: field('etag') ?? '',
  }
}

function unpacked(bytes: Buffer, coding: string | undefined): Buffer {
  if (bytes.length === 0 || coding === undefined) return bytes
  return coding === 'br'
    ? zlib.brotliDecompressSync(bytes)
    : coding === 'gzip'
      ? zlib.gunzipSync(bytes)
      : zlib.inflateSync(bytes)
}

async function served(
  express: Express,
  place: 'in front' | 'within',
  options: compression.CompressionOptions = { threshold: 0 },
) {
  const app = express()
  const inner = build(data(), { weakIfMatch: false })
  if (place === 'in front') app.use(compression(options)).use(inner)
  else app.use(express.Router().use(compression(options)).use(inner))
  return listen(app)
}

const codings = ['gzip', 'br', 'deflate'] as const

describe.each(frameworks)('compression() with %s', (_, express) => {
  describe.each(['in front', 'within'] as const)('%s', (place) => {
    const paths = [
      '/v8/piezas/1',
      '/v8/piezas?limit=3',
      '/v8/piezas/1?expand=contrato',
      '/v8/search?q=a',
      '/v8/piezas/1/componentes',
    ]

    it('HDR-2: the tag of an encoded body is the tag of the plain body plus the content coding', async () => {
      const { origin, close } = await served(express, place)
      for (const path of paths) {
        const plain = await ask(origin, 'GET', path)
        expect([plain.field('content-encoding'), plain.etag]).toEqual([undefined, expect.stringMatching(/^"[\w.-]+"$/)])
        for (const coding of codings) {
          const packed = await ask(origin, 'GET', path, { 'accept-encoding': coding })
          expect([path, packed.field('content-encoding'), packed.etag]).toEqual([
            path,
            coding,
            `${plain.etag.slice(0, -1)}+${coding}"`,
          ])
          expect(packed.text).toBe(plain.text)
          const identity = await ask(origin, 'GET', path, { 'accept-encoding': `${coding};q=0` })
          expect([identity.etag, identity.field('vary')]).toEqual([plain.etag, packed.field('vary')])
        }
      }
      await close()
    })

    it('HDR-4: a 304 has the tag of the body that the client has, and the Vary of the 200 (RFC 9110)', async () => {
      const { origin, close } = await served(express, place)
      for (const path of paths) {
        const plain = (await ask(origin, 'GET', path)).etag
        for (const coding of codings) {
          const whole = await ask(origin, 'GET', path, { 'accept-encoding': coding })
          for (const known of [whole.etag, plain, `W/${whole.etag}`, `"x", ${whole.etag}`]) {
            const again = await ask(origin, 'GET', path, { 'accept-encoding': coding, 'if-none-match': known })
            expect([path, known, again.status, again.bytes.length, again.etag]).toEqual([
              path,
              known,
              304,
              0,
              known === plain ? plain : whole.etag,
            ])
            for (const name of ['vary', 'cache-control'])
              expect([name, again.field(name)]).toEqual([name, whole.field(name)])
            for (const name of ['content-encoding', 'content-length', 'content-type', 'transfer-encoding']) {
              expect([name, again.field(name)]).toEqual([name, undefined])
            }
          }
          // This client does not accept the coding, so it could not read the encoded body.
          // Therefore the tag of that body causes no 304. A cache that has both bodies sends both
          // tags, and the 304 selects the plain body.
          expect((await ask(origin, 'GET', path, { 'if-none-match': whole.etag })).status).toBe(200)
          const either = await ask(origin, 'GET', path, { 'if-none-match': `${whole.etag}, ${plain}` })
          expect([either.status, either.etag]).toEqual([304, plain])
        }
      }
      await close()
    })

    it('HDR-3: If-Match accepts the tag of any coding, on writes and on reads', async () => {
      const { origin, close } = await served(express, place)
      for (const coding of codings) {
        const packed = { 'accept-encoding': coding }
        for (const path of paths) {
          const { etag } = await ask(origin, 'GET', path, packed)
          expect([path, (await ask(origin, 'GET', path, { 'if-match': etag })).status]).toEqual([path, 200])
          expect([path, (await ask(origin, 'GET', path, { 'if-match': `W/${etag}` })).status]).toEqual([path, 412])
        }
        const { etag } = await ask(origin, 'GET', '/v8/piezas/1', packed)
        const put = (match: string) =>
          ask(origin, 'PATCH', '/v8/piezas/1', { ...packed, 'if-match': match }, '{"lote":"z"}')
        expect((await put(etag.replace('"', '"0'))).status).toBe(412)
        const first = await put(etag)
        expect([first.status, first.etag.endsWith(`+${coding}"`), JSON.parse(first.text).lote]).toEqual([
          200,
          true,
          'z',
        ])
        expect((await put(etag)).status).toBe(412)
        expect((await put(first.etag)).status).toBe(200)
      }
      await close()
    })
  })

  it('HDR-2: responses that are not encoded keep their tag: small bodies, HEAD, 302, 201, 204', async () => {
    const { origin, close } = await served(express, 'in front', { threshold: 1_000_000 })
    const zip = { 'accept-encoding': 'gzip' }
    const small = await ask(origin, 'GET', '/v8/piezas/1', zip)
    expect([small.field('content-encoding'), small.etag.includes('+'), small.field('vary')]).toEqual([
      undefined,
      false,
      expect.stringContaining('Accept-Encoding'),
    ])
    const again = await ask(origin, 'GET', '/v8/piezas/1', { ...zip, 'if-none-match': small.etag })
    expect([again.status, again.field('vary')]).toEqual([304, small.field('vary')])
    await close()

    const all = await served(express, 'in front')
    const head = await ask(all.origin, 'HEAD', '/v8/piezas', zip)
    const whole = await ask(all.origin, 'GET', '/v8/piezas')
    expect([head.status, head.etag, head.field('content-length')]).toEqual([
      200,
      whole.etag,
      String(whole.bytes.length),
    ])
    expect([head.field('vary'), head.field('content-encoding')]).toEqual([whole.field('vary'), undefined])
    const item = await ask(all.origin, 'HEAD', '/v8/piezas/1', zip)
    expect([item.status, item.etag, item.bytes.length]).toEqual([
      302,
      (await ask(all.origin, 'GET', '/v8/piezas/1')).etag,
      0,
    ])
    const created = await ask(all.origin, 'POST', '/v8/piezas', zip, '{"lote":"q"}')
    expect([created.status, created.etag.includes('+'), created.bytes.length]).toEqual([201, false, 0])
    const flag = await ask(all.origin, 'GET', '/v8/contratos/C1/activo', zip)
    expect([flag.status, flag.etag, flag.bytes.length]).toEqual([
      204,
      (await ask(all.origin, 'HEAD', '/v8/contratos/C1')).etag,
      0,
    ])
    const problem = await ask(all.origin, 'GET', '/v8/piezas/999', zip)
    expect([
      problem.status,
      problem.field('content-encoding'),
      problem.field('etag'),
      JSON.parse(problem.text).status,
    ]).toEqual([404, 'gzip', undefined, 404])
    await all.close()
  })

  it('HDR-3: tag suffixes of Apache, Caddy and lighttpd match; "weakIfMatch" allows W/ in If-Match', async () => {
    for (const weakIfMatch of [false, true]) {
      const { origin, close } = await listen(express().use(build(data(), { weakIfMatch })))
      for (const path of ['/v8/piezas/2', '/v8/piezas?limit=2', '/v8/search?q=b']) {
        const { etag } = await ask(origin, 'GET', path)
        const suffixed = (suffix: string) => `${etag.slice(0, -1)}-${suffix}"`
        for (const known of [suffixed('gzip'), suffixed('br'), suffixed('zstd'), `W/${etag}`]) {
          const again = await ask(origin, 'GET', path, { 'if-none-match': known })
          // The service returns its own tag. A server in front would add its suffix to the 304, as
          // it does to the 200.
          expect([path, known, again.status, again.etag]).toEqual([path, known, 304, etag])
          expect((await ask(origin, 'GET', path, { 'if-match': known })).status).toBe(
            known.startsWith('W/') && !weakIfMatch ? 412 : 200,
          )
        }
        expect((await ask(origin, 'GET', path, { 'if-none-match': suffixed('other') })).status).toBe(200)
      }
      const { etag } = await ask(origin, 'GET', '/v8/piezas/2')
      const weak = await ask(origin, 'PATCH', '/v8/piezas/2', { 'if-match': `W/${etag}` }, '{}')
      expect(weak.status).toBe(weakIfMatch ? 200 : 412)
      const now = (await ask(origin, 'GET', '/v8/piezas/2')).etag
      expect(
        (await ask(origin, 'PATCH', '/v8/piezas/2', { 'if-match': `${now.slice(0, -1)}-gzip"` }, '{}')).status,
      ).toBe(200)
      await close()
    }
  })

  it('HDR-2: a client that disconnects midway does not affect later responses', async () => {
    const { origin, close } = await served(express, 'in front')
    for (let i = 0; i < 20; i += 1) {
      const controller = new AbortController()
      const gone = fetch(`${origin}/v8/piezas`, {
        signal: controller.signal,
        headers: { 'accept-encoding': 'gzip' },
      }).catch(() => undefined)
      await pause(i % 4)
      controller.abort()
      await gone
      const whole = await ask(origin, 'GET', '/v8/piezas', { 'accept-encoding': i % 2 === 0 ? 'gzip' : 'identity' })
      expect([whole.status, whole.etag.includes('+gzip')]).toEqual([200, i % 2 === 0])
    }
    await close()
  })

  describe('hand-written routes', () => {
    const body = { text: 'x'.repeat(3000) }
    const app = (...order: ('compression' | 'ifMatch' | 'methods')[]) => {
      const all = {
        compression: compression({ threshold: 0 }),
        ifMatch: ifMatch(),
        methods: methodRules({ on: 'item', allow: ['GET', 'PUT', 'DELETE'] }),
      }
      return service(express, (made) => {
        for (const name of order) made.use('/a', all[name])
        made.get('/a', (req: Request, res: Response) => {
          if (!sendTag(req, res, '3', 'json')) res.json(body)
        })
        made.put('/a', (req: Request, res: Response) => {
          checkVersion(req, '3')
          sendTag(req, res, '4', 'json')
          res.json(body)
        })
        made.use('/pieces', compression({ threshold: 0 }), ifMatch(), (req, res) => {
          if (sendTag(req, res, '3')) return
          res.type('json').write('[1,')
          ;(res as Response & { flush(): void }).flush()
          res.end('2]')
        })
        made.use('/packed', ifMatch(), (req, res) => {
          if (req.query.first !== undefined) res.setHeader('content-encoding', 'gzip')
          if (sendTag(req, res, '3')) return
          res.set('Content-Encoding', 'gzip').type('json').end(zlib.gzipSync('{}'))
        })
        made.use('/own', compression({ threshold: 0 }), ifMatch(), (req, res) => {
          sendTag(req, res, '3')
          res.set('ETag', '"mine"').json(body)
        })
        made.use('/fails', compression({ threshold: 0 }), ifMatch(), (req, res) => {
          sendTag(req, res, '3')
          throw new Error('late')
        })
      }).app
    }

    it.each([
      [['compression', 'ifMatch']],
      [['ifMatch', 'compression']],
      [['compression', 'methods', 'ifMatch']],
      [['methods', 'ifMatch', 'compression']],
      [['methods', 'compression', 'ifMatch']],
    ] as const)(
      'HDR-2, HDR-4: in the middleware order %j, each coding has a tag, which a 304 returns and If-Match accepts',
      async (order) => {
        const { origin, close } = await listen(app(...order))
        const plain = await ask(origin, 'GET', '/a')
        for (const coding of codings) {
          const packed = await ask(origin, 'GET', '/a', { 'accept-encoding': coding })
          expect([packed.field('content-encoding'), packed.etag, packed.text]).toEqual([
            coding,
            `${plain.etag.slice(0, -1)}+${coding}"`,
            plain.text,
          ])
          const again = await ask(origin, 'GET', '/a', { 'accept-encoding': coding, 'if-none-match': packed.etag })
          expect([again.status, again.etag, again.field('vary')]).toEqual([304, packed.etag, packed.field('vary')])
          expect((await ask(origin, 'PUT', '/a', { 'if-match': packed.etag }, '{}')).status).toBe(200)
          expect((await ask(origin, 'PUT', '/a', { 'if-match': packed.etag.replace('3', '2') }, '{}')).status).toBe(412)
        }
        await close()
      },
    )

    it('HDR-2: the tag is right if a handler writes in pieces, encodes a body, sets a tag or throws', async () => {
      const { origin, close } = await listen(app('compression', 'ifMatch'))
      const zip = { 'accept-encoding': 'gzip' }
      const pieces = await ask(origin, 'GET', '/pieces', zip)
      expect([pieces.text, pieces.etag.endsWith('+gzip"')]).toEqual(['[1,2]', true])
      for (const query of ['', '?first']) {
        const packed = await ask(origin, 'GET', `/packed${query}`, zip)
        expect([packed.text, packed.etag]).toEqual(['{}', expect.stringMatching(/^"3\.[\w-]{27}\+gzip"$/)])
        expect((await ask(origin, 'GET', `/packed${query}`, { ...zip, 'if-none-match': packed.etag })).status).toBe(304)
      }
      expect((await ask(origin, 'GET', '/own', zip)).etag).toBe('"mine"')
      const failed = await ask(origin, 'GET', '/fails', zip)
      expect([failed.status, failed.field('etag'), JSON.parse(failed.text).code]).toEqual([500, undefined, 'internal'])
      expect([failed.field('content-encoding'), failed.field('transfer-encoding')]).toEqual(['gzip', 'chunked'])
      await close()
    })
  })
})
