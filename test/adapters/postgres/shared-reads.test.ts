/**
 * Concurrent reads by key share a round trip to the server. In all other respects they are
 * independent.
 */
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshSchema } from '../../servers/databases.js'
import { call } from '../memory/requests.js'
import { bultosIn, ddl, refusedWith, until, within } from './bultos.js'

let place: Awaited<ReturnType<typeof freshSchema>>
beforeAll(async () => {
  place = await freshSchema()
  await place.sql(`${ddl} INSERT INTO bultos SELECT 'k' || i, i FROM generate_series(1, 200) AS i`)
})
afterAll(() => place.drop())

async function withPool<T>(
  use: (pool: pg.Pool) => Promise<T>,
  config: pg.PoolConfig = {},
  make = (c: pg.PoolConfig) => new pg.Pool(c),
) {
  const pool = make({ connectionString: place.url, max: 4, ...config })
  try {
    return await use(pool)
  } finally {
    await pool.end()
  }
}

/** Counts the statements that are sent for the table while `work` runs. */
async function trips(work: () => Promise<unknown>): Promise<number> {
  const { prototype } = pg.Client
  const { query } = prototype
  let count = 0
  prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [first] = given as [string | { readonly text?: string }]
    if ((typeof first === 'string' ? first : (first.text ?? '')).includes('bultos')) count += 1
    return (query as (...all: unknown[]) => unknown).apply(this, given)
  } as typeof query
  try {
    await work()
    return count
  } finally {
    prototype.query = query
  }
}

/** Locks the table in another session. Returns a function that unlocks it. */
async function holdTable(): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: place.url })
  await holder.connect()
  await holder.query('BEGIN; LOCK TABLE bultos')
  return async () => {
    await holder.query('COMMIT')
    await holder.end()
  }
}

const keys = (count: number): string[] => Array.from({ length: count }, (_, i) => `k${i + 1}`)

describe('concurrent reads by key', () => {
  it('share round trips; one round trip serves at most 25 reads', async () => {
    await withPool(async (pool) => {
      const store = bultosIn(pool)
      await store.ready()
      const read = (count: number) => () => Promise.all(keys(count).map((key) => store.read([key], call)))
      expect(await trips(read(1))).toBe(1)
      expect(await trips(read(10))).toBe(1)
      expect(await trips(read(60))).toBe(3)
    })
  })

  it('return the same records as sequential reads', async () => {
    await withPool(async (pool) => {
      const store = bultosIn(pool)
      await store.ready()
      const anyKey = fc.oneof(
        fc.integer({ min: 1, max: 250 }).map((i) => `k${i}`),
        fc.string(),
      )
      await fc.assert(
        fc.asyncProperty(fc.array(anyKey, { minLength: 2, maxLength: 60 }), async (asked) => {
          const together = await Promise.all(asked.map((key) => store.read([key], call)))
          for (const [i, key] of asked.entries()) {
            const [found] = together[i] ?? []
            expect(found).toEqual((await store.read([key], call))[0])
            if (found !== undefined) expect((found.value as { readonly id: string }).id).toBe(key)
          }
        }),
        { numRuns: 25 },
      )
    })
  })

  it('see everything that was committed before they started', async () => {
    await withPool(async (pool) => {
      const store = bultosIn(pool)
      await store.ready()
      for (let n = 1; n <= 10; n++) {
        await place.sql(`UPDATE bultos SET n = ${n} WHERE id IN ('k1', 'k2')`)
        const found = await Promise.all(['k1', 'k2', 'k1'].map((key) => store.read([key], call)))
        for (const [one] of found) expect(one).toMatchObject({ value: { n } })
      }
    })
  })
})

