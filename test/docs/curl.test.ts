/**
 * The curl command lines of the docs: how a POSIX shell parses them, and how the service responds
 * to them.
 */
import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import express from 'express'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { hashPassword, login, publicToken, tokenIssuer } from '../../src/auth/index.js'
import { curlOf, shellWord } from '../../src/docs/curl.js'
import { docsPages } from '../../src/docs/index.js'
import { type DocsOperation, siteOf } from '../../src/docs/site.js'
import { api, defineResource, endpoint, mount } from '../../src/index.js'
import { type DocumentOperation, type OpenApiDocument, openapi } from '../../src/openapi/index.js'
import { listen } from '../clauses/fixture.js'
import { describedApis } from '../openapi/example.js'
import { unescaped } from './site.js'

const run = promisify(execFile)

/**
 * The arguments that a shell passes to curl for a command line. A shell function named `curl`
 * replaces the program, and prints its arguments.
 */
const wordsOf = (line: string, env: Record<string, string> = {}): readonly string[] =>
  execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${line}`], { encoding: 'utf8', env: { ...env } })
    .split('\0')
    .slice(0, -1)

describe('a quoted shell word', () => {
  it('is parsed by sh as the original string', () => {
    const texts = fc.string({ unit: fc.constantFrom(...`ab '"\\$\`!*?[]{}()<>|&;#~%=\n\té`), maxLength: 40 })
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 20 }), (given) => {
        expect(wordsOf(`curl ${given.map(shellWord).join(' ')}`)).toEqual(given)
      }),
      { numRuns: 20 },
    )
  })
})

describe('the curl line of a path with a server of its own', () => {
  it.each([
    [
      'uses the defaults of the server variables',
      { region: { default: 'eu' }, port: { default: '8443' } },
      'https://eu.example.com:8443/a/b',
    ],
    [
      'keeps a server variable without a default',
      { region: { default: 'eu' }, port: {} },
      "'https://eu.example.com:{port}/a/b'",
    ],
  ])('%s', (_, variables, address) => {
    const document = {
      openapi: '3.1.1',
      info: { title: 't', version: '1' },
      paths: {
        '/b': {
          servers: [{ url: 'https://{region}.example.com:{port}/a', variables }],
          get: { operationId: 'b', tags: ['b'], responses: {} },
        },
      },
      components: {},
    }
    const [operation] = siteOf(document, new Set()).tags.flatMap(({ operations }) => operations)
    expect(curlOf(document, operation as DocsOperation, 'https://api.example.com/v1')).toBe(`curl -i ${address}`)
  })
})

it.each([
  ['GET', ['-G', '--data-urlencode', 'key=the token']],
  ['POST', ['--url-query', 'key=the token', '-H', 'Content-Type: application/json', '-d', '{}']],
])('the curl line of a %s sends an API key in the query, not in the body', (method, options) => {
  const body = { requestBody: { content: { 'application/json': { schema: { type: 'object' } } } } }
  const one = { operationId: 'b', tags: ['b'], responses: {}, ...(method === 'POST' ? body : {}) }
  const document = {
    openapi: '3.1.1',
    info: { title: 't', version: '1' },
    paths: { '/b': { [method.toLowerCase()]: one } },
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'key' } } },
  }
  const [operation] = siteOf(document, new Set()).tags.flatMap(({ operations }) => operations)
  const words = wordsOf(curlOf(document, operation as DocsOperation, 'https://api.example.com'), { TOKEN: 'the token' })
  expect(words.slice(words.indexOf('https://api.example.com/b') + 1)).toEqual(options)
})

describe('the curl lines of the example', async () => {
  const lines = (await describedApis()).flatMap(([name, service, version]) => {
    const document = openapi(service, version)
    const server = document.servers?.[0]?.url ?? ''
    return siteOf(document, new Set()).tags.flatMap(({ operations }) =>
      operations.map((operation) => ({
        name: `${name} ${operation.method} ${operation.path}`,
        document,
        operation,
        line: curlOf(document, operation, server),
      })),
    )
  })

  it('have the method and the URL, credentials if required, and a body if the operation has one', () => {
    for (const { name, document, operation, line } of lines) {
      const words = wordsOf(line, { TOKEN: 'the token', NAME: 'ana', PASSWORD: 'p w' })
      const addresses = words.filter((word) => word.startsWith('https://api.example.com/'))
      expect(addresses, name).toHaveLength(1)
      const { pathname } = new URL(addresses[0] ?? '')
      const place = operation.path === '/login' ? '/public' : new URL(document.servers?.[0]?.url ?? '').pathname
      expect(pathname, name).toMatch(new RegExp(`^${place}${operation.path.replace(/\{[^}]*\}/g, '[^/{}]+')}$`))
      const security = (operation.operation.security ?? document.security) as readonly object[]
      const said = words.some((word) => /the token$|^ana:p w$/.test(word))
      expect(said, name).toBe(security.length > 0)
      expect(words.includes('-d'), name).toBe(operation.operation.requestBody !== undefined)
      const method = words.includes('-I') ? 'HEAD' : words.includes('-X') ? words[words.indexOf('-X') + 1] : 'GET'
      expect(method, name).toBe(operation.method)
    }
  })
})

