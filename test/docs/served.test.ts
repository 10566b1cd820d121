/**
 * The route that serves the docs pages: permissions, media types and header fields. Other tests
 * cover the pages themselves.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { authenticate } from '../../src/auth/index.js'
import { type DocsPages, docsPages } from '../../src/docs/index.js'
import { api, defineResource, endpoint, mount } from '../../src/index.js'
import { describeStrictly, type OpenApiDocument } from '../../src/openapi/index.js'
import { listen } from '../clauses/fixture.js'
import { majors } from '../middleware/majors.js'
import { itWithCaches } from '../with-caches.js'

const orders = defineResource({
  collection: 'orders',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
})
const entries = () => [mount(orders, memoryAdapter(orders))]
const who = authenticate({
  field: 'X-Api-Key',
  challenge: 'ApiKey realm="orders"',
  identify: (key) => (key === 'none' ? undefined : { name: key }),
})
const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
/** The Accept values that browsers send for a page and for a style sheet. */
const navigation = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const sheet = { Accept: 'text/css,*/*;q=0.1' }

let reads = 0
/** Pages that show the arguments with which they were rendered. */
const echoing: DocsPages = {
  assets: new Map([
    ['app.js', { mediaType: 'text/javascript', read: async () => ({ body: `// ${++reads}` }) }],
    ['dot.png', { mediaType: 'image/png', read: () => ({ body: new Uint8Array([1, 2]) }) }],
  ]),
  generatedFiles: new Map([['words.js', 'text/javascript']]),
  page(name, { document, server, folder }) {
    if (name === 'own') return { body: 'own', policy: "default-src 'self'" }
    if (!['', 'orders', 'ñandú', 'words.js'].includes(name)) return undefined
    return {
      body: JSON.stringify({
        name,
        server,
        folder,
        paths: Object.keys((document as OpenApiDocument).paths['/orders'] ?? {}),
      }),
    }
  },
}

const closed = api({ authenticate: who, describe: { pages: echoing }, versions: { v1: entries(), v2: entries() } })
const open = api({
  authenticate: who,
  describe: { pages: docsPages({ title: 'Orders' }), public: true },
  versions: { v1: entries() },
})
const reduced = api<{ name: string }>({
  authenticate: who,
  permission: ({ name }, action) => (name === 'reader' && action !== 'list' ? 'forbidden' : 'allow'),
  describe: { reduced: true, pages: echoing },
  versions: { v1: entries() },
})

type Listening = Awaited<ReturnType<typeof listen>>

