/**
 * `ready()` accepts many kinds of tables. It warns about missing privileges, and refuses some kinds
 * of tables on other servers.
 */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  idempotencyDdl,
  type PostgresAdapterOptions,
  postgresAdapter,
  tableDdl,
} from '../../../src/adapters/postgres/index.js'
import { defineResource, type ResourceDefinition } from '../../../src/definition/resource.js'
import { ConfigurationError, Unavailable } from '../../../src/problem.js'
import { freshDatabase, freshSchema, type Place } from '../../servers/databases.js'
import { startProxy } from '../../servers/proxy.js'
import { call } from '../memory/requests.js'
import { tried } from './bultos.js'
import { type Store, stores } from './stores.js'

const properties = {
  id: { type: 'integer' },
  texto: { type: ['string', 'null'] },
  fecha: { type: ['string', 'null'], format: 'local-date-time' },
  precio: { type: ['number', 'null'] },
  activa: { type: ['boolean', 'null'] },
  letras: { type: ['array', 'null'], items: { type: 'string' } },
  doc: {
    type: ['object', 'null'],
    properties: { n: { type: 'integer' }, de: { type: 'object', properties: { a: { type: 'string' } } } },
  },
} as const
const todas = defineResource({
  collection: 'todas',
  key: 'id',
  assigned: true,
  schema: { type: 'object', required: ['id'], properties },
  filters: {
    texto: true,
    textos: { field: 'texto', many: true },
    desde: { field: 'fecha', op: 'gte' },
    activa: true,
    letra: { field: 'letras', op: 'contains' },
    'doc.n': true,
    'doc.de.a': true,
    sinFecha: { field: 'fecha', op: 'null' },
  },
  sort: ['texto', 'fecha', 'precio', 'doc.n'],
  search: ['texto', 'doc.de.a'],
  attachedTo: [{ of: 'rutas' }],
})
const attached = { todas: { table: 'en_ruta', parent: 'ruta', key: 'pieza' } }
const compuesta = defineResource({
  collection: 'compuestas',
  key: ['zona', 'dia', 'n'],
  assigned: ['n'],
  schema: {
    type: 'object',
    required: ['zona', 'dia', 'n'],
    properties: {
      zona: { type: 'string' },
      dia: { type: 'string', format: 'date' },
      n: { type: 'integer' },
      texto: { type: 'string' },
    },
    additionalProperties: true,
  },
  filters: { zona: true, texto: true },
  sort: ['dia'],
})
const simple = defineResource({
  collection: 'simples',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string' }, texto: { type: ['string', 'null'] } },
  },
  filters: { texto: true },
  sort: ['texto'],
})
/** Like `simple`, but only the database sets `texto`. */
const computed = defineResource({
  collection: 'simples',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string' }, texto: { type: ['string', 'null'], readOnly: true } },
  },
  filters: { texto: true },
  sort: ['texto'],
})
const odd = `a"b.c'd$e é 名 `.padEnd(40, 'x')
const long = 'ñ'.repeat(31)

type Options = Omit<PostgresAdapterOptions, 'resource' | 'table'> & { readonly table?: PostgresAdapterOptions['table'] }
const readyOn = async (store: Pick<Store, 'client'>, resource: ResourceDefinition<never, never>, options: Options) => {
  const warnings: string[] = []
  const onWarning = (message: string) => warnings.push(message)
  const made = { table: 't', ...options, resource, onWarning } as never
  await (postgresAdapter(store.client, made) as unknown as { ready(): Promise<void> }).ready()
  return warnings
}

