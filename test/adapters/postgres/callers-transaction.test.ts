import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../../src/configuration-error.js'
import { HttpProblem } from '../../../src/problem.js'
import { freshSchema, type Place } from '../../servers/databases.js'
import { lentPglite } from '../../servers/pglite.js'
import { call, listRequest } from '../memory/requests.js'
import { bultosIn, ddl, refusedWith, tried, unchanged, within } from './bultos.js'

describe('row-level security by the "session" function', () => {
  it('applies to lists, reads and writes', async () => {
    const place = await freshSchema()
    const role = `r_${place.name}`
    await place.sql(`${ddl}
      CREATE ROLE ${role} NOSUPERUSER;
      GRANT USAGE ON SCHEMA ${place.name} TO ${role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON bultos TO ${role};
      ALTER TABLE bultos ENABLE ROW LEVEL SECURITY;
      CREATE POLICY propio ON bultos USING (duenyo = current_setting('app.quien', true));
      INSERT INTO bultos VALUES ('a', 1, 'ana'), ('b', 2, 'blas')`)
    const pool = new pg.Pool({ connectionString: place.url, max: 2 })
    const adapter = bultosIn(pool, {
      session: async (tx, { principal }) => {
        await tx.query(`SET LOCAL ROLE ${role}`)
        await tx.query(`SELECT set_config('app.quien', $1, true)`, [principal])
      },
    })
    const ana = { ...call, principal: 'ana' }
    const ids = async (own: typeof call) =>
      (await adapter.list(listRequest({ sort: 'id' }), own)).items.map(({ value }) => value.id)
    expect(await ids(ana)).toEqual(['a'])
    expect(await ids({ ...call, principal: 'blas' })).toEqual(['b'])
    expect(await adapter.read(['a', 'b'], ana)).toMatchObject([{ value: { id: 'a' } }, undefined])
    expect(await adapter.replace('b', { id: 'b', n: 9, duenyo: 'ana' }, undefined, ana)).toBe('absent')
    expect(await adapter.remove('b', undefined, ana)).toBe('absent')
    expect(await adapter.replace('a', { id: 'a', n: 9, duenyo: 'blas' }, undefined, ana)).toEqual({
      refused: 'rule',
      members: [],
    })
    expect(await adapter.create({ id: 'c', n: 3, duenyo: 'blas' }, ana)).toEqual({ refused: 'rule', members: [] })
    expect(await adapter.create({ id: 'c', n: 3, duenyo: 'ana' }, ana)).toMatchObject({
      created: { value: { id: 'c' } },
    })
    // No connection of the pool still has the settings of the session function.
    const who = await Promise.all(
      [1, 2].map(() =>
        pool.query(`SELECT current_setting('app.quien', true) AS quien, current_user = $1 AS yes`, [role]),
      ),
    )
    for (const { rows } of who) expect(rows).toEqual([{ quien: expect.toBeOneOf(['', null]), yes: false }])
    await pool.end()
    await place.sql(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    await place.drop()
  })
})

describe('a transaction of the caller', () => {
  let place: Place
  let pool: pg.Pool
  beforeAll(async () => {
    place = await freshSchema()
    await place.sql(ddl)
    pool = new pg.Pool({ connectionString: place.url, max: 3 })
  })
  beforeEach(() => place.sql(`DELETE FROM bultos; DELETE FROM buzon; INSERT INTO bultos VALUES ('a', 1)`))
  afterAll(() => pool.end().then(() => place.drop()))
  const stored = () => place.sql('SELECT id, n FROM bultos ORDER BY id')

  it('remains usable after refusals and failures, and is ended only by its caller', async () => {
    const client = await pool.connect()
    await client.query('BEGIN')
    const adapter = bultosIn(pool).within(client)
    expect(await adapter.create({ id: 'a', n: 5 }, call)).toEqual({ refused: 'duplicate', members: ['id'] })
    expect(await adapter.create({ id: 'b', n: 5 }, call)).toMatchObject({ created: {} })
    expect(await adapter.replace('a', { id: 'a', n: 6 }, 'e.0', call)).toBe('stale')
    expect(await adapter.replace('a', { id: 'a', n: 7 }, undefined, call)).toMatchObject({ value: { n: 7 } })
    expect(await adapter.remove('c', undefined, call)).toBe('absent')
    expect(await stored()).toEqual([{ id: 'a', n: 1 }])
    const failing = bultosIn(pool, { write: (tx) => tx.query('SELECT 1 / 0').then(() => {}) }).within(client)
    expect(await tried(failing.create({ id: 'x' }, call))).toMatchObject({ code: '22012' })
    expect(
      (
        await refusedWith(
          bultosIn(pool, { write: (tx) => tx.query('SELECT pg_sleep(60)').then(() => {}), statementTimeout: 100 })
            .within(client)
            .replace('a', { id: 'a' }, undefined, within(400)),
        )
      ).detail,
    ).toMatch(unchanged)
    expect(await adapter.read(['b'], call)).toMatchObject([{ value: { n: 5 } }])
    expect(await stored()).toEqual([{ id: 'a', n: 1 }])
    await client.query('ROLLBACK')
    expect(await stored()).toEqual([{ id: 'a', n: 1 }])
    await client.query('BEGIN')
    await adapter.create({ id: 'b', n: 5 }, call)
    await client.query('COMMIT')
    client.release()
    expect(await stored()).toEqual([
      { id: 'a', n: 1 },
      { id: 'b', n: 5 },
    ])
  })

  it('is detected even if its BEGIN was not awaited', async () => {
    const client = new pg.Client(place.url)
    await client.connect()
    const store = bultosIn(client)
    expect(await store.read(['b'], call)).toEqual([undefined])
    const begun = client.query('BEGIN')
    expect(await store.create({ id: 'b' }, call)).toMatchObject({ created: {} })
    await begun
    await client.query('ROLLBACK')
    expect(await stored()).toEqual([{ id: 'a', n: 1 }])
    await client.end()
  })

  it('can be the "tx" of a "write" function; writes through within(tx) do not wait for the outer write', async () => {
    const client = new pg.Client(place.url)
    await client.connect()
    for (const outer of [client, pool]) {
      const inner = bultosIn(outer)
      const store = bultosIn(outer, {
        write: async (tx, { key }) => {
          expect(await inner.within(tx).create({ id: 'a' }, call)).toEqual({ refused: 'duplicate', members: ['id'] })
          expect(await inner.within(tx).create({ id: `${key}-inner` }, call)).toMatchObject({ created: {} })
          if (key === 'fails') throw new HttpProblem('rule')
        },
      })
      await Promise.all([store.create({ id: 'works' }, call), tried(store.create({ id: 'fails' }, call))])
      expect((await stored()).map(({ id }) => id)).toEqual(['a', 'works', 'works-inner'])
      await place.sql(`DELETE FROM bultos WHERE id <> 'a'`)
    }
    await client.end()
  })

  describe('VERB-13: within() writes nothing if no transaction is open', () => {
    const open = /within\(\).*Nothing was written\. Send BEGIN/
    const refuses = async (own: ReturnType<typeof bultosIn>) => {
      const before = await stored()
      const [{ version = '' } = {}] = await bultosIn(pool).read(['a'], call)
      for (const write of [
        () => own.create({ id: 'b' }, call),
        () => own.replace('a', { id: 'a', n: 9 }, undefined, call),
        () => own.replace('a', { id: 'a', n: 9 }, version, call),
        () => own.remove('a', undefined, call),
      ]) {
        const error = await tried(write())
        expect(error).toBeInstanceOf(ConfigurationError)
        expect((error as Error).message).toMatch(open)
      }
      expect(await stored()).toEqual(before)
    }

    it('without BEGIN, after COMMIT, after ROLLBACK and after release()', async () => {
      const client = await pool.connect()
      const own = bultosIn(pool).within(client)
      await refuses(own)
      await client.query('BEGIN')
      expect(await own.replace('a', { id: 'a', n: 2 }, undefined, call)).toMatchObject({ value: { n: 2 } })
      await client.query('COMMIT')
      await refuses(own)
      await client.query('BEGIN; ROLLBACK')
      await refuses(own)
      client.release()
      await refuses(own)
      expect(await own.read(['a'], call)).toMatchObject([{ value: { n: 2 } }])
    })

    it('after release(), even if another caller has a transaction open on the client', async () => {
      const alone = new pg.Pool({ connectionString: place.url, max: 1 })
      const shop = bultosIn(alone)
      const client = await alone.connect()
      const own = shop.within(client)
      client.release()
      const other = await alone.connect()
      await other.query('BEGIN')
      await refuses(own)
      expect(await shop.within(other).create({ id: 'c' }, call)).toMatchObject({ created: {} })
      await other.query('COMMIT')
      other.release()
      expect((await stored()).map(({ id }) => id)).toEqual(['a', 'c'])
      await alone.end()
    })

    it('with a "write" and a "session" function, which are not called', async () => {
      const ran: string[] = []
      const client = await pool.connect()
      const write = async () => void ran.push('write')
      const session = async () => void ran.push('session')
      await refuses(bultosIn(pool, { write, session }).within(client))
      expect(ran).toEqual([])
      client.release()
    })

    it('with a client that does not report its transaction status, or that opens transactions itself', async () => {
      const client = await pool.connect()
      const query = (text: string, values?: unknown[]) => client.query(text, values)
      const silent = new Proxy(client, {
        get: (target, name) => {
          if (name === 'getTransactionStatus') return undefined
          const value = Reflect.get(target, name)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
      const begins = {
        query,
        async transaction<T>(work: (tx: { query: typeof query }) => Promise<T>): Promise<T> {
          await client.query('BEGIN')
          try {
            const result = await work({ query })
            await client.query('COMMIT')
            return result
          } catch (error) {
            await client.query('ROLLBACK')
            throw error
          }
        },
      }
      for (const one of [silent, { query }, begins]) {
        const own = bultosIn(pool).within(one)
        await refuses(own)
        await client.query('BEGIN')
        expect(await own.replace('a', { id: 'a', n: 3 }, undefined, call)).toMatchObject({ value: { n: 3 } })
        await client.query('ROLLBACK')
        expect(await stored()).toEqual([{ id: 'a', n: 1 }])
      }
      client.release()
    })

    it('on a pool or PGlite: within() itself throws', async () => {
      expect(() => bultosIn(pool).within(pool)).toThrow(open)
      const { client: db, release } = await lentPglite()
      expect(() => bultosIn(db).within(db)).toThrow(open)
      await release()
    })
  })
})
