/**
 * Synchronous replication without a connected standby. The adapter does not report success for a
 * write that only the primary server has committed.
 */
import express from 'express'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { AdapterCall, Idempotency } from '../../../src/adapters/contract.js'
import { idempotencyDdl, postgresAdapter, type SqlClient } from '../../../src/adapters/postgres/index.js'
import { api, defineResource, mount, problems } from '../../../src/index.js'
import { listen } from '../../clauses/fixture.js'
import { type OwnServer, ownServer } from '../../servers/own-server.js'
import { call, listRequest } from '../memory/requests.js'
import { bultosIn, ddl, refusedWith, tried, unknown, until, within } from './bultos.js'

const idempotency = { table: 'claves' } as const

let server: OwnServer
let pool: pg.Pool

/** Runs statements on a connection whose own commits do not wait for a standby. */
async function sql(text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(`${server.url}?options=-c%20synchronous_commit%3Dlocal`)
  await client.connect()
  const results = [await client.query(text)].flat()
  await client.end()
  return results.at(-1)?.rows ?? []
}

async function setStandby(names: string): Promise<void> {
  await sql(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`)
  await sql('SELECT pg_reload_conf()')
  let shown: unknown
  while (shown !== names) shown = (await sql('SHOW synchronous_standby_names'))[0]?.synchronous_standby_names
}

beforeAll(async () => {
  server = await ownServer()
  await sql(`${ddl} ${idempotencyDdl(idempotency)}
    CREATE TABLE clientes (id text PRIMARY KEY);
    CREATE TABLE repartos (cliente text, bulto text, PRIMARY KEY (cliente, bulto));
    INSERT INTO clientes VALUES ('c');
    INSERT INTO bultos SELECT 'r' || i, 0 FROM generate_series(1, 20) AS i`)
  pool = new pg.Pool({ connectionString: server.url, max: 8, idleTimeoutMillis: 0 })
  await setStandby('absent')
}, 60_000)
afterEach(() => sql(`UPDATE bultos SET n = 0; DELETE FROM buzon; DELETE FROM bultos WHERE id NOT LIKE 'r%'`))
afterAll(async () => {
  await pool.end()
  await server.remove()
})

/**
 * The statement timeout ends the wait for a standby. The time limit of a request is much longer, so
 * there is enough time to respond.
 */
const soon = { statementTimeout: 1_000 }
const request = () => within(30_000)

describe('a write that no synchronous standby confirms', () => {
  const writes = (client: SqlClient) => {
    const plain = bultosIn(client, soon)
    const together = bultosIn(client, {
      ...soon,
      write: (tx, { key }) => tx.query('INSERT INTO buzon VALUES ($1)', [key]).then(() => {}),
    })
    return [
      () => plain.create({ id: 'a', n: 1 }, request()),
      () => plain.replace('r1', { id: 'r1', n: 1 }, undefined, request()),
      () => plain.remove('r2', undefined, request()),
      () => together.create({ id: 'b', n: 1 }, request()),
      () => together.replace('r3', { id: 'r3', n: 1 }, undefined, request()),
      () => together.remove('r4', undefined, request()),
    ]
  }

  it('causes a 503 with an unknown outcome and is not retried, inside and outside of a transaction', async () => {
    for (const { detail } of await Promise.all(writes(pool).map((write) => refusedWith(write()))))
      expect(detail).toMatch(unknown)
    // The primary server has committed each write exactly once, but no standby has confirmed a
    // write. So "unknown" is the correct outcome.
    expect(await sql(`SELECT id, n FROM bultos WHERE id IN ('a', 'b', 'r1', 'r2', 'r3', 'r4') ORDER BY id`)).toEqual([
      { id: 'a', n: 1 },
      { id: 'b', n: 1 },
      { id: 'r1', n: 1 },
      { id: 'r3', n: 1 },
    ])
    expect(await sql('SELECT bulto FROM buzon ORDER BY bulto')).toEqual([
      { bulto: 'b' },
      { bulto: 'r3' },
      { bulto: 'r4' },
    ])
    await sql(`INSERT INTO bultos VALUES ('r2', 0), ('r4', 0)`)
  })

  it('causes a 503 with an unknown outcome if the adapter has a pg.Client instead of a pool', async () => {
    const client = new pg.Client(server.url)
    await client.connect()
    for (const write of writes(client)) expect((await refusedWith(write())).detail).toMatch(unknown)
    expect(await bultosIn(client).read(['r1'], call)).toMatchObject([{ value: { n: 1 } }])
    await client.end()
    await sql(`INSERT INTO bultos VALUES ('r2', 0), ('r4', 0)`)
  })

  it('causes a 503 with an unknown outcome if the time limit of the request, or an administrator, ends the wait', async () => {
    const limited = bultosIn(pool)
    expect((await refusedWith(limited.create({ id: 'limited' }, within(3_000)))).detail).toMatch(unknown)
    const cancelled = refusedWith(bultosIn(pool).create({ id: 'cancelled' }, call))
    await until(() =>
      sql(`SELECT pg_cancel_backend(pid) AS done FROM pg_stat_activity WHERE wait_event = 'SyncRep'`),
    ).toEqual([{ done: true }])
    expect((await cancelled).detail).toMatch(unknown)
  })

  it('causes a 503 with an unknown outcome if the connection is terminated during the wait', async () => {
    const together = bultosIn(pool, {
      write: (tx, { key }) => tx.query('INSERT INTO buzon VALUES ($1)', [key]).then(() => {}),
    })
    for (const [id, store] of [
      ['t1', bultosIn(pool)],
      ['t2', together],
    ] as const) {
      const ended = refusedWith(store.create({ id }, call))
      await until(() =>
        sql(`SELECT pg_terminate_backend(pid) AS done FROM pg_stat_activity WHERE wait_event = 'SyncRep'`),
      ).toEqual([{ done: true }])
      expect((await ended).detail).toMatch(unknown)
      expect(await sql(`SELECT id FROM bultos WHERE id = '${id}'`)).toHaveLength(1)
    }
  })

  it('causes a 503 with an unknown outcome if a custom client reports the missing confirmation as error 40003', async () => {
    const client = new pg.Client(server.url)
    await client.connect()
    let unconfirmed = 0
    client.on('notice', ({ routine }) => {
      if (routine === 'SyncRepWaitForLSN') unconfirmed++
    })
    const query = async (text: string, values?: unknown[]) => {
      const before = unconfirmed
      const result = await client.query(text, values)
      if (unconfirmed > before) throw Object.assign(new Error('No standby confirmed the commit.'), { code: '40003' })
      return result
    }
    const transaction = async <T>(work: (tx: SqlClient) => Promise<T>): Promise<T> => {
      await query('BEGIN')
      const result = await work({ query })
      await query('COMMIT')
      return result
    }
    const cancelling = () =>
      until(() => sql(`SELECT pg_cancel_backend(pid) AS done FROM pg_stat_activity WHERE wait_event = 'SyncRep'`))
    for (const store of [
      bultosIn({ query }),
      bultosIn({ query, transaction } as SqlClient, { write: (tx) => tx.query('SELECT 1').then(() => {}) }),
    ]) {
      const written = refusedWith(store.replace('r5', { id: 'r5', n: 9 }, undefined, call))
      await cancelling().toEqual([{ done: true }])
      expect((await written).detail).toMatch(unknown)
    }
    await client.end()
  })

  it('does not close its connection, and does not affect reads', async () => {
    const store = bultosIn(pool, soon)
    const pid = async () => (await pool.query('SELECT pg_backend_pid() AS pid')).rows[0].pid
    const before = new Set(await Promise.all(Array.from({ length: 8 }, pid)))
    await Promise.all([1, 2, 3].map((n) => refusedWith(store.create({ id: `n${n}` }, request()))))
    expect(await store.read(['r1'], call)).toMatchObject([{ value: { id: 'r1' } }])
    expect((await store.list(listRequest({ sort: 'id', size: 2 }), call)).items).toHaveLength(2)
    for (const one of await Promise.all(Array.from({ length: 8 }, pid))) expect(before).toContain(one)
    // The warning about one write does not affect the next statements of its connection.
    for (let i = 0; i < 8; i++) expect(await store.read(['n1'], request())).toMatchObject([{ value: { id: 'n1' } }])
  })

  it('causes a 503 with an unknown outcome in a transaction even if the session hides warnings', async () => {
    const quiet = new pg.Pool({ connectionString: `${server.url}?options=-c%20client_min_messages%3Derror`, max: 1 })
    const together = bultosIn(quiet, {
      ...soon,
      write: (tx, { key }) => tx.query('INSERT INTO buzon VALUES ($1)', [key]).then(() => {}),
    })
    expect((await refusedWith(together.create({ id: 'quiet' }, request()))).detail).toMatch(unknown)
    expect((await quiet.query('SHOW client_min_messages')).rows).toEqual([{ client_min_messages: 'error' }])
    await quiet.end()
  })

  it('can be reported as a success if the session hides warnings, so ready() warns about the session', async () => {
    const warnings = async (options: string) => {
      const messages: string[] = []
      const own = new pg.Pool({ connectionString: `${server.url}?options=${encodeURIComponent(options)}`, max: 1 })
      await bultosIn(own, { onWarning: (message) => void messages.push(message) }).ready()
      await own.end()
      // This server is replicated, so `ready()` also warns about `xmin` as the version.
      return messages.filter((message) => !/is xmin, and the server is replicated/.test(message))
    }
    expect(await warnings('-c client_min_messages=error')).toEqual([
      expect.stringMatching(/client_min_messages.*"warning"/),
    ])
    expect(await warnings('-c client_min_messages=error -c synchronous_commit=local')).toEqual([])
    expect(await warnings('-c client_min_messages=warning')).toEqual([])
  })
})

describe('VERB-12: a retry of a write that no synchronous standby confirmed', () => {
  const keyed = (id: string, parts: AdapterCall): AdapterCall & { readonly idempotency: Idempotency } =>
    ({ ...parts, idempotency: { id, fingerprint: 'f' } }) as never
  const store = () => bultosIn(pool, { idempotency, ...soon })

  it('succeeds only after the wait for a standby has ended', async () => {
    expect((await refusedWith(store().create({ id: 'k', n: 1 }, keyed('one', request())))).detail).toMatch(unknown)
    expect(await sql(`SELECT id FROM bultos WHERE id = 'k'`)).toHaveLength(1)
    // Without a standby, the look-up of the idempotency key fails, and so does the repeated create.
    expect((await refusedWith(store().recall?.(keyed('one', request())))).detail).toMatch(unknown)
    expect((await refusedWith(store().create({ id: 'k', n: 1 }, keyed('one', request())))).detail).toMatch(unknown)
    const waiting = bultosIn(pool, { idempotency }).recall?.(keyed('one', request()))
    await until(() => sql(`SELECT 1 AS n FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)).toEqual([{ n: 1 }])
    await setStandby('')
    expect(await waiting).toMatchObject({ value: { id: 'k', n: 1 } })
    expect(await store().create({ id: 'k', n: 1 }, keyed('one', request()))).toMatchObject({
      created: { value: { id: 'k', n: 1 } },
    })
    expect(await sql(`SELECT id FROM bultos WHERE id = 'k'`)).toHaveLength(1)
    await setStandby('absent')
  })

  it('does not wait if the idempotency key is not stored', async () => {
    expect(await store().recall?.(keyed('none', request()))).toBeUndefined()
  })
})

