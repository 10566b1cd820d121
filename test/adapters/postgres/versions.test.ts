import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresAdapterOptions, postgresAdapter, tableDdl } from '../../../src/adapters/postgres/index.js'
import { defineResource } from '../../../src/index.js'
import { call } from '../memory/requests.js'
import { type Store, stores } from './stores.js'

const lotes = defineResource({
  collection: 'lotes',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'integer' },
      nombre: { type: ['string', 'null'] },
      peso: { type: ['number', 'null'] },
      datos: {},
      etiquetas: { type: ['array', 'null'], items: { type: 'string' } },
      version: { type: 'string', readOnly: true },
    },
  },
})
type Lote = NonNullable<typeof lotes.types>['record']
type Options = Partial<PostgresAdapterOptions<Lote, number>>

const columns =
  'id integer PRIMARY KEY, nombre text, peso numeric, datos json, etiquetas text[], oculto text, version text ' +
  'DEFAULT gen_random_uuid()::text'
const setter = (body: string, more = '', when = '') => `
  CREATE OR REPLACE FUNCTION mueve() RETURNS trigger LANGUAGE plpgsql AS $$ ${body} $$;
  CREATE TRIGGER mueve BEFORE UPDATE ${more} ON lotes FOR EACH ROW ${when} EXECUTE FUNCTION mueve()`
const plain = 'BEGIN NEW.version := gen_random_uuid(); RETURN NEW; END'

