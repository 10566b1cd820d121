/**
 * Every `error` event that the driver emits has a listener. Without a listener, the event would end
 * the process.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { freshSchema, type Place } from '../../servers/databases.js'
import { startProxy, type TcpProxy } from '../../servers/proxy.js'
import { call } from '../memory/requests.js'
import { bultosIn, ddl, tried, until } from './bultos.js'

/** The message ReadyForQuery outside a transaction: the last message of a reply. */
const ready = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

/** The message ErrorResponse of a server whose administrator has ended the connection. */
const terminated = ((): Buffer => {
  const fields = Buffer.from(
    'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0RProcessInterrupts\0\0',
  )
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
})()

let place: Place
let proxy: TcpProxy
/** Uncaught errors. They also make the test runner fail. */
const uncaught: unknown[] = []
const note = (error: unknown): void => void uncaught.push(error)

beforeAll(async () => {
  place = await freshSchema()
  await place.sql(`${ddl} INSERT INTO bultos VALUES ('a', 1)`)
  const { hostname: host, port } = new URL(place.url)
  proxy = await startProxy({ host, port: Number(port || 5432) })
  process.on('uncaughtExceptionMonitor', note)
})
afterEach(() => expect(uncaught).toEqual([]))
afterAll(async () => {
  process.off('uncaughtExceptionMonitor', note)
  await proxy.close()
  await place.drop()
})

describe('a connection that ends while the pool hands it out', () => {
  let pool: pg.Pool
  beforeEach(() => {
    pool = new pg.Pool({ connectionString: proxy.through(place.url), max: 1 })
  })
  afterEach(() => pool.end())

  it('is replaced if its termination is in the same TCP segment as the reply to a query of the service', async () => {
    const store = bultosIn(pool)
    await store.read(['a'], call)
    for (let round = 0; round < 3; round++) {
      const sent = proxy.appendAfter(ready, terminated)
      const theirs = pool.query('SELECT 1')
      const ours = store.read(['a'], call)
      await Promise.all([sent, theirs])
      expect(await ours).toMatchObject([{ value: { id: 'a', n: 1 } }])
    }
  })

  it('is replaced before a write, which is made once', async () => {
    const store = bultosIn(pool, {
      write: async (tx, { key }) => void (await tx.query('INSERT INTO buzon VALUES ($1)', [key])),
    })
    await store.read(['a'], call)
    proxy.appendAfter(ready, terminated)
    const theirs = pool.query('SELECT 1')
    expect(await store.create({ id: 'next' }, call)).toMatchObject({ created: {} })
    await theirs
    expect(await place.sql(`SELECT id FROM bultos WHERE id = 'next'`)).toHaveLength(1)
  })

  it('is replaced even if it is new', async () => {
    const store = bultosIn(pool)
    const sent = proxy.appendAfter(ready, terminated)
    expect(await store.read(['a'], call)).toMatchObject([{ value: { id: 'a' } }])
    await sent
  })

  it('a "write" function that releases its connection causes a warning, and the create succeeds', async () => {
    const warnings: string[] = []
    const two = new pg.Pool({ connectionString: proxy.through(place.url), max: 2 })
    const store = bultosIn(two, {
      write: async (tx) => (tx as unknown as pg.PoolClient).release(),
      onWarning: (message) => void warnings.push(message),
    })
    expect(await store.create({ id: 'released' }, call)).toMatchObject({ created: {} })
    expect(warnings).toEqual([expect.stringMatching(/released the connection/)])
    expect(await place.sql(`SELECT id FROM bultos WHERE id = 'released'`)).toHaveLength(1)
    await two.end()
  })

  it('does not end the process if the service checked it out, before or after the adapter was created', async () => {
    const before = await pool.connect()
    const other = new pg.Pool({ connectionString: proxy.through(place.url), max: 1 })
    bultosIn(pool)
    bultosIn(other)
    const after = await other.connect()
    const ended = Promise.all([before, after].map((client) => new Promise((resolve) => client.once('end', resolve))))
    proxy.appendAfter(ready, terminated)
    proxy.appendAfter(ready, terminated)
    await Promise.all([before.query('SELECT 1'), after.query('SELECT 1')])
    proxy.cut('end')
    await ended
    before.release()
    after.release()
    await other.end()
  })
})

describe('a single client that the service created', () => {
  it('does not end the process on connection loss, in whatever state the adapter received the client', async () => {
    const warnings: string[] = []
    const onWarning = (message: string) => void warnings.push(message)
    const connected = new pg.Client(proxy.through(place.url))
    await connected.connect()
    const connecting = new pg.Client(proxy.through(place.url))
    const connects = connecting.connect()
    const pool = new pg.Pool({ connectionString: proxy.through(place.url) })
    const lent = await pool.connect()
    const stores = [connected, connecting, lent].map((client) => bultosIn(client, { onWarning }))
    await connects
    for (const store of stores) expect(await store.read(['a'], call)).toMatchObject([{ value: { id: 'a' } }])
    proxy.cut('reset')
    await until(() => warnings.length).toBe(3)
    for (const store of stores) expect(await tried(store.read(['a'], call))).toMatchObject({ status: 503 })
    lent.release()
    await pool.end()
  })
})

