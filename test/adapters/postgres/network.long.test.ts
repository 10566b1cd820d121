import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshSchema, type Place } from '../../servers/databases.js'
import { startProxy, type TcpProxy } from '../../servers/proxy.js'
import { call, listRequest } from '../memory/requests.js'
import { bultosIn, ddl, refusedWith, tried, unchanged, unknown, until, within } from './bultos.js'

const target = (url: string) => ({ host: new URL(url).hostname, port: Number(new URL(url).port || 5432) })

/**
 * Returns an ErrorResponse message with the severity FATAL. PostgreSQL closes the connection after
 * such a message.
 */
function fatal(state: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${state}\0Mended by a proxy\0\0`)
  const head = Buffer.from('E\0\0\0\0')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

describe('the adapter over a failing network', () => {
  let place: Place
  let proxy: TcpProxy
  let pool: pg.Pool
  let warnings: string[] = []
  beforeAll(async () => {
    place = await freshSchema()
    await place.sql(ddl)
    proxy = await startProxy(target(place.url))
    pool = new pg.Pool({ connectionString: proxy.through(place.url), max: 3 })
  })
  afterAll(async () => {
    await pool.end()
    await proxy.close()
    await place.drop()
  })
  const adapter = () => bultosIn(pool, { onWarning: (message) => warnings.push(message) })

  it('retries a read whose reply was lost', async () => {
    const store = adapter()
    await store.create({ id: 'read', n: 1 }, call)
    const lost = proxy.loseReply('FROM "bultos"')
    expect(await store.read(['read'], call)).toMatchObject([{ value: { id: 'read', n: 1 } }])
    await lost
  })

  it('never retries a write whose reply was lost, and reports its outcome as unknown', async () => {
    const store = adapter()
    await store.create({ id: 'lost', n: 1 }, call)
    const lost = proxy.loseReply('UPDATE "bultos"')
    expect((await refusedWith(store.replace('lost', { id: 'lost', n: 2 }, undefined, call))).detail).toMatch(unknown)
    await lost
    expect(await place.sql(`SELECT n FROM bultos WHERE id = 'lost'`)).toEqual([{ n: 2 }])
    await place.sql('CREATE TABLE veces (id text)')
    await place.sql(
      `CREATE FUNCTION vez() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO veces VALUES (NEW.id); RETURN NEW; END $$;
       CREATE TRIGGER vez AFTER INSERT ON bultos FOR EACH ROW EXECUTE FUNCTION vez()`,
    )
    const created = proxy.loseReply('INSERT')
    expect((await refusedWith(store.create({ id: 'once' }, call))).detail).toMatch(unknown)
    await created
    expect(await place.sql('SELECT id FROM veces')).toEqual([{ id: 'once' }])
    await place.sql('DROP FUNCTION vez CASCADE')
  })

  it.each(['53300', '57P03', '58000', 'XX000', 'MY001'])(
    'reports the outcome of a write as unknown if a proxy replaces the reply with a FATAL error (%s)',
    async (state) => {
      const store = adapter()
      const hooked = bultosIn(pool, { write: (tx) => tx.query('SELECT 1').then(() => {}) })
      const id = `fatal-${state}`
      await store.create({ id, n: 1 }, call)
      const lost = proxy.loseReply('UPDATE "bultos"', fatal(state))
      expect((await refusedWith(store.replace(id, { id, n: 2 }, undefined, call))).detail).toMatch(unknown)
      const commit = proxy.loseReply('COMMIT', fatal(state))
      expect((await refusedWith(hooked.replace(id, { id, n: 3 }, undefined, call))).detail).toMatch(unknown)
      // Before COMMIT nothing is committed, so the transaction is retried. A read is retried too.
      const early = proxy.loseReply('UPDATE "bultos"', fatal(state))
      expect(await hooked.replace(id, { id, n: 4 }, undefined, call)).toMatchObject({ value: { n: 4 } })
      const read = proxy.loseReply('FROM "bultos"', fatal(state))
      expect(await store.read([id], call)).toMatchObject([{ value: { n: 4 } }])
      await Promise.all([lost, commit, early, read])
    },
  )

  it('retries a transaction if the connection is lost before COMMIT is sent, but not if it is lost later', async () => {
    let runs = 0
    const store = bultosIn(pool, {
      write: async (tx, change) => {
        runs++
        await tx.query('INSERT INTO buzon VALUES ($1, $2)', [change.key, runs])
      },
    })
    const cut = proxy.loseReply('buzon')
    expect(await store.create({ id: 'before', n: 1 }, call)).toMatchObject({ created: { value: { id: 'before' } } })
    await cut
    expect(runs).toBe(2)
    expect(await place.sql(`SELECT n FROM buzon WHERE bulto = 'before'`)).toEqual([{ n: 2 }])

    const lost = proxy.loseReply('COMMIT')
    expect((await refusedWith(store.create({ id: 'commit', n: 1 }, call))).detail).toMatch(unknown)
    await lost
    expect(runs).toBe(3)
    expect(
      await place.sql(
        `SELECT (SELECT count(*) FROM bultos WHERE id = 'commit') + (SELECT count(*) FROM buzon WHERE bulto = ` +
          `'commit') AS n`,
      ),
    ).toEqual([{ n: '2' }])
  })

  it('survives the loss of connections that are idle or in the middle of a transaction', async () => {
    warnings = []
    const store = adapter()
    await Promise.all([1, 2, 3].map(() => store.list(listRequest({ sort: 'id' }), call)))
    expect(pool.idleCount).toBe(3)
    proxy.cut('reset')
    await until(() => pool.totalCount).toBe(0)
    expect(warnings).toHaveLength(3)
    expect(await store.read(['none'], call)).toEqual([undefined])

    let cut = false
    const hooked = bultosIn(pool, {
      write: async (tx) => {
        if (cut) return
        cut = true
        const gone = new Promise((resolve) => (tx as unknown as pg.PoolClient).once('end', resolve))
        // No statement is in flight, so the loss is reported only to the adapter's `error`
        // listener.
        proxy.cut('end')
        await gone
      },
    })
    expect(await hooked.create({ id: 'cut' }, call)).toMatchObject({ created: { value: { id: 'cut' } } })
    expect(await place.sql(`SELECT id FROM bultos WHERE id = 'cut'`)).toHaveLength(1)
  })

  it('survives the loss of a pg.Client', async () => {
    const warnings: string[] = []
    const client = new pg.Client(proxy.through(place.url))
    await client.connect()
    const store = bultosIn(client, { onWarning: (message) => warnings.push(message) })
    expect(await store.read(['none'], call)).toEqual([undefined])
    proxy.cut('reset')
    await until(() => warnings.length).toBeGreaterThan(0)
    expect((await refusedWith(store.replace('lost', { id: 'lost' }, undefined, call))).detail).toMatch(unchanged)
    await refusedWith(store.read(['lost'], call))
  })

  it("rethrows a network error that the service's own code throws, and rolls back", async () => {
    let runs = 0
    const theirs = Object.assign(new Error('connect ECONNREFUSED: connection error'), { code: 'ECONNREFUSED' })
    const store = bultosIn(pool, {
      write: async (_tx, change) => {
        runs++
        await change.apply()
        throw theirs
      },
    })
    await expect(store.create({ id: 'theirs' }, call)).rejects.toBe(theirs)
    expect(runs).toBe(1)
    expect(await place.sql(`SELECT id FROM bultos WHERE id = 'theirs'`)).toEqual([])
  })

  it('responds in time if the server is silent, and regains all connections afterwards', async () => {
    const own = new pg.Pool({ connectionString: proxy.through(place.url), max: 2 })
    let removed = 0
    own.on('remove', () => removed++)
    const store = bultosIn(own, { acquireTimeout: 300 })
    const hooked = bultosIn(own, {
      acquireTimeout: 300,
      write: (tx, { key }) => tx.query('INSERT INTO buzon VALUES ($1)', [key]).then(() => {}),
    })
    await Promise.all([store.read(['a'], call), hooked.read(['a'], call)])
    await place.sql(`INSERT INTO bultos VALUES ('silent', 1)`)
    // These calls use both connections just before the outage, so that the adapter checks no idle
    // connection during the outage. The two reads differ, because equal reads would share one
    // connection.
    const used = new Set<pg.PoolClient>()
    own.on('release', (_error, client) => used.add(client))
    await Promise.all([store.read(['a'], call), store.list(listRequest(), call)])
    expect(used.size).toBe(2)
    proxy.stall()
    const [read, write] = await Promise.all([
      refusedWith(store.read(['silent'], within(500))),
      refusedWith(store.replace('silent', { id: 'silent', n: 2 }, undefined, within(500))),
    ])
    expect(read.detail).not.toMatch(unknown)
    expect(write.detail).toMatch(unknown)
    expect((await refusedWith(hooked.create({ id: 'hooked' }, within(500)))).detail).toMatch(unchanged)
    // The adapter eventually removes the stalled connections.
    await until(() => removed).toBeGreaterThanOrEqual(2)
    expect((await refusedWith(hooked.create({ id: 'hooked' }, within(500)))).detail).toMatch(unchanged)
    proxy.cut('reset')
    proxy.resume()
    await until(() => tried(store.read(['none'], call))).toEqual([undefined])
    await until(() => [own.waitingCount, own.idleCount === own.totalCount]).toEqual([0, true])
    expect(await place.sql(`SELECT id FROM bultos WHERE id = 'hooked'`)).toEqual([])
    await own.end()
  })

  it('abandons connections that are never established, even if the pool has no timeout option', async () => {
    const own = new pg.Pool({ connectionString: proxy.through(place.url), max: 2 })
    const store = bultosIn(own, { acquireTimeout: 100 })
    // On a busy machine, the first connection may take longer than 100 ms.
    await until(() => tried(store.read(['none'], call))).toEqual([undefined])
    await Promise.all([own.connect(), own.connect()]).then((clients) => clients.map((client) => client.release(true)))
    await until(() => own.totalCount).toBe(0)
    proxy.stall()
    const before = proxy.connections
    // The pool allows two connections, so a third one proves that the pool has given up one of the
    // first two.
    await until(async () => {
      await refusedWith(store.read(['a'], within(300)))
      return proxy.connections
    }).toBeGreaterThan(before + 2)
    proxy.cut('reset')
    proxy.resume()
    await until(() => tried(store.read(['none'], call))).toEqual([undefined])
    await own.end()
  })

  it('responds in time even if the catalog entries of its table do not arrive', async () => {
    const own = new pg.Pool({ connectionString: proxy.through(place.url), max: 2 })
    proxy.stall()
    await refusedWith(bultosIn(own).read(['a'], within(200)))
    proxy.cut('reset')
    proxy.resume()
    await own.end()
  })
})
