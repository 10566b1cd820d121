/**
 * ERR-2: if the database refuses a value, the response is 422. The tests cover many SQLSTATEs. The
 * response names the members if the error of the database identifies their columns.
 */
import express from 'express'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresAdapter, postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { defineResource } from '../../../src/definition/resource.js'
import { api, mount, problems } from '../../../src/index.js'
import { call } from '../memory/requests.js'
import { type Store, stores } from './stores.js'

interface Cosa {
  id: number
  nombre?: string
  a?: number
  b?: number
  talla?: string
  edad?: number
  letras?: string[]
  doc?: unknown
  desde?: string
  hasta?: string
}

const properties = {
  id: { type: 'integer' },
  nombre: { type: 'string' },
  a: { type: 'integer' },
  b: { type: 'integer' },
  talla: { type: 'string' },
  edad: { type: 'integer' },
  letras: { type: 'array', items: { type: 'string' } },
  doc: {},
  desde: { type: 'string', format: 'date' },
  hasta: { type: 'string', format: 'date' },
} as const
const cosas = defineResource<Cosa>()({
  collection: 'cosas',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties },
})

/** Errors that a trigger raises. The value of `nombre` selects the error. */
const raised: readonly (readonly [what: string, body: string, members?: readonly string[]])[] = [
  ['a plain exception', `RAISE EXCEPTION 'hunter2'`],
  ['an exception with a custom SQLSTATE', `RAISE EXCEPTION 'hunter2' USING ERRCODE = 'MY001'`],
  ['an exception with an SQLSTATE of letters', `RAISE EXCEPTION 'hunter2' USING ERRCODE = 'ABCDE'`],
  ['an exception with the SQLSTATE 45000', `RAISE EXCEPTION 'hunter2' USING ERRCODE = '45000'`],
  [
    'an exception with the SQLSTATE of a missing feature',
    `RAISE EXCEPTION 'hunter2' USING ERRCODE = 'feature_not_supported'`,
  ],
  [
    'an exception with the SQLSTATE of a missing privilege',
    `RAISE EXCEPTION 'hunter2' USING ERRCODE = 'insufficient_privilege'`,
  ],
  [
    'an exception with the SQLSTATE of a wrong state',
    `RAISE EXCEPTION 'hunter2' USING ERRCODE = 'object_not_in_prerequisite_state'`,
  ],
  [
    'an exception with the SQLSTATE of an undefined object',
    `RAISE EXCEPTION 'hunter2' USING ERRCODE = 'undefined_object'`,
  ],
  ['an exception with the SQLSTATE of a canceled query', `RAISE EXCEPTION 'hunter2' USING ERRCODE = 'query_canceled'`],
  ['an exception with the SQLSTATE of an internal error', `RAISE EXCEPTION 'hunter2' USING ERRCODE = 'XX000'`],
  ['an exception with the SQLSTATE of a triggered action', `RAISE EXCEPTION 'hunter2' USING ERRCODE = '09000'`],
  ['an exception that names its column', `RAISE EXCEPTION 'hunter2' USING COLUMN = 'edad'`, ['edad']],
  [
    'an exception that names its column and table',
    `RAISE EXCEPTION 'hunter2' USING COLUMN = 'edad', TABLE = TG_TABLE_NAME`,
    ['edad'],
  ],
  [
    'an exception that names a column of another table',
    `RAISE EXCEPTION 'hunter2' USING COLUMN = 'edad', TABLE = 'otra'`,
  ],
  [
    'an exception that names a check',
    `RAISE check_violation USING MESSAGE = 'hunter2', CONSTRAINT = 'orden', TABLE = TG_TABLE_NAME`,
    ['a', 'b'],
  ],
  ['an exception that was caught and raised again', `BEGIN PERFORM 1 / 0; EXCEPTION WHEN OTHERS THEN RAISE; END`],
  ['a division by zero', `PERFORM 1 / (length(NEW.nombre) - length(NEW.nombre))`],
  ['a failed assertion', `ASSERT NEW.nombre = '', 'hunter2'`],
  ['SELECT INTO STRICT without a row', `SELECT 1 INTO STRICT NEW.a FROM pg_class WHERE false`],
  ['SELECT INTO STRICT with several rows', `SELECT i INTO STRICT NEW.a FROM generate_series(1, 2) i`],
  ['a CASE without a matching branch', `CASE NEW.nombre WHEN 'hunter2' THEN NULL; END CASE`],
  ['a subquery of several rows', `NEW.a := (SELECT i FROM generate_series(1, 2) i)`],
  ['a text that is not a number', `NEW.a := NEW.nombre::int`],
  ['a text that is not a date', `PERFORM to_date(NEW.nombre, 'YYYY-MM-DD')`],
  ['a square root of a negative number', `PERFORM sqrt(-1)`],
  ['a logarithm of zero', `PERFORM ln(0)`],
  ['a substring of negative length', `PERFORM substring(NEW.nombre FROM 1 FOR -1)`],
  ['an invalid regular expression', `PERFORM NEW.nombre ~ '('`],
  ['an invalid escape', `PERFORM NEW.nombre LIKE '\\' ESCAPE 'xx'`],
  ['invalid JSON', `PERFORM (NEW.nombre || '{')::jsonb`],
  ['an oversized array', `PERFORM array_fill(0, ARRAY[500000000])`],
  ['an argument out of range', `PERFORM make_interval(secs => 'Infinity')`],
  ['a null that is not allowed', `NEW.letras := array_fill(NULL::text, NULL)`],
]