const secret = 'a-secret-of-more-than-thirty-two-characters'
const orders = defineResource({
  collection: 'orders',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'state', 'day', 'price', 'code'],
    properties: {
      id: { type: 'integer', examples: [7] },
      state: { type: 'string', enum: ["it's open", 'closed'] },
      day: { type: 'string', format: 'date' },
      price: { type: 'number', minimum: 10, multipleOf: 5 },
      code: { type: 'string', pattern: '^[A-Z]{2}-[0-9]{3}$' },
      note: { type: 'string', minLength: 10 },
    },
  },
})

describe.each([
  ['without authentication', true],
  ['with a login', false],
])('the curl lines of a service %s', (_, open) => {
  let served: Awaited<ReturnType<typeof listen>>
  let document: OpenApiDocument
  let token = ''
  beforeAll(async () => {
    const key = { algorithm: 'HS256', key: secret } as const
    const issue = tokenIssuer({ key })
    const password = await hashPassword('piezas')
    const service = api({
      ...(open
        ? {}
        : {
            authenticate: publicToken({ keys: key }),
            login: login({
              find: () => ({ hash: password, principal: { sub: 'ana' } }),
              token: (principal: { sub: string }) => issue(principal),
            }),
          }),
      requireIfMatch: true,
      describe: { public: true, pages: docsPages() },
      versions: {
        v1: [
          mount(
            orders,
            memoryAdapter(orders, {
              idempotency: true,
              records: [{ id: 7, state: 'closed', day: '2026-01-01', price: 10, code: 'AB-001' }],
            }),
            {
              idempotencyKey: 'required',
            },
          ),
          endpoint('search', {
            description: 'Looks for a text.',
            methods: {
              GET: {
                query: { required: ['q'], properties: { q: { type: 'string', examples: ["d'or & co"] } } },
                handle: ({ query }) => [query.q ?? null],
              },
            },
          }),
        ],
      },
    })
    served = await listen(express().use('/area', service))
    document = openapi(service, 'v1')
    token = String(
      (
        await fetch(`${served.origin}/area/login`, { headers: { Authorization: `Basic ${btoa('ana:piezas')}` } })
      ).headers.get('x-authorization-token'),
    )
  })
  afterAll(() => served.close())

  it('work when pasted into a shell', { timeout: 60_000 }, async () => {
    const pages = await Promise.all(
      ['orders', 'search', ...(open ? [] : ['login'])].map(async (name) =>
        (await fetch(`${served.origin}/area/v1/docs/${name}`)).text(),
      ),
    )
    const lines = pages.flatMap((page) =>
      [...page.matchAll(/<h2 id="([^"]*)">[\s\S]*?<pre><code>(curl [\s\S]*?)<\/code><\/pre>/g)].map(([, id, line]) => ({
        id,
        line: unescaped(line ?? ''),
      })),
    )
    const operations = Object.values(document.paths)
      .flatMap((item) => Object.values(item) as DocumentOperation[])
      .filter(({ tags }) => tags !== undefined && !tags.includes('openapi'))
    expect(lines.map(({ id }) => id).sort()).toEqual(operations.map(({ operationId }) => operationId).sort())
    const statuses: Record<string, number> = {}
    // Deletions come last, so that the item exists for all other operations.
    const last = (id: string | undefined): number => (id?.startsWith('delete') ? 1 : 0)
    for (const { id = '', line } of lines.toSorted((a, b) => last(a.id) - last(b.id))) {
      expect(/\$TOKEN|\$PASSWORD/.test(line), line).toBe(!open && id !== 'optionsLogin')
      const { stdout } = await run('sh', ['-c', line], {
        env: { PATH: process.env.PATH, ...(open ? {} : { TOKEN: token, NAME: 'ana', PASSWORD: 'piezas' }) },
      })
      statuses[id] = Number(/^HTTP\/1\.1 (\d+)/.exec(stdout)?.[1])
    }
    expect(statuses).toEqual({
      listOrders: 200,
      countOrders: 200,
      // 422, because a record with the key of the example already exists.
      createOrder: 422,
      optionsOrders: 204,
      getOrder: 200,
      checkOrder: 302,
      replaceOrder: 200,
      updateOrder: 200,
      deleteOrder: 204,
      optionsOrder: 204,
      getSearch: 200,
      headSearch: 200,
      optionsSearch: 204,
      ...(open ? {} : { login: 200, checkLogin: 200, optionsLogin: 204 }),
    })
  })
})
