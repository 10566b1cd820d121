/**
 * Two copies of the built package in one process. A service has two copies if, for example, two of
 * its dependencies each install one.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import express, { type Express } from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

type Library = typeof import('../../src/index.js') &
  typeof import('../../src/auth/index.js') &
  typeof import('../../src/adapters/memory/index.js') &
  typeof import('../../src/openapi/index.js') &
  typeof import('../../src/server/index.js') &
  typeof import('../../src/transfer/index.js')

let home: string
let a: Library
let b: Library

const load = async (copy: string): Promise<Library> => {
  const folder = join(home, copy)
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true })
  const parts = [
    'index.js',
    'auth/index.js',
    'adapters/memory/index.js',
    'openapi/index.js',
    'server/index.js',
    'transfer/index.js',
  ]
  const modules = await Promise.all(
    parts.map((part) => import(/* @vite-ignore */ pathToFileURL(join(folder, 'dist', part)).href)),
  )
  return Object.assign({}, ...modules)
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'copies-'))
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'))
  a = await load('a')
  b = await load('b')
})

afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Serves an app with the server of copy `a`, calls `use` with the URL, and closes the server. */
async function serve<R>(app: Express, use: (base: string) => Promise<R>): Promise<R> {
  const server = a.createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    await server.shutdown()
  }
}

const branchesOf = ({ defineResource }: Library) =>
  defineResource({
    collection: 'branches',
    key: 'code',
    schema: {
      type: 'object',
      required: ['code'],
      properties: { code: { type: 'string' }, city: { type: ['string', 'null'] } },
    },
    filters: { city: true },
  })

const ordersOf = ({ defineResource }: Library, branches: ReturnType<typeof branchesOf>) =>
  defineResource({
    collection: 'orders',
    key: 'id',
    schema: {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'integer' }, branchCode: { type: ['string', 'null'] } },
    },
    links: { branch: { to: branches, by: 'branchCode', show: ['city'] } },
  })

/**
 * Creates a service with one copy. The service has a document, a login, a representation, an
 * export, a link and an endpoint.
 */
function describedServiceOf(library: Library) {
  const branches = branchesOf(library)
  const orders = ordersOf(library, branches)
  return library.api({
    describe: true,
    login: library.login({ verify: () => undefined, token: () => 'token' }),
    representations: [library.representation('text/plain', { item: () => 'one' })],
    versions: {
      v1: [
        library.mount(branches, library.memoryAdapter(branches, { records: [{ code: 'MAD', city: 'Madrid' }] }), {
          exports: { formats: [library.csv()] },
        }),
        library.mount(orders, library.memoryAdapter(orders, { records: [{ id: 1, branchCode: 'MAD' }] })),
        library.endpoint('search', {
          description: 'Looks for a text.',
          methods: { GET: { handle: () => ({ found: 1 }) } },
        }),
      ],
    },
  })
}