describe.each(stores)('ready() accepts, on $name,', ({ open }) => {
  let store: Store
  beforeAll(async () => {
    store = await open()
  })
  afterAll(() => store.close())

  const tables: readonly (readonly [what: string, sql: string, resource: unknown, options: Options])[] = [
    [
      'members of many kinds, search, parents and idempotency keys',
      `${tableDdl(todas, { table: 't', attached })}; ${idempotencyDdl({ table: 'claves' })}`,
      todas,
      { attached, idempotency: { table: 'claves' } },
    ],
    [
      'the output of tableDdl',
      tableDdl(todas, { table: 't', attached, version: { column: 'v' }, softDelete: 'borrada' }),
      todas,
      { attached, version: { column: 'v' }, softDelete: 'borrada' },
    ],
    [
      'a composite key with a part that the adapter assigns, and a JSON column for the option "rest"',
      'CREATE TABLE t (zona text, dia date, n int, texto varchar(3), resto jsonb, PRIMARY KEY (zona, dia, n))',
      compuesta,
      { rest: 'resto' },
    ],
    [
      'a partitioned table with a composite key, one part of which the adapter assigns',
      `CREATE TABLE t (zona text, dia date, n int, texto text, resto jsonb, v uuid NOT NULL DEFAULT gen_random_uuid(), PRIMARY KEY (zona, dia, n)) PARTITION BY RANGE (dia);
       CREATE TABLE t_a PARTITION OF t FOR VALUES FROM ('2000-01-01') TO ('2000-02-01'); CREATE TABLE t_b PARTITION OF t FOR VALUES FROM ('2024-01-01') TO ('2025-01-01')`,
      compuesta,
      { rest: 'resto', version: { column: 'v' } },
    ],
    [
      'a table that inherits from one table, and from which another table inherits',
      'CREATE TABLE abuela (id text PRIMARY KEY, texto text); CREATE TABLE t (extra int, PRIMARY KEY (id)) ' +
        'INHERITS (abuela); CREATE TABLE nieta (PRIMARY KEY (id)) INHERITS (t)',
      simple,
      {},
    ],
    [
      'an updatable view with a check option',
      'CREATE TABLE base (id text PRIMARY KEY, texto text, v uuid NOT NULL DEFAULT gen_random_uuid()); CREATE ' +
        `VIEW t AS SELECT * FROM base WHERE texto <> 'x' WITH CHECK OPTION`,
      simple,
      { version: { expression: 'v' } },
    ],
    [
      'a table that is read through a view',
      'CREATE TABLE t (id text PRIMARY KEY, texto text, v uuid NOT NULL DEFAULT gen_random_uuid()); CREATE VIEW ' +
        'v AS SELECT t.*, 1 AS otra FROM t',
      simple,
      { version: { column: 'v' }, readFrom: 'v' },
    ],
    [
      'a table that is read through a query',
      `CREATE TABLE t (id text PRIMARY KEY, texto text, v uuid NOT NULL DEFAULT gen_random_uuid())`,
      simple,
      { version: { column: 'v' }, readFrom: 'SELECT t.*, count(*) OVER () AS n FROM t;' },
    ],
    [
      'expressions, a counter as version, and soft delete',
      `CREATE TABLE t (id text PRIMARY KEY, cuerpo jsonb, n bigint NOT NULL DEFAULT 0, activa boolean)`,
      computed,
      {
        columns: { texto: { expression: `cuerpo ->> 'texto'` } },
        version: { column: 'n', next: 'n + 1' },
        softDelete: { column: 'activa', deleted: 'true' },
      },
    ],
    [
      'a table whose only column is the key',
      `CREATE TABLE t (id text PRIMARY KEY)`,
      defineResource({
        collection: 'claves',
        key: 'id',
        schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
      }),
      {},
    ],
    [
      'a rule on inserts, and a generated column',
      `CREATE TABLE t (id text PRIMARY KEY, texto text GENERATED ALWAYS AS ('x' || id) STORED, hecho timestamptz NOT NULL DEFAULT now());
       CREATE TABLE diario (id text); CREATE RULE copia AS ON INSERT TO t DO ALSO INSERT INTO diario VALUES (NEW.id)`,
      computed,
      {},
    ],
    [
      'names of 62 bytes, and names with quotes, dots, spaces and other scripts',
      `CREATE SCHEMA IF NOT EXISTS "${odd.replaceAll('"', '""')}"; DROP TABLE IF EXISTS "${odd.replaceAll('"', '""')}"."${long}";
       CREATE TABLE "${odd.replaceAll('"', '""')}"."${long}" ("${long}" text PRIMARY KEY, "${odd.replaceAll('"', '""')}" text, "v.v" uuid NOT NULL DEFAULT gen_random_uuid(), "b b" boolean)`,
      simple,
      {
        table: { schema: odd, name: long },
        columns: { id: long, texto: odd },
        version: { column: 'v.v' },
        softDelete: 'b b',
      },
    ],
    [
      'a domain as the key, and an enumeration whose only label is empty',
      `DO $$ BEGIN CREATE TYPE vacia AS ENUM (''); CREATE DOMAIN corta AS varchar(1) CHECK (VALUE <> ''); EXCEPTION WHEN duplicate_object THEN NULL; END $$;
       CREATE TABLE t (id corta PRIMARY KEY, texto vacia)`,
      simple,
      {},
    ],
  ]

  it.each(tables)('%s', async (_, sql, resource, options) => {
    await store.sql(`DO $$ DECLARE r record; BEGIN
      FOR r IN SELECT relname, relkind FROM pg_class WHERE relnamespace = current_schema::regnamespace AND relkind IN ('r', 'p', 'v') AND NOT relispartition ORDER BY relkind DESC LOOP
        EXECUTE format('DROP %s IF EXISTS %I CASCADE', CASE r.relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, r.relname);
      END LOOP; END $$`)
    await store.sql(sql)
    for (const probe of ['catalog', 'explain', 'execute'] as const)
      expect(await readyOn(store, resource as never, { ...options, probe }), probe).toEqual([])
  })
})

