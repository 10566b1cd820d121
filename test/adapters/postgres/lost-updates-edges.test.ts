/**
 * The adapter loses no update (HDR-3), not even in special cases such as views, associations in
 * separate tables, and computed members. In most tests, another session changes the row while a
 * call of the adapter writes it.
 */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AdapterCall } from '../../../src/adapters/contract.js'
import {
  type Change,
  type PostgresAdapterOptions,
  postgresAdapter,
  type SqlClient,
} from '../../../src/adapters/postgres/index.js'
import { defineResource } from '../../../src/index.js'
import { tried, within } from './bultos.js'
import { type TwoSessions, twoSessions } from './two-sessions.js'

const textOrNull = { type: ['string', 'null'] } as const
const piezas = defineResource({
  collection: 'piezas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'string' },
      a: textOrNull,
      b: textOrNull,
      ruta: textOrNull,
      zona: { ...textOrNull, readOnly: true },
    },
  },
  attachedTo: [{ of: 'rutas', by: 'ruta' }, { of: 'lotes' }],
})
const partidas = defineResource({
  collection: 'partidas',
  key: ['zona', 'id'],
  schema: {
    type: 'object',
    required: ['zona', 'id'],
    properties: { zona: { type: 'string' }, id: { type: 'string' }, a: textOrNull },
  },
})
type Pieza = NonNullable<typeof piezas.types>['record']
type Options = Partial<PostgresAdapterOptions<Pieza, string>>

const tables = `
  CREATE TABLE base (id text PRIMARY KEY, a text, b text, ruta text, zona text, borrada boolean NOT NULL DEFAULT false, version uuid NOT NULL DEFAULT gen_random_uuid());
  CREATE TABLE en_lote (lote text, pieza text, PRIMARY KEY (lote, pieza));
  INSERT INTO base (id, a, b, zona) VALUES ('k', 'a', 'b', 'norte');`
const triggers = `
  CREATE FUNCTION escribe() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF TG_OP = 'UPDATE' THEN
      UPDATE base SET a = NEW.a, b = NEW.b, ruta = NEW.ruta, borrada = NEW.borrada, version = gen_random_uuid() WHERE id = OLD.id; RETURN NEW;
    END IF;
    DELETE FROM base WHERE id = OLD.id; RETURN OLD;
  END $$;
  CREATE TRIGGER escribe INSTEAD OF UPDATE OR DELETE ON piezas FOR EACH ROW EXECUTE FUNCTION escribe();`
/** The rows of the first view can be locked. The rows of the second view can't. */
const views = [
  ['a view', `CREATE VIEW piezas AS SELECT * FROM base; ${triggers}`],
  [
    'a view with an outer join',
    `CREATE VIEW piezas AS SELECT base.*, pieza FROM base LEFT JOIN en_lote ON pieza = id; ${triggers}`,
  ],
] as const
const table = 'ALTER TABLE base RENAME TO piezas; CREATE VIEW base AS SELECT * FROM piezas;'

const update = `UPDATE base SET b = 'otro', version = gen_random_uuid()`
const mine = { id: 'k', a: 'mío', b: 'mío' }