describe('two copies of the package in one process', () => {
  it('are different modules', () => {
    expect(a.HttpProblem).not.toBe(b.HttpProblem)
    expect(Object.getPrototypeOf(new a.HttpProblem('absent'))).not.toBe(b.HttpProblem.prototype)
  })

  it("recognize each other's errors, also with instanceof", () => {
    const own = class extends b.HttpProblem {}
    expect(new a.HttpProblem('absent')).toBeInstanceOf(b.HttpProblem)
    expect(new a.Unavailable()).toBeInstanceOf(b.HttpProblem)
    expect(new a.Unavailable()).toBeInstanceOf(b.Unavailable)
    expect(new a.HttpProblem('unavailable')).not.toBeInstanceOf(b.Unavailable)
    expect(new a.HttpProblem('absent')).not.toBeInstanceOf(b.ConfigurationError)
    expect(() => a.api({} as never)).toThrow(b.ConfigurationError)
    expect(new a.HttpProblem('absent')).not.toBeInstanceOf(own)
    expect(new own('absent')).toBeInstanceOf(own)
    expect(new own('absent')).toBeInstanceOf(a.HttpProblem)
    expect(new Error('absent')).not.toBeInstanceOf(a.HttpProblem)
  })

  it('problems() of one copy responds to an error that the other copy throws', async () => {
    const app = express()
    app.get('/rule', () => {
      throw new a.HttpProblem('rule', { detail: 'A delivered piece cannot be changed.' })
    })
    app.get('/down', () => {
      throw new a.Unavailable({ retryAfter: 7 })
    })
    app.use(b.problems({ onError: () => {} }))
    await serve(app, async (base) => {
      const rule = await fetch(`${base}/rule`)
      expect([rule.status, await rule.json()]).toEqual([
        422,
        expect.objectContaining({ code: 'rule', detail: 'A delivered piece cannot be changed.' }),
      ])
      const down = await fetch(`${base}/down`)
      expect([down.status, down.headers.get('retry-after')]).toEqual([503, '7'])
    })
  })

  it('one copy can mount definitions of the other, and links can lead from one copy to the other', async () => {
    const branches = branchesOf(a)
    const orders = ordersOf(b, branches)
    const app = express()
    app.use(
      b.api({
        versions: {
          v1: [
            b.mount(branches, a.memoryAdapter(branches, { records: [{ code: 'MAD', city: 'Madrid' }] })),
            a.mount(orders, a.memoryAdapter(orders, { records: [{ id: 1, branchCode: 'MAD' }] })),
          ],
        },
      }),
    )
    await serve(app, async (base) => {
      const href = `${base}/v1/branches/MAD`
      expect(await (await fetch(`${base}/v1/orders/1`)).json()).toEqual({ id: 1, branch: { href, city: 'Madrid' } })
      expect(await (await fetch(`${base}/v1/orders/1?expand=branch`)).json()).toMatchObject({
        branch: { code: 'MAD', city: 'Madrid' },
      })
      const made = await fetch(`${base}/v1/orders`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ id: 2, branch: { href } }),
      })
      expect(made.status).toBe(201)
      const dangling = await fetch(`${base}/v1/orders/1`, {
        method: 'PATCH',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ branch: { href: `${base}/v1/branches/XXX` } }),
      })
      expect(dangling.status).toBe(422)
    })
  })

  it("accept each other's endpoints, replies, representations, formats, and adapter errors", async () => {
    const branches = branchesOf(a)
    const store = a.memoryAdapter(branches, { records: [{ code: 'MAD', city: 'Madrid' }] })
    const broken = {
      ...store,
      remove() {
        throw new a.Unavailable({ detail: 'Nothing was changed.', unchanged: true })
      },
      replace() {
        throw new a.HttpProblem('rule', { detail: 'Branches stay as they are.' })
      },
    }
    const text = a.representation('text/plain', { item: () => 'a branch' })
    const service = b.api({
      representations: [text],
      versions: {
        v1: [
          b.mount(branches, broken, { exports: { formats: [a.csv()] } }),
          a.endpoint('search', {
            description: 'Says what is to be done.',
            methods: {
              GET: { handle: () => a.endpointReply({ status: 200, body: { found: 1 }, headers: { 'X-From': 'a' } }) },
            },
          }),
        ],
      },
      onError: () => {},
    })
    const app = express()
    app.use(service)
    await serve(app, async (base) => {
      const answer = (path: string, init: RequestInit = {}) => fetch(`${base}/v1/${path}`, init)
      const search = await answer('search')
      expect([search.status, search.headers.get('x-from')]).toEqual([200, 'a'])
      expect(await (await answer('branches/MAD', { headers: { Accept: 'text/plain' } })).text()).toBe('a branch')
      expect(await (await answer('branches', { headers: { Accept: 'text/csv' } })).text()).toContain('MAD,Madrid')
      const removed = await answer('branches/MAD', { method: 'DELETE' })
      expect([removed.status, await removed.json()]).toEqual([
        503,
        expect.objectContaining({ detail: 'Nothing was changed.' }),
      ])
      const headers = { 'Content-Type': 'application/json' }
      const replaced = await answer('branches/MAD', { method: 'PATCH', headers, body: '{"city":"Sevilla"}' })
      expect([replaced.status, await replaced.json()]).toEqual([422, expect.objectContaining({ code: 'rule' })])
    })
  })

  it("ready() of one copy collects errors of the other copy's adapters", async () => {
    const branches = branchesOf(a)
    const unfit = (text: string) => ({
      ...a.memoryAdapter(branches),
      ready() {
        throw new (a.ConfigurationError as unknown as new (code: string, message: string) => Error)('store-unfit', text)
      },
    })
    const service = b.api({
      versions: { v1: [b.mount(branches, unfit('one'))], v2: [b.mount(branches, unfit('two'))] },
    })
    await expect(service.ready()).rejects.toThrow(/2 stores do not match their resources:(?:.|\n)*one(?:.|\n)*two/)
  })

  it('a caller that a middleware of one copy authenticates is the principal in the other copy', async () => {
    const branches = branchesOf(a)
    const app = express()
    app.use(
      a.authenticate({
        field: 'X-Api-Key',
        challenge: 'ApiKey realm="a"',
        identify: (key) => (key === 'k' ? { sub: 'ana' } : undefined),
      }),
    )
    const seen: unknown[] = []
    app.use(
      b.api({
        permission: (principal) => {
          seen.push(principal)
          return 'allow'
        },
        versions: { v1: [b.mount(branches, b.memoryAdapter(branches))] },
      }),
    )
    app.use(b.problems())
    await serve(app, async (base) => {
      expect((await fetch(`${base}/v1/branches`, { headers: { 'X-Api-Key': 'k' } })).status).toBe(200)
      const refused = await fetch(`${base}/v1/branches`)
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'ApiKey realm="a"'])
    })
    expect(seen).toEqual([{ sub: 'ana' }])
  })

  it('probes() of one copy recognizes the server of the other', async () => {
    const app = express()
    app.use(b.probes())
    const server = a.createServer(app)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const ready = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ready`
    expect((await fetch(ready)).status).toBe(204)
    const ended = server.shutdown({ drain: 60_000 })
    expect((await fetch(ready)).status).toBe(503)
    await server.shutdown({ drain: 0, grace: 0 })
    await ended
  })

  it('openapi() and describeStrictly() of one copy describe a service of the other', async () => {
    const service = describedServiceOf(a)
    expect(b.openapi(service, 'v1')).toEqual(a.openapi(service, 'v1'))
    expect(Object.keys(b.openapi(service, 'v1').paths)).toEqual(
      expect.arrayContaining(['/branches/{code}', '/orders/{id}', '/search', '/openapi', '/login']),
    )
    expect(b.openapi(service, 'v1', { openapi: '3.0.3' })).toEqual(a.openapi(service, 'v1', { openapi: '3.0.3' }))
    const faults: string[] = []
    const strictly = b.describeStrictly(service, { onFault: (fault) => faults.push(fault) })
    await serve(express().use(strictly, service), async (base) => {
      for (const path of [
        'v1/branches',
        'v1/orders/1?expand=branch',
        'v1/orders/9',
        'v1/search',
        'v1/openapi',
        'login',
      ]) {
        for (const Accept of ['application/json', 'application/xml'])
          await fetch(`${base}/${path}`, { headers: { Accept } })
      }
    })
    expect(faults).toEqual([])
    expect(strictly.unreached('v1')).not.toContain('getOrder 200')
    expect(strictly.unreached('v1')).not.toContain('login 401')
  })

  it('a service that another version of the package created is refused if its description cannot be read', () => {
    const service = describedServiceOf(a)
    const key = Object.getOwnPropertySymbols(service).find((one) => one.description?.endsWith('.description')) as symbol
    const other = Object.defineProperty(() => {}, key, { value: { ...Reflect.get(service, key), formatVersion: 99 } })
    const reason =
      /got a service that another version of express-rest-conventions created, and can't read its description/
    expect(() => b.openapi(other, 'v1')).toThrow(reason)
    expect(() => b.describeStrictly(other)).toThrow(reason)
    expect(() => b.openapi(other, 'v1')).toThrow(a.ConfigurationError)
    expect(() => b.openapi(() => {}, 'v1')).toThrow(/got no service/)
  })

  it('do not accept JSON that imitates their objects', () => {
    const branches = branchesOf(a)
    const store = a.memoryAdapter(branches)
    const forged = <T>(made: T): T => JSON.parse(JSON.stringify(made)) as T
    const problem = {
      ...forged(new a.HttpProblem('rule')),
      name: 'HttpProblem',
      status: 422,
      '@@express-rest-conventions.problem': 1,
    }
    expect(problem).not.toBeInstanceOf(b.HttpProblem)
    expect(() => b.mount(forged(branches) as typeof branches, store)).toThrow(/no definition/)
    expect(() => b.api({ versions: { v1: [forged(b.mount(branches, store))] } })).toThrow(
      /"resources\[0\]".*the result of mount\(\) or endpoint\(\)/,
    )
    expect(() =>
      b.mount(branches, store, { representations: [forged(a.representation('text/csv', { item: () => '' }))] }),
    ).toThrow(/"representations\[0\]".*the result of representation\(\)/)
    expect(() => b.mount(branches, store, { exports: { formats: [forged(a.csv())] } })).toThrow(
      /"exports\.formats\[0\]".*csv\(\)/,
    )
  })

  it('mount() accepts a definition that was copied with the spread syntax', () => {
    const branches = branchesOf(a)
    expect(() => b.mount({ ...branches }, b.memoryAdapter(branches))).not.toThrow()
  })
})
