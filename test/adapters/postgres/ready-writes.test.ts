/**
 * Tables that can be read, but on which every create, every replace or every remove fails.
 * `ready()` detects them at start, in the catalog or with `EXPLAIN`.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../../src/adapters/memory/index.js'
import { type PostgresAdapterOptions, postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { defineResource } from '../../../src/definition/resource.js'
import { api, mount } from '../../../src/index.js'
import { ConfigurationError } from '../../../src/problem.js'
import { call } from '../memory/requests.js'
import { type Store, stores } from './stores.js'

const notas = defineResource({
  collection: 'notas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer' }, texto: { type: ['string', 'null'] }, autor: { type: ['string', 'null'] } },
  },
  filters: { texto: true, desde: { field: 'id', op: 'gte' } },
  sort: ['texto'],
  attachedTo: [{ of: 'autores', by: 'autor' }],
})
const base = 'CREATE TABLE base (id int PRIMARY KEY, texto text, autor text, v uuid NOT NULL DEFAULT gen_random_uuid())'
const version = { expression: 'v' } as const
const autores = defineResource({
  collection: 'autores',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
})
const service = (adapter: never, options = {}) =>
  api({ versions: { v1: [mount(notas, adapter, options), mount(autores, memoryAdapter(autores), { item: ['GET'] })] } })

describe.each(stores)('ready() and tables on which one kind of write always fails, on $name', ({ open }) => {
  let store: Store
  beforeAll(async () => {
    store = await open()
  })
  afterAll(() => store.close())

  const adapterOver = (options: Partial<PostgresAdapterOptions> = {}) => {
    const warnings: string[] = []
    const adapter = postgresAdapter(store.client, {
      resource: notas,
      table: 't',
      onWarning: (message: string) => warnings.push(message),
      ...options,
    } as never) as ReturnType<typeof postgresAdapter<{ id: number }, number>>
    return { adapter, warnings }
  }
  const reset = async (sql: string) => {
    await store.sql(`DO $$ DECLARE r record; BEGIN
      FOR r IN SELECT relname, relkind FROM pg_class WHERE relname IN ('t', 'base') AND relnamespace = current_schema::regnamespace AND relkind IN ('r', 'v', 'm') ORDER BY relkind DESC LOOP
        EXECUTE format('DROP %s IF EXISTS %I CASCADE', CASE r.relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'TABLE' END, r.relname);
      END LOOP; END $$`)
    await store.sql(sql)
  }

  it.each<[string, string, Partial<PostgresAdapterOptions>, RegExp]>([
    [
      'a view of a join',
      `${base}; CREATE VIEW t AS SELECT a.id, a.texto, a.autor, a.v FROM base a JOIN base b USING (id)`,
      { version },
      /create.*cannot insert into view "t".*INSTEAD OF INSERT.*item: \['GET'\]/s,
    ],
    [
      'a view that accepts no deletes',
      `${base}; CREATE VIEW t AS SELECT a.id, a.texto, a.autor, a.v FROM base a JOIN base b USING (id);
       CREATE OR REPLACE FUNCTION pasa() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
       CREATE TRIGGER pasa INSTEAD OF INSERT OR UPDATE ON t FOR EACH ROW EXECUTE FUNCTION pasa()`,
      { version },
      /remove.*cannot delete from view "t"/s,
    ],
    [
      'a materialized view',
      `${base}; CREATE MATERIALIZED VIEW t AS SELECT * FROM base`,
      { version },
      /cannot change materialized view "t"/,
    ],
    [
      'a rule that ignores all updates',
      'CREATE TABLE t (id int PRIMARY KEY, texto text, autor text); CREATE RULE nada AS ON UPDATE TO t DO ' +
        'INSTEAD NOTHING',
      {},
      /replace.*cannot perform UPDATE RETURNING/s,
    ],
    [
      'a rule that ignores some deletes',
      'CREATE TABLE t (id int PRIMARY KEY, texto text, autor text); CREATE RULE algunos AS ON DELETE TO t WHERE ' +
        'OLD.id = 1 DO INSTEAD NOTHING',
      {},
      /remove.*cannot perform DELETE RETURNING/s,
    ],
    [
      'a required column that has no default, and that no create sets',
      `CREATE TABLE t (id int PRIMARY KEY, texto text, autor text, obligatoria int NOT NULL)`,
      {},
      /no create sets the column "obligatoria", which is NOT NULL.*ALTER TABLE "t" ALTER COLUMN "obligatoria" (SET DEFAULT|DROP NOT NULL)/s,
    ],
    [
      'a required column of a member that is never written',
      `CREATE TABLE t (id int PRIMARY KEY, texto text NOT NULL, autor text)`,
      { columns: { texto: { write: false } } },
      /no create sets the column "texto", which is NOT NULL/,
    ],
    [
      'a writable member in an identity column (GENERATED ALWAYS)',
      'CREATE TABLE t (id int PRIMARY KEY, texto text, autor text); ALTER TABLE t DROP COLUMN autor, ADD COLUMN ' +
        'n int GENERATED ALWAYS AS IDENTITY',
      { columns: { autor: { column: 'texto', write: false }, n: 'n' } },
      /replace.*column "n" can only be updated to DEFAULT/s,
    ],
    [
      'an unknown function in the option version.next',
      base.replace('base', 't'),
      { version: { column: 'v', next: 'no_such_function()' } },
      /function no_such_function\(\) does not exist/,
    ],
    [
      'a published table without replica identity',
      `CREATE TABLE t (id int, texto text, autor text); CREATE UNIQUE INDEX ON t (id); ALTER TABLE t REPLICA IDENTITY NOTHING;
       DROP PUBLICATION IF EXISTS rest_prueba; CREATE PUBLICATION rest_prueba FOR TABLE t`,
      {},
      /replace.*replica identity.*REPLICA IDENTITY/s,
    ],
  ])('refuses %s', async (_, sql, options, message) => {
    await reset(sql)
    const { adapter } = adapterOver(options)
    const error = await adapter.ready().catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect((error as ConfigurationError).code).toBe('store-unfit')
    expect((error as ConfigurationError).message).toMatch(message)
    // The service can start if its mount offers only reads.
    await service(adapter as never, { collection: ['GET'], item: ['GET'] }).ready()
    expect(await adapter.read([7], call)).toEqual([undefined])
    await expect(service(adapter as never).ready()).rejects.toThrow(message)
  })

  it('executes nothing that fires a trigger or advances a sequence', async () => {
    await reset(`
      CREATE TABLE t (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, texto text, autor text, v bigserial);
      CREATE TABLE base (que text);
      CREATE OR REPLACE FUNCTION apunta() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO base VALUES (TG_OP); RETURN NULL; END $$;
      CREATE TRIGGER apunta AFTER INSERT OR UPDATE OR DELETE ON t FOR EACH STATEMENT EXECUTE FUNCTION apunta()`)
    const { adapter, warnings } = adapterOver({ version: { column: 'v' } })
    await adapter.ready()
    expect(warnings).toEqual([])
    expect(await store.sql('SELECT count(*)::int AS n FROM base')).toEqual([{ n: 0 }])
    expect(await store.sql(`SELECT nextval('t_id_seq')::int AS a, nextval('t_v_seq')::int AS b`)).toEqual([
      { a: 1, b: 1 },
    ])
  })

  it('accepts a required column that has no default, but that a trigger sets', async () => {
    await reset(`
      CREATE TABLE t (id int PRIMARY KEY, texto text, autor text, obligatoria int NOT NULL);
      CREATE OR REPLACE FUNCTION llena() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.obligatoria := 1; RETURN NEW; END $$;
      CREATE TRIGGER llena BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION llena()`)
    const { adapter } = adapterOver()
    await adapter.ready()
    expect(await adapter.create({ id: 1 }, call)).toMatchObject({ created: { value: { id: 1 } } })
  })

  it('accepts a required column whose domain has a default', async () => {
    await reset(`DROP DOMAIN IF EXISTS uno; CREATE DOMAIN uno AS int NOT NULL DEFAULT 1;
      CREATE TABLE t (id int PRIMARY KEY, texto text, autor text, obligatoria uno)`)
    const { adapter } = adapterOver()
    await adapter.ready()
    expect(await adapter.create({ id: 1 }, call)).toMatchObject({ created: { value: { id: 1 } } })
    await store.sql('DROP TABLE t; DROP DOMAIN uno')
  })

  it('reports all errors at once, without duplicates', async () => {
    await reset(`${base}; CREATE VIEW t AS SELECT a.id, a.texto, a.autor, a.v FROM base a JOIN base b USING (id)`)
    const { adapter } = adapterOver({ version })
    const { message } = (await adapter.ready().catch((reason: unknown) => reason)) as Error
    expect(message).toMatch(/cannot insert into view.*cannot update view.*cannot delete from view/s)
    expect(message.match(/cannot update view/g)).toHaveLength(1)
  })
})
