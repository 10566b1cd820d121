/**
 * Half-open connections: they are dead, but were never closed, for example after a firewall dropped
 * them or a host was lost. In most of these tests, new connections work.
 */
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { freshSchema, type Place } from '../../servers/databases.js'
import { startProxy, type TcpProxy } from '../../servers/proxy.js'
import { call, listRequest } from '../memory/requests.js'
import { bultosIn, ddl, refusedWith, slowView, tried, unchanged, until, within } from './bultos.js'

let place: Place
let proxy: TcpProxy
let pool: pg.Pool

/** The number of connection checks so far. A check is an empty statement. */
let checks = 0
class Counting extends pg.Client {
  override query(...given: unknown[]): never {
    if (given[0] === '') checks++
    return (super.query as (...all: unknown[]) => unknown).apply(this, given) as never
  }
}

beforeAll(async () => {
  place = await freshSchema()
  await place.sql(`${ddl} INSERT INTO bultos VALUES ('a', 1)`)
  const { hostname: host, port } = new URL(place.url)
  proxy = await startProxy({ host, port: Number(port || 5432) })
})
beforeEach(() => {
  checks = 0
  pool = poolOf(10)
})
afterEach(async () => {
  await pool.end()
  proxy.cut('reset')
})
afterAll(async () => {
  await proxy.close()
  await place.drop()
})

const poolOf = (max: number, more: pg.PoolConfig = {}) =>
  new pg.Pool({
    connectionString: proxy.through(place.url),
    max,
    idleTimeoutMillis: 0,
    Client: Counting,
    ...more,
  } as pg.PoolConfig)

/** Opens as many connections as the pool allows, and leaves them idle. */
async function fill(own = pool): Promise<void> {
  const clients = await Promise.all(Array.from({ length: own.options.max }, () => own.connect()))
  for (const client of clients) client.release()
}

/** Waits longer than the idle time after which a connection is checked. */
const idle = () => sleep(600)

/**
 * Fails if the work took much longer than one check and one new connection. Without checks, the
 * work would take half a minute.
 */
async function soon<T>(work: Promise<T> | T): Promise<T> {
  const started = performance.now()
  const result = await work
  expect(performance.now() - started).toBeLessThan(6_000)
  return result
}

const request = () => within(30_000)

describe('half-open connections of a pool', () => {
  it('delay one request by one check, not by one check for each connection', async () => {
    const store = bultosIn(pool)
    await store.ready()
    await fill()
    await idle()
    proxy.forget()
    expect(await soon(store.read(['a'], request()))).toMatchObject([{ value: { id: 'a', n: 1 } }])
    // The idle connections were checked in the meantime, all at once.
    await soon(until(() => pool.totalCount).toBeLessThan(4))
    expect(await soon(store.read(['a'], request()))).toMatchObject([{ value: { id: 'a', n: 1 } }])
  })

  it('delay 40 concurrent requests only by the time of one check, and each write is made once', async () => {
    const plain = bultosIn(pool)
    const together = bultosIn(pool, {
      write: (tx, { key }) => tx.query('INSERT INTO buzon VALUES ($1)', [key]).then(() => {}),
    })
    await plain.ready()
    await fill()
    await idle()
    proxy.forget()
    const all = Array.from({ length: 40 }, (_, n) => {
      if (n % 4 === 0) return plain.read(['a'], request())
      if (n % 4 === 1) return plain.list(listRequest({ sort: 'id' }), request())
      return (n % 4 === 2 ? plain : together).create({ id: `many${n}` }, request())
    })
    await soon(Promise.all(all))
    expect(await place.sql(`SELECT id FROM bultos WHERE id LIKE 'many%'`)).toHaveLength(20)
    expect(await place.sql(`SELECT bulto FROM buzon WHERE bulto LIKE 'many%'`)).toHaveLength(10)
  })

  it('delay requests by one check if the pool has a single connection', async () => {
    const one = poolOf(1)
    const store = bultosIn(one)
    await store.read(['a'], call)
    await idle()
    proxy.forget()
    for (const answer of await soon(Promise.all([1, 2, 3].map(() => store.read(['a'], request())))))
      expect(answer).toHaveLength(1)
    expect(one.totalCount).toBe(1)
    await one.end()
  })

  it('are all checked after one statement timed out, however short their idle time', async () => {
    const two = poolOf(2)
    const store = bultosIn(two)
    // Two different statements use two connections. Equal statements would share a round trip.
    await Promise.all([store.read(['a'], call), store.read(['a', 'b'], call)])
    proxy.forget()
    // The connection was idle too briefly for a check, so this read waits until its time limit.
    await refusedWith(store.read(['a'], within(300)))
    expect(await soon(store.read(['a'], request()))).toMatchObject([{ value: { id: 'a' } }])
    expect(checks).toBeGreaterThan(0)
    await two.end()
  })

  it('delay a statement for less than the time limit of the request, if there is a statement timeout', async () => {
    const two = poolOf(2)
    const limits = { statementTimeout: 200 }
    const plain = bultosIn(two, limits)
    const together = bultosIn(two, {
      ...limits,
      write: (tx, { key }) => tx.query('INSERT INTO buzon VALUES ($1)', [key]).then(() => {}),
    })
    await plain.ready()
    await Promise.all([plain.read(['a'], call), plain.read(['a', 'b'], call)])
    proxy.forget()
    // Each call waits until the statement timeout, and then five seconds for the reply to the
    // cancel request.
    const [read, created] = await Promise.all([
      plain.read(['a'], request()),
      together.create({ id: 'last' }, request()),
    ])
    expect(read).toMatchObject([{ value: { id: 'a' } }])
    expect(created).toMatchObject({ created: { value: { id: 'last' } } })
    await two.end()
  })

  it('leave no connection in use if the request ends during the check, and do not delay pool.end()', async () => {
    const two = poolOf(2)
    const store = bultosIn(two)
    await fill(two)
    await store.read(['a'], call)
    await idle()
    proxy.forget()
    const leaving = new AbortController()
    const left = refusedWith(store.read(['a'], { ...request(), signal: leaving.signal }))
    await until(() => checks).toBe(1)
    leaving.abort()
    await left
    expect(await soon(store.read(['a'], request()))).toMatchObject([{ value: { id: 'a' } }])
    await until(() => [two.idleCount === two.totalCount, two.waitingCount]).toEqual([true, 0])

    await idle()
    const before = checks
    proxy.forget()
    const ending = tried(store.read(['a'], request()))
    await until(() => checks).toBeGreaterThan(before)
    await Promise.all([soon(two.end()), soon(ending)])
  })

  it('cause a quick 503, with nothing changed, if new connections fail too', async () => {
    const store = bultosIn(pool, { acquireTimeout: 1_500 })
    await store.read(['a'], call)
    await idle()
    proxy.stall()
    const all = await soon(
      Promise.all(Array.from({ length: 12 }, (_, n) => refusedWith(store.create({ id: `none${n}` }, request())))),
    )
    for (const { detail } of all) expect(detail).toMatch(unchanged)
    proxy.cut('reset')
    proxy.resume()
    await until(() => tried(store.read(['a'], call))).toMatchObject([{ value: { id: 'a' } }])
    expect(await place.sql(`SELECT id FROM bultos WHERE id LIKE 'none%'`)).toEqual([])
  })
})

