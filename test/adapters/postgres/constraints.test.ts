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

describe.each(stores)('ERR-2: what the database refuses is a refusal that names members, on $name', ({ open }) => {
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
      'several members that are unique together',
      { id: 3, nombre: 'n', clase: 'a', desde: 1 },
      { refused: 'duplicate', members: ['clase', 'desde'], why: 'is taken already, together with the others named here' },
    ],
    ['a unique expression', { id: 3, nombre: 'UNO' }, { refused: 'duplicate', members: [] }],
    ['a missing value', { id: 3 }, { refused: 'rule', members: ['nombre'], why: 'must have a value' }],
    ['a check of a member', { id: 3, nombre: 'n', clase: 'prohibida' }, { refused: 'rule', members: ['clase'] }],
    ['a check of several', { id: 3, nombre: 'n', desde: 9, hasta: 1 }, { refused: 'rule', members: ['desde', 'hasta'] }],
    ['a reference to nothing', { id: 3, nombre: 'n', padre: 77 }, { refused: 'reference', members: ['padre'] }],
    ['a rule that a trigger raises', { id: 3, nombre: 'secreto' }, { refused: 'rule', members: ['nombre'] }],
  ])('%s', async (_, value, refusal) => {
    const { id, ...rest } = value
    expect(await adapter.create(value, call)).toEqual(refusal)
    expect(await adapter.read([3], call)).toEqual([undefined])
    if (id !== 3) return
    // The same for a change of a record that is there.
    await adapter.create({ id: 4, nombre: 'Cuatro', clase: 'd' }, call)
    const before = (await adapter.read([4], call))[0]
    expect(await adapter.replace(4, { id: 4, ...rest }, undefined, call)).toEqual(refusal)
    expect((await adapter.read([4], call))[0]).toEqual(before)
    await adapter.remove(4, undefined, call)
  })

  it('a record that others refer to can not go', async () => {
    expect(await adapter.remove(1, undefined, call)).toEqual({
      refused: 'reference',
      members: ['id'],
      why: 'is still referred to by other records',
    })
    expect((await adapter.read([1], call))[0]).toBeDefined()
  })

  it('says nothing of what the database said', async () => {
    const refused = JSON.stringify([
      await adapter.create({ id: 3, nombre: 'secreto' }, call),
      await adapter.create({ id: 1, nombre: 'x' }, call),
    ])
    expect(refused).not.toMatch(/hunter2|password|constraint|cosas_pkey|violates/)
  })

  it('a default of the database stands where a create names no value, and where a column can not be without', async () => {
    await adapter.create({ id: 5, nombre: 'Cinco' }, call)
    expect((await adapter.read([5], call))[0]?.value).toMatchObject({ clase: 'x' })
    await adapter.replace(5, { id: 5, nombre: 'Cinco', clase: 'z' }, undefined, call)
    // A PUT is the whole record: a member that it leaves out is gone.
    await adapter.replace(5, { id: 5, nombre: 'Cinco' }, undefined, call)
    expect((await adapter.read([5], call))[0]?.value).not.toHaveProperty('clase')
  })

  it('the scope stands in every statement, and is set on what is created', async () => {
    const mine = callOf({ scope: { clase: 'mia' } })
    expect(await adapter.create({ id: 10, nombre: 'Diez' }, mine)).toMatchObject({ created: { value: { clase: 'mia' } } })
    expect(await adapter.read([1, 10], mine)).toMatchObject([undefined, { value: { id: 10 } }])
    const { version } = (await adapter.read([1], call))[0] as { version: string }
    expect(await adapter.replace(1, { id: 1, nombre: 'x' }, version, mine)).toBe('absent')
    expect(await adapter.replace(1, { id: 1, nombre: 'x' }, 'other', mine)).toBe('absent')
    expect(await adapter.remove(1, undefined, mine)).toBe('absent')
    expect(await adapter.replace(10, { id: 10, nombre: 'Diez', clase: 'otra' }, undefined, mine)).toMatchObject({ value: { clase: 'mia' } })
    expect(
      await adapter.list({ where: [], sort: [{ field: 'id', path: ['id'], descending: false }], page: 1, size: 10, offset: 0 }, mine),
    ).toMatchObject({ total: 1, items: [{ value: { id: 10 } }] })
    for (const scope of [{ clase: undefined }, { clase: '\0' }, { id: 'no number' }, { id: 1.5 }] as never[]) {
      expect(await adapter.read([10], callOf({ scope }))).toEqual([undefined])
    }
  })
})
