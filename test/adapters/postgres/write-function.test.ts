import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PostgresAdapterOptions, SqlClient } from '../../../src/adapters/postgres/index.js'
import { HttpProblem } from '../../../src/problem.js'
import { freshSchema } from '../../servers/databases.js'
import { lentPglite } from '../../servers/pglite.js'
import { call } from '../memory/requests.js'
import { type Bulto, bultosIn, ddl, refusedWith, tried, unchanged, until } from './bultos.js'

type Write = NonNullable<PostgresAdapterOptions<Bulto, string>['write']>
type Rows = Record<string, unknown>[]

interface Store {
  readonly client: SqlClient
  sql(text: string): Promise<Rows>
  close(): Promise<void>
}

const stores: Record<string, () => Promise<Store>> = {
  async 'a pool'() {
    const place = await freshSchema()
    const pool = new pg.Pool({ connectionString: place.url, max: 4 })
    return { client: pool, sql: place.sql, close: () => pool.end().then(() => place.drop()) }
  },
  async 'a single client'() {
    const place = await freshSchema()
    const client = new pg.Client(place.url)
    await client.connect()
    return { client, sql: place.sql, close: () => client.end().then(() => place.drop()) }
  },
  async PGlite() {
    const { client, release } = await lentPglite()
    const sql = async (text: string) => (await client.exec(text)).at(-1)?.rows as Rows
    return { client, sql, close: release }
  },
  async 'a custom client'() {
    const place = await freshSchema()
    const pool = new pg.Pool({ connectionString: place.url, max: 4 })
    const client = {
      query: (text: string, values?: unknown[]) => pool.query(text, values),
      async transaction<T>(work: (tx: SqlClient) => Promise<T>): Promise<T> {
        const own = await pool.connect()
        try {
          await own.query('BEGIN')
          const result = await work(own)
          await own.query('COMMIT')
          return result
        } catch (error) {
          await own.query('ROLLBACK')
          throw error
        } finally {
          own.release()
        }
      },
    }
    return { client, sql: place.sql, close: () => pool.end().then(() => place.drop()) }
  },
}

