/**
 * Reproduces the incidents of docs/operations.md: servers of PostgreSQL and Redis are stopped, a
 * pool is exhausted, a disk is full, clocks are wrong. The page shows every line that the tests
 * log, and has every section to which these lines link.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import jsonwebtoken from 'jsonwebtoken'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openCounters } from '../../examples/pre-piezas/counters.js'
import { type PostgresAdapterOptions, postgresAdapter } from '../../src/adapters/postgres/index.js'
import { bearer, jwks } from '../../src/auth/index.js'
import { incidents } from '../../src/failures/incidents.js'
import { type Adapter, type ApiOptions, api, defineResource, failureLine, mount, Unavailable } from '../../src/index.js'
import { rateLimit } from '../../src/middleware/index.js'
import { health } from '../../src/server/index.js'
import { freePort } from '../servers/free-port.js'
import { type OwnRedis, ownRedis } from '../servers/own-redis.js'
import { type OwnServer, ownServer } from '../servers/own-server.js'

const page = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')

interface Cosa {
  readonly id: string
  readonly lote: string
}
const cosas = defineResource<Cosa>()({
  collection: 'cosas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'lote'],
    properties: { id: { type: 'string' }, lote: { type: 'string' } },
  },
  filters: { lote: true },
  sort: ['id'],
})

let database: OwnServer
let redis: OwnRedis
let other: pg.Client
const logged: string[] = []
const undo: (() => unknown)[] = []

beforeAll(async () => {
  ;[database, redis] = await Promise.all([ownServer(), ownRedis()])
  other = new pg.Client({ connectionString: database.url })
  await other.connect()
  await other.query(
    `CREATE TABLE cosas (id text PRIMARY KEY, lote text NOT NULL);
     INSERT INTO cosas SELECT 'c' || i, 'l' || i % 1000 || repeat('x', 100) FROM generate_series(1, 60000) i; ANALYZE cosas`,
  )
}, 60_000)
afterAll(async () => {
  other.on('error', () => {})
  await other.end().catch(() => {})
  await Promise.all([database.remove(), redis.remove()])
})
beforeEach(() => {
  logged.length = 0
  const log = vi.spyOn(console, 'error').mockImplementation((...said: unknown[]) => void logged.push(said.join(' ')))
  undo.push(() => log.mockRestore())
})
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one()
})

function pool(options: pg.PoolConfig = {}): pg.Pool {
  const made = new pg.Pool({ connectionString: database.url, ...options })
  undo.push(() => made.end().catch(() => {}))
  return made
}
const adapter = (over: pg.Pool, options: Partial<PostgresAdapterOptions<Cosa, string>> = {}) =>
  postgresAdapter(over, {
    resource: cosas,
    table: 'cosas',
    onWarning: (message) => void logged.push(message),
    ...options,
  })

async function listening(app: RequestListener): Promise<string> {
  const server: Server = createServer(app)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  undo.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
/** Serves a resource over this adapter. Returns a function that sends a request to the service. */
async function serve(over: Adapter<Cosa, string>, options: Partial<ApiOptions> = {}) {
  const service = api({ ...options, versions: { v1: [mount(cosas, over)], v0: 'retired' } })
  const base = await listening(express().use(service))
  return async (path = '/v1/cosas/c1', init: RequestInit = {}) => {
    const answer = await fetch(base + path, { ...init, headers: { 'x-request-id': 'r-1', ...init.headers } })
    return { status: answer.status, text: await answer.text() }
  }
}

/**
 * A logged line in the form that the page shows: with default ports, fixed durations and a fixed
 * position in the library's source.
 */
const usual = (line: string): string =>
  line
    .replaceAll(`:${database.port}`, ':5432')
    .replaceAll(`:${redis.port}`, ':6379')
    .replace(/127\.0\.0\.1:(?!5432|6379)\d+/g, '127.0.0.1:8443')
    .replace(/took \d+ ms/, 'took 1204 ms')
    .replace(/after \d+ seconds/, 'after 41 seconds')
    .replace(/(key-set-request\.ts):\d+:\d+/, '$1:41:20')

/** Checks that the page shows each line that was logged. */
function expectOnPage(): void {
  expect(logged.length).toBeGreaterThan(0)
  const lines = page.split('\n')
  expect(logged.map(usual).filter((line) => !lines.includes(line))).toEqual([])
}

/** Locks the table, so that the statements of other connections wait. */
async function holdTable(): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  undo.push(() => holder.end())
  await holder.query('BEGIN; LOCK TABLE cosas IN ACCESS EXCLUSIVE MODE')
  return async () => {
    await holder.query('ROLLBACK')
  }
}

