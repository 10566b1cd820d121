import { spawn } from 'node:child_process'
import { once } from 'node:events'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SqlClient } from '../../../src/adapters/postgres/index.js'
import { Unavailable } from '../../../src/problem.js'
import { freshSchema, type Place } from '../../servers/databases.js'
import { startProxy } from '../../servers/proxy.js'
import { call, listRequest } from '../memory/requests.js'
import { bultosIn, ddl, refusedWith, slowView, tried, unchanged, until, within } from './bultos.js'

let place: Place
/**
 * The URL of the database, with an application name that distinguishes the connections of this file
 * from those of other files.
 */
let url: string
let pool: pg.Pool
beforeAll(async () => {
  place = await freshSchema()
  await place.sql(`${ddl} ${slowView}
    INSERT INTO bultos SELECT 'quick' || i, 0 FROM generate_series(1, 20) AS i;
    INSERT INTO bultos VALUES ('slow', 60)`)
  url = `${place.url}&application_name=${place.name}`
  pool = new pg.Pool({ connectionString: url, max: 3 })
})
afterAll(() => pool.end().then(() => place.drop()))

/** Creates an adapter over the slow view. Reading the record "slow" takes a minute. */
const lentos = (client: Parameters<typeof bultosIn>[0] = pool, more = {}) =>
  bultosIn(client, { readFrom: 'lentos', version: { expression: 'id' }, ...more })

const running = (like = '%lentos%') =>
  place.sql(`SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE $1 AND application_name = $2`, [
    like,
    place.name,
  ])

describe('a client that disconnects', () => {
  it('cancels its read, and the pool can use the connection again', async () => {
    const one = new pg.Pool({ connectionString: url, max: 1 })
    const store = lentos(one)
    const pidOf = async () => (await one.query('SELECT pg_backend_pid() AS pid')).rows[0].pid
    await store.ready()
    const pid = await pidOf()
    for (const read of [
      (signal: AbortSignal) => store.read(['slow'], { ...call, signal }),
      (signal: AbortSignal) => store.list(listRequest({ sort: 'n,id' }), { ...call, signal }),
      (signal: AbortSignal) => lentos(one, { session: async () => {} }).read(['slow'], { ...call, signal }),
    ]) {
      const leaving = new AbortController()
      const left = refusedWith(read(leaving.signal))
      await until(() => running().then(({ length }) => length)).toBe(1)
      leaving.abort()
      await left
      expect(await running()).toEqual([])
      expect(await store.read(['quick1'], call)).toMatchObject([{ value: { n: 0 } }])
      expect(await pidOf()).toBe(pid)
    }
    await one.end()
  })

  it('cancels its read on a pg.Client too, and the next read succeeds', async () => {
    const client = new pg.Client(url)
    await client.connect()
    const store = lentos(client)
    const leaving = new AbortController()
    const left = refusedWith(store.read(['slow'], { ...call, signal: leaving.signal }))
    await until(() => running().then(({ length }) => length)).toBe(1)
    const next = store.read(['quick1'], call)
    leaving.abort()
    await left
    expect(await next).toMatchObject([{ value: { id: 'quick1' } }])
    await client.end()
  })

  it('never cancels the statement of another request, even if requests are aborted at random moments', async () => {
    const store = lentos()
    await store.ready()
    await bultosIn(pool).ready()
    const writes = bultosIn(pool)
    const hooked = bultosIn(pool, { write: (tx) => tx.query('SELECT pg_sleep(0.002)').then(() => {}) })
    const guarded = lentos(pool, { session: (tx: SqlClient) => tx.query('SELECT pg_sleep(0.001)').then(() => {}) })
    let going = true
    let others = 0
    const innocent = async (n: number) => {
      for (let i = 0; going; i++) {
        // A cancel that is meant for another request could hit this read.
        expect(await store.read([`quick${(i % 20) + 1}`], call)).toMatchObject([{ value: { n: 0 } }])
        expect(await writes.create({ id: `i${n}-${i}` }, call)).toMatchObject({ created: {} })
        expect(await hooked.replace(`i${n}-${i}`, { id: `i${n}-${i}`, n: 1 }, undefined, call)).toMatchObject({
          value: { n: 1 },
        })
        others++
      }
    }
    const hasty = async () => {
      for (let i = 0; i < 60; i++) {
        const leaving = new AbortController()
        const timer = setTimeout(() => leaving.abort(), Math.random() * 6)
        const answer = await tried(
          (i % 2 === 0 ? store : guarded).read([i % 3 === 0 ? 'slow' : 'quick1'], { ...call, signal: leaving.signal }),
        )
        if (!Array.isArray(answer)) expect(answer).toBeInstanceOf(Unavailable)
        clearTimeout(timer)
      }
    }
    const innocents = [1, 2, 3].map(innocent)
    await Promise.all(Array.from({ length: 6 }, hasty))
    going = false
    await Promise.all(innocents)
    expect(others).toBeGreaterThan(10)
    await until(() => running().then(({ length }) => length)).toBe(0)
    await until(() => [pool.totalCount === pool.idleCount, pool.waitingCount]).toEqual([true, 0])
  })

  it('stops its statement even if it disconnects at about the moment when the statement is sent', async () => {
    const store = lentos()
    await store.ready()
    for (let i = 0; i < 40; i++) {
      const leaving = new AbortController()
      const left = tried(store.read(['slow'], { ...call, signal: leaving.signal }))
      for (let ticks = 0; ticks < i % 8; ticks++) await new Promise((resolve) => setImmediate(resolve))
      leaving.abort()
      expect(await left).toBeInstanceOf(Unavailable)
    }
    await until(() => running().then(({ length }) => length)).toBe(0)
    await until(() => pool.totalCount === pool.idleCount).toBe(true)
  })

  it('if the read ends while the cancel is pending, the pool removes the connection', async () => {
    const { hostname: host, port } = new URL(place.url)
    const proxy = await startProxy({ host, port: Number(port || 5432) })
    const one = new pg.Pool({ connectionString: proxy.through(url), max: 1 })
    const store = lentos(one)
    await store.ready()
    await place.sql(`INSERT INTO bultos VALUES ('second', 1)`)
    let removed = 0
    one.on('remove', () => removed++)
    const leaving = new AbortController()
    const read = tried(store.read(['second'], { ...call, signal: leaving.signal }))
    await until(() => running().then(({ length }) => length)).toBe(1)
    proxy.delay(6_000)
    leaving.abort()
    await until(() => proxy.connections).toBe(2)
    // By now the proxy has received the cancel, and delays it. It does not delay later messages.
    await new Promise((resolve) => setTimeout(resolve, 100))
    proxy.delay(0)
    expect(await read).toMatchObject([{ value: { id: 'second' } }])
    expect(await store.read(['second'], call)).toMatchObject([{ value: { id: 'second' } }])
    expect(removed).toBe(1)
    await one.end()
    await proxy.close()
  })
})