for (const [name, open] of Object.entries(stores)) {
  describe(`the "write" function, over ${name}`, () => {
    let store: Store
    beforeAll(async () => {
      store = await open()
      await store.sql(ddl)
      await store.sql(`
        CREATE TABLE palabras (palabra text PRIMARY KEY);
        INSERT INTO palabras VALUES ('sí');
        ALTER TABLE bultos ADD FOREIGN KEY (duenyo) REFERENCES palabras DEFERRABLE INITIALLY DEFERRED;
        CREATE TABLE despues (n integer UNIQUE DEFERRABLE INITIALLY DEFERRED);
        INSERT INTO despues VALUES (1)`)
    }, 60_000)
    beforeEach(() => store.sql(`DELETE FROM bultos; DELETE FROM buzon; INSERT INTO bultos VALUES ('a', 1)`))
    afterAll(() => store.close())

    const outbox: Write = async (tx, { key, value }) => {
      await tx.query('INSERT INTO buzon VALUES ($1, $2)', [key, value?.n])
    }
    const over = (write: Write) => bultosIn(store.client, { write })
    const all = async () => ({
      bultos: await store.sql('SELECT id, n FROM bultos ORDER BY id'),
      buzon: await store.sql('SELECT bulto, n FROM buzon ORDER BY bulto'),
    })
    const initial = { bultos: [{ id: 'a', n: 1 }], buzon: [] }

    it('its own statements and the change are committed together, or not at all (HDR-3)', async () => {
      const adapter = over(outbox)
      const [a] = await adapter.read(['a'], call)
      expect(await adapter.replace('a', { id: 'a', n: 2 }, 'e.0', call)).toBe('stale')
      expect(await adapter.replace('b', { id: 'b', n: 2 }, undefined, call)).toBe('absent')
      expect(await adapter.create({ id: 'a', n: 2 }, call)).toEqual({ refused: 'duplicate', members: ['id'] })
      expect(await all()).toEqual(initial)
      expect(await adapter.replace('a', { id: 'a', n: 2 }, a?.version, call)).toMatchObject({ value: { n: 2 } })
      expect(await all()).toEqual({ bultos: [{ id: 'a', n: 2 }], buzon: [{ bulto: 'a', n: 2 }] })
      expect(await tried(adapter.remove('a', undefined, call))).toMatchObject({ code: '23505' })
      await store.sql('DELETE FROM buzon')
      expect(await adapter.remove('a', undefined, call)).toBe('removed')
      expect(await all()).toEqual({ bultos: [], buzon: [{ bulto: 'a', n: null }] })
    })

    it('if it throws, the transaction is rolled back, and the call rejects with the same error', async () => {
      const problem = new HttpProblem('rule', { detail: 'No.' })
      const before = over(async (tx, change, own) => {
        await outbox(tx, change, own)
        throw problem
      })
      expect(await tried(before.replace('a', { id: 'a', n: 2 }, undefined, call))).toBe(problem)
      const after = over(async (_tx, change) => {
        if ((await change.apply()) === 'stale') throw problem
      })
      expect(await tried(after.replace('a', { id: 'a', n: 2 }, 'e.0', call))).toBe(problem)
      const broken = new TypeError('x is not a function')
      const fails = over(async (_tx, change) => {
        await change.apply()
        throw broken
      })
      expect(await tried(fails.replace('a', { id: 'a', n: 2 }, undefined, call))).toBe(broken)
      expect(await all()).toEqual(initial)
    })

    it('makes the change once, however often it calls apply()', async () => {
      const results: unknown[] = []
      const twice = over(async (_tx, { apply }) => {
        results.push(await apply(), await apply())
      })
      const answer = await twice.replace('a', { id: 'a', n: 2 }, undefined, call)
      expect(results).toEqual([answer, answer])
      const together = over(async (tx, change, own) => {
        await Promise.all([change.apply(), outbox(tx, change, own), change.apply()])
      })
      expect(await together.create({ id: 'b', n: 3 }, call)).toMatchObject({ created: { value: { id: 'b', n: 3 } } })
      expect(await all()).toMatchObject({ buzon: [{ bulto: 'b', n: 3 }] })
    })

    it('if one of its own statements fails, the call rejects with the error, not with a refusal', async () => {
      await store.sql(`INSERT INTO buzon VALUES ('a', 0), ('b', 0)`)
      for (const first of [true, false]) {
        const adapter = over(async (tx, change, own) => {
          if (first) await change.apply()
          await outbox(tx, change, own)
        })
        expect(await tried(adapter.replace('a', { id: 'a', n: 2 }, undefined, call))).toMatchObject({ code: '23505' })
        expect(await tried(adapter.create({ id: 'b', n: 2 }, call))).toMatchObject({ code: '23505' })
      }
      const deferred = over((tx) => tx.query('INSERT INTO despues VALUES (1)').then(() => {}))
      expect(await tried(deferred.replace('a', { id: 'a', n: 2 }, undefined, call))).toMatchObject({ code: '23505' })
      expect((await all()).bultos).toEqual(initial.bultos)
    })

    it('if it ignores an error that has undone the change, the call fails', async () => {
      const swallows = over(async (tx, change) => {
        await change.apply()
        await tx.query('SELECT 1 / 0').catch(() => {})
      })
      const failure = await tried(swallows.replace('a', { id: 'a', n: 2 }, undefined, call))
      expect(failure).toBeInstanceOf(Error)
      expect(failure).not.toBeInstanceOf(HttpProblem)
      expect(await all()).toEqual(initial)
      const saved = over(async (tx, change) => {
        await change.apply()
        await tx.query('SAVEPOINT theirs')
        await tx.query('SELECT 1 / 0').catch(() => tx.query('ROLLBACK TO SAVEPOINT theirs'))
      })
      expect(await saved.replace('a', { id: 'a', n: 2 }, undefined, call)).toMatchObject({ value: { n: 2 } })
    })

    it('if it ends the transaction, the error of the call says whether the change is committed (VERB-13)', async () => {
      for (const ending of ['COMMIT', 'ROLLBACK', 'COMMIT; BEGIN', 'ROLLBACK; BEGIN', 'COMMIT AND CHAIN']) {
        for (const first of [true, false]) {
          await store.sql(`DELETE FROM bultos; INSERT INTO bultos VALUES ('a', 1)`)
          const adapter = over(async (tx, change) => {
            if (first) await change.apply()
            for (const one of ending.split('; ')) await tx.query(one)
          })
          const failure = String(await tried(adapter.replace('a', { id: 'a', n: 2 }, undefined, call)))
          expect(failure, ending).toMatch(/The "write" function ended the transaction of the replace of "bultos"/)
          const made = first && ending.startsWith('COMMIT')
          if (made) expect(failure, ending).toMatch(/The change is committed/)
          expect((await all()).bultos, ending).toEqual([{ id: 'a', n: made ? 2 : 1 }])
        }
      }
    })

    it('can make other writes in its transaction, but their "write" functions must not end it', async () => {
      const inner = (tx: SqlClient, write: Write) => bultosIn(tx, { write })
      const around = (write: Write) =>
        over(async (tx, change) => {
          const before = await inner(tx, write).create({ id: 'b', n: 2 }, call)
          await change.apply()
          const after = await inner(tx, write).replace('b', { id: 'b', n: 3 }, undefined, call)
          expect([before, after]).toMatchObject([{ created: {} }, { value: { n: 3 } }])
        })
      expect(await around(async () => {}).replace('a', { id: 'a', n: 2 }, undefined, call)).toMatchObject({
        value: { n: 2 },
      })
      expect((await all()).bultos).toEqual([
        { id: 'a', n: 2 },
        { id: 'b', n: 3 },
      ])
      for (const ending of ['COMMIT', 'ROLLBACK; BEGIN', 'SAVEPOINT s; ROLLBACK TO SAVEPOINT s']) {
        await store.sql(`DELETE FROM bultos; INSERT INTO bultos VALUES ('a', 1)`)
        const ends = around(async (tx) => {
          for (const one of ending.split('; ')) await tx.query(one)
        })
        const failure = await tried(ends.replace('a', { id: 'a', n: 4 }, undefined, call))
        if (ending.startsWith('SAVEPOINT')) expect(failure).toMatchObject({ value: { n: 4 } })
        else expect(String(failure)).toMatch(/The "write" function ended the transaction/)
      }
    })

    it('nothing is committed after the call has timed out', async () => {
      let go = (): void => {}
      const gate = new Promise<void>((resolve) => {
        go = resolve
      })
      const adapter = over(async (_tx, { apply }) => {
        await apply()
        await gate
      })
      await adapter.ready()
      // Here `left()`, which returns the remaining milliseconds, returns 200 even after the
      // timeout. So a check of `left()` cannot prevent the commit.
      const failure = await refusedWith(
        adapter.replace('a', { id: 'a', n: 2 }, undefined, { ...call, left: () => 200 }),
      )
      expect(failure.detail).toMatch(unchanged)
      go()
      await until(() => tried(bultosIn(store.client).replace('b', { id: 'b' }, undefined, call))).toBe('absent')
      expect(await all()).toEqual(initial)
    })

    it('if the change violates a deferred constraint, it is refused, and nothing is committed (ERR-2)', async () => {
      const adapter = over(outbox)
      const refused = { refused: 'reference', members: ['duenyo'] }
      expect(await adapter.create({ id: 'b', n: 2, duenyo: 'no' }, call)).toEqual(refused)
      expect(await adapter.replace('a', { id: 'a', n: 2, duenyo: 'no' }, undefined, call)).toEqual(refused)
      expect(await all()).toEqual(initial)
      expect(await bultosIn(store.client).replace('a', { id: 'a', n: 2, duenyo: 'no' }, undefined, call)).toEqual(
        refused,
      )
      expect(await adapter.create({ id: 'b', n: 2, duenyo: 'sí' }, call)).toMatchObject({ created: {} })
    })
  })
}
