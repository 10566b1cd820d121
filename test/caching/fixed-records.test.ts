/**
 * If a read returns a record that is equal to its cached copy, the copy is used
 * (`src/representation/fixed-records.ts`). The responses must be the same as without caches,
 * whatever the store returns.
 */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { api, defineResource, mount } from '../../src/index.js'

const text = { type: 'string' } as const
const zones = defineResource({
  collection: 'zones',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: text, name: { type: ['string', 'null'] } } },
})
const cards = defineResource({
  collection: 'cards',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'integer' },
      name: { type: ['string', 'null'] },
      since: { type: 'string', format: 'local-date-time' },
      zoneId: text,
      site: { type: ['object', 'null'], properties: { href: { type: ['string', 'null'] } } },
      parts: { type: 'array', items: { type: 'object', properties: { a: { type: 'number' }, b: text } } },
      more: {},
    },
    additionalProperties: true,
  },
  links: { zone: { to: zones, by: 'zoneId', show: ['name'] }, site: { external: true } },
})
const pairs = defineResource({
  collection: 'pairs',
  key: ['a', 'b'],
  schema: { type: 'object', required: ['a', 'b'], properties: { a: { type: 'integer' }, b: text, name: text } },
})

type Make = () => unknown
interface Row {
  readonly value: Record<string, Make>
  readonly version: string
}
/** The current content of the store. */
interface Data {
  readonly rows: Record<'cards' | 'zones' | 'pairs', readonly Row[]>
}

/** Each result is a new object, like the results of a database driver. */
const stored = ({ value, version }: Row) => {
  const made = {}
  for (const [name, make] of Object.entries(value)) {
    Object.defineProperty(made, name, { value: make(), enumerable: true, configurable: true, writable: true })
  }
  return { value: made, version }
}
const adapterOf = (data: () => Data, name: keyof Data['rows'], keyOf: (value: Record<string, unknown>) => string) => ({
  list: async () => ({ items: data().rows[name].map(stored), total: data().rows[name].length }),
  read: async (keys: readonly unknown[]) => {
    const found = data().rows[name].map(stored)
    return keys.map((key) =>
      found.find(({ value }) => keyOf(value) === (typeof key === 'object' ? keyOf(key as never) : String(key))),
    )
  },
})

const servers: http.Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