describe('a write that waits for a lock', () => {
  it('fails at its time limit or at its statementTimeout, and changes nothing', async () => {
    await place.sql(`INSERT INTO bultos VALUES ('held', 1)`)
    const holder = new pg.Client(url)
    await holder.connect()
    await holder.query(`BEGIN; SELECT * FROM bultos WHERE id = 'held' FOR UPDATE`)
    const expiring = AbortSignal.timeout(1_300)
    const store = bultosIn(pool)
    const failure = await refusedWith(
      store.replace('held', { id: 'held', n: 2 }, undefined, within(1_500, { signal: expiring })),
    )
    expect(failure.detail).toMatch(unchanged)
    expect((await refusedWith(store.remove('held', undefined, within(1_000)))).detail).toMatch(unchanged)
    expect(
      (await refusedWith(bultosIn(pool, { statementTimeout: 100 }).remove('held', undefined, call))).detail,
    ).toMatch(unchanged)
    expect(await running('UPDATE "bultos"%')).toEqual([])
    await holder.query('ROLLBACK')
    await holder.end()
    expect(await store.read(['held'], call)).toMatchObject([{ value: { n: 1 } }])
  })
})

describe('after calls have ended', () => {
  it('a shared signal has no listeners, and a connection has exactly one "error" listener', async () => {
    const warnings: Error[] = []
    const onProcessWarning = (warning: Error) => void warnings.push(warning)
    process.on('warning', onProcessWarning)
    const store = lentos()
    const leaving = new AbortController()
    const { signal } = leaving
    let listeners = 0
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)]
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners++
      add(...given)
    }
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listeners--
      remove(...given)
    }
    const shared = { ...call, signal }
    for (let i = 0; i < 5; i++)
      await Promise.all(Array.from({ length: 30 }, (_, n) => store.read([`quick${(n % 20) + 1}`], shared)))
    expect(listeners).toBe(0)
    const slow = Array.from({ length: 30 }, () => refusedWith(store.read(['slow'], shared)))
    await until(() => running().then(({ length }) => length)).toBe(3)
    leaving.abort()
    await Promise.all(slow)
    await until(() => listeners).toBe(0)
    await refusedWith(store.read(['slow'], shared))
    const client = await pool.connect()
    expect(client.listenerCount('error')).toBe(1)
    client.release()
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', onProcessWarning)
    expect(warnings.filter(({ name }) => name === 'MaxListenersExceededWarning')).toEqual([])
  })

  it('no handle keeps the process alive', async () => {
    const script = `
      import pg from 'pg'
      import { postgresAdapter } from 'express-rest-conventions/postgres'
      import { defineResource } from 'express-rest-conventions'
      const bultos = defineResource({ collection: 'bultos', key: 'id', schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, n: { type: ['integer', 'null'] } } } })
      const pool = new pg.Pool({ connectionString: process.argv[1], max: 2 })
      const store = postgresAdapter(pool, { resource: bultos, table: 'bultos', readFrom: 'lentos', version: { expression: 'id' } })
      const own = postgresAdapter(pool, { resource: bultos, table: 'bultos', epoch: 'e', write: () => new Promise(() => {}) })
      const started = performance.now()
      const call = (parts) => ({ principal: undefined, scope: {}, requestId: 'r', signal: new AbortController().signal, left: () => 60000, ...parts })
      await store.read(['quick1'], call())
      const signal = AbortSignal.timeout(200)
      await store.read(['slow'], call({ signal })).catch(() => {})
      await own.ready()
      await pool.end()
      console.log('ended')`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, url], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      out += text
    })
    const [code] = await once(child, 'exit')
    expect([out, code]).toEqual(['ended\n', 0])
  })
})
