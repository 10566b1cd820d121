import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { ConfigurationError, HttpProblem } from '../../../src/problem.js'
import { freshSchema } from '../../servers/databases.js'
import { freshPglite } from '../../servers/pglite.js'
import { call } from '../memory/requests.js'
import { bultosIn, ddl, refusedWith, tried, unchanged, within } from './bultos.js'

describe('a client with only a query method', () => {
  it('suffices for single statements; operations that need several statements in one transaction throw', async () => {
    const place = await freshSchema()
    await place.sql(ddl)
    const pool = new pg.Pool({ connectionString: place.url, max: 2 })
    const client = { query: (text: string, values?: unknown[]) => pool.query(text, values) }
    const adapter = bultosIn(client)
    expect(await adapter.create({ id: 'a', n: 1 }, call)).toMatchObject({ created: {} })
    expect(await adapter.create({ id: 'a', n: 1 }, call)).toEqual({ refused: 'duplicate', members: ['id'] })
    expect(await adapter.replace('a', { id: 'a', n: 2 }, 'e.0', call)).toBe('stale')
    let ran = false
    const hooked = bultosIn(client, {
      write: async () => {
        ran = true
      },
    })
    expect(await tried(hooked.create({ id: 'b' }, call))).toBeInstanceOf(ConfigurationError)
    expect(ran).toBe(false)
    expect(await tried(bultosIn(client, { session: async () => {} }).read(['a'], call))).toBeInstanceOf(
      ConfigurationError,
    )

    const own = await pool.connect()
    await own.query('BEGIN')
    const within = hooked.within({ query: (text: string, values?: unknown[]) => own.query(text, values) })
    expect(await within.create({ id: 'a' }, call)).toEqual({ refused: 'duplicate', members: ['id'] })
    expect(await within.create({ id: 'b' }, call)).toMatchObject({ created: {} })
    await own.query('ROLLBACK')
    own.release()
    expect(await place.sql('SELECT id FROM bultos')).toEqual([{ id: 'a' }])
    await pool.end()
    await place.drop()
  })

  it('cannot delay a response beyond the time limit if it hangs, and its network errors cause a 503', async () => {
    const hangs = { query: () => new Promise<never>(() => {}) }
    await refusedWith(bultosIn(hangs).read(['a'], within(100)))
    const broken = {
      query: () =>
        Promise.reject(Object.assign(new Error('write CONNECTION_CLOSED db:5432'), { code: 'CONNECTION_CLOSED' })),
    }
    await refusedWith(bultosIn(broken).read(['a'], call))
  })
})

describe('a pg.Client', () => {
  it('serves concurrent calls without mixing their statements', async () => {
    const place = await freshSchema()
    await place.sql(`${ddl}; INSERT INTO bultos VALUES ('a', 1)`)
    const client = new pg.Client(place.url)
    await client.connect()
    const fails = bultosIn(client, {
      write: async (tx, { apply }) => {
        await apply()
        await tx.query('SELECT pg_sleep(0.01)')
        throw new HttpProblem('rule')
      },
    })
    const works = bultosIn(client)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => [
        tried(fails.create({ id: `f${i}` }, call)),
        tried(works.create({ id: `w${i}` }, call)),
        tried(works.read(['a'], call)),
      ]).flat(),
    )
    expect(answers.filter((one) => one instanceof HttpProblem)).toHaveLength(20)
    const stored = await place.sql('SELECT id FROM bultos ORDER BY id')
    expect(stored.map(({ id }) => id)).toEqual(['a', ...Array.from({ length: 20 }, (_, i) => `w${i}`).sort()])
    const sleeps = bultosIn(client, { write: (tx) => tx.query('SELECT pg_sleep(0.5)').then(() => {}) })
    await sleeps.ready()
    const held = works.replace('a', { id: 'a', n: 2 }, undefined, call)
    const slow = sleeps.create({ id: 'slow' }, call)
    // The time limit of this call ends while the call waits for its turn.
    expect((await refusedWith(works.create({ id: 'later' }, within(100)))).detail).toMatch(unchanged)
    expect(await Promise.all([held, slow])).toMatchObject([{ value: { n: 2 } }, { created: {} }])
    expect(await works.read(['later'], call)).toEqual([undefined])
    await client.end()
    await place.drop()
  })
})

describe('the adapter over PGlite', () => {
  it('runs transactions one by one, joins a transaction of the caller, and throws Unavailable if closed', async () => {
    const db = await freshPglite()
    await db.exec(ddl)
    const adapter = bultosIn(db, {
      version: 'xmin',
      write: async (tx, { key }) => void (await tx.query('INSERT INTO buzon VALUES ($1, 1)', [key])),
    })
    await adapter.ready()
    const created = await Promise.all(
      Array.from({ length: 10 }, (_, i) => tried(adapter.create({ id: `p${i % 5}`, n: i }, call))),
    )
    expect(created.filter((one) => (one as { created?: unknown }).created !== undefined)).toHaveLength(5)
    expect((await db.query('SELECT count(*)::int AS n FROM buzon')).rows).toEqual([{ n: 5 }])
    await db.transaction(async (tx) => {
      const within = bultosIn(db).within(tx)
      expect(await within.create({ id: 'p0' }, call)).toEqual({ refused: 'duplicate', members: ['id'] })
      expect(await within.create({ id: 'own' }, call)).toMatchObject({ created: {} })
      await tx.rollback()
    })
    expect(await adapter.read(['own'], call)).toEqual([undefined])
    const leaving = new AbortController()
    leaving.abort()
    await refusedWith(adapter.read(['p0'], { ...call, signal: leaving.signal }))
    await db.close()
    expect((await refusedWith(adapter.create({ id: 'closed' }, call))).detail).toMatch(unchanged)
    await refusedWith(adapter.read(['p0'], call))
  }, 60_000)
})
