/**
 * Tests of concurrent calls of records() in one transaction: refused calls do not affect the other
 * calls.
 */
import type { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PostgresClient } from '../../../src/adapters/postgres/index.js'
import { type Api, api, defineResource, mount } from '../../../src/index.js'
import { type Store, stores, tableOf } from '../../adapters/postgres/stores.js'

const orders = defineResource({
  collection: 'orders',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer' }, n: { type: 'integer', default: 0 }, code: { type: ['string', 'null'] } },
  },
})

type Tx = PostgresClient & { query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }> }

async function inTransaction<T>(client: PostgresClient, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (!(client instanceof pg.Pool))
    return (client as PGlite).transaction((tx) => work(tx as unknown as Tx)) as Promise<T>
  const tx = await client.connect()
  try {
    await tx.query('BEGIN')
    const result = await work(tx as unknown as Tx)
    await tx.query('COMMIT')
    return result
  } finally {
    tx.release()
  }
}

const clients: readonly (readonly [string, (tx: Tx) => Tx])[] = [
  ["the driver's client", (tx) => tx],
  [
    'a wrapper around the client',
    (tx) => ({ query: (text: string, values?: unknown[]) => tx.query(text, values) }) as Tx,
  ],
]

describe.each(stores)('records() over $name', ({ open }) => {
  let store: Store
  let service: Api
  beforeAll(async () => {
    store = await open()
    service = api({
      versions: {
        v1: [mount(orders, await tableOf(store, orders, { table: 'orders', version: { column: 'version' } }))],
      },
    })
    await store.sql('ALTER TABLE orders ADD UNIQUE (code)')
  }, 120_000)
  afterAll(() => store.close())

  it.each(clients)('with %s, refused calls do not affect the other concurrent calls', async (_, clientOf) => {
    await store.sql('DELETE FROM orders; INSERT INTO orders (id, n) VALUES (1, 0), (2, 0), (3, 0)')
    const codes = await inTransaction(store.client, async (tx) => {
      const own = service.records(orders, { principal: 'job', within: clientOf(tx) })
      const made = Array.from({ length: 16 }, (__, i) =>
        own.create({ id: 10 + i, code: i % 2 === 0 ? 'taken' : `c${i}` }),
      )
      const all = await Promise.all([
        ...made,
        own.patch(1, { n: 1 }),
        own.patch(1, { code: 'mine' }),
        own.remove(3),
        own.patch(2, { code: 'c1' }),
      ])
      return all.map((one) => ('problem' in one ? one.problem.code : 'done'))
    })
    expect(codes.slice(0, 16).filter((code) => code === 'duplicate')).toHaveLength(7)
    expect(codes.slice(16)).toEqual(['done', 'done', 'done', 'duplicate'])
    const rows = await store.sql('SELECT id::int, n::int, code FROM orders WHERE id < 10 ORDER BY id')
    expect(rows).toEqual([
      { id: 1, n: 1, code: 'mine' },
      { id: 2, n: 0, code: null },
    ])
    expect(await store.sql('SELECT id FROM orders WHERE id >= 10')).toHaveLength(9)
  })

  it.each(clients)('with %s, one of two patches of the same version is refused as stale', async (_, clientOf) => {
    await store.sql('DELETE FROM orders; INSERT INTO orders (id, n) VALUES (1, 0)')
    const codes = await inTransaction(store.client, async (tx) => {
      const own = service.records(orders, { principal: 'job', within: clientOf(tx) })
      const first = await own.patch(1, { n: 1 })
      if ('problem' in first) throw first.problem
      const expected = { expected: first.version }
      const both = await Promise.all([own.patch(1, { n: 2 }, expected), own.patch(1, { n: 3 }, expected)])
      return both.map((one) => ('problem' in one ? one.problem.code : 'done'))
    })
    expect(codes.sort()).toEqual(['done', 'stale'])
  })
})

it('createAll() and checkAll() throw for a value that is not a list of records', async () => {
  const service = api({
    versions: {
      v1: [
        mount(orders, {
          list: async () => ({ items: [] }),
          read: async () => [],
          create: async () => ({ nothing: true }),
        }),
      ],
    },
  })
  const own = service.records(orders, { principal: undefined })
  for (const values of ['abc', undefined, { length: 1 }]) {
    await expect(own.createAll(values as never)).rejects.toThrow('got no list of records. Give an array.')
    await expect(own.checkAll(values as never)).rejects.toThrow('Give an array.')
  }
  await expect(own.checkAll([null] as never)).rejects.toThrow('got null at ""')
  await expect(own.checkAll([new Date()] as never)).rejects.toThrow('got an object (Date) at ""')
})
