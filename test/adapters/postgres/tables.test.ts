import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { AdapterCall } from '../../../src/adapters/contract.js'
import { postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { defineResource } from '../../../src/definition/resource.js'
import { call, callOf, listRequest } from '../memory/requests.js'
import { type Store, stores } from './stores.js'

const piezas = defineResource({
  collection: 'piezas',
  key: 'numero',
  assigned: true,
  schema: {
    type: 'object',
    required: ['numero', 'numeroDeEnvio'],
    properties: {
      numero: { type: 'integer' },
      numeroDeEnvio: { type: 'string' },
      peso: { type: ['number', 'null'] },
      creadoPor: { type: 'string', readOnly: true },
      cambiadoEn: { type: 'string', readOnly: true },
      sucursal: { type: 'string', readOnly: true },
      titulo: { type: 'string', readOnly: true },
    },
  },
  filters: { numeroDeEnvio: true, titulo: true, sucursal: true },
  sort: ['numero', 'titulo', 'peso'],
})

const by = (name: string): AdapterCall => callOf({ principal: { name } })

describe.each(stores)('existing tables, on $name', ({ open }) => {
  let store: Store
  beforeAll(async () => {
    store = await open()
  })
  afterAll(() => store.close())
  beforeEach(() => store.sql('DROP SCHEMA IF EXISTS courier CASCADE; CREATE SCHEMA courier'))

  const legacy = `
    CREATE TABLE courier.t_pieza (
      id_pieza bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      nro_envio varchar(20) NOT NULL UNIQUE,
      peso numeric(8,3),
      creado_por text, cambiado_en text,
      titulo text GENERATED ALWAYS AS ('Pieza ' || nro_envio) STORED,
      otro bytea, borrado_en timestamptz
    )`
  const columns = { numero: 'id_pieza', numeroDeEnvio: 'nro_envio' } as const
  /** A resource with only two members. */
  const plain = defineResource({
    collection: 'piezas',
    key: 'numero',
    schema: { type: 'object', properties: { numero: { type: 'integer' }, numeroDeEnvio: { type: 'string' } } },
  })
  const without = defineResource({
    collection: 'piezas',
    key: 'numero',
    assigned: true,
    schema: {
      type: 'object',
      required: ['numero', 'numeroDeEnvio'],
      properties: {
        numero: { type: 'integer' },
        numeroDeEnvio: { type: 'string' },
        peso: { type: ['number', 'null'] },
        titulo: { type: 'string', readOnly: true },
      },
    },
    filters: { titulo: true },
    sort: ['numero', 'titulo'],
  })

  it('supports a named schema, mapped columns, assigned keys, generated columns and unknown columns', async () => {
    await store.sql(legacy)
    const adapter = postgresAdapter(store.client, { resource: without, table: 'courier.t_pieza', columns })
    await adapter.ready()
    expect(await adapter.create({ numeroDeEnvio: 'E1' } as never, call)).toMatchObject({
      created: {
        value: { numero: 1, numeroDeEnvio: 'E1', peso: null, titulo: 'Pieza E1' },
        version: expect.any(String),
      },
    })
    await store.sql(`UPDATE courier.t_pieza SET otro = '\\x01'`)
    expect(
      await adapter.replace(1, { numero: 1, numeroDeEnvio: 'E2', peso: 1.5 } as never, undefined, call),
    ).toMatchObject({
      value: { titulo: 'Pieza E2', peso: 1.5 },
    })
    expect(await store.sql('SELECT otro IS NOT NULL AS kept FROM courier.t_pieza')).toMatchObject([{ kept: true }])
    // A client may choose the number, even if the column is GENERATED ALWAYS.
    expect(await adapter.create({ numero: 3, numeroDeEnvio: 'E3' } as never, call)).toMatchObject({
      created: { value: { numero: 3 } },
    })
    expect(await adapter.create({ numeroDeEnvio: 'E4' } as never, call)).toMatchObject({
      created: { value: { numero: 2 } },
    })
    expect(
      await adapter.create({ numeroDeEnvio: 'E5' } as never, call),
      'skips the number that a client has used',
    ).toMatchObject({
      created: { value: { numero: 4 } },
    })
    expect(
      (
        await adapter.list(
          listRequest({ sort: '-titulo,-numero', where: [{ field: 'titulo', op: 'gte', value: 'Pieza E3' }] }),
          call,
        )
      ).items.map((item) => item.value.numero),
    ).toEqual([4, 2, 3])
  })

  it('with xmin as the version, every change gets a new version, and no version is ever used again', async () => {
    await store.sql(legacy)
    const adapter = postgresAdapter(store.client, { resource: without, table: 'courier.t_pieza', columns })
    const seen = new Set<string>()
    const value = { numero: 7, numeroDeEnvio: 'E' } as never
    for (let round = 0; round < 5; round++) {
      const created = await adapter.create(value, call)
      if (!('created' in created)) throw new Error(JSON.stringify(created))
      const { version } = created.created
      expect((await adapter.read([7], call))[0]?.version).toBe(version)
      const next = await adapter.replace(7, value, version, call)
      if (typeof next === 'string' || 'refused' in next) throw new Error(JSON.stringify(next))
      for (const one of [version, next.version]) {
        expect(seen.has(one)).toBe(false)
        seen.add(one)
      }
      expect(await adapter.replace(7, value, version, call)).toBe('stale')
      expect(await adapter.remove(7, version, call)).toBe('stale')
      expect(await adapter.remove(7, next.version, call)).toBe('removed')
      expect(await adapter.remove(7, next.version, call)).toBe('absent')
    }
    await adapter.create(value, call)
    const now = (await adapter.read([7], call))[0]?.version ?? ''
    const number = now.slice(now.lastIndexOf('.') + 1)
    const prefix = now.slice(0, now.lastIndexOf('.') + 1)
    // Other spellings of the same transaction id, and invalid ids.
    for (const forged of [
      ` ${number}`,
      `0${number}`,
      `0x${Number(number).toString(16)}`,
      String(Number(number) + 2 ** 32),
      'abc',
      '',
      '\0',
      '\ud800',
      "' OR true --",
    ]) {
      expect(await adapter.replace(7, value, prefix + forged, call), forged).toBe('stale')
      expect(await adapter.replace(7, value, forged, call), forged).toBe('stale')
    }
    expect(await adapter.replace(7, value, now, call)).toMatchObject({ value: { numero: 7 } })
  })

  it('reads from a view and writes to its table; columns that only the view has are computed', async () => {
    await store.sql(`${legacy};
      CREATE TABLE courier.sucursales (nro_envio text PRIMARY KEY, nombre text);
      INSERT INTO courier.sucursales VALUES ('E1', 'Madrid'), ('E2', 'Rosario');
      ALTER TABLE courier.t_pieza ADD COLUMN version uuid NOT NULL DEFAULT gen_random_uuid();
      CREATE VIEW courier.v_pieza AS SELECT p.*, s.nombre AS sucursal FROM courier.t_pieza p LEFT JOIN courier.sucursales s USING (nro_envio) WHERE p.nro_envio <> 'oculto'`)
    for (const readFrom of [
      'courier.v_pieza',
      'SELECT p.*, s.nombre AS sucursal FROM courier.t_pieza p LEFT JOIN courier.sucursales s USING (nro_envio) ' +
        "WHERE p.nro_envio <> 'oculto'",
    ]) {
      const adapter = postgresAdapter(store.client, {
        resource: piezas,
        table: 'courier.t_pieza',
        readFrom,
        columns,
        version: { column: 'version' },
      })
      await adapter.ready()
      const created = await adapter.create({ numeroDeEnvio: 'E1' } as never, call)
      expect(created).toMatchObject({ created: { value: { numeroDeEnvio: 'E1', sucursal: 'Madrid' } } })
      const { value, version } = (created as never as { created: { value: { numero: number }; version: string } })
        .created
      const next = await adapter.replace(value.numero, { ...value, numeroDeEnvio: 'E2' } as never, version, call)
      expect(next).toMatchObject({ value: { sucursal: 'Rosario' } })
      expect((await adapter.read([value.numero], call))[0]).toEqual(next)
      expect(
        await adapter.list(
          listRequest({ sort: 'numero', where: [{ field: 'sucursal', op: 'eq', value: 'Rosario' }] }),
          call,
        ),
      ).toMatchObject({ total: 1 })
      // A change is refused if the view would hide the changed row.
      expect(await adapter.create({ numeroDeEnvio: 'oculto' } as never, call)).toMatchObject({ refused: 'rule' })
      expect(
        await store.sql(`SELECT count(*)::int AS n FROM courier.t_pieza WHERE nro_envio = 'oculto'`),
      ).toMatchObject([{ n: 0 }])
      expect(
        await adapter.replace(value.numero, { ...value, numeroDeEnvio: 'oculto' } as never, undefined, call),
      ).toMatchObject({
        refused: 'rule',
      })
      expect((await adapter.read([value.numero], call))[0]).toEqual(next)
      expect(await adapter.remove(value.numero, version, call)).toBe('stale')
      expect(await adapter.remove(value.numero, undefined, call)).toBe('removed')
    }
  })

  it('finds, changes and removes only the record with the exact key in a case-insensitive column', async () => {
    await store
      .sql(`
      CREATE COLLATION IF NOT EXISTS courier.blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
      CREATE TABLE courier.claves (clave text COLLATE courier.blind PRIMARY KEY, peso float8)`)
      .catch(() => undefined)
    const [blind] = await store.sql(`SELECT 'a' = 'A' COLLATE courier.blind AS yes`).catch(() => [])
    // PGlite has no ICU data, so none of its collations is case-insensitive. There is nothing to
    // test.
    if (blind?.yes !== true) return
    const resource = defineResource({
      collection: 'claves',
      key: 'clave',
      schema: { type: 'object', properties: { clave: { type: 'string' }, peso: { type: 'number' } } },
    })
    const adapter = postgresAdapter(store.client, { resource, table: 'courier.claves' })
    await adapter.create({ clave: 'AbC', peso: 1 }, call)
    expect(await adapter.read(['abc', 'AbC'], call)).toMatchObject([undefined, { value: { clave: 'AbC' } }])
    expect(await adapter.replace('abc', { clave: 'abc', peso: 2 }, undefined, call)).toBe('absent')
    expect(await adapter.remove('ABC', undefined, call)).toBe('absent')
    expect(await adapter.create({ clave: 'abc' }, call)).toMatchObject({ refused: 'duplicate' })
    expect(await adapter.remove('AbC', undefined, call)).toBe('removed')
  })

  it('reads and writes do not depend on the date format and the time zone of the session', async () => {
    await store.sql(
      'CREATE TABLE courier.fechas (id int PRIMARY KEY, dia date, momento timestamp, instante timestamptz, ' +
        'peso float8)',
    )
    const resource = defineResource({
      collection: 'fechas',
      key: 'id',
      schema: {
        type: 'object',
        properties: {
          id: { type: 'integer' },
          dia: { type: 'string', format: 'date' },
          momento: { type: 'string', format: 'local-date-time' },
          instante: { type: 'string', format: 'date-time' },
          peso: { type: 'number' },
        },
      },
    })
    const value = {
      id: 1,
      dia: '2024-01-02',
      momento: '2024-01-02T03:04:05.1234560',
      instante: '2024-01-02T03:04:05.500Z',
      peso: 0.1 + 0.2,
    }
    const adapter = postgresAdapter(store.client, {
      resource,
      table: 'courier.fechas',
      session: async (tx) => {
        await tx.query(
          `SELECT set_config('DateStyle', 'German, DMY', true), set_config('TimeZone', 'Asia/Kolkata', true)`,
        )
      },
    })
    expect(await adapter.create(value, call)).toMatchObject({ created: { value } })
    expect((await adapter.read([1], call))[0]?.value).toEqual(value)
  })

  it('computes members by the SQL expressions of the option "columns"', async () => {
    await store.sql(legacy)
    const adapter = postgresAdapter(store.client, {
      resource: without,
      table: 'courier.t_pieza',
      columns: { ...columns, titulo: { expression: `upper(nro_envio) || '!'` } },
    })
    await adapter.ready()
    await adapter.create({ numeroDeEnvio: 'a' } as never, call)
    await adapter.create({ numeroDeEnvio: 'b', titulo: 'ignored' } as never, call)
    expect(
      (
        await adapter.list(
          listRequest({ sort: '-titulo,-numero', where: [{ field: 'titulo', op: 'in', value: ['A!', 'B!'] }] }),
          call,
        )
      ).items.map((item) => item.value.titulo),
    ).toEqual(['B!', 'A!'])
  })

  it('soft delete: removed rows are absent, and their keys stay taken', async () => {
    await store.sql(legacy)
    const adapter = postgresAdapter(store.client, {
      resource: without,
      table: 'courier.t_pieza',
      columns,
      softDelete: 'borrado_en',
    })
    await adapter.ready()
    await adapter.create({ numero: 1, numeroDeEnvio: 'E1' } as never, call)
    const version = (await adapter.read([1], call))[0]?.version
    expect(await adapter.remove(1, 'other', call)).toBe('stale')
    expect(await adapter.remove(1, version, call)).toBe('removed')
    expect(await adapter.read([1], call)).toEqual([undefined])
    expect(await adapter.list(listRequest({ sort: 'numero' }), call)).toMatchObject({ items: [], total: 0 })
    expect(await adapter.replace(1, { numero: 1, numeroDeEnvio: 'E1' } as never, undefined, call)).toBe('absent')
    expect(await adapter.remove(1, undefined, call)).toBe('absent')
    expect(await adapter.create({ numero: 1, numeroDeEnvio: 'E9' } as never, call)).toEqual({
      refused: 'duplicate',
      members: ['numero'],
    })
    expect(
      await store.sql('SELECT count(*)::int AS n FROM courier.t_pieza WHERE borrado_en IS NOT NULL'),
    ).toMatchObject([{ n: 1 }])
  })

  it.each([
    ['NOT NULL DEFAULT true', true],
    ['DEFAULT NULL', null],
  ])('soft delete: false in a column "activo boolean %s" marks removed rows', async (constraint, initial) => {
    await store.sql(`
      CREATE TABLE courier.t_pieza (id_pieza bigint PRIMARY KEY, nro_envio text, activo boolean ${constraint});
      INSERT INTO courier.t_pieza VALUES (8, 'E8', false), (9, 'E9', true)`)
    const adapter = postgresAdapter(store.client, {
      resource: plain,
      table: 'courier.t_pieza',
      columns,
      softDelete: { column: 'activo', deleted: 'false' },
    })
    await adapter.ready()
    await adapter.create({ numero: 1, numeroDeEnvio: 'E1' }, call)
    expect(await store.sql('SELECT activo FROM courier.t_pieza WHERE id_pieza = 1')).toEqual([{ activo: initial }])
    const numbers = async () =>
      (await adapter.list(listRequest({ sort: 'numero' }), call)).items.map(({ value }) => value.numero)
    expect(await numbers()).toEqual([1, 9])
    expect(await adapter.read([8], call)).toEqual([undefined])
    expect(await adapter.remove(1, undefined, call)).toBe('removed')
    expect(await adapter.remove(1, undefined, call)).toBe('absent')
    expect(await numbers()).toEqual([9])
    expect(await store.sql('SELECT activo FROM courier.t_pieza WHERE id_pieza = 1')).toEqual([{ activo: false }])
  })

  it.each([
    ['a trigger that keeps the row', `now()`],
    ['a mark that is NULL', `current_setting('app.nobody', true)::timestamptz`],
  ])('soft delete: a removal that leaves the row alive, because of %s, is refused', async (_, deleted) => {
    await store.sql(`
      CREATE TABLE courier.t_pieza (id_pieza bigint PRIMARY KEY, nro_envio text, borrado_en timestamptz);
      CREATE OR REPLACE FUNCTION courier.retener() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN IF NEW.nro_envio = 'E1' THEN NEW.borrado_en := NULL; END IF; RETURN NEW; END $$;
      CREATE TRIGGER retener BEFORE UPDATE ON courier.t_pieza FOR EACH ROW EXECUTE FUNCTION courier.retener()`)
    const adapter = postgresAdapter(store.client, {
      resource: plain,
      table: 'courier.t_pieza',
      columns: { numero: 'id_pieza', numeroDeEnvio: 'nro_envio' },
      softDelete: { column: 'borrado_en', deleted },
    })
    await adapter.create({ numero: 1, numeroDeEnvio: 'E1' }, call)
    expect(await adapter.remove(1, undefined, call)).toEqual({
      refused: 'rule',
      members: [],
      why: 'was rejected by a rule of the store',
    })
    expect((await adapter.read([1], call))[0]).toBeDefined()
  })

  it('if the unique index excludes deleted rows, a deleted key can be reused, and versions do not repeat', async () => {
    await store.sql(`
      CREATE TABLE courier.t_pieza (id_pieza bigint, nro_envio text, borrado boolean NOT NULL DEFAULT false);
      CREATE UNIQUE INDEX ON courier.t_pieza (id_pieza) WHERE NOT borrado`)
    const adapter = postgresAdapter(store.client, {
      resource: plain,
      table: 'courier.t_pieza',
      columns,
      softDelete: 'borrado',
    })
    await adapter.ready()
    const seen = new Set<string>()
    for (let round = 0; round < 3; round++) {
      const created = (await adapter.create({ numero: 1, numeroDeEnvio: 'E1' }, call)) as {
        created: { version: string }
      }
      expect(seen.has(created.created.version)).toBe(false)
      seen.add(created.created.version)
      expect(await adapter.create({ numero: 1, numeroDeEnvio: 'E1' }, call)).toMatchObject({ refused: 'duplicate' })
      expect(await adapter.remove(1, undefined, call)).toBe('removed')
    }
    expect(await store.sql('SELECT count(*)::int AS n FROM courier.t_pieza')).toMatchObject([{ n: 3 }])
  })

  it('onCreate and onUpdate can set members that only the option "columns" declares', async () => {
    await store.sql(legacy)
    const adapter = postgresAdapter(store.client, {
      resource: without,
      table: 'courier.t_pieza',
      columns: { ...columns, creadoPor: 'creado_por', cambiadoEn: 'cambiado_en' },
      onCreate: (value, { principal }) => ({ ...value, creadoPor: (principal as { name: string }).name }),
      onUpdate: (value, current, { principal }) => ({
        ...value,
        creadoPor: (current as never as { creadoPor: string }).creadoPor,
        cambiadoEn: `${(principal as { name: string }).name} ${current.numeroDeEnvio} -> ${value.numeroDeEnvio}`,
      }),
    })
    await adapter.ready()
    await adapter.create({ numero: 5, numeroDeEnvio: 'a' } as never, by('ana'))
    expect(await adapter.replace(5, { numero: 5, numeroDeEnvio: 'b' } as never, undefined, by('beto'))).toMatchObject({
      value: { numeroDeEnvio: 'b' },
    })
    expect(await adapter.replace(5, { numero: 5, numeroDeEnvio: 'c' } as never, 'other', by('caro'))).toBe('stale')
    expect(await adapter.replace(6, { numero: 6, numeroDeEnvio: 'c' } as never, undefined, by('caro'))).toBe('absent')
    expect(await store.sql('SELECT creado_por, cambiado_en FROM courier.t_pieza')).toEqual([
      { creado_por: 'ana', cambiado_en: 'beto a -> b' },
    ])
  })

  it('stores members without a column in a JSON column, where they can be filtered and sorted', async () => {
    await store.sql(
      `CREATE TABLE courier.docs (numero bigint PRIMARY KEY, doc jsonb, version uuid DEFAULT gen_random_uuid())`,
    )
    const resource = defineResource({
      collection: 'documentos',
      key: 'numero',
      schema: {
        type: 'object',
        additionalProperties: true,
        properties: {
          numero: { type: 'integer' },
          titulo: { type: 'string' },
          peso: { type: 'number' },
          nota: { type: ['string', 'null'] },
        },
      },
      filters: { titulo: true, sinNota: { field: 'nota', op: 'null' } },
      sort: ['peso', 'titulo'],
    })
    const adapter = postgresAdapter(store.client, {
      resource,
      table: 'courier.docs',
      rest: 'doc',
      version: { column: 'version' },
    })
    await adapter.ready()
    const docs = [
      { numero: 1, titulo: 'b', peso: 10, libre: { x: [1] } },
      { numero: 2, titulo: 'a', peso: 9, nota: null },
      { numero: 3, titulo: 'a', nota: 'n' },
    ]
    for (const doc of docs) expect(await adapter.create(doc as never, call)).toMatchObject({ created: { value: doc } })
    const ids = async (parts: Parameters<typeof listRequest>[0]) =>
      (await adapter.list(listRequest(parts), call)).items.map((item) => item.value.numero)
    expect(await ids({ sort: 'peso,numero' })).toEqual([2, 1, 3])
    expect(await ids({ sort: '-titulo,-numero' })).toEqual([1, 3, 2])
    expect(await ids({ sort: 'numero', where: [{ field: 'titulo', op: 'eq', value: 'a' }] })).toEqual([2, 3])
    expect(await ids({ sort: 'numero', where: [{ field: 'nota', op: 'null', value: true }] })).toEqual([1, 2])
    expect(await adapter.replace(1, { numero: 1, titulo: 'z', otra: 1 } as never, undefined, call)).toMatchObject({
      value: { numero: 1, titulo: 'z', otra: 1 },
    })
    expect((await adapter.read([1], call))[0]?.value).toEqual({ numero: 1, titulo: 'z', otra: 1 })
  })

  it('a version that is computed from some columns changes only if one of these columns changes', async () => {
    await store.sql(legacy)
    const adapter = postgresAdapter(store.client, {
      resource: without,
      table: 'courier.t_pieza',
      columns,
      version: { expression: `md5(nro_envio || coalesce(peso::text, ''))` },
    })
    await adapter.ready()
    await adapter.create({ numero: 1, numeroDeEnvio: 'a' } as never, call)
    const { version } = (await adapter.read([1], call))[0] as { version: string }
    await store.sql(`UPDATE courier.t_pieza SET creado_por = 'job'`)
    expect(await adapter.replace(1, { numero: 1, numeroDeEnvio: 'a', peso: 2 } as never, version, call)).toMatchObject({
      value: { peso: 2 },
    })
    expect(await adapter.replace(1, { numero: 1, numeroDeEnvio: 'a' } as never, version, call)).toBe('stale')
  })

  it('composite keys: the last part is numbered from 1 for each combination of the other parts', async () => {
    await store.sql(
      `CREATE TABLE courier.partes (cabecera text, secuencia int, peso float8, PRIMARY KEY (cabecera, secuencia))`,
    )
    const resource = defineResource({
      collection: 'partes',
      key: ['cabecera', 'secuencia'],
      assigned: ['secuencia'],
      schema: {
        type: 'object',
        properties: { cabecera: { type: 'string' }, secuencia: { type: 'integer' }, peso: { type: 'number' } },
      },
    })
    const adapter = postgresAdapter(store.client, { resource, table: 'courier.partes' })
    await adapter.ready()
    const next = async (cabecera: string) =>
      ((await adapter.create({ cabecera } as never, call)) as { created: { value: { secuencia: number } } }).created
        .value.secuencia
    const made = await Promise.all(Array.from({ length: 12 }, () => next('a')))
    expect(made.toSorted((x, y) => x - y)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1))
    expect(await next('b')).toBe(1)
    await adapter.create({ cabecera: 'b', secuencia: 2147483647 }, call)
    expect(await next('b'), 'a client has also used 2147483647').toBe(2)
    await adapter.create({ cabecera: 'c', secuencia: 2147483647 }, call)
    expect([await next('c'), await next('c')], 'a client has used only 2147483647').toEqual([1, 2])
    expect(
      await adapter.read(
        [
          { cabecera: 'b', secuencia: 1 },
          { cabecera: 'a', secuencia: 99 },
          { cabecera: 'a', secuencia: 2 },
        ] as never,
        call,
      ),
    ).toMatchObject([{ value: { cabecera: 'b' } }, undefined, { value: { secuencia: 2 } }])
  })
})
