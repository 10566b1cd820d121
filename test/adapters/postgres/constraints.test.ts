import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresAdapter, postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { defineResource } from '../../../src/definition/resource.js'
import { call, callOf } from '../memory/requests.js'
import { type Store, stores } from './stores.js'

interface Cosa {
  id: number
  nombre?: string | null
  clase?: string
  desde?: number
  hasta?: number
  padre?: number | null
}

const cosas = defineResource<Cosa>()({
  collection: 'cosas',
  key: 'id',
  schema: {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      nombre: { type: ['string', 'null'] },
      clase: { type: 'string' },
      desde: { type: 'integer' },
      hasta: { type: 'integer' },
      padre: { type: ['integer', 'null'] },
    },
  },
})

const table = `
  CREATE TABLE cosas (
    id int PRIMARY KEY,
    nombre text NOT NULL,
    clase text DEFAULT 'x' CHECK (clase <> 'prohibida'),
    desde int, hasta int, CONSTRAINT orden CHECK (desde <= hasta),
    padre int REFERENCES cosas,
    UNIQUE (clase, desde)
  );
  CREATE UNIQUE INDEX cosas_nombre ON cosas (lower(nombre));
  CREATE UNIQUE INDEX cosas_hasta ON cosas (hasta) WHERE clase = 'unica';
  CREATE FUNCTION vigila() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF NEW.nombre = 'secreto' THEN RAISE EXCEPTION 'the password is %', 'hunter2' USING COLUMN = 'nombre'; END IF; RETURN NEW; END $$;
  CREATE TRIGGER vigila BEFORE INSERT OR UPDATE ON cosas FOR EACH ROW EXECUTE FUNCTION vigila()`

describe.each(stores)('constraints, defaults and the scope, on $name', ({ open }) => {
  let store: Store
  let adapter: PostgresAdapter<Cosa, number>
  beforeAll(async () => {
    store = await open()
    await store.sql(table)
    adapter = postgresAdapter(store.client, { resource: cosas, table: 'cosas' })
    await adapter.ready()
    await adapter.create({ id: 1, nombre: 'Uno', clase: 'a', desde: 1, hasta: 5 }, call)
    await adapter.create({ id: 2, nombre: 'Dos', clase: 'a', desde: 2, hasta: 5, padre: 1 }, call)
  })
  afterAll(() => store.close())

  it.each([
    ['a key that is taken', { id: 1, nombre: 'n' }, { refused: 'duplicate', members: ['id'] }],
    [
      'several members that violate a unique constraint',
      { id: 3, nombre: 'n', clase: 'a', desde: 1 },
      {
        refused: 'duplicate',
        members: ['clase', 'desde'],
        why: 'is already taken in combination with the other members named here',
      },
    ],
    [
      'a value that violates a unique index on an expression',
      { id: 3, nombre: 'UNO' },
      { refused: 'duplicate', members: ['nombre'] },
    ],
    [
      'a missing value of a NOT NULL column',
      { id: 3 },
      { refused: 'rule', members: ['nombre'], why: 'must have a value' },
    ],
    [
      'a violated check of one member',
      { id: 3, nombre: 'n', clase: 'prohibida' },
      { refused: 'rule', members: ['clase'] },
    ],
    [
      'a violated check of several members',
      { id: 3, nombre: 'n', desde: 9, hasta: 1 },
      { refused: 'rule', members: ['desde', 'hasta'] },
    ],
    ['a reference without a target', { id: 3, nombre: 'n', padre: 77 }, { refused: 'reference', members: ['padre'] }],
    ['an error raised by a trigger', { id: 3, nombre: 'secreto' }, { refused: 'rule', members: ['nombre'] }],
  ])('ERR-2: a write is refused, and the refusal names the members: %s', async (_, value, refusal) => {
    const { id, ...rest } = value
    expect(await adapter.create(value, call)).toEqual(refusal)
    expect(await adapter.read([3], call)).toEqual([undefined])
    if (id !== 3) return
    // An update of an existing record must get the same refusal.
    await adapter.create({ id: 4, nombre: 'Cuatro', clase: 'd' }, call)
    const before = (await adapter.read([4], call))[0]
    expect(await adapter.replace(4, { id: 4, ...rest }, undefined, call)).toEqual(refusal)
    expect((await adapter.read([4], call))[0]).toEqual(before)
    await adapter.remove(4, undefined, call)
  })

  it('ERR-2: if a trigger violates a constraint of another table, the refusal names no member', async () => {
    await store.sql(`
      CREATE TABLE cuentas (id int PRIMARY KEY);
      CREATE TABLE asientos (cuenta int REFERENCES cuentas, desde int, CONSTRAINT orden CHECK (desde > 0));
      CREATE FUNCTION asienta() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO asientos VALUES (NEW.padre, NEW.desde); RETURN NEW; END $$;
      CREATE TABLE asentadas (LIKE cosas INCLUDING ALL);
      CREATE TRIGGER asienta AFTER INSERT ON asentadas FOR EACH ROW EXECUTE FUNCTION asienta()`)
    const over = postgresAdapter(store.client, { resource: cosas, table: 'asentadas' })
    await over.ready()
    const refused = { refused: 'rule', members: [] }
    expect(await over.create({ id: 1, nombre: 'n', padre: 99 }, call)).toEqual(refused)
    expect(await over.create({ id: 2, nombre: 'm', desde: -1, hasta: 1 }, call)).toEqual(refused)
  })

  it('ERR-2: a taken key is refused, even if it is checked only at the end of the transaction', async () => {
    await store.sql(
      'CREATE TABLE tardias (id int GENERATED BY DEFAULT AS IDENTITY, nombre text, PRIMARY KEY (id) DEFERRABLE ' +
        'INITIALLY DEFERRED)',
    )
    const tardias = defineResource({
      collection: 'tardias',
      key: 'id',
      assigned: true,
      schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, nombre: { type: 'string' } } },
    })
    const over = postgresAdapter(store.client, { resource: tardias, table: 'tardias' })
    await over.ready()
    expect(await over.create({ nombre: 'a' } as never, call)).toMatchObject({ created: { value: { id: 1 } } })
    expect(await over.create({ id: 1, nombre: 'b' }, call)).toEqual({ refused: 'duplicate', members: ['id'] })
    expect(await over.create({ nombre: 'c' } as never, call)).toMatchObject({ created: { value: { id: 2 } } })
  })

  it('ERR-2: a referenced record cannot be removed', async () => {
    expect(await adapter.remove(1, undefined, call)).toEqual({
      refused: 'referenced',
      members: [],
      by: [expect.any(String)],
    })
    expect((await adapter.read([1], call))[0]).toBeDefined()
  })

  it('ERR-2: a refusal does not reveal the message of the database', async () => {
    const refused = JSON.stringify([
      await adapter.create({ id: 3, nombre: 'secreto' }, call),
      await adapter.create({ id: 1, nombre: 'x' }, call),
    ])
    expect(refused).not.toMatch(/hunter2|password|constraint|cosas_pkey|violates/)
  })

  it('a create without a member stores the column default; a PUT without the member removes the member', async () => {
    await adapter.create({ id: 5, nombre: 'Cinco' }, call)
    expect((await adapter.read([5], call))[0]?.value).toMatchObject({ clase: 'x' })
    await adapter.replace(5, { id: 5, nombre: 'Cinco', clase: 'z' }, undefined, call)
    // A PUT contains the whole record, so it removes the members that it omits.
    await adapter.replace(5, { id: 5, nombre: 'Cinco' }, undefined, call)
    expect((await adapter.read([5], call))[0]?.value).not.toHaveProperty('clase')
  })

  it('the scope limits reads, lists and writes, and is set on created and replaced records', async () => {
    const mine = callOf({ scope: { clase: 'mia' } })
    expect(await adapter.create({ id: 10, nombre: 'Diez' }, mine)).toMatchObject({
      created: { value: { clase: 'mia' } },
    })
    expect(await adapter.read([1, 10], mine)).toMatchObject([undefined, { value: { id: 10 } }])
    const { version } = (await adapter.read([1], call))[0] as { version: string }
    expect(await adapter.replace(1, { id: 1, nombre: 'x' }, version, mine)).toBe('absent')
    expect(await adapter.replace(1, { id: 1, nombre: 'x' }, 'other', mine)).toBe('absent')
    expect(await adapter.remove(1, undefined, mine)).toBe('absent')
    expect(await adapter.replace(10, { id: 10, nombre: 'Diez', clase: 'otra' }, undefined, mine)).toMatchObject({
      value: { clase: 'mia' },
    })
    expect(
      await adapter.list(
        { where: [], sort: [{ field: 'id', path: ['id'], descending: false }], page: 1, size: 10, offset: 0 },
        mine,
      ),
    ).toMatchObject({ total: 1, items: [{ value: { id: 10 } }] })
    for (const scope of [{ clase: undefined }, { clase: '\0' }, { id: 'no number' }, { id: 1.5 }] as never[]) {
      expect(await adapter.read([10], callOf({ scope }))).toEqual([undefined])
    }
  })
})