describe.each(stores)('an identity column other than the key, on $name', ({ open }) => {
  it('is read-only: assigned by the database, and kept by every change', async () => {
    const store = await open()
    await store.sql(
      'CREATE TABLE t (id text PRIMARY KEY, texto text, numero bigint GENERATED ALWAYS AS IDENTITY, v uuid NOT ' +
        'NULL DEFAULT gen_random_uuid())',
    )
    const numerada = defineResource({
      collection: 'numeradas',
      key: 'id',
      schema: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'string' }, texto: { type: 'string' }, numero: { type: 'integer', readOnly: true } },
      },
    })
    const adapter = postgresAdapter(store.client, { resource: numerada, table: 't', version: { column: 'v' } })
    await adapter.ready()
    expect(await adapter.create({ id: 'a' }, call)).toMatchObject({ created: { value: { numero: 1 } } })
    expect(await adapter.replace('a', { id: 'a', texto: 'x' }, undefined, call)).toMatchObject({
      value: { numero: 1, texto: 'x' },
    })
    expect(await adapter.replace('a', { id: 'a', numero: 1 }, undefined, call)).toMatchObject({ value: { numero: 1 } })
    await store.close()
  })
})

describe('ready() with a replica', () => {
  it('throws Unavailable if the replica has become unavailable since the previous ready(), for each value of "count"', async () => {
    await using place = await freshSchema()
    await place.sql('CREATE TABLE t (id text PRIMARY KEY, texto text)')
    await using proxy = await startProxy({
      port: Number(new URL(place.url).port || 5432),
      host: new URL(place.url).hostname,
    })
    const write = new pg.Pool({ connectionString: place.url, max: 1 })
    for (const count of ['exact', 'bounded', 'estimated', 'none'] as const) {
      const read = new pg.Pool({ connectionString: proxy.through(place.url), max: 1, connectionTimeoutMillis: 2_000 })
      const adapter = postgresAdapter(
        { read, write },
        { resource: simple, table: 't', count, replica: true, onWarning: () => {} },
      )
      await adapter.ready()
      await adapter.ready()
      proxy.refuse()
      proxy.cut('reset')
      expect(await tried(adapter.ready())).toBeInstanceOf(Unavailable)
      await proxy.accept()
      await adapter.ready()
      await read.end()
    }
    await write.end()
  })
})

