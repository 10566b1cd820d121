/**
 * The result of a create with an idempotency key (VERB-12) is stored in the transaction of the
 * create. The tests cover the table of keys, expiry, lost connections, and transactions of callers.
 */
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AdapterCall, Idempotency } from '../../../src/adapters/contract.js'
import { idempotencyDdl, type PostgresAdapterOptions, type SqlClient } from '../../../src/adapters/postgres/index.js'
import { ConfigurationError, HttpProblem } from '../../../src/problem.js'
import { freshSchema, type Place } from '../../servers/databases.js'
import { lentPglite } from '../../servers/pglite.js'
import { startProxy, type TcpProxy } from '../../servers/proxy.js'
import { callOf } from '../memory/requests.js'
import { type Bulto, bultosIn, ddl, refusedWith, tried, unknown, until, within } from './bultos.js'

const idempotency = { table: 'claves' } as const
const tables = `${ddl} ${idempotencyDdl(idempotency)}`

let count = 0
const keyed = (id = `id-${++count}`, fingerprint = 'f'): AdapterCall & { readonly idempotency: Idempotency } =>
  ({ ...callOf(), idempotency: { id, fingerprint } }) as never

describe('VERB-12: creates with an idempotency key, in the PostgreSQL adapter', () => {
  let place: Place
  let proxy: TcpProxy
  let pool: pg.Pool
  let through: pg.Pool
  const warnings: string[] = []
  beforeAll(async () => {
    place = await freshSchema()
    await place.sql(tables)
    const { hostname: host, port } = new URL(place.url)
    proxy = await startProxy({ host, port: Number(port || 5432) })
    pool = new pg.Pool({ connectionString: place.url, max: 8 })
    through = new pg.Pool({ connectionString: proxy.through(place.url), max: 4 })
  })
  afterAll(async () => {
    await Promise.all([pool.end(), through.end()])
    await proxy.close()
    await place.drop()
  })
  afterEach(() => void warnings.splice(0))
  const store = (options: Parameters<typeof bultosIn>[1] = {}, client: SqlClient = pool) =>
    bultosIn(client, { idempotency, onWarning: (message) => void warnings.push(message), ...options })
  const rows = (id: string) => place.sql(`SELECT id, n FROM bultos WHERE id = $1`, [id])

  it('a call without a key stores no result, and recalls none', async () => {
    await store().create({ id: 'plain', n: 1 }, callOf())
    expect(await place.sql('SELECT * FROM claves')).toEqual([])
    expect(await store().recall?.(callOf())).toBeUndefined()
  })

  it('the record is stored as text, so that it is read back exactly', async () => {
    const call = keyed()
    const value = { id: 'ñ 👍 \u2028 "\\', n: -7, duenyo: null }
    const made = await store().create(value, call)
    const again = await store().recall?.(call)
    expect(made).toEqual({ created: again })
    expect(again).toMatchObject({ value })
    expect(await place.sql(`SELECT record FROM claves WHERE id = $1`, [call.idempotency.id])).toEqual([
      { record: JSON.stringify((again as { value: Bulto }).value) },
    ])
  })

  it('if the reply to COMMIT is lost, the create gets 503, and a retry with the same key gets the record', async () => {
    const call = keyed()
    const lost = proxy.loseReply('COMMIT')
    const over = store({}, through)
    expect((await refusedWith(over.create({ id: 'lost', n: 1 }, call))).detail).toMatch(unknown)
    await lost
    const again = await over.create({ id: 'lost', n: 1 }, call)
    expect(again).toMatchObject({ created: { value: { id: 'lost', n: 1 } } })
    expect(await rows('lost')).toHaveLength(1)
  })

  it('if the connection is lost between insert and commit, repeated creates make exactly one record', async () => {
    const call = keyed()
    const over = store({}, through)
    await over.recall?.(call)
    const cut = proxy.cutAfter('UPDATE "claves"')
    // Nothing was committed, so the adapter may retry the create. If the server still holds the
    // lock of the first attempt, the result is "running".
    const answer = await tried(over.create({ id: 'cut', n: 1 }, call))
    await cut
    if (answer === 'running' || answer instanceof Error) {
      await until(async () => over.create({ id: 'cut', n: 1 }, call)).toMatchObject({
        created: { value: { id: 'cut' } },
      })
    } else expect(answer).toMatchObject({ created: { value: { id: 'cut' } } })
    expect(await rows('cut')).toHaveLength(1)
  })

  it('a server process that is terminated between insert and commit leaves neither record nor key', async () => {
    const call = keyed()
    let runs = 0
    const killed = store({
      write: async (tx, change) => {
        await change.apply()
        runs += 1
        const [{ pid }] = (await tx.query('SELECT pg_backend_pid() AS pid')).rows as [{ pid: number }]
        await pool.query('SELECT pg_terminate_backend($1)', [pid])
        await tx.query('SELECT pg_sleep(5)')
      },
    })
    expect(await tried(killed.create({ id: 'killed', n: 1 }, call))).toBeInstanceOf(Error)
    expect(runs).toBeGreaterThan(0)
    expect(await rows('killed')).toEqual([])
    expect(await store().recall?.(call)).toBeUndefined()
    expect(await store().create({ id: 'killed', n: 1 }, call)).toMatchObject({ created: { value: { id: 'killed' } } })
  })

  it('a retry gets "running" at once while the first create is in progress, and the created record afterwards', async () => {
    const call = keyed()
    let go = (): void => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    let begun = (): void => {}
    const inside = new Promise<void>((resolve) => {
      begun = resolve
    })
    const slow = store({
      write: async (_tx, change) => {
        await change.apply()
        begun()
        await held
      },
    })
    const first = slow.create({ id: 'slow', n: 1 }, call)
    await inside
    expect(await store().recall?.(call)).toBeUndefined()
    expect(await store().create({ id: 'slow', n: 1 }, call)).toBe('running')
    // A different body is not detected yet, because the fingerprint of the first create is not
    // committed.
    expect(await store().create({ id: 'other' }, keyed(call.idempotency.id, 'g'))).toBe('running')
    go()
    const made = await first
    expect(await store().create({ id: 'slow', n: 1 }, call)).toEqual(made)
  })

  it('if "lock" is false, a second equal create waits for the first one, and gets its result', async () => {
    const unlocked = () => store({ idempotency: { ...idempotency, lock: false } })
    for (let round = 0; round < 5; round++) {
      const call = keyed()
      const value = { id: `unlocked-${round}`, n: round }
      const answers = await Promise.all(Array.from({ length: 8 }, () => unlocked().create(value, call)))
      for (const answer of answers) expect(answer).toEqual(answers[0])
      expect(answers[0]).toMatchObject({ created: { value } })
      expect(await rows(value.id)).toHaveLength(1)
    }
  })

  it('if "lock" is false, a create that waits too long for an equal create fails, and changes nothing', async () => {
    const call = keyed()
    const other = await pool.connect()
    await other.query('BEGIN')
    await other.query(`INSERT INTO claves VALUES ($1, 'f', '', '', now() + interval '1 day')`, [call.idempotency.id])
    const answer = store({ idempotency: { ...idempotency, lock: false } }).create({ id: 'waits' }, {
      ...within(400),
      idempotency: call.idempotency,
    } as never)
    expect((await refusedWith(answer)).detail).toMatch(/Nothing was changed/)
    await other.query('ROLLBACK')
    other.release()
    expect(await rows('waits')).toEqual([])
  })

  it.each([
    ['the INSERT', 'INSERT'],
    ['the UPDATE', 'UPDATE'],
  ])('if %s of a key causes a unique violation, the create gets "running", not "duplicate"', async (_, event) => {
    await place.sql(
      `CREATE FUNCTION tomada() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE unique_violation USING TABLE = 'claves', CONSTRAINT = 'claves_pkey'; END $$;
       CREATE TRIGGER tomada BEFORE ${event} ON claves FOR EACH ROW EXECUTE FUNCTION tomada()`,
    )
    expect(await store().create({ id: 'contested' }, keyed())).toBe('running')
    await place.sql('DROP FUNCTION tomada CASCADE')
    expect(await rows('contested')).toEqual([])
  })

  it('an SQL error in the table of keys is an error of the service, not a refusal of the record', async () => {
    await place.sql('ALTER TABLE claves ADD CONSTRAINT corta CHECK (length(record) < 5) NOT VALID')
    const failure = await tried(store().create({ id: 'refused' }, keyed()))
    await place.sql('ALTER TABLE claves DROP CONSTRAINT corta')
    expect(failure).toBeInstanceOf(Error)
    expect(failure).not.toBeInstanceOf(HttpProblem)
    expect(await rows('refused')).toEqual([])
  })

  it('a refused create stores nothing', async () => {
    const call = keyed()
    await store().create({ id: 'taken' }, callOf())
    expect(await store().create({ id: 'taken' }, call)).toEqual({ refused: 'duplicate', members: ['id'] })
    expect(await place.sql('SELECT 1 FROM claves WHERE id = $1', [call.idempotency.id])).toEqual([])
  })

  it("the service's own SQL runs only for the first of several creates with the same key", async () => {
    let runs = 0
    const write: PostgresAdapterOptions<Bulto, string>['write'] = async (tx, change) => {
      runs += 1
      await change.apply()
      await tx.query('INSERT INTO buzon VALUES ($1, 1)', [change.key])
    }
    const call = keyed()
    const answers = [
      await store({ write }).create({ id: 'once' }, call),
      await store({ write }).create({ id: 'once' }, call),
    ]
    expect(answers[1]).toEqual(answers[0])
    expect([runs, (await place.sql(`SELECT 1 FROM buzon WHERE bulto = 'once'`)).length]).toEqual([1, 1])
    const failing = keyed()
    const thrown = store({ write: async () => Promise.reject(new HttpProblem('rule')) })
    expect(await tried(thrown.create({ id: 'undone' }, failing))).toBeInstanceOf(HttpProblem)
    expect(await store().recall?.(failing)).toBeUndefined()
  })

  it('an expired key counts as unknown, and another create may use it', async () => {
    const call = keyed()
    await store().create({ id: 'old', n: 1 }, call)
    await place.sql(`UPDATE claves SET expires_at = now() - interval '1 second' WHERE id = $1`, [call.idempotency.id])
    expect(await store().recall?.(call)).toBeUndefined()
    const another = keyed(call.idempotency.id, 'another')
    expect(await store().create({ id: 'new', n: 2 }, another)).toMatchObject({ created: { value: { id: 'new' } } })
    expect(await store().recall?.(another)).toMatchObject({ value: { id: 'new', n: 2 } })
    expect(await store().recall?.(call)).toBe('mismatched')
    await store({ idempotency: { ...idempotency, ttl: 3600 } }).create({ id: 'hour' }, keyed('hour'))
    const [left] = await place.sql(
      `SELECT extract(epoch FROM expires_at - now())::float8 AS left FROM claves WHERE id = 'hour'`,
    )
    expect(left?.left).toBeGreaterThan(3_500)
    expect(left?.left).toBeLessThanOrEqual(3_600)
  })

  it('a create removes up to 1,000 expired keys, except locked ones, and the next create removes the rest', async () => {
    await place.sql(
      `INSERT INTO claves SELECT 'old-' || i, 'f', '{}', '', now() - interval '1 day' FROM ` +
        'generate_series(1, 1500) AS i',
    )
    const holder = await pool.connect()
    await holder.query('BEGIN')
    await holder.query(`SELECT 1 FROM claves WHERE id = 'old-7' FOR UPDATE`)
    const clearing = store()
    await clearing.create({ id: 'clears-1' }, keyed())
    const left = async () => (await place.sql(`SELECT id FROM claves WHERE id LIKE 'old-%'`)).length
    await until(left).toBe(500)
    await clearing.create({ id: 'clears-2' }, keyed())
    await until(left).toBe(1)
    await holder.query('ROLLBACK')
    holder.release()
    expect(await place.sql(`SELECT id FROM claves WHERE id LIKE 'old-%'`)).toEqual([{ id: 'old-7' }])
    expect(warnings).toEqual([])
  })

  it('in a transaction of the caller, a stored result is visible, and is rolled back with the transaction', async () => {
    const client = await pool.connect()
    const inner = store({}, client as never)
    const call = keyed()
    await client.query('BEGIN')
    const made = await inner.create({ id: 'inner' }, call)
    expect(await inner.create({ id: 'inner' }, call)).toEqual(made)
    expect(await inner.create({ id: 'inner' }, keyed(call.idempotency.id, 'g'))).toBe('mismatched')
    // A refusal does not undo other changes of the transaction, and the key of the refused create
    // stays unused.
    const refused = keyed()
    expect(await inner.create({ id: 'inner' }, refused)).toMatchObject({ refused: 'duplicate' })
    expect(await inner.recall?.(refused)).toBeUndefined()
    expect(await store().create({ id: 'inner' }, call)).toBe('running')
    await client.query('ROLLBACK')
    expect(await store().recall?.(call)).toBeUndefined()
    await client.query('BEGIN')
    await inner.create({ id: 'inner' }, call)
    await client.query('COMMIT')
    client.release()
    expect(await store().recall?.(call)).toMatchObject({ value: { id: 'inner' } })
  })

  it('a create over a custom client needs transaction(work), and throws a ConfigurationError without it', async () => {
    const query = (text: string, values?: unknown[]) => pool.query(text, values)
    const single = store({}, { query } as never)
    expect(await tried(single.create({ id: 'own' }, keyed()))).toBeInstanceOf(ConfigurationError)
    const transaction = async <T>(work: (tx: SqlClient) => Promise<T>): Promise<T> => {
      const client = await pool.connect()
      try {
        await client.query('BEGIN')
        const result = await work(client)
        await client.query('COMMIT')
        return result
      } catch (error) {
        await client.query('ROLLBACK')
        throw error
      } finally {
        client.release()
      }
    }
    const whole = store({}, { query, transaction } as never)
    const call = keyed()
    const answers = await Promise.all(Array.from({ length: 6 }, () => whole.create({ id: 'own' }, call)))
    expect(answers.filter((answer) => answer !== 'running').length).toBeGreaterThan(0)
    expect(await rows('own')).toHaveLength(1)
    expect(await whole.create({ id: 'own' }, keyed(call.idempotency.id, 'g'))).toBe('mismatched')
  })

  it('with serializable transactions, equal creates get the same result or "running"', async () => {
    const strict = new pg.Pool({
      connectionString: place.url,
      max: 6,
      options: `-c search_path=${place.name} -c default_transaction_isolation=serializable`,
    })
    const call = keyed()
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        (i % 2 ? store({}, strict) : store({ idempotency: { ...idempotency, lock: false } }, strict)).create(
          { id: 'serial' },
          call,
        ),
      ),
    )
    const made = answers.filter((answer) => answer !== 'running')
    expect(made.length).toBeGreaterThan(0)
    for (const answer of made) expect(answer).toEqual(made[0])
    expect(await rows('serial')).toHaveLength(1)
    await strict.end()
  })

  it('a key with any characters is stored exactly', async () => {
    for (const id of ["'; DROP TABLE claves; --", 'a'.repeat(1_000), 'Ä', 'ä', '']) {
      const call = keyed(id)
      const value = { id: `id ${id.slice(0, 20)}${id.length}` }
      const made = await store().create(value, call)
      expect(made).toMatchObject({ created: { value } })
      expect(await store().create({ id: 'x' }, call)).toEqual(made)
    }
  })
})

