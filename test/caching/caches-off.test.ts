/**
 * A service without caches responds like services with caches, byte for byte, except for `Date`,
 * `RateLimit` and the tags in responses to writes.
 */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { bearer, scopePermission, tokenIssuer } from '../../src/auth/index.js'
import { type Adapter, type Api, api, defineResource, mount } from '../../src/index.js'
import { crossOrigin, rateLimit } from '../../src/middleware/index.js'
import { stores, tableOf } from '../adapters/postgres/stores.js'
import { itWithCaches } from '../with-caches.js'

const text = { type: 'string' } as const
const offices = defineResource({
  collection: 'offices',
  key: 'id',
  schema: { type: 'object', required: ['id', 'name'], properties: { id: { type: 'integer' }, name: text } },
})
/** Each tenant sees its own records. */
const cards = defineResource({
  collection: 'cards',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'name', 'tenant'],
    properties: { id: { type: 'integer' }, name: text, tenant: text, officeId: { type: ['integer', 'null'] } },
  },
  filters: { name: true },
  sort: ['name', 'id'],
  links: { office: { to: offices, by: 'officeId', show: ['name'] } },
  scope: (principal) => ({ tenant: (principal as { readonly sub: string }).sub }),
})
const tenants = ['ana', 'eva'] as const
const rows = {
  offices: [1, 2].map((id) => ({ id, name: `Office é${id}` })),
  cards: Array.from({ length: 12 }, (_, i) => ({
    id: i + 1,
    name: `Card ${i % 3} 漢`,
    tenant: tenants[i % 2] as string,
    officeId: i % 3 === 0 ? null : ((i % 3) as number),
  })),
}

type Any = Adapter<never, never>
interface Ground {
  readonly offices: Any
  readonly cards: Any
  close(): Promise<void>
}

async function inMemory(): Promise<Ground> {
  const made = {
    offices: memoryAdapter(offices, { records: rows.offices }),
    cards: memoryAdapter(cards, { records: rows.cards }),
  }
  return { ...(made as unknown as Ground), close: async () => {} }
}

async function inPglite(): Promise<Ground> {
  const store = await (stores.find(({ name }) => name === 'PGlite') as (typeof stores)[number]).open()
  const made = {
    offices: await tableOf(store, offices, { table: 'offices' }),
    cards: await tableOf(store, cards, { table: 'cards' }),
  }
  for (const { id, name } of rows.offices) await store.sql(`INSERT INTO offices (id, name) VALUES (${id}, '${name}')`)
  for (const { id, name, tenant, officeId } of rows.cards)
    await store.sql(
      `INSERT INTO cards (id, name, tenant, office_id) VALUES (${id}, '${name}', '${tenant}', ${officeId ?? 'NULL'})`,
    )
  return { ...(made as unknown as Ground), close: () => store.close() }
}

const key = { algorithm: 'HS256', key: 'a secret of tests, 32 bytes or more' } as const
const issue = tokenIssuer({ key })

function serviceOver(ground: Ground, caches: boolean): Api {
  return api({
    caches,
    authenticate: bearer({ keys: () => ({ ...key }) }),
    // Eva has no permission to read offices, so the links in her responses have no members of
    // offices.
    permission: scopePermission(),
    rateLimit: rateLimit({ limit: 1_000_000 }),
    cors: crossOrigin({ origins: ['https://shop.example'] }),
    versions: { v1: [mount(cards, ground.cards as never), mount(offices, ground.offices as never)] },
  })
}

interface Answer {
  readonly status: number
  readonly tag: string | undefined
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

interface Sent {
  readonly method: string
  readonly path: string
  readonly who: (typeof tenants)[number]
  readonly headers: Readonly<Record<string, string>>
  readonly body?: object
}

type Ask = (sent: Sent) => Promise<Answer>

async function listen(service: Api): Promise<{ readonly ask: Ask; close(): void }> {
  const server = http.createServer(express().use(service)).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const agent = new http.Agent({ keepAlive: true })
  const tokens = {
    ana: await issue({ sub: 'ana', scope: '*:read *:write' }),
    eva: await issue({ sub: 'eva', scope: 'cards:read cards:write' }),
  }
  const ask: Ask = ({ method, path, who, headers, body }) =>
    new Promise((resolve, reject) => {
      const common = { host: 'one.example', 'x-request-id': 'same', authorization: `Bearer ${tokens[who]}` }
      const type =
        body === undefined
          ? {}
          : { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }
      const options = { host: '127.0.0.1', port, agent, method, path, headers: { ...common, ...type, ...headers } }
      const request = http.request(options, (res) => {
        const parts: Buffer[] = []
        res.on('data', (part: Buffer) => parts.push(part))
        res.on('end', () => {
          // `date` and `ratelimit` are left out, because they differ between the services.
          const { date, ratelimit, etag, ...others } = res.headers
          resolve({
            status: res.statusCode ?? 0,
            tag: etag,
            headers: others,
            body: Buffer.concat(parts).toString('latin1'),
          })
        })
      })
      request.on('error', reject)
      request.end(body === undefined ? undefined : JSON.stringify(body))
    })
  const close = (): void => {
    agent.destroy()
    server.close()
  }
  return { ask, close }
}

const who = fc.constantFrom(...tenants)
const headers = fc.record(
  {
    host: fc.constantFrom('one.example', 'two.example'),
    accept: fc.constantFrom('application/json', 'application/xml', 'text/*;q=0.5, application/json', 'image/png'),
    origin: fc.constantFrom('https://shop.example', 'https://other.example'),
  },
  { requiredKeys: [] },
)
const item = fc.integer({ min: 1, max: 13 }).map((id) => `/v1/cards/${id}`)
const read = fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD'),
  who,
  headers,
  path: fc.oneof(
    item,
    item.map((path) => `${path}?expand=office`),
    fc.constantFrom(
      '/v1/cards',
      '/v1/cards?sort=name&limit=2',
      '/v1/cards?sort=-name&limit=2&offest=2',
      '/v1/cards?sort=nothing',
      '/v1/cards?expand=office',
      '/v1/offices',
      '/v1/offices/1',
      '/v1/nothing',
    ),
  ),
})
const name = fc.string({ minLength: 1, maxLength: 6, unit: 'grapheme' }).filter((given) => !given.includes('\0'))
const patch = fc.oneof(
  fc.record({ method: fc.constant('PATCH'), who, headers, path: item, body: fc.record({ name }) }),
  fc.record({
    method: fc.constant('PATCH'),
    who,
    headers,
    path: item,
    body: fc.constantFrom({ office: null }, { office: { id: 1 } }, { office: { id: 2 } }, { name: 7 }),
  }),
  fc.record({
    method: fc.constant('PATCH'),
    who: fc.constant('ana' as const),
    headers,
    path: fc.constant('/v1/offices/1'),
    body: fc.record({ name }),
  }),
)
/**
 * Removes a record and creates it again. Each service removes and creates the record before the
 * next service begins. The services share one store, so after a DELETE alone, the next service
 * would find no record.
 */