async function serve(data: () => Data, caches: boolean) {
  const one = ({ id }: Record<string, unknown>) => String(id)
  const service = api({
    caches,
    baseUrl: 'http://host.example',
    versions: {
      v1: [
        mount(cards, adapterOf(data, 'cards', one) as never),
        mount(zones, adapterOf(data, 'zones', one) as never),
        mount(pairs, adapterOf(data, 'pairs', ({ a, b }) => `${a} ${b}`) as never),
      ],
    },
  })
  const server = http.createServer(express().use(service)).listen(0, '127.0.0.1')
  servers.push(server)
  await new Promise((resolve) => server.once('listening', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(base + path, { headers: { 'x-request-id': 'one', ...headers } })
    const fields = Object.fromEntries([...answer.headers].filter(([name]) => name !== 'date'))
    return { status: answer.status, fields, body: await answer.text() }
  }
  return { get, service }
}

const always =
  (value: unknown): Make =>
  () =>
    value
const jsonValues = fc.jsonValue({ maxDepth: 2 }).map(
  (value): Make =>
    () =>
      structuredClone(value),
)
const oddValues = fc.constantFrom<Make>(
  always(undefined),
  always(Number.NaN),
  always(-0),
  always('\ud800'),
  () => new Date(0),
  () => Object.assign([1], { toJSON: () => 'list' }),
  () => Object.defineProperty({ a: 1 }, 'toJSON', { value: () => 'hidden', enumerable: false }),
  () => Object.defineProperty({ a: 1, b: 'x' }, 'c', { get: () => 1, enumerable: true }),
  () => JSON.parse('{"__proto__":{"a":1}}'),
  () => Object.assign([], { 0: 1, 2: 2 }),
  () => Object.create({ a: 1 }),
  () => () => 1,
  () => Symbol.for('a'),
)
const values = fc.oneof({ weight: 3, arbitrary: jsonValues }, { weight: 1, arbitrary: oddValues })
const versions = fc.constantFrom('1', '2', '3')
const card = (id: number) =>
  fc.record({
    version: versions,
    value: fc.record(
      {
        id: fc.constant(always(id)),
        name: fc.oneof(fc.constantFrom('uno', 'é漢', null).map(always), values),
        since: fc.constantFrom('2026-01-01T00:00:00', '2026-01-01T00:00:00.0000000', 'never').map(always),
        zoneId: fc.constantFrom('x', 'y', 'z').map(always),
        site: fc.oneof(
          fc.constantFrom('/a', '//b', 'http://c.example', null).map(
            (href): Make =>
              () => ({ href }),
          ),
          values,
        ),
        parts: fc.oneof(
          fc.array(fc.record({ a: fc.constantFrom(1, -0, 2.5), b: fc.constantFrom('x', 'y') }), { maxLength: 2 }).map(
            (list): Make =>
              () =>
                structuredClone(list),
          ),
          values,
        ),
        more: values,
        other: values,
      },
      { requiredKeys: ['id', 'zoneId'] },
    ),
  })
const zone = (id: string) =>
  fc.record({
    version: versions,
    value: fc.record({
      id: fc.constant(always(id)),
      name: fc.oneof(fc.constantFrom('north', 'south').map(always), values),
    }),
  })
const pair = (a: number, b: string) =>
  fc.record({
    version: versions,
    value: fc.record({
      a: fc.constant(always(a)),
      b: fc.constant(always(b)),
      name: fc.constantFrom('uno', 'dos').map(always),
    }),
  })
const data = fc.record({
  rows: fc.record({
    cards: fc.tuple(card(1), card(2), card(3)),
    zones: fc.tuple(zone('x'), zone('y')),
    pairs: fc.tuple(pair(1, 'x'), pair(1, 'y')),
  }),
}) as fc.Arbitrary<Data>
const asked = fc.constantFrom(
  '/cards',
  '/cards',
  '/cards?expand=zone',
  '/cards/1',
  '/cards/1',
  '/cards/2?expand=zone',
  '/zones/x',
  '/zones',
  '/pairs',
  '/pairs/a=1,b=x',
)
const accepted = fc.constantFrom<Record<string, string>>({}, {}, { accept: 'application/xml' })

describe('a record that is read repeatedly', () => {
  it('HDR-2, HDR-8: results in the same responses as without caches, for any stored values', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(data, fc.array(fc.tuple(asked, accepted), { minLength: 1, maxLength: 4 })), {
          minLength: 1,
          maxLength: 4,
        }),
        async (states) => {
          let now = states[0]?.[0] as Data
          const [kept, anew] = await Promise.all([serve(() => now, true), serve(() => now, false)])
          for (const [state, questions] of states) {
            now = state
            for (const [path, headers] of questions) {
              const expected = await anew.get(path, headers)
              for (let again = 0; again < 5; again += 1) {
                const said = await kept.get(path, headers)
                if (expected.status === 500) expect(said.status).toBe(500)
                else expect(said).toEqual(expected)
              }
            }
          }
          for (const server of servers.splice(0)) {
            server.closeAllConnections()
            server.close()
          }
        },
      ),
      { numRuns: 25 },
    )
  }, 240_000)

  it('AUTH-4: is returned to each caller with the values that the store returns for that caller', async () => {
    const adapter = {
      list: async (_: unknown, { principal }: { principal: unknown }) => ({
        items: [{ value: { id: 'x', name: principal === 'ana' ? 'secret' : null }, version: '1' }],
        total: 1,
      }),
      read: async (keys: readonly string[], { principal }: { principal: unknown }) =>
        keys.map((id) => ({ value: { id, name: principal === 'ana' ? 'secret' : null }, version: '1' })),
    }
    const service = api({
      principal: (req) => req.headers.authorization,
      versions: { v1: [mount(zones, adapter as never)] },
    })
    const server = http.createServer(express().use(service)).listen(0, '127.0.0.1')
    servers.push(server)
    await new Promise((resolve) => server.once('listening', resolve))
    const get = async (path: string, authorization: string) =>
      (
        await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1${path}`, {
          headers: { authorization },
        })
      ).text()
    for (const path of ['/zones/x', '/zones']) {
      for (let again = 0; again < 5; again += 1) expect(await get(path, 'ana')).toContain('secret')
      for (let again = 0; again < 5; again += 1) expect(await get(path, 'eva')).not.toContain('secret')
    }
  })

  it('is found in the cache, and caches() reports the number of hits', async () => {
    const row: Row = { value: { id: always('x'), name: always('north') }, version: '1' }
    const { get, service } = await serve(() => ({ rows: { cards: [], zones: [row], pairs: [] } }), true)
    for (let again = 0; again < 6; again += 1) await get('/zones/x')
    const counts = Object.fromEntries(service.caches().map((count) => [count.name, count]))
    expect(counts.records).toMatchObject({ entries: 1, hits: 4 })
    expect(counts.items?.entries).toBe(1)
  })

  it('is not cached if its adapter declares computed values', async () => {
    const read = async (keys: readonly string[]) => keys.map((id) => ({ value: { id }, version: '1' }))
    const adapter = { computes: true, read, list: async () => ({ items: [] }) }
    const service = api({ versions: { v1: [mount(zones, adapter as never)] } })
    const server = http.createServer(express().use(service)).listen(0, '127.0.0.1')
    servers.push(server)
    await new Promise((resolve) => server.once('listening', resolve))
    for (let again = 0; again < 4; again += 1)
      await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/zones/x`)
    expect(service.caches().find(({ name }) => name === 'records')).toMatchObject({ entries: 0, hits: 0 })
  })
})