describe.each(stores)('versions that identify the representation, over $name', ({ open }) => {
  let store: Store
  beforeAll(async () => {
    store = await open()
  }, 120_000)
  afterAll(() => store.close())

  const over = (options: Options = {}) =>
    postgresAdapter(store.client, { resource: lotes, table: 'lotes', version: { column: 'version' }, ...options })
  const table = async (more = '', kind = columns, suffix = '') => {
    await store.sql(`DROP TABLE IF EXISTS lotes CASCADE; CREATE TABLE lotes (${kind})${suffix}; ${more};
      INSERT INTO lotes VALUES (1, 'a', 1, '{"b": 1}', '{x}', 'o')`)
  }
  const version = async (adapter = over()) => (await adapter.read([1], call))[0]?.version
  /**
   * Matches a version that ends with a digest (hash) of the row. Tables without a reliable trigger
   * have such versions.
   */
  const digested = /\.[0-9a-f]{32}$/

  it('HDR-8: without a trigger, each update of a member changes the version, so stale writes fail', async () => {
    await table()
    const adapter = over()
    const seen = new Set([await version()])
    for (const change of [
      `nombre = NULL`,
      `nombre = ''`,
      `peso = 1.5`,
      `datos = '{"b":1}'`,
      `etiquetas = '{}'`,
      `etiquetas = NULL`,
      `datos = NULL`,
    ]) {
      const before = await version()
      await store.sql(`UPDATE lotes SET ${change}`)
      const now = await version()
      expect(seen, change).not.toContain(now)
      seen.add(now)
      const [record] = await adapter.read([1], call)
      expect(await adapter.replace(1, { ...record?.value, id: 1 } as Lote, before, call)).toBe('stale')
      expect(await adapter.remove(1, before, call)).toBe('stale')
    }
    const before = await version()
    expect(before).toMatch(digested)
    await store.sql(`UPDATE lotes SET oculto = 'p'`)
    expect(await version()).toBe(before)
    const written = await adapter.replace(1, { id: 1, nombre: 'z' } as Lote, before, call)
    expect(written).toMatchObject({ version: await version() })
    expect(await version()).not.toBe(before)
  })

  it('HDR-8: a digest is the same for all session settings, and the same in lists and items', async () => {
    await table()
    const adapter = over()
    const session = async (tx: { query(text: string): Promise<unknown> }) => {
      await tx.query(`SET LOCAL timezone = 'Asia/Tokyo'; `.trim())
      await tx.query(`SET LOCAL datestyle = 'German'`)
      await tx.query(`SET LOCAL bytea_output = 'escape'`)
    }
    const one = await version(adapter)
    expect(await version(over({ session }))).toBe(one)
    const { items } = await adapter.list(
      { where: [], sort: [{ field: 'id', path: ['id'], descending: false }], page: 1, size: 5, offset: 0 },
      call,
    )
    expect(items[0]?.version).toBe(one)
    const created = await adapter.create({ id: 2, nombre: 'é' } as Lote, call)
    expect((await adapter.read([2], call))[0]).toEqual((created as { created: unknown }).created)
  })

  it.each([
    ['the trigger of tableDdl() (no digest)', plain, '', '', true],
    [
      'a trigger that uses a sequence (no digest)',
      `BEGIN NEW.version := nextval('cuenta')::text; RETURN NEW; END`,
      '',
      '',
      true,
    ],
    [
      'a trigger that changes the version only if NEW differs from OLD (1.0 and 1.00 do not differ)',
      'BEGIN IF NEW.* IS DISTINCT FROM OLD.* THEN NEW.version = gen_random_uuid()::text; END IF; RETURN NEW; END',
      '',
      '',
      false,
    ],
    [
      'a trigger that sets the version only if it is missing',
      'BEGIN NEW.version := coalesce(NEW.version, gen_random_uuid()::text); RETURN NEW; END',
      '',
      '',
      false,
    ],
    ['a trigger that sets the version to a time', 'BEGIN NEW.version := now(); RETURN NEW; END', '', '', false],
    [
      'a trigger that sets the version, but returns the old row',
      'BEGIN NEW.version := gen_random_uuid(); NEW := OLD; RETURN NEW; END',
      '',
      '',
      false,
    ],
    ['a trigger that fires only for some columns', plain, 'OF nombre', '', false],
    ['a trigger with a WHEN condition', plain, '', `WHEN (NEW.nombre = 'x')`, false],
    [
      'a trigger that sets the version only in one branch of an IF',
      `BEGIN IF NEW.nombre <> OLD.nombre THEN NEW.version := gen_random_uuid(); END IF; RETURN NEW; END`,
      '',
      '',
      false,
    ],
    ['a trigger that keeps the version', 'BEGIN NEW.version := OLD.version; RETURN NEW; END', '', '', false],
    [
      'a trigger that only reads the version',
      'BEGIN IF NEW.version = OLD.version THEN RETURN NEW; END IF; RETURN NEW; END',
      '',
      '',
      false,
    ],
    [
      'a trigger that mentions the version only in comments',
      `BEGIN /* ; NEW.version := x */ RETURN NEW; -- ; NEW.version := y
      END`,
      '',
      '',
      false,
    ],
  ])(
    'HDR-8: versions have a digest unless a trigger always changes them: %s',
    async (_title, body, more, when, moves) => {
      await table(`CREATE SEQUENCE IF NOT EXISTS cuenta; ${setter(body, more, when)}`)
      expect(digested.test((await version()) ?? '')).toBe(!moves)
      await store.sql('ALTER TABLE lotes DISABLE TRIGGER mueve')
      expect(await version()).toMatch(digested)
    },
  )

  it('HDR-8: "soleWriter" and tableDdl() make a digest unnecessary, but table inheritance requires one', async () => {
    await table()
    expect(await version(over({ version: { column: 'version', soleWriter: true } }))).not.toMatch(digested)
    const propia = defineResource({
      collection: 'propias',
      key: 'id',
      schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
    })
    await store.sql('DROP TABLE IF EXISTS propias')
    await store.sql(tableDdl(propia, { table: 'propias', version: { column: 'version' } }))
    await store.sql('INSERT INTO propias (id) VALUES (1)')
    const printed = postgresAdapter(store.client, {
      resource: propia,
      table: 'propias',
      version: { column: 'version' },
    })
    expect((await printed.read([1], call))[0]?.version).not.toMatch(digested)
    await table(
      '',
      columns.replace(/version text DEFAULT.*/, `version text GENERATED ALWAYS AS (coalesce(nombre, '')) STORED`),
    )
    const one = await version()
    await store.sql('UPDATE lotes SET peso = 7')
    expect(await version()).not.toBe(one)
    await table(`${setter(plain)}; CREATE TABLE hijos () INHERITS (lotes)`)
    expect(await version()).toMatch(digested)
  })

  it('HDR-8: a partitioned table needs a digest, unless the trigger is on the partitioned table itself', async () => {
    const parts = 'CREATE TABLE unos PARTITION OF lotes FOR VALUES FROM (0) TO (10)'
    await table(parts, columns, ' PARTITION BY RANGE (id)')
    const before = await version()
    expect(before).toMatch(digested)
    await store.sql(`UPDATE unos SET nombre = 'otro'`)
    expect(await version()).not.toBe(before)
    await table(`${parts}; ${setter(plain)}`, columns, ' PARTITION BY RANGE (id)')
    expect(await version()).not.toMatch(digested)
  })

  it('HDR-8: with "next", "rest" and soft delete, each write changes the version, even a null version', async () => {
    await table(
      '',
      (
        'id integer PRIMARY KEY, nombre text, peso numeric, datos json, etiquetas text[], borrado boolean NOT NULL ' +
        'DEFAULT false, version timestamptz, resto jsonb'
      ).replace('borrado boolean NOT NULL DEFAULT false', 'oculto text'),
    )
    await store.sql('ALTER TABLE lotes ADD borrado boolean NOT NULL DEFAULT false')
    const suelta = defineResource({
      collection: 'lotes',
      key: 'id',
      schema: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'integer' }, nombre: { type: ['string', 'null'] } },
        additionalProperties: true,
      },
    })
    const adapter = postgresAdapter(store.client, {
      resource: suelta,
      table: 'lotes',
      rest: 'resto',
      softDelete: 'borrado',
      version: { column: 'version', next: 'clock_timestamp()' },
    })
    const read = async () => (await adapter.read([1], call))[0]?.version
    const first = await read()
    await store.sql(`UPDATE lotes SET resto = '{"x": 1}'`)
    const second = await read()
    expect(second).not.toBe(first)
    expect(await adapter.replace(1, { id: 1, nombre: 'b', x: 2 } as never, first, call)).toBe('stale')
    expect(await adapter.replace(1, { id: 1, nombre: 'b', x: 2 } as never, second, call)).toMatchObject({
      value: { x: 2 },
    })
    expect(await adapter.remove(1, second, call)).toBe('stale')
    expect(await adapter.remove(1, await read(), call)).toBe('removed')
  })

  it('HDR-8: with "readFrom", the version comes from the table, even if the view shows other values', async () => {
    await table()
    await store.sql(
      `CREATE VIEW vista AS SELECT id, upper(nombre) AS nombre, peso, datos, etiquetas, version FROM lotes`,
    )
    for (const readFrom of ['vista', 'SELECT * FROM vista']) {
      const adapter = over({ readFrom })
      await adapter.ready()
      const [before] = await adapter.read([1], call)
      await store.sql(`UPDATE lotes SET nombre = nombre || 'x'`)
      expect(await adapter.replace(1, { id: 1, nombre: 'q' } as Lote, before?.version, call)).toBe('stale')
      const [now] = await adapter.read([1], call)
      const written = await adapter.replace(1, { id: 1, nombre: 'q' } as Lote, now?.version, call)
      expect(written).toEqual((await adapter.read([1], call))[0])
    }
  })

  it('HDR-8: a digest is needed if a later trigger can reset the version, or if the default is constant', async () => {
    const later = (body: string) => `${setter(plain)};
      CREATE OR REPLACE FUNCTION tarde() RETURNS trigger LANGUAGE plpgsql AS $$ ${body} $$;
      CREATE TRIGGER tarde BEFORE UPDATE ON lotes FOR EACH ROW EXECUTE FUNCTION tarde()`
    await table(later('BEGIN NEW.oculto := upper(NEW.oculto); RETURN NEW; END'))
    expect(await version()).not.toMatch(digested)
    for (const body of ['BEGIN NEW.version := OLD.version; RETURN NEW; END', 'BEGIN NEW := OLD; RETURN NEW; END']) {
      await table(later(body))
      expect(await version()).toMatch(digested)
    }
    await table(setter(plain), columns.replace('DEFAULT gen_random_uuid()::text', `DEFAULT '0'`))
    const counted = over({ version: { column: 'version', next: 'gen_random_uuid()' } })
    const first = await version(counted)
    await store.sql(`DELETE FROM lotes; INSERT INTO lotes VALUES (1, 'b')`)
    expect(await version(counted)).not.toBe(first)
  })

  it('HDR-8: ready() refuses a UUID default that is computed from a name, because such UUIDs can repeat', async () => {
    await store.sql(
      `CREATE OR REPLACE FUNCTION uuid_generate_v5(a text, b text) RETURNS text LANGUAGE sql AS $$ SELECT a || b $$`,
    )
    await table(setter(plain), columns.replace('gen_random_uuid()::text', `uuid_generate_v5('x', 'y')`))
    await expect(over().ready()).rejects.toThrow(/may repeat/)
  })

  it('HDR-8: a write returns the changes of a deferred trigger that was fired by a BEFORE trigger', async () => {
    await table(`
      DROP TABLE IF EXISTS avisos;
      CREATE TABLE avisos (lote integer);
      CREATE OR REPLACE FUNCTION avisa() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO avisos VALUES (NEW.id); RETURN NEW; END $$;
      CREATE TRIGGER avisa BEFORE INSERT OR UPDATE ON lotes FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION avisa();
      CREATE OR REPLACE FUNCTION vuelve() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        UPDATE lotes SET peso = (SELECT count(*) FROM avisos) WHERE id = NEW.lote; RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER vuelve AFTER INSERT ON avisos DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION vuelve()`)
    for (const kind of ['xmin', { column: 'version' }] as const) {
      const adapter = over({ version: kind })
      const written = await adapter.replace(1, { id: 1, nombre: 'n' } as Lote, undefined, call)
      expect(written).toEqual((await adapter.read([1], call))[0])
      const made = (await adapter.create({ id: 2, nombre: 'n' } as Lote, call)) as { created: unknown }
      expect(made.created).toEqual((await adapter.read([2], call))[0])
      await store.sql('DELETE FROM lotes WHERE id = 2')
    }
  })
})