describe.each(stores)('ERR-2: a refusal on $name', ({ open }) => {
  let store: Store
  beforeAll(async () => {
    store = await open()
    await store.sql('SELECT 1')
  })
  afterAll(() => store.close())

  it('names the member even if the constraint belongs to a table behind a view with INSTEAD OF triggers', async () => {
    await store.sql(`CREATE TABLE base (id int PRIMARY KEY, nombre text NOT NULL UNIQUE, clase text CHECK (clase <> 'x'), v uuid NOT NULL DEFAULT gen_random_uuid());
      CREATE VIEW inner_view AS SELECT * FROM base; CREATE VIEW vista AS SELECT * FROM inner_view;
      CREATE FUNCTION vista_instead() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO base (id, nombre, clase) VALUES (NEW.id, NEW.nombre, NEW.clase) RETURNING * INTO NEW; RETURN NEW; END $$;
      CREATE TRIGGER instead INSTEAD OF INSERT ON vista FOR EACH ROW EXECUTE FUNCTION vista_instead()`)
    const vista = postgresAdapter(store.client, {
      resource: cosas,
      table: 'vista',
      version: { expression: 'v' },
      columns: { desde: { expression: '1' }, hasta: { expression: '1' }, padre: { expression: 'NULL::bigint' } },
    })
    await vista.ready(new Set(['create']))
    expect(await vista.create({ id: 1, nombre: 'a' }, call)).toHaveProperty('created')
    expect(await vista.create({ id: 1, nombre: 'b' }, call)).toMatchObject({ refused: 'duplicate', members: ['id'] })
    expect(await vista.create({ id: 2, nombre: 'a' }, call)).toMatchObject({
      refused: 'duplicate',
      members: ['nombre'],
    })
    expect(await vista.create({ id: 2 }, call)).toMatchObject({ refused: 'rule', members: ['nombre'] })
    expect(await vista.create({ id: 2, nombre: 'b', clase: 'x' }, call)).toMatchObject({
      refused: 'rule',
      members: ['clase'],
    })
  })
})
