/**
 * Tests VERB-13 on a real PostgreSQL server. The change is committed, but the reads that the
 * response needs fail: the database has become unreachable, or the linked table is locked.
 */
import express from 'express'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresAdapter, tableDdl } from '../../../src/adapters/postgres/index.js'
import { api, mount } from '../../../src/index.js'
import { type Answer, listen, type Served } from '../../clauses/fixture.js'
import { freshSchema, type Place } from '../../servers/databases.js'
import { startProxy, type TcpProxy } from '../../servers/proxy.js'
import { clientes, contratos } from './linked.js'

const timeout = 3_000

describe('VERB-13: if the reads after a commit fail, the response is a success without a body', () => {
  let place: Place
  let proxy: TcpProxy
  let pool: pg.Pool
  let service: Omit<Served, 'data'>
  /**
   * Called once, after the database has acknowledged the next write and before any further read.
   */
  let afterWrite: (() => void) | undefined
  beforeAll(async () => {
    place = await freshSchema()
    const keys = { table: 'idempotency_keys' }
    await place.sql(tableDdl(clientes, { table: 'clientes' }))
    await place.sql(tableDdl(contratos, { table: 'contratos', idempotency: keys }))
    await place.sql(
      "INSERT INTO clientes (id, nombre) VALUES (1, 'Ana'); INSERT INTO contratos (codigo, n, cliente_id) " +
        "VALUES ('a', 0, 1)",
    )
    proxy = await startProxy({ host: new URL(place.url).hostname, port: Number(new URL(place.url).port || 5432) })
    pool = new pg.Pool({ connectionString: proxy.through(place.url), max: 4 })
    const options = { onWarning: () => {} }
    const app = express().use(
      api({
        timeout,
        principal: () => ({ sub: 'ana' }),
        onError: () => {},
        onQuery: ({ call }) => {
          if (!['create', 'replace', 'remove'].includes(call)) return
          afterWrite?.()
          afterWrite = undefined
        },
        versions: {
          v1: [
            // The library cannot join the table of a copied adapter. It reads the links after the
            // write, by separate statements.
            mount(clientes, { ...postgresAdapter(pool, { resource: clientes, table: 'clientes', ...options }) }),
            mount(contratos, postgresAdapter(pool, { table: 'contratos', idempotency: keys, ...options })),
          ],
        },
      }),
    )
    service = await listen(app)
  })
  afterAll(async () => {
    await service.close()
    await pool.end()
    await proxy.close()
    await place.drop()
  })

  const record = (codigo: string, n: number) => ({ codigo, n, cliente: { id: 1 } })
  const changes: Readonly<Record<string, { status: number; codigo: string; send: (n: number) => Promise<Answer> }>> = {
    PATCH: { status: 200, codigo: 'a', send: (n) => service.send('PATCH', '/v1/contratos/a', {}, { n }) },
    PUT: { status: 200, codigo: 'a', send: (n) => service.send('PUT', '/v1/contratos/a', {}, record('a', n)) },
    POST: { status: 201, codigo: 'post', send: (n) => service.send('POST', '/v1/contratos', {}, record('post', n)) },
    'POST, return=minimal': {
      status: 201,
      codigo: 'minimal',
      send: (n) => service.send('POST', '/v1/contratos', { Prefer: 'return=minimal' }, record('minimal', n)),
    },
    'POST with an idempotency key': {
      status: 201,
      codigo: 'key',
      send: (n) => service.send('POST', '/v1/contratos', { 'Idempotency-Key': `k${n}` }, record('key', n)),
    },
  }

  const outages: Readonly<Record<string, { begin: () => void; end: () => Promise<void> | void }>> = {
    'connections are reset and refused': {
      begin: () => {
        proxy.refuse()
        proxy.cut('reset')
      },
      end: () => proxy.accept(),
    },
    'the network drops all packets': { begin: () => proxy.stall(), end: () => proxy.resume() },
  }

  for (const [outage, { begin, end }] of Object.entries(outages)) {
    it.each(Object.keys(changes))(`%s: ${outage}`, async (name) => {
      const { status, codigo, send } = changes[name] as (typeof changes)[string]
      const n = Math.floor(Math.random() * 1e6)
      await place.sql("DELETE FROM contratos WHERE codigo <> 'a'; DELETE FROM idempotency_keys")
      afterWrite = begin
      const answer = await send(n)
      await end()
      expect([answer.status, answer.text, answer.headers.etag]).toEqual([
        status,
        '',
        expect.stringMatching(/^"[^"]+\.~"$/),
      ])
      if (status === 201) expect(answer.headers.location).toBe(`${service.origin}/v1/contratos/${codigo}`)
      expect(await place.sql(`SELECT n::integer AS n FROM contratos WHERE codigo = '${codigo}'`)).toEqual([{ n }])
      const { etag = '' } = answer.headers
      await expect
        .poll(async () => (await service.send('GET', `/v1/contratos/${codigo}`, { 'If-None-Match': etag })).status, {
          timeout: 15_000,
        })
        .toBe(200)
      if (name === 'POST with an idempotency key') {
        const repeated = await send(n)
        expect([repeated.status, repeated.headers.location]).toEqual([201, answer.headers.location])
      }
      expect((await service.send('PATCH', `/v1/contratos/${codigo}`, { 'If-Match': etag }, { n: 1 })).status).toBe(200)
      expect((await service.send('PATCH', `/v1/contratos/${codigo}`, { 'If-Match': etag }, { n: 2 })).status).toBe(412)
    })
  }

  it('PATCH: a lock on the linked table outlasts the time limit', async () => {
    const blocker = new pg.Client({ connectionString: place.url })
    await blocker.connect()
    await blocker.query('BEGIN; LOCK TABLE clientes IN ACCESS EXCLUSIVE MODE')
    const answer = await service.send('PATCH', '/v1/contratos/a', {}, { n: 77 })
    await blocker.query('ROLLBACK')
    await blocker.end()
    expect([answer.status, answer.text]).toEqual([200, ''])
    expect(await place.sql("SELECT n::integer AS n FROM contratos WHERE codigo = 'a'")).toEqual([{ n: 77 }])
  })
})