describe('a write by another session', () => {
  let sessions: TwoSessions
  beforeAll(async () => {
    sessions = await twoSessions()
  })
  afterAll(() => sessions.close())

  const adapterOf = (options: Options = {}, client: Parameters<typeof postgresAdapter>[0] = sessions.pool) =>
    postgresAdapter(client, {
      resource: piezas,
      table: 'piezas',
      version: { column: 'version', next: 'gen_random_uuid()' },
      attached: { piezas: { table: 'en_lote', parent: 'lote', key: 'pieza' } },
      onWarning: () => {},
      ...options,
    })
  type Pieces = ReturnType<typeof adapterOf>

  const call = (parts: Partial<AdapterCall> = {}): AdapterCall => within(20_000, parts)
  const versionOf = async (adapter: Pieces): Promise<string> => {
    const [found] = await adapter.read(['k'], call())
    if (found === undefined) throw new Error('There is no such piece.')
    return found.version
  }
  const row = async (): Promise<unknown> => (await sessions.sql('SELECT a, b, ruta FROM base WHERE NOT borrada'))[0]
  const theirs = { a: 'a', b: 'otro', ruta: null }

  describe.each(views)('to a row of %s', (_, ddl) => {
    it('is not lost during attach and detach, if a member stores the association', async () => {
      await sessions.reset(tables + ddl)
      const adapter = adapterOf()
      const parent = { collection: 'rutas', key: 'r', as: 'piezas' }
      const version = await versionOf(adapter)
      expect(await sessions.concurrently(update, () => adapter.attach(parent, 'k', version, call()))).toBe('stale')
      expect(await sessions.concurrently(update, () => adapter.attach(parent, 'k', undefined, call()))).toBe('attached')
      expect(await row()).toEqual({ ...theirs, ruta: 'r' })
      const attached = await versionOf(adapter)
      expect(await sessions.concurrently(update, () => adapter.detach(parent, 'k', attached, call()))).toBe('stale')
      expect(await sessions.concurrently(update, () => adapter.detach(parent, 'k', undefined, call()))).toBe('detached')
      expect(await row()).toEqual(theirs)
    })

    it('is not lost during a soft delete', async () => {
      await sessions.reset(tables + ddl)
      const adapter = adapterOf({ softDelete: 'borrada' })
      const version = await versionOf(adapter)
      expect(await sessions.concurrently(update, () => adapter.remove('k', version, call()))).toBe('stale')
      expect(await row()).toEqual(theirs)
      expect(await sessions.concurrently(update, () => adapter.remove('k', undefined, call()))).toBe('removed')
      expect(await sessions.sql('SELECT b, borrada FROM base')).toEqual([{ b: 'otro', borrada: true }])
    })

    it('is not lost with the options "write" and "onUpdate", and onUpdate() gets the current row', async () => {
      await sessions.reset(tables + ddl)
      const changes: unknown[] = []
      const adapter = adapterOf({
        onUpdate: (next, current) => ({ ...next, a: `${next.a} tras ${current.b}` }),
        write: async (_tx, change: Change<Pieza, string>) => {
          await change.apply()
          if (change.action === 'replace') changes.push(change.after)
        },
      })
      const version = await versionOf(adapter)
      expect(await sessions.concurrently(update, () => adapter.replace('k', mine, version, call()))).toBe('stale')
      expect(await row()).toEqual(theirs)
      expect(
        await sessions.concurrently(update, () =>
          adapter.replace('k', { id: 'k', a: 'mío', b: 'b' }, undefined, call()),
        ),
      ).toMatchObject({
        value: { a: 'mío tras otro', b: 'b' },
      })
      expect(changes.at(-1)).toMatchObject({ a: 'mío tras otro' })
    })

    it('makes replace, remove and attach return "absent" if it deletes the row', async () => {
      await sessions.reset(tables + ddl)
      const adapter = adapterOf()
      const version = await versionOf(adapter)
      expect(await sessions.concurrently('DELETE FROM base', () => adapter.replace('k', mine, version, call()))).toBe(
        'absent',
      )
      expect(await adapter.remove('k', undefined, call())).toBe('absent')
      expect(await adapter.remove('k', version, call())).toBe('absent')
      expect(await adapter.attach({ collection: 'rutas', key: 'r', as: 'piezas' }, 'k', undefined, call())).toBe(
        'absent',
      )
    })

    it("causes a serialization failure in the caller's REPEATABLE READ transaction, on views and tables", async () => {
      for (const relation of [ddl, table]) {
        await sessions.reset(tables + relation)
        const adapter = adapterOf()
        const client = await sessions.pool.connect()
        await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
        const inside = adapter.within(client)
        const version = await versionOf(inside)
        expect(
          await tried(sessions.concurrently(update, () => inside.replace('k', mine, version, call()))),
        ).toMatchObject({
          status: 503,
          cause: { code: '40001' },
        })
        await client.query('ROLLBACK')
        client.release()
        expect(await row()).toEqual(theirs)
      }
    })

    it('is not lost if the sessions are SERIALIZABLE, and writes keep this isolation level', async () => {
      await sessions.reset(tables + ddl)
      const url = new URL(String(sessions.pool.options.connectionString))
      url.searchParams.set(
        'options',
        `${url.searchParams.get('options')} -c default_transaction_isolation=serializable`,
      )
      const pool = new pg.Pool({ connectionString: url.href, max: 2 })
      const levels: unknown[] = []
      const adapter = adapterOf(
        { session: async (tx) => void levels.push(...(await tx.query('SHOW transaction_isolation')).rows) },
        pool,
      )
      const version = await versionOf(adapter)
      expect(await sessions.concurrently(update, () => adapter.replace('k', mine, version, call()))).toBe('stale')
      await pool.end()
      expect(await row()).toEqual(theirs)
      expect(new Set(levels.map((level) => JSON.stringify(level)))).toEqual(
        new Set(['{"transaction_isolation":"serializable"}']),
      )
    })

    it('is not lost with a pg.Client instead of a pool', async () => {
      await sessions.reset(tables + ddl)
      const client = new pg.Client({ connectionString: String(sessions.pool.options.connectionString) })
      await client.connect()
      const adapter = adapterOf({}, client)
      const version = await versionOf(adapter)
      expect(await sessions.concurrently(update, () => adapter.replace('k', mine, version, call()))).toBe('stale')
      expect(await row()).toEqual(theirs)
      await client.end()
    })
  })

  it('is not lost if the caller writes to a view in its own READ COMMITTED transaction', async () => {
    await sessions.reset(tables + views[0][1])
    const adapter = adapterOf()
    const client = await sessions.pool.connect()
    await client.query('BEGIN')
    const inside = adapter.within(client)
    const version = await versionOf(inside)
    expect(await sessions.concurrently(update, () => inside.replace('k', mine, version, call()))).toBe('stale')
    expect(await inside.replace('k', { ...mine, b: 'b' }, undefined, call())).toMatchObject({ value: { a: 'mío' } })
    await client.query('COMMIT')
    client.release()
    expect(await row()).toEqual({ a: 'mío', b: 'b', ruta: null })
  })

  it('is visible in change.before if "readBefore" is true, also in members computed from other tables', async () => {
    await sessions.reset(
      `${tables}${table} CREATE TABLE zonas (id text PRIMARY KEY, zona text); INSERT INTO zonas VALUES ('k', 'norte')`,
    )
    const changes: unknown[] = []
    const adapter = adapterOf({
      columns: { zona: { expression: '(SELECT _z.zona FROM zonas AS _z WHERE _z.id = _r.id)' } },
      version: { expression: '(SELECT _z.zona FROM zonas AS _z WHERE _z.id = _r.id)' },
      readBefore: true,
      write: async (_tx, change: Change<Pieza, string>) => void changes.push(change.before),
    })
    await sessions.concurrently(`${update}; UPDATE zonas SET zona = 'sur'`, () =>
      adapter.replace('k', mine, undefined, call()),
    )
    expect(changes).toMatchObject([{ b: 'otro', zona: 'sur' }])
  })

  it('makes replace return "absent" if it moves the row out of the scope by changing a computed member', async () => {
    await sessions.reset(
      `${tables}${table} CREATE TABLE zonas (id text PRIMARY KEY, zona text); INSERT INTO zonas VALUES ('k', 'norte')`,
    )
    const adapter = adapterOf({
      columns: { zona: { expression: '(SELECT _z.zona FROM zonas AS _z WHERE _z.id = _r.id)' } },
    })
    const scoped = call({ scope: { zona: 'norte' } })
    expect(
      await sessions.concurrently(`${update}; UPDATE zonas SET zona = 'sur'`, () =>
        adapter.replace('k', { ...mine, zona: 'norte' }, undefined, scoped),
      ),
    ).toBe('absent')
    expect(await row()).toEqual(theirs)
  })

  it('makes replace and remove return "absent" if a new key moves the row to another partition', async () => {
    await sessions.reset(`
      CREATE TABLE partidas (zona text, id text, a text, version uuid NOT NULL DEFAULT gen_random_uuid(), PRIMARY KEY (zona, id)) PARTITION BY LIST (zona);
      CREATE TABLE del_norte PARTITION OF partidas FOR VALUES IN ('norte'); CREATE TABLE las_otras PARTITION OF partidas DEFAULT;
      INSERT INTO partidas VALUES ('norte', 'k', 'a')`)
    const adapter = postgresAdapter(sessions.pool, {
      resource: partidas,
      table: 'partidas',
      version: { column: 'version' },
    })
    const key = { zona: 'norte', id: 'k' }
    const move = (to: string): string => `UPDATE partidas SET zona = '${to}'`
    expect(
      await sessions.concurrently(move('sur'), () => adapter.replace(key, { ...key, a: 'mío' }, undefined, call())),
    ).toBe('absent')
    await sessions.sql(move('norte'))
    expect(await sessions.concurrently(move('sur'), () => adapter.remove(key, undefined, call()))).toBe('absent')
    expect(await sessions.sql('SELECT zona, a FROM partidas')).toEqual([{ zona: 'sur', a: 'a' }])
  })

  it.each([
    ['without a foreign key', ''],
    ['with a foreign key', 'ALTER TABLE en_lote ADD FOREIGN KEY (pieza) REFERENCES piezas'],
  ])(
    'leaves no row in the association table if it attaches a record that is being removed, %s',
    async (_, constraint) => {
      await sessions.reset(`${tables}${table}${constraint}`)
      const adapter = adapterOf()
      // Like `attach()`, this SQL locks the row of the record and inserts the row of the
      // association.
      const attach = `SELECT FROM piezas FOR SHARE; INSERT INTO en_lote VALUES ('l', 'k')`
      expect(await sessions.concurrently(attach, () => adapter.remove('k', undefined, call()))).toBe('removed')
      expect(await sessions.sql('SELECT * FROM en_lote')).toEqual([])
    },
  )

  it('is detected by an attach with If-Match, if the association is in a separate table', async () => {
    for (const relation of [table, views[0][1]]) {
      await sessions.reset(tables + relation)
      const adapter = adapterOf()
      const version = await versionOf(adapter)
      const parent = { collection: 'lotes', key: 'l', as: 'piezas' }
      expect(await sessions.concurrently(update, () => adapter.attach(parent, 'k', version, call()))).toBe('stale')
      expect(await sessions.sql('SELECT * FROM en_lote')).toEqual([])
    }
  })

  it('is not lost if the owner of a view lacks the privilege to lock rows, but the trigger can write them', async () => {
    const role = `r_${randomBytes(6).toString('hex')}`
    await sessions.reset(`${tables}${views[0][1]}`)
    const [{ schema } = { schema: '' }] = await sessions.sql('SELECT current_schema() AS schema')
    // The owner of the view may read the tables that the view selects from, but not update them.
    await sessions.sql(`CREATE ROLE ${role}; GRANT USAGE ON SCHEMA ${schema} TO ${role}; GRANT SELECT ON base, en_lote TO ${role};
      ALTER VIEW piezas OWNER TO ${role}; ALTER FUNCTION escribe SECURITY DEFINER SET search_path FROM CURRENT`)
    const adapter = adapterOf()
    const version = await versionOf(adapter)
    expect(await sessions.concurrently(update, () => adapter.replace('k', mine, version, call()))).toBe('stale')
    expect(
      await sessions.concurrently(update, () => adapter.replace('k', { ...mine, b: 'b' }, undefined, call())),
    ).toMatchObject({
      value: { a: 'mío', b: 'b' },
    })
    await sessions.reset('')
    await sessions.sql(`DROP ROLE ${role}`)
  })

  it('can be lost on a view if the client lacks transaction(), so ready() warns; tables cause no warning', async () => {
    for (const [relation, warned] of [
      [views[0][1], 1],
      [table, 0],
    ] as const) {
      await sessions.reset(tables + relation)
      const warnings: string[] = []
      const client = { query: (text: string, values?: unknown[]) => sessions.pool.query(text, values) }
      const adapter = adapterOf({ onWarning: (message) => warnings.push(message) }, client)
      await adapter.ready(new Set(['replace']))
      expect(warnings.filter((message) => /Add a method transaction\(work\) to the client/.test(message))).toHaveLength(
        warned,
      )
      expect(await adapter.replace('k', mine, undefined, call())).toMatchObject({ value: { a: 'mío' } })
    }
  })

  it('is not lost if the client has transaction(); replace throws if that method runs a query in READ COMMITTED first', async () => {
    await sessions.reset(tables + views[1][1])
    const clientThat = (begins: string) => ({
      query: (text: string, values?: unknown[]) => sessions.pool.query(text, values),
      async transaction<T>(work: (tx: SqlClient) => Promise<T>): Promise<T> {
        const tx = await sessions.pool.connect()
        try {
          await tx.query(begins)
          const result = await work(tx)
          await tx.query('COMMIT')
          return result
        } catch (error) {
          await tx.query('ROLLBACK')
          throw error
        } finally {
          tx.release()
        }
      },
    })
    for (const begins of ['BEGIN', 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1']) {
      const adapter = adapterOf({}, clientThat(begins))
      const version = await versionOf(adapter)
      expect(await sessions.concurrently(update, () => adapter.replace('k', mine, version, call()))).toBe('stale')
    }
    const late = adapterOf({}, clientThat('BEGIN; SELECT 1'))
    expect(await tried(late.replace('k', mine, undefined, call()))).toMatchObject({
      message: expect.stringContaining('BEGIN ISOLATION LEVEL REPEATABLE READ'),
    })
    expect(await row()).toEqual(theirs)
  })

  it('is not lost, even without transactions, if the trigger of the view compares the version', async () => {
    const compares = views[1][1].replace(
      'WHERE id = OLD.id; RETURN NEW',
      'WHERE id = OLD.id AND version = OLD.version; IF NOT FOUND THEN RAISE serialization_failure; END IF; RETURN NEW',
    )
    await sessions.reset(tables + compares)
    const adapter = adapterOf({}, { query: (text: string, values?: unknown[]) => sessions.pool.query(text, values) })
    const version = await versionOf(adapter)
    expect(await tried(sessions.concurrently(update, () => adapter.replace('k', mine, version, call())))).toMatchObject(
      {
        status: 503,
      },
    )
    expect(await row()).toEqual(theirs)
    expect(await adapter.replace('k', mine, version, call())).toBe('stale')
  })
})