describe('new connections that get no reply', () => {
  it('occupy their places in the pool only until the acquire timeout', async () => {
    const two = poolOf(2)
    const store = bultosIn(two, { acquireTimeout: 500 })
    await store.ready()
    proxy.cut('reset')
    await until(() => two.totalCount).toBe(0)
    proxy.silence()
    const all = await Promise.all([1, 2, 3, 4].map(() => refusedWith(store.read(['a'], request()))))
    for (const { detail } of all) expect(detail).toMatch(unchanged)
    proxy.endSilence()
    await soon(until(() => tried(store.read(['a'], request()))).toMatchObject([{ value: { id: 'a' } }]))
    await two.end()
  })
})

describe('a connection check', () => {
  const pid = async (own: pg.Pool) => (await own.query('SELECT pg_backend_pid() AS pid')).rows[0].pid as number

  it('keeps a live connection, even if the process itself was paused', async () => {
    const one = poolOf(1)
    const store = bultosIn(one)
    await store.read(['a'], call)
    const before = await pid(one)
    await idle()
    const reading = store.read(['a'], request())
    while (checks === 0) await new Promise((resolve) => setImmediate(resolve))
    const until = performance.now() + 2_500
    while (performance.now() < until);
    expect(await reading).toMatchObject([{ value: { id: 'a' } }])
    expect(await pid(one)).toBe(before)
    await one.end()
  })

  it('is made after an idle time, and not on a connection that was used just before', async () => {
    const one = poolOf(1)
    const store = bultosIn(one)
    await store.read(['a'], call)
    checks = 0
    const reads = 300
    for (let i = 0; i < reads; i++) await store.read(['a'], call)
    // No connection is checked, unless the machine itself was paused.
    expect(checks).toBeLessThan(reads / 50)
    checks = 0
    await idle()
    for (let i = 0; i < 3; i++) await store.read(['a'], call)
    expect(checks).toBe(1)
    await one.end()
  })

  it('is not made after a slow statement', async () => {
    await place.sql(`${slowView} INSERT INTO bultos VALUES ('slow', 1)`)
    const one = poolOf(1)
    const store = bultosIn(one, { readFrom: 'lentos', version: { expression: 'id' } })
    await store.ready()
    checks = 0
    // Each read takes a second, and the next one waits for it.
    await Promise.all([1, 2, 3].map(() => store.read(['slow'], call)))
    expect(checks).toBe(0)
    await one.end()
  })

  it('is made on connections that the pool opened before the adapter was created', async () => {
    await fill()
    const { totalCount } = pool
    proxy.forget()
    expect(await soon(bultosIn(pool).read(['a'], request()))).toMatchObject([{ value: { id: 'a' } }])
    expect(totalCount).toBe(10)
  })
})

describe('TCP keep-alive', () => {
  it('is enabled for the connections of a pool, unless the service has set the option "keepAlive"', async () => {
    const set = vi.spyOn(Socket.prototype, 'setKeepAlive')
    const used = async (more: pg.PoolConfig) => {
      set.mockClear()
      const own = poolOf(1, more)
      await bultosIn(own).read(['a'], call)
      await own.end()
      return set.mock.calls
    }
    expect(await used({})).toEqual([[true, 10_000]])
    expect(await used({ keepAlive: false })).toEqual([])
    expect(await used({ keepAlive: true, keepAliveInitialDelayMillis: 5_000 })).toEqual([[true, 5_000]])
    set.mockRestore()
  })
})