describe('a failure of a shared round trip', () => {
  it('affects only the read that caused the failure; the other reads succeed', async () => {
    const own = await freshSchema()
    await own.sql(`${ddl} INSERT INTO bultos SELECT 'k' || i, i FROM generate_series(1, 9) AS i;
      CREATE FUNCTION checked(text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN 1 / (CASE $1 WHEN 'k3' THEN 0 ELSE 1 END) = 1; END $$;
      ALTER TABLE bultos ENABLE ROW LEVEL SECURITY; ALTER TABLE bultos FORCE ROW LEVEL SECURITY;
      CREATE POLICY all_rows ON bultos USING (checked(id)) WITH CHECK (true);
      CREATE ROLE reader_${own.name} NOINHERIT; GRANT USAGE ON SCHEMA ${own.name} TO reader_${own.name}; GRANT SELECT ON bultos TO reader_${own.name}`)
    const pool = new pg.Pool({ connectionString: own.url, max: 4 })
    pool.on('connect', (client) => void client.query(`SET ROLE reader_${own.name}`))
    const store = bultosIn(pool)
    const found = await Promise.allSettled(keys(9).map((key) => store.read([key], call)))
    expect(found.map(({ status }) => status)).toEqual(keys(9).map((key) => (key === 'k3' ? 'rejected' : 'fulfilled')))
    await pool.end()
    await own.sql(`DROP OWNED BY reader_${own.name}; DROP ROLE reader_${own.name}`)
    await own.drop()
  })

  it('because of a timeout, affects only the reads that have reached their own time limit', async () => {
    await withPool(
      async (pool) => {
        const store = bultosIn(pool)
        await store.ready()
        const free = await holdTable()
        const brief = [1, 2, 3].map(() => refusedWith(store.read(['k1'], within(150))))
        const patient = store.read(['k2'], within(20_000))
        await Promise.all(brief)
        await free()
        expect(await patient).toMatchObject([{ value: { id: 'k2' } }])
        await until(() => pool.totalCount - pool.idleCount).toBe(0)
      },
      { max: 2 },
    )
  })

  it('because of a lost connection, causes a retry of each read', async () => {
    await withPool(
      async (pool) => {
        const store = bultosIn(pool)
        await store.ready()
        const free = await holdTable()
        const reading = Promise.all(keys(12).map((key) => store.read([key], call)))
        const waiting =
          'SELECT count(pg_terminate_backend(pid)) AS n FROM pg_stat_activity WHERE wait_event_type ' +
          `= 'Lock' AND ` +
          `query LIKE '%bultos%' AND pid <> pg_backend_pid()`
        await until(async () => Number((await place.sql(waiting))[0]?.n)).toBeGreaterThan(0)
        await free()
        const found = await reading
        expect(found.map(([one]) => one?.value)).toMatchObject(keys(12).map((id) => ({ id })))
      },
      { max: 3 },
    )
  })
})

describe('reads do not share a round trip', () => {
  it('if the pool has a listener for "acquire", or overrides connect()', async () => {
    const read = async (pool: pg.Pool): Promise<number> => {
      const store = bultosIn(pool)
      await store.ready()
      return trips(() => Promise.all(keys(6).map((key) => store.read([key], call))))
    }
    expect(
      await withPool(async (pool) => {
        pool.on('acquire', () => undefined)
        return read(pool)
      }),
    ).toBe(6)
    expect(
      await withPool(async (pool) => {
        const connect = pool.connect.bind(pool)
        pool.connect = (() => connect()) as typeof pool.connect
        return read(pool)
      }),
    ).toBe(6)
    class Prepared extends pg.Pool {
      override connect(): Promise<pg.PoolClient>
      override connect(...given: never[]): never
      override connect(): Promise<pg.PoolClient> {
        return super.connect()
      }
    }
    expect(await withPool(read, {}, (config) => new Prepared(config))).toBe(6)
    expect(await withPool(read)).toBe(1)
  })

  it('if the option "session" configures the connection', async () => {
    await withPool(async (pool) => {
      const seen: unknown[] = []
      const store = bultosIn(pool, {
        session: async (client, { principal }) => {
          seen.push(principal)
          await client.query(`SELECT set_config('app.user', $1, true)`, [principal as string])
        },
      })
      await store.ready()
      const users = ['ana', 'eva', 'ida']
      await Promise.all(users.map((principal) => store.read(['k1'], { ...call, principal })))
      expect(seen.filter((one) => users.includes(one as string)).sort()).toEqual(users)
    })
  })

  it('if they read from a view, because a view can be slow', async () => {
    const own = await freshSchema()
    await own.sql(
      `${ddl} INSERT INTO bultos SELECT 'k' || i, i FROM generate_series(1, 9) AS i; CREATE VIEW vistos_bultos ` +
        'AS SELECT * FROM bultos',
    )
    const pool = new pg.Pool({ connectionString: own.url, max: 4 })
    const store = bultosIn(pool, { readFrom: 'vistos_bultos', version: { expression: 'id' } })
    await store.ready()
    expect(await trips(() => Promise.all(keys(6).map((key) => store.read([key], call))))).toBe(6)
    await pool.end()
    await own.drop()
  })
})