describe('docs/operations.md', () => {
  it('has a section for each incident, and the first ten sections describe symptoms and what to do', () => {
    const sections = page.split(/^<a id="/m).slice(1)
    const anchors = sections.map((section) => section.slice(0, section.indexOf('"')))
    expect(anchors.toSorted()).toEqual(Object.keys(incidents).toSorted())
    for (const section of sections.slice(0, 10)) {
      for (const part of ['**Symptoms.**', '**Where to look.**', '**What to do.**', '**In the meantime.**'])
        expect(section, section.slice(0, 40)).toContain(part)
    }
  })
})

describe('docs/operations.md shows each line that is logged in an incident', () => {
  it('slow filter: a list without an index, and a cancelled statement', async () => {
    const ask = await serve(adapter(pool()))
    const release = await holdTable()
    const list = ask('/v1/cosas?lote=l7')
    const waited =
      `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND now() - ` + `query_start > '1.1 s'`
    await expect.poll(async () => (await other.query(waited)).rows[0].count, { timeout: 10_000 }).toBe('1')
    await release()
    expect((await list).status).toBe(200)
    await expect.poll(() => logged.length).toBe(1)
    const slow = await serve(adapter(pool(), { statementTimeout: 100 }))
    await slow('/v1/cosas/c1')
    const again = await holdTable()
    expect((await slow('/v1/cosas?lote=l7')).status).toBe(503)
    await again()
    expect(logged).toHaveLength(2)
    expectOnPage()
  })

  it('pool exhausted: no connection is free in time, or the server accepts no more connections', async () => {
    const ask = await serve(adapter(pool({ max: 1 }), { acquireTimeout: 100 }))
    await ask()
    const release = await holdTable()
    const first = ask('/v1/cosas/c1')
    await expect
      .poll(
        async () =>
          (await other.query(`SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`)).rows[0].count,
      )
      .toBe('1')
    expect((await ask('/v1/cosas/c2')).status).toBe(503)
    await release()
    expect((await first).status).toBe(200)
    await other.query(
      `ALTER DATABASE postgres CONNECTION LIMIT 1; CREATE ROLE ana LOGIN PASSWORD 'secreta'; GRANT SELECT ON ` +
        'cosas TO ana',
    )
    undo.push(() => other.query('ALTER DATABASE postgres CONNECTION LIMIT -1; DROP OWNED BY ana; DROP ROLE ana'))
    const url = new URL(database.url)
    url.username = 'ana'
    url.password = 'secreta'
    const full = new pg.Pool({ connectionString: url.href })
    undo.push(() => full.end())
    const held = new pg.Client({ connectionString: database.url })
    await held.connect()
    undo.push(() => held.end())
    expect((await (await serve(adapter(full)))()).status).toBe(503)
    expectOnPage()
    expect(logged.join()).not.toMatch(/secreta/)
  })

  it('clock skew: the reason of a 401 names the skew', async () => {
    const key = randomBytes(32)
    const onError: ApiOptions['onError'] = (event) => void logged.push(failureLine(event))
    const keys = { algorithm: 'HS256', key } as const
    const ask = await serve(adapter(pool()), { authenticate: bearer({ keys }), onError })
    const now = Math.floor(Date.now() / 1000)
    for (const claims of [{ exp: now + 3600, nbf: now + 300 }, { exp: now - 300 }]) {
      const token = jsonwebtoken.sign({ sub: 'ana', ...claims }, key)
      expect((await ask('/v1/cosas/c1', { headers: { authorization: `Bearer ${token}` } })).status).toBe(401)
    }
    expectOnPage()
  })

  it('key rotation: an unreachable issuer', async () => {
    const gone = createServer()
    gone.listen(0, '127.0.0.1')
    await once(gone, 'listening')
    const { port } = gone.address() as AddressInfo
    gone.close()
    const ask = await serve(adapter(pool()), {
      authenticate: bearer({ keys: jwks(`http://127.0.0.1:${port}/jwks.json`) }),
    })
    const token = jsonwebtoken.sign({ sub: 'ana' }, 'x'.repeat(32), { expiresIn: 60, keyid: 'new' })
    expect((await ask('/v1/cosas/c1', { headers: { authorization: `Bearer ${token}` } })).status).toBe(503)
    expectOnPage()
  })

  it('retired version: a 410 is not logged, but a hook can log it', async () => {
    const statuses: (number | undefined)[] = []
    const ask = await serve(adapter(pool()), { onResponse: ({ status }) => statuses.push(status) })
    expect((await ask('/v0/cosas')).status).toBe(410)
    expect(statuses).toEqual([410])
    expect(logged).toEqual([])
  })

  it('overload: too many concurrent requests', async () => {
    const hangs: Adapter<Cosa, string> = { list: () => ({ items: [] }), read: () => new Promise(() => {}) }
    const ask = await serve(hangs, { maxConcurrent: 1, timeout: 300 })
    const first = ask()
    await expect.poll(async () => (await ask()).status).toBe(503)
    await first
    logged.splice(0, logged.length, ...new Set(logged))
    expectOnPage()
  })

  it('stale writes: other processes keep changing the row that a PATCH updates', async () => {
    const row = { value: { id: 'c1', lote: 'l1' }, version: '1' }
    const always: Adapter<Cosa, string> = { list: () => ({ items: [] }), read: () => [row], replace: () => 'stale' }
    const ask = await serve(always, { timeout: 200 })
    const patch = { method: 'PATCH', headers: { 'content-type': 'application/json' }, body: '{"lote":"l2"}' }
    expect((await ask('/v1/cosas/c1', patch)).status).toBe(503)
    expectOnPage()
  })

  it('disk full: the disk of PostgreSQL, and the disk of this host', async () => {
    const write = async (tx: { query(text: string): Promise<unknown> }) => {
      await tx.query(`COPY (SELECT repeat('secreto', 10000)) TO '/dev/full'`)
    }
    const put = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{"id":"c1","lote":"l2"}' }
    expect((await (await serve(adapter(pool(), { write })))('/v1/cosas/c1', put)).status).toBe(503)
    const onDisk: Adapter<Cosa, string> = {
      list: () => ({ items: [] }),
      async read() {
        await writeFile('/dev/full', 'secreto').catch((cause: unknown) => {
          throw new Unavailable({ cause })
        })
        return []
      },
    }
    expect((await (await serve(onDisk))()).status).toBe(503)
    expectOnPage()
    expect(logged.join()).not.toMatch(/secreto/)
  })

  it('an incompatible table, an unreachable upstream, and a bug in the code', async () => {
    const unfit = adapter(pool())
    const ask = await serve(unfit)
    await ask()
    await other.query('ALTER TABLE cosas RENAME TO cosas_2')
    undo.push(() => other.query('ALTER TABLE IF EXISTS cosas_2 RENAME TO cosas'))
    expect((await ask()).status).toBe(500)
    const upstream: Adapter<Cosa, string> = {
      list: () => ({ items: [] }),
      read: async () => {
        await fetch(`http://127.0.0.1:${await freePort()}`).catch((cause: unknown) => {
          throw new Unavailable({ cause })
        })
        return []
      },
    }
    const faulty: Adapter<Cosa, string> = {
      list: () => ({ items: [] }),
      read: () => {
        throw new TypeError('the card 4111 1111 1111 1111')
      },
    }
    await (await serve(upstream))()
    await (await serve(faulty))()
    for (let i = 0; i < logged.length; i++)
      logged[i] = usual(logged[i] as string).replace(/at \S+:\d+:\d+/g, 'at src/cosas.js:12:11')

    expectOnPage()
    expect(logged.join()).not.toMatch(/4111/)
  })

  it('Redis gone: requests pass uncounted, and the log says when counting resumes', async () => {
    // This is the Redis client of the example. While it is offline, its commands reject with the
    // error that ended the connection.
    const counters = await openCounters({ redisUrl: redis.url })
    undo.push(() => counters.close())
    const limit = rateLimit({ limit: 100, ...counters.optionsOf?.('private') })
    const ask = await serve(adapter(pool()), { rateLimit: limit })
    expect((await ask()).status).toBe(200)
    await redis.kill()
    expect((await ask()).status).toBe(200)
    await expect.poll(() => logged.length).toBe(1)
    await redis.start()
    await expect.poll(() => logged.length, { timeout: 10_000 }).toBe(2)
    logged[1] = (logged[1] as string).replace(/for \d+(\.\d)? seconds?/, 'for 41 seconds')
    expectOnPage()
  })

  it('database gone: requests are refused, then served again without a restart of the service', async () => {
    const over = pool()
    const ask = await serve(adapter(over))
    const probes = await listening(
      health({ maxAge: 0, checks: { database: () => over.query('SELECT 1') } }) as RequestListener,
    )
    expect((await ask()).status).toBe(200)
    other.on('error', () => {})
    await database.stop('immediate')
    over.on('error', () => {})
    await expect.poll(() => over.idleCount).toBe(0)
    logged.length = 0
    const { status, text } = await ask()
    expect([status, /127\.0\.0\.1/.test(text)]).toEqual([503, false])
    expect((await fetch(`${probes}/ready`)).status).toBe(503)
    await database.start()
    await expect.poll(async () => (await ask()).status, { timeout: 10_000 }).toBe(200)
    expect((await fetch(`${probes}/ready`)).status).toBe(204)
    logged.splice(0, logged.length, ...new Set(logged))
    expectOnPage()
  })
})