const table = `
  CREATE DOMAIN positiva AS int CHECK (VALUE > 0);
  CREATE DOMAIN tramo AS daterange;
  CREATE TYPE talla AS ENUM ('chica', 'grande');
  CREATE TABLE cosas (
    id int PRIMARY KEY, nombre text, a int, b int, CONSTRAINT orden CHECK (a < 100 AND b < 100),
    cociente int GENERATED ALWAYS AS (100 / (a - 7)) STORED,
    CONSTRAINT tipos CHECK (a IS DISTINCT FROM 8 OR 1 / (b - 8) > -5),
    talla talla, edad positiva, letras text[] CHECK (cardinality(letras) < 3), doc jsonb,
    desde date, hasta date, tramo tramo GENERATED ALWAYS AS (CASE WHEN desde IS NULL OR hasta IS NULL THEN NULL ELSE daterange(desde, hasta) END) STORED,
    EXCLUDE USING gist (tramo WITH &&)
  );
  CREATE INDEX ON cosas (nombre);
  CREATE INDEX ON cosas (((doc ->> 'n')::int));
  CREATE FUNCTION tarde() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.a = 55 THEN RAISE EXCEPTION 'hunter2' USING COLUMN = 'a', ERRCODE = 'TARDE'; END IF; RETURN NULL; END $$;
  CREATE CONSTRAINT TRIGGER tarde AFTER INSERT OR UPDATE ON cosas DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION tarde();
  CREATE FUNCTION alza() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    ${raised.map(([what, body]) => `IF NEW.nombre = '${what}' THEN ${body}; END IF;`).join('\n    ')}
    RETURN NEW; END $$;
  CREATE TRIGGER alza BEFORE INSERT OR UPDATE ON cosas FOR EACH ROW EXECUTE FUNCTION alza();
  INSERT INTO cosas (id, desde, hasta) VALUES (1, '2020-01-01', '2020-02-01'), (2, NULL, NULL)`

const textOf = (length: number) =>
  Array.from({ length }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7919) % 20000))).join('')