describe.each(majors)('the docs pages in %s', (_, framework) => {
  let service: Listening
  let publicly: Listening
  let partly: Listening
  beforeAll(async () => {
    service = await listen(framework().use('/area', describeStrictly(closed), closed))
    publicly = await listen(framework().use(describeStrictly(open), open))
    partly = await listen(framework().use(describeStrictly(reduced), reduced))
  })
  afterAll(() => Promise.all([service.close(), publicly.close(), partly.close()]))
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${service.origin}/area${path}`, { method, headers: { 'X-Api-Key': 'ana', ...headers }, redirect: 'manual' })

  it('have an index, pages below it, and assets, each with its media type', async () => {
    const types = async (path: string): Promise<unknown> => {
      const response = await get(path)
      return [response.status, response.headers.get('content-type')]
    }
    expect(await types('/v1/docs')).toEqual([200, 'text/html; charset=utf-8'])
    expect(await types('/v1/docs/orders')).toEqual([200, 'text/html; charset=utf-8'])
    expect(await types('/v1/docs/app.js')).toEqual([200, 'text/javascript; charset=utf-8'])
    expect(await types('/v1/docs/words.js')).toEqual([200, 'text/javascript; charset=utf-8'])
    expect(await types('/v1/docs/dot.png')).toEqual([200, 'image/png'])
    expect(new Uint8Array(await (await get('/v1/docs/dot.png')).arrayBuffer())).toEqual(new Uint8Array([1, 2]))
  })

  it('PATH-11: are rendered with the URL of the version and the relative path of their folder', async () => {
    const given = async (path: string) => (await (await get(path)).json()) as Record<string, unknown>
    const server = `${service.origin}/area/v1`
    expect(await given('/v1/docs')).toMatchObject({ name: '', server, folder: 'docs/' })
    expect(await given('/v1/docs/')).toMatchObject({ name: '', server, folder: './' })
    expect(await given('/v1/docs/orders')).toMatchObject({ name: 'orders', server, folder: './' })
    expect(await given('/v1/docs/orders/')).toMatchObject({ name: 'orders', server, folder: '../' })
    expect(await given('/v1/docs/%C3%B1and%C3%BA')).toMatchObject({ name: 'ñandú' })
    expect(await given('/v2/docs')).toMatchObject({ server: `${service.origin}/area/v2` })
  })

  it('have the content security policy of the docs, unless a file has its own', async () => {
    const fields = (await get('/v1/docs')).headers
    expect(fields.get('content-security-policy')).toBe(policy)
    expect(fields.get('x-content-type-options')).toBe('nosniff')
    expect(fields.get('referrer-policy')).toBe('no-referrer')
    expect((await get('/v1/docs/app.js')).headers.get('content-security-policy')).toBe(policy)
    expect((await get('/v1/docs/own')).headers.get('content-security-policy')).toBe("default-src 'self'")
    // A problem has the policy of the service.
    expect((await get('/v1/docs/none')).headers.get('content-security-policy')).toBe(
      "default-src 'none'; frame-ancestors 'none'",
    )
  })

  it('HDR-1: are served to browsers, and respond with 415 if the client accepts only other media types', async () => {
    expect((await get('/v1/docs', navigation)).status).toBe(200)
    expect((await get('/v1/docs/app.js', sheet)).status).toBe(200)
    expect((await get('/v1/docs', { Accept: 'application/json' })).status).toBe(415)
    expect((await get('/v1/docs/app.js', { Accept: 'text/html' })).status).toBe(415)
    expect((await get('/v1/docs/orders', { Accept: 'text/css' })).status).toBe(415)
  })

  itWithCaches('HDR-2, HDR-4, VERB-8, VERB-9: support strong Etags, 304, HEAD, OPTIONS and 405', async () => {
    for (const path of ['/v1/docs', '/v1/docs/orders', '/v1/docs/app.js']) {
      const first = await get(path)
      const tag = first.headers.get('etag') ?? ''
      expect(tag).toMatch(/^"[^"]+"$/)
      const again = await get(path, { 'If-None-Match': tag })
      expect([again.status, again.headers.get('etag'), again.headers.get('content-security-policy')]).toEqual([
        304,
        tag,
        policy,
      ])
      const head = await get(path, {}, 'HEAD')
      expect([head.status, head.headers.get('etag'), head.headers.get('content-length'), await head.text()]).toEqual([
        200,
        tag,
        first.headers.get('content-length'),
        '',
      ])
      expect(first.headers.get('cache-control')).toBe('private, no-cache')
      expect((await get(path, {}, 'OPTIONS')).headers.get('allow')).toBe('GET, HEAD, OPTIONS')
      expect((await get(path, {}, 'POST')).status).toBe(405)
    }
  })

  it('PATH-1: unknown pages, deeper paths and empty names get 404; a malformed path or a query gets 400', async () => {
    const response = await get('/v1/docs/none', navigation)
    expect(response.status).toBe(404)
    // The problem is XML, as on all other paths, because a browser's Accept ranks XML above JSON.
    expect(response.headers.get('content-type')).toContain('application/problem+xml')
    expect(await (await get('/v1/docs/none')).json()).toMatchObject({ code: 'unknown-path' })
    expect((await get('/v1/docs/orders/more')).status).toBe(404)
    expect((await get('/v1/docs//')).status).toBe(404)
    expect((await get('/v1/docs/%ff')).status).toBe(400)
    expect((await get('/v1/docs?x=1')).status).toBe(400)
  })

  itWithCaches('read each asset only once', async () => {
    const first = await (await get('/v1/docs/app.js')).text()
    expect(await (await get('/v2/docs/app.js', { 'X-Api-Key': 'eva' })).text()).toBe(first)
  })

  it('AUTH-4: require the authentication of the version, unless they are public', async () => {
    for (const path of ['/v1/docs', '/v1/docs/orders', '/v1/docs/app.js'])
      expect((await get(path, { 'X-Api-Key': 'none' })).status).toBe(401)
    for (const path of [
      '/v1/docs',
      '/v1/docs/',
      '/v1/docs/style.css',
      '/v1/docs/style.css/',
      '/v1/%64ocs',
      '/v1/docs/styl%65.css',
    ])
      expect((await fetch(publicly.origin + path)).status, path).toBe(200)
    expect((await fetch(`${publicly.origin}/v1/docs`)).headers.get('cache-control')).toBe('no-cache')
    // Paths that only look like a page are protected too.
    for (const path of [
      '/v1/docs//',
      '/v1/%64ocs//',
      '/v1/docs/a/b',
      '/v1/docsx',
      '/v1/docs/../orders/1/',
      '/v1/docs%2Fstyle.css',
      '/v1/docs%ff',
      '/v1/orders',
    ])
      expect((await publicly.send('GET', path)).status, path).toBe(401)
  })

  it('AUTH-4: show only the operations that the caller may use, if "reduced" is true', async () => {
    const methodsOf = async (name: string) =>
      (
        (await (await fetch(`${partly.origin}/v1/docs`, { headers: { 'X-Api-Key': name } })).json()) as {
          paths: string[]
        }
      ).paths
    expect(await methodsOf('reader')).toEqual(['get', 'head', 'options'])
    expect(await methodsOf('ana')).toEqual(['get', 'head', 'post', 'options'])
    expect((await fetch(`${partly.origin}/v1/docs/app.js`, { headers: { 'X-Api-Key': 'reader' } })).status).toBe(200)
  })

  it('VERB-1: have the paths /docs and /docs/{file} in the OpenAPI document', async () => {
    const document = (await (await fetch(`${publicly.origin}/v1/openapi`)).json()) as OpenApiDocument
    expect(Object.keys(document.paths).filter((path) => path.startsWith('/docs'))).toEqual(['/docs', '/docs/{file}'])
    expect(document.paths['/docs/{file}']).toMatchObject({
      parameters: [{ name: 'file', in: 'path' }],
      get: { security: [] },
    })
  })
})

describe('the path of the docs pages', () => {
  const named = defineResource({
    collection: 'docs',
    key: 'id',
    schema: { type: 'object', properties: { id: { type: 'integer' } } },
  })

  it('PATH-1: cannot also be the path of a resource, endpoint or area', () => {
    const pages = docsPages()
    const handle = () => 1
    const taken = endpoint('docs', { description: 'Another.', methods: { GET: { handle } } })
    const area = endpoint('reports', { area: 'docs', description: 'Another.', methods: { GET: { handle } } })
    expect(() => api({ describe: { pages }, versions: { v1: [mount(named, memoryAdapter(named))] } })).toThrow(
      /entry is called "docs", but the option "describe" of api\(\) serves the docs pages at "\/docs"/,
    )
    expect(() => api({ describe: { pages }, versions: { v1: [taken] } })).toThrow(/"docs"/)
    expect(() => api({ describe: { pages }, versions: { v1: [area] } })).toThrow(/area is called "docs"/)
    expect(() => api({ describe: true, versions: { v1: [mount(named, memoryAdapter(named))] } })).not.toThrow()
  })

  it('api() refuses an option "pages" that is not the result of docsPages()', () => {
    expect(() => api({ describe: { pages: true as unknown as DocsPages }, versions: { v1: [] } })).toThrow(
      /docsPages\(\)/,
    )
  })
})
