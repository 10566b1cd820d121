/**
 * Other programs can write values that JSON cannot represent, such as NaN, infinite dates and long
 * numbers. A change of another member does not change such a value, and lists with such values can
 * be paged.
 */
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Scalar } from '../../../src/adapters/contract.js'
import { postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { get } from '../../../src/definition/json.js'
import { defineResource } from '../../../src/definition/resource.js'
import { api, mount } from '../../../src/index.js'
import { listen } from '../../clauses/fixture.js'
import { callOf, listRequest } from '../memory/requests.js'
import { type Store, stores } from './stores.js'

const cosas = defineResource({
  collection: 'cosas',
  key: 'id',
  schema: {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      nota: { type: ['string', 'null'] },
      exacto: { type: ['number', 'null'] },
      grande: { type: ['integer', 'null'] },
      peso: { type: ['number', 'null'] },
      dia: { type: ['string', 'null'], format: 'date' },
      momento: { type: ['string', 'null'], format: 'local-date-time' },
      instante: { type: ['string', 'null'], format: 'date-time' },
      doc: { type: ['object', 'null'], additionalProperties: true },
      textos: { type: ['array', 'null'], items: { type: 'string' } },
    },
  },
  sort: ['exacto', 'grande', 'peso', 'momento', 'id'],
})

const table = `CREATE TABLE cosas (
  id int PRIMARY KEY, nota text, exacto numeric, grande bigint, peso float8, dia date, momento timestamp, instante timestamptz, doc jsonb, textos text[])`
const odd = `INSERT INTO cosas VALUES (1, 'x', 0.1234567890123456789012, 9007199254740993, 'NaN', 'infinity', '0044-03-15 00:00:00 BC', '-infinity',
  '{"n": 12345678901234567890, "m": 1.10}', '[0:1]={x,y}'::text[])`
const all =
  'SELECT exacto::text, grande::text, peso::text, dia::text, momento::text, instante::text, doc::text, ' +
  'textos::text FROM cosas WHERE id = 1'

