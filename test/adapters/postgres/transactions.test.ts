import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SqlClient } from '../../../src/adapters/postgres/index.js'
import { Unavailable } from '../../../src/problem.js'
import { freshSchema, type Place } from '../../servers/databases.js'
import { call } from '../memory/requests.js'
import { bultosIn, ddl, refusedWith, tried, unchanged, within } from './bultos.js'

describe('conflicts between transactions', () => {
  let place: Place
  let pool: pg.Pool
  beforeAll(async () => {
    place = await freshSchema()
    await place.sql(
      `${ddl} CREATE TABLE cuentas (id integer PRIMARY KEY, n integer); INSERT INTO cuentas VALUES (1, 0), (2, 0)`,
    )
    pool = new pg.Pool({ connectionString: place.url, max: 10 })
  })
  afterAll(() => pool.end().then(() => place.drop()))

  it('the whole transaction is retried after a serialization failure (40001)', async () => {
    let runs = 0
    let met = 0
    let meet = (): void => {}
    const all = new Promise<void>((resolve) => {
      meet = resolve
    })
    const adapter = bultosIn(pool, {
      session: (tx) => tx.query('SET TRANSACTION ISOLATION LEVEL SERIALIZABLE').then(() => {}),
      write: async (tx, { key }) => {
        runs++
        const { rows } = await tx.query('SELECT n FROM cuentas WHERE id = 1')
        if (++met === 3) meet()
        await all
        await tx.query('UPDATE cuentas SET n = $1 WHERE id = 1', [rows[0].n + 1])
        await tx.query('INSERT INTO buzon VALUES ($1, $2)', [key, rows[0].n])
      },
    })
    const created = await Promise.all([1, 2, 3].map((n) => tried(adapter.create({ id: `s${n}`, n }, call))))
    const done = created.filter((one) => !(one instanceof Unavailable))
    expect(done.length).toBeGreaterThan(0)
    for (const one of done) expect(one).toMatchObject({ created: {} })
    expect(runs).toBeGreaterThan(3)
    expect(await place.sql('SELECT n FROM cuentas WHERE id = 1')).toEqual([{ n: done.length }])
    expect(await place.sql('SELECT count(*)::int AS n FROM buzon')).toEqual([{ n: done.length }])
  })

  it('the whole transaction is retried after a deadlock (40P01)', async () => {
    let met = 0
    let meet = (): void => {}
    const both = new Promise<void>((resolve) => {
      meet = resolve
    })
    const adapter = bultosIn(pool, {
      write: async (tx, { value }) => {
        const [first, second] = value?.n === 1 ? [1, 2] : [2, 1]
        await tx.query('UPDATE cuentas SET n = n + 1 WHERE id = $1', [first])
        if (++met === 2) meet()
        await both
        await tx.query('UPDATE cuentas SET n = n + 1 WHERE id = $1', [second])
      },
    })
    await place.sql('UPDATE cuentas SET n = 0')
    expect(await Promise.all([1, 2].map((n) => adapter.create({ id: `d${n}`, n }, call)))).toMatchObject([
      { created: {} },
      { created: {} },
    ])
    // The number of attempts can exceed 3, because a retried transaction might deadlock again.
    expect(met).toBeGreaterThanOrEqual(3)
    expect(await place.sql('SELECT n FROM cuentas')).toEqual([{ n: 2 }, { n: 2 }])
  })

  it('if every attempt conflicts, the caller gets an error that says that nothing was changed', async () => {
    let runs = 0
    const adapter = bultosIn(pool, {
      write: async (tx) => {
        runs++
        await tx.query(`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$`)
      },
    })
    expect((await refusedWith(adapter.create({ id: 'never' }, call))).detail).toMatch(unchanged)
    expect(runs).toBe(6)
  })
})

describe('the time limit of a transaction', () => {
  let place: Place
  let pool: pg.Pool
  beforeAll(async () => {
    place = await freshSchema()
    await place.sql(ddl)
    pool = new pg.Pool({ connectionString: place.url, max: 1 })
  })
  afterAll(() => pool.end().then(() => place.drop()))

  it('is set on the server for one transaction, and does not affect the next transaction', async () => {
    const seen: unknown[] = []
    const show = async (tx: SqlClient) => {
      const { rows } = await tx.query(
        `SELECT name, setting::int AS n FROM pg_settings WHERE name IN ('statement_timeout', ` +
          `'idle_in_transaction_session_timeout') ORDER BY name`,
      )
      seen.push(...rows.map(({ n }) => n))
    }
    const adapter = bultosIn(pool, { write: show })
    await adapter.create({ id: 'limited' }, within(10_000))
    await show(pool)
    expect(seen).toEqual([expect.any(Number), expect.any(Number), 0, 0])
    for (const n of seen.slice(0, 2)) {
      expect(n).toBeGreaterThan(0)
      expect(n).toBeLessThanOrEqual(9_000)
    }
  })

  it('does not raise a lower limit that the operator has set', async () => {
    const url = new URL(place.url)
    url.searchParams.set('options', `${url.searchParams.get('options')} -c statement_timeout=1234`)
    const strict = new pg.Pool({ connectionString: url.href })
    const seen: unknown[] = []
    await bultosIn(strict, {
      write: async (tx) => void seen.push((await tx.query('SHOW statement_timeout')).rows[0].statement_timeout),
    }).create({ id: 'strict' }, within(10_000))
    expect(seen).toEqual(['1234ms'])
    await strict.end()
  })

  it('ends a slow statement of the service, and nothing is changed', async () => {
    const adapter = bultosIn(pool, { write: (tx) => tx.query('SELECT pg_sleep(60)').then(() => {}) })
    expect((await refusedWith(adapter.create({ id: 'slow' }, within(300)))).detail).toMatch(unchanged)
    expect(await bultosIn(pool).read(['slow'], call)).toEqual([undefined])
  })

  it('ends a transaction whose "write" function never settles, and closes its connection', async () => {
    const adapter = bultosIn(pool, { write: () => new Promise(() => {}) })
    expect((await refusedWith(adapter.create({ id: 'hangs' }, within(200)))).detail).toMatch(unchanged)
    // The only connection of the pool was closed, so the next caller gets a new one.
    expect(await tried(bultosIn(pool, { acquireTimeout: 20_000 }).read(['hangs'], call))).toEqual([undefined])
  })

  it('prevents a commit after the caller got a timeout', async () => {
    let go = (): void => {}
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    const adapter = bultosIn(pool, {
      write: async (_tx, { apply }) => {
        await apply()
        await gate
      },
    })
    // Here `left()`, which returns the remaining milliseconds, returns 150 even after the timeout.
    // So a check of `left()` cannot prevent the commit.
    expect((await refusedWith(adapter.create({ id: 'late' }, { ...call, left: () => 150 }))).detail).toMatch(unchanged)
    go()
    expect(await bultosIn(pool, { acquireTimeout: 20_000 }).read(['late'], call)).toEqual([undefined])
  })
})