describe('VERB-12: ready() and the table of idempotency keys', () => {
  let place: Place
  let pool: pg.Pool
  beforeEach(async () => {
    place = await freshSchema()
    await place.sql(ddl)
    pool = new pg.Pool({ connectionString: place.url, max: 2 })
  })
  afterEach(async () => {
    await pool.end()
    await place.drop()
  })
  it.each([
    [
      'no table',
      '',
      /there is no table "claves" for "idempotency"\. Create it: CREATE TABLE IF NOT EXISTS "claves" \( id text/,
    ],
    [
      'no column "version"',
      'CREATE TABLE claves (id text PRIMARY KEY, fingerprint text, record text, expires_at timestamptz)',
      /lacks the column "version" or has it with another type/,
    ],
    [
      'a record in jsonb',
      'CREATE TABLE claves (id text PRIMARY KEY, fingerprint text, record jsonb, version text, expires_at timestamptz)',
      /lacks the column "record" or has it with another type/,
    ],
    [
      'no unique id',
      'CREATE TABLE claves (id text, fingerprint text, record text, version text, expires_at timestamptz); ' +
        "CREATE UNIQUE INDEX ON claves (id) WHERE version > ''",
      /has no unique index on "id"/,
    ],
  ])('ready() reports what is wrong with the table: %s', async (_, statements, message) => {
    await place.sql(statements)
    const failure = await tried(bultosIn(pool, { idempotency }).ready())
    expect(failure).toBeInstanceOf(ConfigurationError)
    expect((failure as Error).message).toMatch(message)
  })

  it('ready() accepts a table in another schema after the DDL of idempotencyDdl() has run twice', async () => {
    const schema = `${place.name}_otro`
    await place.sql(
      `CREATE SCHEMA ${schema}; ${idempotencyDdl({ table: { schema, name: 'con "comillas"' } })} ` +
        `${idempotencyDdl({ table: { schema, name: 'con "comillas"' } })}`,
    )
    await bultosIn(pool, { idempotency: { table: { schema, name: 'con "comillas"' } } }).ready()
    await place.sql(`DROP SCHEMA ${schema} CASCADE`)
  })

  it.each([
    [{ table: 'claves', tll: 5 }, /Did you mean "ttl"/],
    [{}, /"idempotency.table" .* is missing/],
    [{ table: 'claves', ttl: 0 }, /"idempotency.ttl" .* is 0. Give a number of seconds/],
    [{ table: 'claves', ttl: Number.NaN }, /"idempotency.ttl" .* is NaN/],
    [{ table: 'claves', lock: 'no' }, /"idempotency.lock" .* is 'no'. Give a boolean/],
    ['claves', /"idempotency" .* is of type string. Give { table, ttl, lock }/],
  ])('postgresAdapter() throws for an invalid option "idempotency": %o', (given, message) => {
    expect(() => bultosIn(pool, { idempotency: given as never })).toThrow(message)
  })
})

describe('VERB-12: idempotency keys on PGlite', () => {
  it('equal creates get the same result, also in a transaction of the caller', async () => {
    const { client: db, release } = await lentPglite()
    await db.exec(tables)
    const store = bultosIn(db, { idempotency, version: 'xmin' })
    const call = keyed()
    const answers = await Promise.all(Array.from({ length: 12 }, () => store.create({ id: 'a', n: 1 }, call)))
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(answers[0]).toMatchObject({ created: { value: { id: 'a', n: 1 } } })
    await db.transaction(async (tx) => {
      const inner = store.within(tx as never)
      expect(await inner.create({ id: 'a', n: 1 }, call)).toEqual(answers[0])
      expect(await inner.create({ id: 'b' }, keyed('b'))).toMatchObject({ created: { value: { id: 'b' } } })
      await tx.rollback()
    })
    expect(await store.recall?.(keyed('b'))).toBeUndefined()
    await release()
  })
})