describe.each(stores)('values that other programs wrote, on $name', ({ open }) => {
  let store: Store
  beforeAll(async () => {
    store = await open()
    await store.sql(table)
  })
  afterAll(() => store.close())

  const adapter = (more = {}) => postgresAdapter(store.client, { resource: cosas, table: 'cosas', ...more })

  it.each([
    ['with default options', {}],
    ['with onUpdate', { onUpdate: (value: object) => ({ ...value }) }],
    ['in a transaction', { write: async () => {} }],
    ['with a version computed from some columns', { version: { expression: 'md5(_r.nota)' } }],
  ])('a change of one member keeps the other members exactly, %s', async (_, more) => {
    await store.sql(`TRUNCATE cosas; ${odd}`)
    const before = await store.sql(all)
    const call = callOf({ fresh: true, action: 'patch' })
    const cosa = adapter(more)
    const [stored] = await cosa.read([1], call)
    if (stored === undefined) throw new Error('There is no record.')
    const next = await cosa.replace(1, { ...structuredClone(stored.value), nota: 'y' }, stored.version, call)
    expect(next).toMatchObject({ value: { nota: 'y' } })
    expect(await store.sql(all)).toEqual(before)
    expect(await cosa.replace(1, { ...stored.value, nota: 'z' }, stored.version, call)).toBe('stale')
  })

  it('VERB-5: a PATCH keeps the members that it does not contain, and a PATCH with an infinite date gets a 422', async () => {
    await store.sql(`TRUNCATE cosas; ${odd}`)
    const before = await store.sql(all)
    const server = await listen(express().use(api({ versions: { v1: [mount(cosas, adapter())] } })))
    const patch = (body: object) => server.send('PATCH', '/v1/cosas/1', { 'content-type': 'application/json' }, body)
    expect(await patch({ nota: 'y' })).toMatchObject({ status: 200, json: { nota: 'y', dia: 'infinity' } })
    expect(await patch({})).toMatchObject({ status: 200 })
    expect(await store.sql(all)).toEqual(before)
    expect(await patch({ dia: '-infinity' })).toMatchObject({
      status: 422,
      json: { errors: [{ pointer: '/dia', code: 'format' }] },
    })
    await server.close()
  })

  it.each([
    ['jsonb', 'null'],
    ['jsonb', '1e400'],
    ['jsonb', '{"m": 1, "n": 1e400}'],
    ['jsonb', '[1, -1e400]'],
    ['json', 'null'],
    ['json', '{"m":1,"n":1e400}'],
  ])('VERB-3, VERB-5: the %s value %s is kept if clients send back what GET shows', async (type, json) => {
    await store.sql(
      `DROP TABLE IF EXISTS docs; CREATE TABLE docs (id int PRIMARY KEY, n int, doc ${type}); INSERT INTO docs ` +
        `VALUES (1, 1, '${json}')`,
    )
    const docs = defineResource({
      collection: 'docs',
      key: 'id',
      schema: {
        type: 'object',
        properties: {
          id: { type: 'integer' },
          n: { type: ['integer', 'null'] },
          doc: { type: ['object', 'array', 'number', 'null'], additionalProperties: true },
        },
      },
    } as never)
    const server = await listen(
      express().use(
        api({
          versions: { v1: [mount(docs, postgresAdapter(store.client, { resource: docs, table: 'docs' }) as never)] },
        }),
      ),
    )
    const path = '/v1/docs/1'
    const stored = () => store.sql('SELECT doc::text FROM docs')
    const before = await stored()
    const { json: shown } = await server.send('GET', path)
    for (const [method, body] of [
      ['PUT', shown],
      ['PUT', { ...(shown as object), n: 2 }],
      ['PATCH', { n: 3 }],
    ] as const) {
      expect(await server.send(method, path, { 'content-type': 'application/json' }, body as object)).toMatchObject({
        status: 200,
      })
      expect(await stored()).toEqual(before)
    }
    await server.close()
  })

  it('NaN is shown as null. Infinite dates and years BC are shown as text', async () => {
    await store.sql(`TRUNCATE cosas; ${odd}`)
    const [stored] = await adapter().read([1], callOf())
    expect(stored?.value).toMatchObject({
      peso: null,
      dia: 'infinity',
      momento: expect.stringContaining('BC'),
      instante: '-infinity',
    })
  })

  it.each(['exacto', 'grande', 'peso', 'momento'])(
    'pagination by %s neither repeats nor skips rows, even if JSON cannot represent their values',
    async (field) => {
      await store.sql(`TRUNCATE cosas;
      INSERT INTO cosas (id, exacto, grande, peso, momento)
      SELECT i, 0.12345678901234567890 + i / 3 * 1e-20, 9007199254740993 + i / 3, (ARRAY['NaN', 'Infinity', '1', NULL])[i % 4 + 1]::float8,
        CASE i % 3 WHEN 0 THEN '0044-03-15 BC' WHEN 1 THEN 'infinity' ELSE '2024-01-01' END::timestamp
      FROM generate_series(1, 20) i`)
      for (const sort of [`${field},id`, `-${field},-id`]) {
        const request = listRequest({ sort, size: 3 })
        const seen: number[] = []
        let seek: { values: readonly (Scalar | null)[]; backwards: boolean } | undefined
        for (let page = 1; page < 20; page++) {
          const found = await adapter().list(
            { ...request, page, offset: (page - 1) * 3, ...(seek === undefined ? {} : { seek }) },
            callOf(),
          )
          seen.push(...found.items.map(({ value }) => value.id as number))
          if (!found.more) break
          const last = found.items.at(-1)
          // The loop follows the pages as the `next` links do: by the last record if the page is
          // seekable, and otherwise by page number.
          seek = found.seekable
            ? { values: request.sort.map(({ path }) => get(last?.value, path) as Scalar | null), backwards: false }
            : undefined
        }
        expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
      }
    },
  )

  it('a date-time that the column can store is shown in UTC, and any other date-time is refused', async () => {
    await store.sql('TRUNCATE cosas')
    const cosa = adapter({
      onCreate: (value: object) => ({ ...value, instante: new Date(1_700_000_000_100).toISOString() }),
    })
    expect(await cosa.create({ id: 1 }, callOf())).toMatchObject({
      created: { value: { instante: '2023-11-14T22:13:20.100Z' } },
    })
    for (const [given, kept] of [
      ['2024-01-01T00:00:00.000Z', '2024-01-01T00:00:00.000Z'],
      ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00.000Z'],
      ['2024-01-01T00:00:00.123456Z', '2024-01-01T00:00:00.123456Z'],
      ['2024-01-01t02:00:00+02:00', '2024-01-01T00:00:00.000Z'],
    ] as const) {
      expect(await adapter().replace(1, { id: 1, instante: given }, undefined, callOf())).toMatchObject({
        value: { instante: kept },
      })
    }
    for (const bad of ['2024-01-01T00:00:00.1234567Z', '2024-01-01T00:00:00', '2024-02-30T00:00:00Z']) {
      expect(await adapter().replace(1, { id: 1, instante: bad }, undefined, callOf())).toMatchObject({
        refused: 'rule',
        members: ['instante'],
      })
    }
  })

  it('a write throws if onCreate or onUpdate sets an invalid value, but is refused if the client sends one', async () => {
    await store.sql('TRUNCATE cosas')
    const bad = {
      onCreate: (value: object) => ({ ...value, instante: 'today' }),
      onUpdate: (value: object) => ({ ...value, momento: '2024-01-01T00:00:00.1234567' }),
    }
    await expect(adapter(bad).create({ id: 1 }, callOf())).rejects.toThrow(
      /onCreate of "cosas" sets "instante" to a value that the table refuses/,
    )
    await adapter().create({ id: 1 }, callOf())
    await expect(adapter(bad).replace(1, { id: 1 }, undefined, callOf())).rejects.toThrow(
      /onUpdate of "cosas" sets "momento" to /,
    )
    expect(await adapter(bad).replace(1, { id: 1, nota: '\0' }, undefined, callOf())).toMatchObject({
      refused: 'rule',
      members: ['nota'],
    })
  })

  it('a write throws if onCreate or onUpdate drops a required member, but is refused if the client omits it', async () => {
    await store.sql('TRUNCATE cosas; ALTER TABLE cosas ALTER COLUMN nota SET NOT NULL')
    const dropping = ({ nota: _, ...value }: Record<string, unknown>): object => value
    const dropped = adapter({ onCreate: dropping, onUpdate: dropping })
    await adapter().create({ id: 1, nota: 'x' }, callOf())
    const said = (name: string) =>
      new RegExp(`^${name} of "cosas" sets "nota" to a value that the table refuses: it must have a value`)
    await expect(dropped.create({ id: 2, nota: 'x' }, callOf())).rejects.toThrow(said('onCreate'))
    await expect(dropped.replace(1, { id: 1, nota: 'y' }, undefined, callOf())).rejects.toThrow(said('onUpdate'))
    const refused = { refused: 'rule', members: ['nota'], why: 'must have a value' }
    expect(await dropped.replace(1, { id: 1 }, undefined, callOf())).toEqual(refused)
    expect(await adapter().replace(1, { id: 1 }, undefined, callOf())).toEqual(refused)
    await store.sql('ALTER TABLE cosas ALTER COLUMN nota DROP NOT NULL')
  })

  it('if onCreate, onUpdate or search throws a string, the error names the function', async () => {
    await store.sql('TRUNCATE cosas')
    const bare = {
      onCreate: () => Promise.reject('no'),
      onUpdate: () => Promise.reject('no'),
      search: () => Promise.reject('no'),
    }
    await expect(adapter(bare).create({ id: 1 }, callOf())).rejects.toThrow(
      'onCreate of "cosas" threw no, which is not an Error.',
    )
    await adapter().create({ id: 1 }, callOf())
    await expect(adapter(bare).replace(1, { id: 1 }, undefined, callOf())).rejects.toThrow(
      'onUpdate of "cosas" threw no',
    )
    await expect(adapter(bare).list(listRequest({ search: 'x', sort: 'id' }), callOf())).rejects.toThrow(
      'search of "cosas" threw no',
    )
  })

  it('a write that a trigger suppresses by returning NULL is refused', async () => {
    await store.sql(`TRUNCATE cosas;
      CREATE OR REPLACE FUNCTION calla() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.nota = 'calla' THEN RETURN NULL; END IF; RETURN NEW; END $$;
      CREATE OR REPLACE TRIGGER calla BEFORE INSERT OR UPDATE ON cosas FOR EACH ROW EXECUTE FUNCTION calla()`)
    expect(await adapter().create({ id: 1, nota: 'calla' }, callOf())).toMatchObject({
      refused: 'rule',
      why: 'was rejected by a rule of the store',
    })
    const created = await adapter().create({ id: 1 }, callOf())
    const version = 'created' in created ? created.created.version : ''
    expect(await adapter().replace(1, { id: 1, nota: 'calla' }, version, callOf())).toMatchObject({ refused: 'rule' })
    expect(await adapter().replace(1, { id: 1, nota: 'habla' }, version, callOf())).toMatchObject({
      value: { nota: 'habla' },
    })
  })
})