const tooLong = expect.stringMatching(/2,700 bytes/)
const cases: readonly (readonly [what: string, value: Partial<Cosa>, refusal: object])[] = [
  ...raised.map(([what, , members = []]) => [what, { nombre: what }, { refused: 'rule', members }] as const),
  ['a violated check of two members', { a: 500 }, { refused: 'rule', members: ['a', 'b'] }],
  ['a check that cannot be computed', { a: 8, b: 8 }, { refused: 'rule', members: [] }],
  ['a generated column that cannot be computed', { a: 7 }, { refused: 'rule', members: [] }],
  [
    'a range that ends before it begins',
    { desde: '2024-02-01', hasta: '2024-01-01' },
    { refused: 'rule', members: [] },
  ],
  [
    'a range that overlaps another row',
    { desde: '2020-01-15', hasta: '2020-03-01' },
    { refused: 'duplicate', members: [] },
  ],
  ['a violated check of a domain', { edad: -1 }, { refused: 'rule', members: ['edad'] }],
  [
    'an unknown label of an enumeration',
    { talla: 'enorme' },
    { refused: 'rule', members: ['talla'], why: 'must be one of chica, grande' },
  ],
  ['a violated check of an array', { letras: ['a', 'b', 'c'] }, { refused: 'rule', members: ['letras'] }],
  ['JSON that an index cannot process', { doc: { n: 'x' } }, { refused: 'rule', members: [] }],
  ['a text too long for its index', { nombre: textOf(1500) }, { refused: 'rule', members: ['nombre'], why: tooLong }],
  ['a text too long for any index', { nombre: textOf(9000) }, { refused: 'rule', members: [], why: tooLong }],
  ['an exception in a deferred trigger', { a: 55 }, { refused: 'rule', members: ['a'] }],
]