describe('the listeners of a connection', () => {
  it('do not increase with the number of adapters that share a pool, or with the number of checkouts', async () => {
    const pool = new pg.Pool({ connectionString: place.url, max: 2 })
    const stores = Array.from({ length: 30 }, () => bultosIn(pool))
    const counts = async () => {
      const clients = await Promise.all([pool.connect(), pool.connect()])
      const found = clients.map((client) => [
        client.listenerCount('error'),
        client.listenerCount('notice'),
        client.listenerCount('end'),
      ])
      for (const client of clients) client.release()
      return [...found, pool.eventNames().map((name) => pool.listenerCount(name))]
    }
    await Promise.all(stores.map((store) => store.read(['a'], call)))
    const first = await counts()
    expect(first[0]?.[0]).toBe(1)
    await Promise.all(stores.flatMap((store) => [1, 2, 3].map(() => store.read(['a'], call))))
    const client = await pool.connect()
    for (const store of stores) await store.within(client).read(['a'], call)
    client.release()
    for (let i = 0; i < 30; i++) bultosIn(pool)
    expect(await counts()).toEqual(first)
    await pool.end()
  })

  it('are added again if the service removed all of them', async () => {
    const pool = new pg.Pool({ connectionString: proxy.through(place.url), max: 1 })
    const store = bultosIn(pool)
    await store.read(['a'], call)
    const client = await pool.connect()
    client.removeAllListeners()
    client.release()
    proxy.appendAfter(ready, terminated)
    const theirs = pool.query('SELECT 1')
    expect(await store.read(['a'], call)).toMatchObject([{ value: { id: 'a' } }])
    await theirs
    await pool.end()
  })
})

/**
 * A program that runs in a separate process, because an uncaught error would end the process of the
 * tests. The program prints the id of each write with the outcome that the adapter reported.
 */
const service = `
  import pg from 'pg'
  import { postgresAdapter } from 'express-rest-conventions/postgres'
  import { defineResource } from 'express-rest-conventions'
  const bultos = defineResource({ collection: 'bultos', key: 'id', schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, n: { type: ['integer', 'null'] } } } })
  const pool = new pg.Pool({ connectionString: process.argv[1], max: 10 })
  const made = { resource: bultos, table: 'bultos', version: { expression: 'id' }, onWarning: () => {} }
  const plain = postgresAdapter(pool, made)
  const outbox = postgresAdapter(pool, { ...made, write: async (tx, { key }) => { await tx.query('INSERT INTO buzon VALUES ($1)', [key]) } })
  const call = () => { const end = performance.now() + 5000; return { principal: undefined, scope: {}, requestId: 'r', signal: undefined, left: () => end - performance.now() } }
  const admin = new pg.Client(process.argv[2])
  await admin.connect()
  await plain.ready()
  const claims = {}
  let going = true
  let reads = 0
  let answered = 0
  const one = async (n) => {
    for (let i = 0; going; i++) {
      const id = n + '-' + i
      const claim = await Promise.resolve().then(() => (i % 2 ? plain : outbox).create({ id }, call())).then(
        () => 'done',
        (error) => error.status !== 503 ? 'fault ' + error.stack : /Nothing was changed/.test(error.detail) ? 'unchanged' : 'unknown')
      claims[id] = claim
      if (claim === 'done') answered++
      await plain.read([id], call()).then(() => { reads++ }, (error) => { if (error.status !== 503) claims['r' + id] = 'fault ' + error.stack })
      await pool.query('SELECT 1').catch(() => {})
    }
  }
  const clients = Array.from({ length: 30 }, (_, n) => one(n))
  // Ends the connections again only after 8 more successful creates, so that the test proves as
  // much on a slow machine as on a fast one.
  for (let i = 0; i < 40; i++) {
    const before = answered
    do await new Promise((resolve) => setTimeout(resolve, 50)); while (answered < before + 8)
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [process.argv[3]])
  }
  going = false
  await Promise.all(clients)
  await admin.end()
  const counts = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect())).then((all) => all.map((client) => {
    const count = client.listenerCount('error')
    client.release()
    return count
  }))
  await pool.end()
  process.stdout.write(JSON.stringify({ claims, reads, counts }))`

describe('a service whose connections are terminated repeatedly', () => {
  it('keeps running, and every response states the true outcome', async () => {
    // If the test runner repeats this test, it starts with empty tables again.
    await place.sql('TRUNCATE bultos, buzon')
    const url = `${place.url}&application_name=${place.name}`
    const child = spawn(process.execPath, ['--input-type=module', '-e', service, url, place.url, place.name], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const texts = ['', '']
    for (const [i, stream] of [child.stdout, child.stderr].entries())
      stream.setEncoding('utf8').on('data', (text) => {
        texts[i] += text
      })
    const [code] = await once(child, 'exit')
    expect([texts[1], code]).toEqual(['', 0])
    const { claims, reads, counts } = JSON.parse(texts[0] as string) as {
      claims: Record<string, string>
      reads: number
      counts: number[]
    }
    const rows = new Set((await place.sql('SELECT id FROM bultos')).map(({ id }) => id))
    const outbox = new Set((await place.sql('SELECT bulto FROM buzon')).map(({ bulto }) => bulto))
    const written = Object.entries(claims)
    expect(written.filter(([, claim]) => claim.startsWith('fault'))).toEqual([])
    expect(written.filter(([id, claim]) => claim === 'done' && !rows.has(id))).toEqual([])
    expect(written.filter(([id, claim]) => claim === 'unchanged' && rows.has(id))).toEqual([])
    expect(written.filter(([id]) => Number(id.split('-')[1]) % 2 === 0 && rows.has(id) !== outbox.has(id))).toEqual([])
    expect(written.filter(([, claim]) => claim === 'done').length).toBeGreaterThan(100)
    expect(reads).toBeGreaterThan(100)
    expect(new Set(counts)).toEqual(new Set([1]))
  }, 60_000)
})