describe('ready() and conditions that can change while the process runs', () => {
  let place: Place
  let role: string
  let pool: pg.Pool
  beforeAll(async () => {
    place = await freshSchema()
    role = `r_${place.name}`
    await place.sql(`
      CREATE ROLE ${role} NOSUPERUSER LOGIN PASSWORD 'clave'; GRANT USAGE ON SCHEMA ${place.name} TO ${role};
      CREATE TABLE t (id text PRIMARY KEY, texto text, v bigserial); GRANT SELECT ON t TO ${role};
      INSERT INTO t VALUES ('a', 'b')`)
    const url = new URL(place.url)
    url.username = role
    url.password = 'clave'
    pool = new pg.Pool({ connectionString: url.href, max: 2 })
  })
  afterAll(async () => {
    await pool.end()
    await place.sql(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    await place.drop()
  })
  const version = { column: 'v' } as const
  const as = (options: Options = {}) => readyOn({ client: pool }, simple as never, { version, ...options })

  it('warns about missing privileges to write, but does not throw if the role may only read', async () => {
    for (const probe of ['catalog', 'explain', 'execute'] as const)
      expect(await as({ probe })).toEqual([
        expect.stringMatching(/may not INSERT/),
        expect.stringMatching(/may not UPDATE/),
        expect.stringMatching(/may not DELETE/),
        expect.stringMatching(/may not use the sequence t_v_seq/),
      ])
    // If the mount offers no writes, there is no warning.
    const warnings: string[] = []
    const adapter = postgresAdapter(pool, {
      resource: simple,
      table: 't',
      version,
      onWarning: (message) => warnings.push(message),
    })
    await adapter.ready(new Set())
    expect(warnings).toEqual([])
    expect(await adapter.read(['a'], call)).toMatchObject([{ value: { texto: 'b' } }])
  })

  it('warns about missing privileges for some columns, or for a sequence', async () => {
    await place.sql(`GRANT INSERT, DELETE ON t TO ${role}; GRANT UPDATE (texto) ON t TO ${role}`)
    expect(await as()).toEqual([
      expect.stringMatching(/may not use the sequence t_v_seq: a create in "simples" that needs it will fail/),
      expect.stringMatching(
        /lacks a privilege that "simples" needs, so replace will fail: permission denied for table t\./,
      ),
    ])
    await place.sql(`GRANT UPDATE ON t TO ${role}; GRANT USAGE ON SEQUENCE t_v_seq TO ${role}`)
    expect(await as({ probe: 'execute' })).toEqual([])
  })

  it('warns about row-level security without a policy for the role', async () => {
    await place.sql(
      'ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY leen ON t FOR SELECT USING (true); CREATE POLICY ' +
        'otros ON t FOR UPDATE TO postgres USING (true)',
    )
    expect(await as({ probe: 'execute' })).toEqual([
      expect.stringMatching(/No policy of row-level security lets the role INSERT/),
      expect.stringMatching(/lets the role UPDATE/),
      expect.stringMatching(/lets the role DELETE/),
    ])
    await place.sql(`CREATE POLICY todo ON t USING (texto = current_setting('app.quien'))`)
    // The session function sets the variable that the policy reads, so there is no warning.
    expect(
      await as({ session: async (tx) => void (await tx.query(`SELECT set_config('app.quien', 'b', true)`)) }),
    ).toEqual([])
    await place.sql('ALTER TABLE t DISABLE ROW LEVEL SECURITY')
  })

  it("with probe: 'execute', tries a write as soon as a policy permits it", async () => {
    await place.sql(`
      CREATE FUNCTION fija() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'append only'; END $$;
      CREATE TRIGGER fija BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION fija();
      ALTER TABLE t ENABLE ROW LEVEL SECURITY; DROP POLICY todo ON t; DROP POLICY otros ON t;
      CREATE POLICY crean ON t FOR INSERT WITH CHECK (true); CREATE POLICY quitan ON t FOR DELETE USING (true)`)
    const warnings: string[] = []
    const adapter = postgresAdapter(pool, {
      resource: simple,
      table: 't',
      version,
      probe: 'execute',
      onWarning: (message) => warnings.push(message),
    })
    await adapter.ready()
    expect(warnings).toEqual([expect.stringMatching(/lets the role UPDATE/)])
    await place.sql('CREATE POLICY cambian ON t FOR UPDATE USING (true)')
    await expect(adapter.ready()).rejects.toThrow(/append only/)
    await place.sql('DROP TRIGGER fija ON t; ALTER TABLE t DISABLE ROW LEVEL SECURITY')
  })

  it('warns about a database that is read-only at the moment', async () => {
    await place.sql(`ALTER ROLE ${role} SET default_transaction_read_only = on`)
    const url = new URL(place.url)
    url.username = role
    url.password = 'clave'
    const readOnly = new pg.Pool({ connectionString: url.href, max: 1 })
    expect(await readyOn({ client: readOnly }, simple as never, { version, probe: 'execute' })).toEqual([
      expect.stringMatching(/The database of "simples" is read-only at the moment: the response to every write is 503/),
    ])
    await readOnly.end()
    await place.sql(`ALTER ROLE ${role} RESET default_transaction_read_only`)
  })

  it('does not warn about a short statement_timeout, and throws Unavailable for a locked table', async () => {
    const url = new URL(place.url)
    url.searchParams.set('options', `-c search_path=${place.name} -c statement_timeout=2000`)
    const hasty = new pg.Pool({ connectionString: url.href, max: 1 })
    expect(await readyOn({ client: hasty }, simple as never, { version })).toEqual([])
    const holder = new pg.Client({ connectionString: place.url })
    await holder.connect()
    await holder.query('BEGIN; LOCK TABLE t IN ACCESS EXCLUSIVE MODE')
    expect(await tried(readyOn({ client: hasty }, simple as never, { version }))).toBeInstanceOf(Unavailable)
    await holder.query('ROLLBACK')
    await holder.end()
    await hasty.end()
  })

  it('throws if the privilege to read is missing', async () => {
    await place.sql(`REVOKE SELECT ON t FROM ${role}`)
    const error = await tried(as())
    expect(error).toBeInstanceOf(ConfigurationError)
    expect((error as Error).message).toMatch(/permission denied for table t/)
    await place.sql(`GRANT SELECT ON t TO ${role}`)
  })
})

describe('ready() and tables on other servers', () => {
  it('a read-only foreign table is accepted only if the mount offers no writes', async () => {
    await using place = await freshDatabase()
    await place.sql(`
      CREATE EXTENSION file_fdw; CREATE SERVER archivos FOREIGN DATA WRAPPER file_fdw;
      CREATE FOREIGN TABLE t (id text, texto text, v text) SERVER archivos OPTIONS (program 'echo a,b,c', format 'csv')`)
    const pool = new pg.Pool({ connectionString: place.url, max: 2 })
    const adapter = postgresAdapter(pool, {
      resource: simple,
      table: 't',
      version: { expression: 'v' },
      onWarning: () => {},
    })
    await expect(adapter.ready()).rejects.toThrow(/create.*cannot insert into foreign table "t"/s)
    await adapter.ready(new Set())
    expect(await adapter.read(['a'], call)).toMatchObject([{ value: { texto: 'b' } }])
    await pool.end()
  })

  /**
   * Returns SQL that makes this server a foreign server of itself. The schema `lejos` is for the
   * tables of the foreign server.
   */
  const elsewhere = (place: Place): string => {
    const { hostname, port, username, password } = new URL(place.url)
    return `CREATE SCHEMA lejos; CREATE EXTENSION postgres_fdw;
      CREATE SERVER otro FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '${hostname}', port '${port || 5432}', dbname '${place.name}');
      CREATE USER MAPPING FOR CURRENT_USER SERVER otro OPTIONS (user '${username}', password '${password || 'any'}');`
  }
  it('a table with partitions on other servers is refused, also as the table of idempotency keys', async () => {
    await using place = await freshDatabase()
    const columns = 'id text, texto text, v uuid DEFAULT gen_random_uuid()'
    const over = (table: string, by: string): string => `
      CREATE TABLE ${table} (${by}) PARTITION BY HASH (id);
      CREATE TABLE lejos.${table}_1 (${by});
      CREATE TABLE ${table}_0 PARTITION OF ${table} FOR VALUES WITH (MODULUS 2, REMAINDER 0);
      CREATE FOREIGN TABLE ${table}_1 PARTITION OF ${table} FOR VALUES WITH (MODULUS 2, REMAINDER 1) SERVER otro OPTIONS (schema_name 'lejos');`
    await place.sql(`${elsewhere(place)}
      ${over('t', columns)}
      ${over('claves', 'id text, fingerprint text, record text, version text, expires_at timestamptz')}
      CREATE TABLE u (${columns}, PRIMARY KEY (id))`)
    // The reason for the refusal: a table with foreign partitions can't have a unique index.
    await expect(place.sql('CREATE UNIQUE INDEX ON t (id)')).rejects.toThrow(/cannot create unique index/)
    await expect(
      place.sql("INSERT INTO t (id) VALUES ('a') ON CONFLICT (id) DO UPDATE SET texto = 'b'"),
    ).rejects.toThrow(/ON CONFLICT/)
    const pool = new pg.Pool({ connectionString: place.url, max: 2 })
    const version = { column: 'v', soleWriter: true } as const
    const ready = (table: string, more: object = {}) =>
      postgresAdapter(pool, { resource: simple, table, version, ...more }).ready()
    await expect(ready('t')).rejects.toThrow(
      /lie on other servers, in "t_1".*Keys are not unique across servers.*Citus/s,
    )
    await expect(ready('u', { idempotency: { table: 'claves' } })).rejects.toThrow(
      /lie on other servers, in "claves_1"/,
    )
    await ready('u')
    await pool.end()
  })
  it('a foreign table causes a warning if tables of this server are written in the same transaction', async () => {
    await using place = await freshDatabase()
    await place.sql(`${elsewhere(place)}
      CREATE TABLE lejos.t (id text PRIMARY KEY, texto text, v uuid NOT NULL DEFAULT gen_random_uuid());
      CREATE FOREIGN TABLE t (id text, texto text, v uuid) SERVER otro OPTIONS (schema_name 'lejos', table_name 't');
      ${idempotencyDdl({ table: 'claves' })}`)
    const pool = new pg.Pool({ connectionString: place.url, max: 2 })
    const warnings: string[] = []
    const onWarning = (message: string): unknown => warnings.push(message)
    const foreign = { resource: simple, table: 't', version: { expression: 'v' }, onWarning } as const
    await postgresAdapter(pool, foreign).ready()
    expect(warnings.join()).not.toMatch(/commits first/)
    await postgresAdapter(pool, { ...foreign, idempotency: { table: 'claves' } }).ready()
    expect(warnings.join()).toMatch(/"simples" is on another server.*commits first/)
    await pool.end()
  })
  it('a writable foreign table is accepted', async () => {
    await using place = await freshDatabase()
    const { hostname, port, username, password } = new URL(place.url)
    await place.sql(`
      CREATE SCHEMA lejos; CREATE TABLE lejos.t (id text PRIMARY KEY, texto text, v uuid NOT NULL DEFAULT gen_random_uuid());
      CREATE EXTENSION postgres_fdw;
      CREATE SERVER otro FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '${hostname}', port '${port || 5432}', dbname '${place.name}');
      CREATE USER MAPPING FOR CURRENT_USER SERVER otro OPTIONS (user '${username}', password '${password || 'any'}');
      CREATE FOREIGN TABLE t (id text, texto text, v uuid) SERVER otro OPTIONS (schema_name 'lejos', table_name 't')`)
    const pool = new pg.Pool({ connectionString: place.url, max: 2 })
    const adapter = postgresAdapter(pool, {
      resource: simple,
      table: 't',
      version: { expression: 'v' },
      onWarning: () => {},
    })
    await adapter.ready()
    await place.sql(`INSERT INTO lejos.t VALUES ('a', 'b')`)
    const [found] = await adapter.read(['a'], call)
    expect(await adapter.replace('a', { id: 'a', texto: 'c' }, found?.version, call)).toMatchObject({
      value: { texto: 'c' },
    })
    await pool.end()
  })
})