describe.each(stores)('values that the database refuses, on $name', ({ open }) => {
  let store: Store
  let adapter: PostgresAdapter<Cosa, number>
  beforeAll(async () => {
    store = await open()
    await store.sql(table)
    adapter = postgresAdapter(store.client, { resource: cosas, table: 'cosas' })
    await adapter.ready()
  })
  afterAll(() => store.close())

  it.each(cases)('ERR-2: create() and replace() return a refusal for %s', async (_, value, refusal) => {
    expect(await adapter.create({ id: 9, ...value }, call)).toMatchObject(refusal)
    expect(await adapter.replace(2, { id: 2, ...value }, undefined, call)).toMatchObject(refusal)
    expect(await store.sql('SELECT id, nombre, a FROM cosas ORDER BY id')).toEqual([
      { id: 1, nombre: null, a: null },
      { id: 2, nombre: null, a: null },
    ])
  })

  it('a refusal names the members of an exclusion constraint, but none for a domain that two columns use', async () => {
    await store.sql(`
      CREATE TABLE estancias (id int PRIMARY KEY, a int, b int, EXCLUDE USING btree (a WITH =, b WITH =), edad positiva, otra positiva);
      INSERT INTO estancias VALUES (1, 3, 4)`)
    const estancias = defineResource<Cosa>()({
      collection: 'estancias',
      key: 'id',
      schema: {
        type: 'object',
        properties: {
          id: { type: 'integer' },
          a: { type: 'integer' },
          b: { type: 'integer' },
          edad: { type: 'integer' },
        },
      },
    })
    const over = postgresAdapter(store.client, { resource: estancias, table: 'estancias' })
    expect(await over.create({ id: 2, a: 3, b: 4 }, call)).toEqual({
      refused: 'duplicate',
      members: ['a', 'b'],
      why: expect.any(String),
    })
    // Two columns have this domain, and the error of the database does not name the column.
    expect(await over.create({ id: 2, edad: -1 }, call)).toMatchObject({ refused: 'rule', members: [] })
  })

  it('over HTTP, each refusal causes a 422 that does not reveal the message of the database', async () => {
    const app = express().use(api({ versions: { v1: [mount(cosas, adapter)] } }), problems())
    for (const [what, value, refusal] of cases) {
      for (const answer of [
        await request(app)
          .post('/v1/cosas')
          .send({ id: 9, ...value }),
        await request(app).patch('/v1/cosas/2').send(value),
      ]) {
        expect(answer.status, what).toBe(422)
        const { errors = [], ...problem } = answer.body as { errors?: { pointer: string }[] }
        expect(errors.map(({ pointer }) => pointer.slice(1))).toEqual((refusal as { members: string[] }).members)
        expect(JSON.stringify([problem, errors])).not.toMatch(
          /hunter2|cosas_|pkey|plpgsql|violates (?!a rule of the (?:store|service))|constraint|SQLSTATE|zero|orden/i,
        )
      }
    }
  })

  it('an error in the SQL of a trigger is an error of the service, not a refusal of the record', async () => {
    await store.sql(`
      CREATE TABLE rotas (id int PRIMARY KEY, nombre text);
      CREATE FUNCTION rota() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.nombre = 'función' THEN PERFORM no_such_function(); END IF;
        IF NEW.nombre = 'tabla' THEN PERFORM 1 FROM no_such_table; END IF;
        IF NEW.nombre = 'columna' THEN NEW.nada := 1; END IF;
        IF NEW.nombre = 'ajuste' THEN PERFORM current_setting('no.such'); END IF;
        IF NEW.nombre = 'fin' THEN COMMIT; END IF;
        IF NEW.nombre = 'nada' THEN RETURN NEW; END IF;
      END $$;
      CREATE TRIGGER rota BEFORE INSERT ON rotas FOR EACH ROW EXECUTE FUNCTION rota()`)
    const rotas = defineResource<Cosa>()({
      collection: 'rotas',
      key: 'id',
      schema: { type: 'object', properties: { id: { type: 'integer' }, nombre: { type: 'string' } } },
    })
    const over = postgresAdapter(store.client, { resource: rotas, table: 'rotas' })
    for (const [nombre, code] of [
      ['función', '42883'],
      ['tabla', '42P01'],
      ['columna', '42703'],
      ['ajuste', '42704'],
      ['fin', '2D000'],
      ['otra', '2F005'],
    ])
      await expect(
        Promise.resolve(over.create({ id: 1, nombre: nombre as string }, call)),
        nombre,
      ).rejects.toMatchObject({ code })
    expect(await over.create({ id: 1, nombre: 'nada' }, call)).toMatchObject({ created: {} })
  })

  it('an exhausted sequence is an error of the service, not a refusal of the record', async () => {
    await store.sql(
      'CREATE TABLE contadas (id int GENERATED BY DEFAULT AS IDENTITY (MAXVALUE 2 START 2) PRIMARY KEY, nombre text)',
    )
    const contadas = defineResource<Cosa>()({
      collection: 'contadas',
      key: 'id',
      assigned: true,
      schema: { type: 'object', properties: { id: { type: 'integer' }, nombre: { type: 'string' } } },
    })
    const over = postgresAdapter(store.client, { resource: contadas, table: 'contadas' })
    expect(await over.create({ nombre: 'a' } as Cosa, call)).toMatchObject({ created: {} })
    await expect(Promise.resolve(over.create({ nombre: 'b' } as Cosa, call))).rejects.toMatchObject({ code: '2200H' })
  })

  it('an error in the "session" function is an error of the service, not a refusal of the record', async () => {
    const over = postgresAdapter(store.client, {
      resource: cosas,
      table: 'cosas',
      session: async (tx) => {
        await tx.query(`SET LOCAL statement_timeout = 'never'`)
      },
    })
    await expect(Promise.resolve(over.create({ id: 20 }, call))).rejects.toMatchObject({ code: '22023' })
    await expect(Promise.resolve(over.replace(1, { id: 1 }, undefined, call))).rejects.toMatchObject({ code: '22023' })
  })

  it('a row is refused if no partition accepts it, if a check refuses it, or if a trigger changes its partition', async () => {
    await store.sql(`
      CREATE TABLE partes (id int, zona text, n int CONSTRAINT n_baja CHECK (n < 10), v uuid NOT NULL DEFAULT gen_random_uuid(), PRIMARY KEY (id, zona), UNIQUE (zona, n)) PARTITION BY LIST (zona);
      CREATE TABLE partes_n PARTITION OF partes FOR VALUES IN ('norte');
      CREATE TABLE partes_s PARTITION OF partes FOR VALUES IN ('sur') PARTITION BY LIST (zona);
      ALTER TABLE partes_n ADD CONSTRAINT solo_norte CHECK (n <> 5)`)
    const partes = defineResource({
      collection: 'partes',
      key: ['id', 'zona'],
      schema: {
        type: 'object',
        required: ['id', 'zona'],
        properties: { id: { type: 'integer' }, zona: { type: 'string' }, n: { type: 'integer' } },
      },
    })
    const over = postgresAdapter(store.client, { resource: partes, table: 'partes', version: { column: 'v' } })
    await over.ready()
    expect(await over.create({ id: 1, zona: 'norte', n: 1 }, call)).toMatchObject({ created: {} })
    expect(await over.create({ id: 2, zona: 'este', n: 1 }, call)).toMatchObject({ refused: 'rule', members: ['zona'] })
    expect(await over.create({ id: 2, zona: 'norte', n: 1 }, call)).toMatchObject({
      refused: 'duplicate',
      members: ['zona', 'n'],
    })
    expect(await over.create({ id: 1, zona: 'norte', n: 2 }, call)).toMatchObject({
      refused: 'duplicate',
      members: ['id', 'zona'],
    })
    expect(await over.create({ id: 2, zona: 'norte', n: 50 }, call)).toMatchObject({ refused: 'rule', members: ['n'] })
    expect(await over.create({ id: 2, zona: 'norte', n: 5 }, call)).toMatchObject({ refused: 'rule', members: ['n'] })
    expect(await over.create({ id: 2, zona: 'sur', n: 3 }, call)).toMatchObject({ refused: 'rule', members: ['zona'] })
    // SQLSTATE 0A000: a trigger moves the row to another partition.
    await store.sql(`
      CREATE FUNCTION muda() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.n = 4 THEN NEW.zona := 'sur'; END IF; RETURN NEW; END $$;
      CREATE TRIGGER muda BEFORE INSERT ON partes FOR EACH ROW EXECUTE FUNCTION muda()`)
    for (let i = 0; i < 4; i++)
      expect(await over.create({ id: 3, zona: 'norte', n: 4 }, call)).toMatchObject({ refused: 'rule', members: [] })
    expect(await over.read([{ id: 3, zona: 'norte' }], call)).toEqual([undefined])
  })

  it('a record is refused if a trigger changes the row that fired the trigger (SQLSTATE 27000)', async () => {
    await store.sql(`
      CREATE TABLE eco (id int PRIMARY KEY, nombre text);
      INSERT INTO eco VALUES (1, 'a');
      CREATE FUNCTION eco() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF NEW.nombre = 'eco' THEN UPDATE eco SET nombre = 'x' WHERE id = NEW.id; END IF; RETURN NEW; END $$;
      CREATE TRIGGER eco BEFORE UPDATE ON eco FOR EACH ROW EXECUTE FUNCTION eco()`)
    const eco = defineResource<Cosa>()({
      collection: 'ecos',
      key: 'id',
      schema: { type: 'object', properties: { id: { type: 'integer' }, nombre: { type: 'string' } } },
    })
    const over = postgresAdapter(store.client, { resource: eco, table: 'eco' })
    expect(await over.replace(1, { id: 1, nombre: 'eco' }, undefined, call)).toMatchObject({
      refused: 'rule',
      members: [],
    })
    expect(await over.replace(1, { id: 1, nombre: 'b' }, undefined, call)).toMatchObject({ value: { nombre: 'b' } })
  })
})
