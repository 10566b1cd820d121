import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { freshDatabase, freshSchema } from '../../servers/databases.js'
import { call, listRequest } from '../memory/requests.js'
import { bultosIn, ddl, refusedWith, slowView, unchanged, until, within } from './bultos.js'

describe('a full pool', () => {
  it('causes a 503 at the time limit; if the pool hands out a connection later, the adapter returns it', async () => {
    const place = await freshSchema()
    await place.sql(ddl)
    const pool = new pg.Pool({ connectionString: place.url, max: 1 })
    const store = bultosIn(pool, { acquireTimeout: 50 })
    await store.ready()
    const held = await pool.connect()
    expect((await refusedWith(store.create({ id: 'full' }, call))).detail).toMatch(unchanged)
    await refusedWith(bultosIn(pool).read(['full'], within(60)))
    const leaving = new AbortController()
    const left = refusedWith(store.read(['full'], { ...call, signal: leaving.signal }))
    leaving.abort()
    await left
    held.release()
    expect(await store.read(['full'], call)).toEqual([undefined])
    await until(() => [pool.totalCount, pool.idleCount, pool.waitingCount]).toEqual([1, 1, 0])
    await pool.end()
    await refusedWith(store.read(['full'], call))
    await place.drop()
  })

  it('gets back a connection even if the call that receives it is aborted at the same moment', async () => {
    const place = await freshSchema()
    await place.sql(ddl)
    const pool = new pg.Pool({ connectionString: place.url, max: 1 })
    const store = bultosIn(pool, { acquireTimeout: 5_000 })
    await store.ready()
    const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>
    for (let moment = 0; moment < 25; moment++) {
      const held = await connect()
      const leaving = new AbortController()
      let given: Promise<void> | undefined
      pool.connect = (() => {
        const connecting = connect()
        given ??= connecting.then(async () => {
          for (let i = 0; i < moment; i++) await undefined
          leaving.abort()
        })
        return connecting
      }) as typeof pool.connect
      const read = Promise.resolve(store.read(['a'], { ...call, signal: leaving.signal })).catch(() => undefined)
      // A call observes the signal of its request only after it has waited for 20 ms.
      await new Promise((resolve) => setTimeout(resolve, 30))
      held.release()
      await Promise.all([read, given])
      pool.connect = connect as typeof pool.connect
      await until(() => [pool.totalCount - pool.idleCount, pool.waitingCount]).toEqual([0, 0])
    }
    expect(await store.read(['a'], call)).toEqual([undefined])
    await pool.end()
    await place.drop()
  })

  it('serves every call if the timeouts are infinite', async () => {
    const place = await freshSchema()
    await place.sql(ddl)
    const pool = new pg.Pool({ connectionString: place.url, max: 1 })
    const store = bultosIn(pool, {
      acquireTimeout: Number.POSITIVE_INFINITY,
      statementTimeout: Number.POSITIVE_INFINITY,
    })
    expect(await Promise.all([1, 2, 3].map(() => store.read(['a'], call)))).toEqual([
      [undefined],
      [undefined],
      [undefined],
    ])
    await pool.end()
    await place.drop()
  })
})

describe('a pool with a query timeout', () => {
  it('does not reuse a connection on which a statement is still running', async () => {
    const place = await freshSchema()
    await place.sql(`${ddl} ${slowView} INSERT INTO bultos VALUES ('slow', 60), ('quick', 0)`)
    const pool = new pg.Pool({ connectionString: place.url, max: 1, query_timeout: 300 })
    await refusedWith(bultosIn(pool, { readFrom: 'lentos', version: { expression: 'id' } }).read(['slow'], call))
    expect(await bultosIn(pool).read(['quick'], call)).toMatchObject([{ value: { n: 0 } }])
    await pool.end()
    await place.drop()
  })
})

describe('separate clients for reads and writes', () => {
  it('reads use the client "read"; writes, and the reads that they need, use the client "write"', async () => {
    const [a, b] = [await freshDatabase(), await freshDatabase()]
    await Promise.all([
      a.sql(`${ddl} INSERT INTO bultos VALUES ('x', 1)`),
      b.sql(`${ddl} INSERT INTO bultos VALUES ('x', 2)`),
    ])
    const [read, write] = [new pg.Pool({ connectionString: a.url }), new pg.Pool({ connectionString: b.url })]
    const store = bultosIn(
      { read, write },
      { replica: { ownWrites: false }, onUpdate: (next, current) => ({ ...next, duenyo: `was ${current.n}` }) },
    )
    expect(await store.read(['x'], call)).toMatchObject([{ value: { n: 1 } }])
    expect((await store.list(listRequest({ sort: 'id' }), call)).items).toMatchObject([{ value: { n: 1 } }])
    const [fresh] = await store.read(['x'], { ...call, fresh: true })
    expect(fresh).toMatchObject({ value: { n: 2 } })
    expect((await store.list(listRequest({ sort: 'id' }), { ...call, fresh: true })).items).toMatchObject([
      { value: { n: 2 } },
    ])
    expect(await store.replace('x', { id: 'x', n: 3 }, fresh?.version, call)).toMatchObject({
      value: { n: 3, duenyo: 'was 2' },
    })
    expect(await store.replace('x', { id: 'x', n: 4 }, fresh?.version, call)).toBe('stale')
    expect(await store.remove('y', 'e.1', call)).toBe('absent')
    expect(await store.create({ id: 'z', n: 9 }, call)).toMatchObject({ created: { value: { id: 'z' } } })
    expect([
      await a.sql('SELECT id, n FROM bultos ORDER BY id'),
      await b.sql('SELECT id, n FROM bultos ORDER BY id'),
    ]).toEqual([
      [{ id: 'x', n: 1 }],
      [
        { id: 'x', n: 3 },
        { id: 'z', n: 9 },
      ],
    ])
    await Promise.all([read.end(), write.end()])
    await Promise.all([a.drop(), b.drop()])
  })
})