const renewal = fc.record({ who, headers, id: fc.integer({ min: 1, max: 12 }), name })
const steps = fc.oneof(
  { weight: 5, arbitrary: read.map((sent) => ({ kind: 'read' as const, sent: sent as Sent })) },
  { weight: 2, arbitrary: patch.map((sent) => ({ kind: 'write' as const, sent: sent as Sent })) },
  { weight: 1, arbitrary: renewal.map((renewed) => ({ kind: 'renewal' as const, renewed })) },
)

describe.each([
  ['memory', inMemory, 8],
  ['PGlite', inPglite, 3],
] as const)('a service with `caches: false`, over %s', (_, open, numRuns) => {
  itWithCaches(
    'HDR-2, REP-1: responds like two services with caches, to both callers and after random changes',
    async () => {
      const ground = await open()
      const services = [serviceOver(ground, false), serviceOver(ground, true), serviceOver(ground, true)]
      const served = await Promise.all(services.map(listen))
      /** Sends the request to each service in turn. Their responses must be equal. */
      const same = async (sent: Sent, withTag: boolean): Promise<Answer> => {
        const [first, ...others] = (await inTurn(served, ({ ask }) => ask(sent))) as [Answer, ...Answer[]]
        for (const other of others)
          expect([sent, withTag ? other : { ...other, tag: '' }]).toEqual([
            sent,
            withTag ? first : { ...first, tag: '' },
          ])
        return first
      }
      const take = async (step: typeof steps extends fc.Arbitrary<infer Step> ? Step : never): Promise<void> => {
        if (step.kind === 'read') {
          let { tag } = await same(step.sent, true)
          // The response to a request is cached only after some repetitions.
          for (let again = 0; again < 3; again += 1) tag = (await same(step.sent, true)).tag
          if (tag !== undefined)
            await same({ ...step.sent, headers: { ...step.sent.headers, 'if-none-match': tag } }, true)
        } else if (step.kind === 'write') {
          // The tags of the responses differ, because each service writes the record, which changes
          // the version.
          await same(step.sent, false)
          await same({ ...step.sent, method: 'GET', body: undefined as never }, true)
          await same({ ...step.sent, headers: { ...step.sent.headers, 'if-match': '"old.tag"' } }, true)
        } else {
          const { id, ...rest } = step.renewed
          const item = { path: `/v1/cards/${id}`, who: rest.who, headers: rest.headers }
          const all = await inTurn(served, async ({ ask }) => {
            const removed = await ask({ ...item, method: 'DELETE' })
            const made = await ask({ ...item, method: 'POST', path: '/v1/cards', body: { id, name: rest.name } })
            return [removed, made].map((answer) => ({ ...answer, tag: '' }))
          })
          for (const one of all) expect([step, one]).toEqual([step, all[0]])
          await same({ ...item, method: 'GET' }, true)
        }
      }
      try {
        await fc.assert(
          fc.asyncProperty(fc.array(steps, { minLength: 10, maxLength: 30 }), async (sequence) => {
            for (const step of sequence) await take(step)
          }),
          { numRuns },
        )
        const [off, ...on] = services.map((service) =>
          Object.fromEntries(service.caches().map((count) => [count.name, count])),
        )
        for (const count of Object.values(off ?? {})) expect(count).toMatchObject({ entries: 0, bound: 0, hits: 0 })
        const used = [
          'views',
          'list-queries',
          'accept',
          'tokens',
          'policies',
          'origins',
          ...(open === inMemory ? ['items', 'pages'] : []),
        ]
        for (const counts of on) for (const name of used) expect([name, counts[name]?.hits]).not.toEqual([name, 0])
      } finally {
        for (const { close } of served) close()
        await ground.close()
      }
    },
    120_000,
  )
})

async function inTurn<T, U>(all: readonly T[], use: (one: T) => Promise<U>): Promise<U[]> {
  const made: U[] = []
  for (const one of all) made.push(await use(one))
  return made
}
