/**
 * The handler of an endpoint below an item writes in one transaction, over PostgreSQL and PGlite.
 * The writes are atomic, and are made only once.
 */
import type { PGlite } from '@electric-sql/pglite'
import express from 'express'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PostgresClient } from '../../src/adapters/postgres/index.js'
import { api, defineResource, type EndpointItem, endpoint, endpointReply, HttpProblem, mount } from '../../src/index.js'
import { preconditionFailed } from '../../src/middleware/index.js'
import { stores, tableOf } from '../adapters/postgres/stores.js'
import { listen } from '../clauses/fixture.js'

const pedidos = defineResource({
  collection: 'pedidos',
  key: 'numero',
  schema: {
    type: 'object',
    required: ['numero', 'estado'],
    properties: { numero: { type: 'integer' }, estado: { type: 'string' } },
  },
})

interface Tx {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

async function inTransaction<T>(client: pg.Pool | PGlite, work: (tx: PostgresClient & Tx) => Promise<T>): Promise<T> {
  if (!(client instanceof pg.Pool))
    return client.transaction((tx) => work(tx as unknown as PostgresClient & Tx)) as Promise<T>
  const tx = await client.connect()
  try {
    await tx.query('BEGIN')
    const result = await work(tx as unknown as PostgresClient & Tx)
    await tx.query('COMMIT')
    return result
  } catch (error) {
    await tx.query('ROLLBACK')
    throw error
  } finally {
    tx.release()
  }
}

describe.each(stores)('an endpoint that writes in a transaction, over $name', ({ open }) => {
  let service: Awaited<ReturnType<typeof serve>>
  // Creating a database takes a long time on a busy machine.
  beforeAll(async () => {
    service = await serve()
  }, 120_000)
  afterAll(() => service.close())

  async function serve() {
    const store = await open()
    const adapter = await tableOf(store, pedidos, { table: 'pedidos', version: { column: 'version' } })
    await store.sql(`CREATE TABLE abonos (pedido int, motivo text CHECK (motivo <> 'imposible'));
      INSERT INTO pedidos (numero, estado) SELECT n, 'nuevo' FROM generate_series(1, 5) n`)
    const cancelaciones = endpoint<EndpointItem<{ numero: number; estado: string }, number>>()('cancelaciones', {
      description: 'Cancels an order and gives the money back.',
      methods: {
        POST: {
          body: { type: 'object', required: ['motivo'], properties: { motivo: { type: 'string' } } },
          describe: { problems: ['rule'] },
          handle: ({ item: { key, record, version }, body, callOf }) =>
            inTransaction(store.client as pg.Pool | PGlite, async (tx) => {
              if (record.estado === 'cancelado') throw new HttpProblem('rule', { detail: 'It is already cancelled.' })
              const saved = await adapter
                .within(tx)
                .replace(key, { ...record, estado: 'cancelado' }, version, callOf('pedidos'))
              if (saved === 'stale') throw preconditionFailed()
              if (typeof saved === 'string' || 'refused' in saved) throw new HttpProblem('absent')
              await tx.query('INSERT INTO abonos VALUES ($1, $2)', [key, body.motivo])
              return endpointReply({ status: 200, body: saved.value, version: saved.version })
            }),
        },
      },
    })
    const service = await listen(
      express().use(
        api({ onError: () => {}, versions: { v1: [mount(pedidos, adapter, { endpoints: [cancelaciones] })] } }),
      ),
    )
    const close = () => service.close().then(() => store.close())
    return { ...service, sql: store.sql, close }
  }

  it('HDR-3: of many concurrent cancellations of an item, exactly one succeeds, together with its refund', async () => {
    const { send, sql } = service
    const { etag = '' } = (await send('GET', '/v1/pedidos/1')).headers
    const many = <T>(make: (at: number) => Promise<T>) => Promise.all(Array.from({ length: 8 }, (_, at) => make(at)))
    const tagged = await many(() => send('POST', '/v1/pedidos/1/cancelaciones', { 'if-match': etag }, { motivo: 'a' }))
    expect(tagged.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 7 }, () => 412)])
    const plain = await many(() => send('POST', '/v1/pedidos/2/cancelaciones', {}, { motivo: 'a' }))
    expect(plain.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(plain.every(({ status }) => [200, 412, 422].includes(status))).toBe(true)
    // A patch makes a cancelled order cancellable again, so several cancellations can succeed. Each
    // of them has exactly one refund.
    const mixed = await many((at) =>
      at % 2 === 0
        ? send('PATCH', '/v1/pedidos/3', {}, { estado: `e${at}` })
        : send('POST', '/v1/pedidos/3/cancelaciones', {}, { motivo: 'a' }),
    )
    const made = mixed.filter(({ status }, at) => at % 2 === 1 && status === 200).length
    const [{ n } = {}] = await sql('SELECT count(*)::int AS n FROM abonos WHERE pedido = 3')
    expect(n).toBe(made)
    expect(await sql('SELECT pedido FROM abonos WHERE pedido < 3 ORDER BY 1')).toEqual([{ pedido: 1 }, { pedido: 2 }])
  })

  it('HDR-2: the Etag of the response has the version of the committed row', async () => {
    const { send } = service
    const { headers } = await send('POST', '/v1/pedidos/4/cancelaciones', {}, { motivo: 'a' })
    const now = await send('GET', '/v1/pedidos/4')
    const versionIn = (tag: unknown) => String(tag).slice(1, String(tag).lastIndexOf('.'))
    expect(versionIn(headers.etag)).toBe(versionIn(now.headers.etag))
    expect(
      (await send('PATCH', '/v1/pedidos/4', { 'if-match': String(headers.etag) }, { estado: 'otro' })).status,
    ).toBe(200)
  })

  it('VERB-13: a failure in the middle of the transaction changes nothing', async () => {
    const { send, sql } = service
    const before = await send('GET', '/v1/pedidos/5')
    expect((await send('POST', '/v1/pedidos/5/cancelaciones', {}, { motivo: 'imposible' })).status).toBe(500)
    const after = await send('GET', '/v1/pedidos/5')
    expect([after.text, after.headers.etag]).toEqual([before.text, before.headers.etag])
    expect(await sql('SELECT * FROM abonos WHERE pedido = 5')).toEqual([])
  })
})