describe('a service whose database waits for a missing standby', () => {
  const clientes = defineResource({
    collection: 'clientes',
    key: 'id',
    schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
  })
  const bultos = defineResource({
    collection: 'bultos',
    key: 'id',
    schema: {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'string' }, n: { type: ['integer', 'null'] } },
    },
    attachedTo: [{ of: clientes, as: 'repartos' }],
  })
  const attached = { repartos: { table: 'repartos', parent: 'cliente', key: 'bulto' } }

  it('responds to every write with 503 and an unknown outcome, never with a success, and serves reads', async () => {
    const entries = [
      mount(clientes, postgresAdapter(pool, { ...soon, table: 'clientes', onWarning: () => {} })),
      mount(bultos, postgresAdapter(pool, { ...soon, table: 'bultos', attached, idempotency, onWarning: () => {} })),
    ]
    const { send, close } = await listen(express().use(api({ versions: { v1: entries } }), problems()))
    const requests = [
      ['POST', '/v1/bultos', { id: 'x', n: 1 }],
      ['POST', '/v1/bultos', { id: 'y', n: 1 }, { 'Idempotency-Key': '"k1"' }],
      ['POST', '/v1/bultos', { id: 'y', n: 1 }, { 'Idempotency-Key': '"k1"' }],
      ['PUT', '/v1/bultos/r10', { n: 5 }],
      ['PATCH', '/v1/bultos/r11', { n: 5 }, { 'Content-Type': 'application/merge-patch+json' }],
      ['PUT', '/v1/clientes/c/repartos/r12', undefined],
      ['DELETE', '/v1/bultos/r13', undefined],
    ] as const
    for (const [method, path, body, headers = {}] of requests) {
      const answer = await send(method, path, headers, body)
      expect([method, path, answer.status]).toEqual([method, path, 503])
      expect(answer.json).toMatchObject({ detail: expect.stringMatching(unknown) })
    }
    expect(await send('GET', '/v1/bultos/x')).toMatchObject({ status: 200, json: { id: 'x', n: 1 } })
    expect((await send('GET', '/v1/bultos?limit=3')).status).toBe(200)
    await close()
    await sql(`INSERT INTO bultos VALUES ('r13', 0)`)
  })
})

it('writes succeed again when the PostgreSQL server no longer requires a standby', async () => {
  await setStandby('')
  expect(await tried(bultosIn(pool).create({ id: 'back' }, request()))).toMatchObject({ created: {} })
})
