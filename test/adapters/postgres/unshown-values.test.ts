/**
 * A PUT of the record that GET showed loses nothing, even if JSON cannot represent the values of
 * the columns.
 */
import type { PGlite } from '@electric-sql/pglite'
import express from 'express'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresAdapter, type SqlClient } from '../../../src/adapters/postgres/index.js'
import { defineResource } from '../../../src/definition/resource.js'
import { api, mount } from '../../../src/index.js'
import { listen } from '../../clauses/fixture.js'
import { callOf } from '../memory/requests.js'
import { type Store, stores } from './stores.js'

const lecturas = defineResource({
  collection: 'lecturas',
  key: 'id',
  schema: {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      nota: { type: ['string', 'null'] },
      grande: { type: ['integer', 'null'] },
      libre: { type: ['number', 'null'] },
      importe: { type: ['number', 'null'] },
      peso: { type: ['number', 'null'] },
      corto: { type: ['number', 'null'] },
      exacto: { type: ['string', 'null'], format: 'decimal' },
      grandes: { type: ['array', 'null'], items: { type: ['integer', 'null'] } },
      pesos: { type: ['array', 'null'], items: { type: ['number', 'null'] } },
      textos: { type: ['array', 'null'], items: { type: 'string' } },
      doc: { type: ['object', 'null'], additionalProperties: true },
    },
  },
})

const table = `CREATE TABLE lecturas (
  id int PRIMARY KEY, nota text, grande bigint, libre numeric, importe numeric(10,2), peso float8, corto real, exacto numeric,
  grandes bigint[], pesos float8[], textos text[], doc jsonb,
  version uuid NOT NULL DEFAULT gen_random_uuid())`
const all = `SELECT id, grande::text, libre::text, importe::text, peso::text, corto::text, exacto::text,
  grandes::text, pesos::text, textos::text, doc::text FROM lecturas ORDER BY id`
const plain = `INSERT INTO lecturas VALUES (50, 'a', 1, 2.5, 3.25, 4.5, 5.5, 6.75, '{1}', '{2.5}', '{a}', '{"n": 1.5}')`

/**
 * Columns, each with a value that JSON cannot represent exactly.
 */
const odd: readonly (readonly [column: string, sql: string])[] = [
  ['grande', '9223372036854775807'],
  ['grande', '-9223372036854775808'],
  ['grande', '9007199254740993'],
  ['libre', `'NaN'`],
  ['libre', '1e400'],
  ['libre', '-1e-400'],
  ['libre', '12345678901234567890.123456789'],
  ['libre', '0.12345678901234567890'],
  ['importe', `'NaN'`],
  ['peso', `'NaN'`],
  ['peso', `'Infinity'`],
  ['corto', `'-Infinity'`],
  ['exacto', `'NaN'`],
  ['grandes', `'{9223372036854775807,1}'`],
  ['pesos', `'{NaN,1,-Infinity}'`],
  ['textos', `'[0:1]={x,y}'`],
  ['doc', `'{"n": 12345678901234567890}'`],
  ['doc', `'{"n": [0.12345678901234567890]}'`],
]

const versions: readonly (readonly [string, object])[] = [
  ['xmin', {}],
  ['a column', { version: { column: 'version' } }],
  ['an expression', { version: { expression: 'md5(_r.nota)' } }],
  ['xmin, with onUpdate', { onUpdate: (value: object) => ({ ...value }) }],
  ['xmin, with a write function', { write: async () => {} }],
]

describe.each(stores)('values that JSON cannot represent, on $name', ({ open }) => {
  let store: Store
  beforeAll(async () => {
    store = await open()
    await store.sql(table)
  })
  afterAll(() => store.close())

  const serving = async (more = {}) => {
    const adapter = postgresAdapter(store.client, { resource: lecturas, table: 'lecturas', ...more })
    const server = await listen(express().use(api({ versions: { v1: [mount(lecturas, adapter)] } })))
    const put = (id: number, body: object, headers = {}) =>
      server.send('PUT', `/v1/lecturas/${id}`, { 'content-type': 'application/json', ...headers }, body)
    return { ...server, put, get: (id: number) => server.send('GET', `/v1/lecturas/${id}`) }
  }

  it.each(versions)(
    'VERB-3: a PUT of the response to a GET keeps the stored values exactly (version: %s)',
    async (_, more) => {
      await store.sql(`TRUNCATE lecturas; ${plain}`)
      for (const [i, [column, sql]] of odd.entries())
        await store.sql(`INSERT INTO lecturas (id, nota, ${column}) VALUES (${i}, 'a', ${sql})`)
      const before = await store.sql(all)
      const server = await serving(more)
      for (const id of [...odd.keys(), 50]) {
        const shown = await server.get(id)
        const headers = { 'if-match': String(shown.headers.etag) }
        expect(await server.put(id, shown.json as object), JSON.stringify(odd[id])).toMatchObject({
          status: 200,
          json: shown.json as object,
        })
        const now = await server.get(id)
        const nota = { ...(shown.json as object), nota: 'b' }
        expect(await server.put(id, nota, { 'if-match': String(now.headers.etag) })).toMatchObject({
          status: 200,
          json: nota,
        })
        expect((await server.put(id, nota, headers)).status).toBe(412)
      }
      expect(await store.sql(all)).toEqual(before)
      expect(await store.sql('SELECT DISTINCT nota FROM lecturas')).toEqual([{ nota: 'b' }])
      await server.close()
    },
  )

  it('a PUT replaces a value that JSON cannot represent, and a second PUT replaces the new value by null', async () => {
    await store.sql(`TRUNCATE lecturas`)
    const server = await serving()
    const cases = [
      ['grande', '9223372036854775807', 7],
      ['libre', `'NaN'`, 7],
      ['importe', `'NaN'`, 7],
      ['peso', `'Infinity'`, 7],
      ['pesos', `'{NaN,1}'`, [7, null]],
      ['doc', `'{"n": 12345678901234567890}'`, { n: 7 }],
    ] as const
    for (const [i, [column, sql, next]] of cases.entries()) {
      await store.sql(`INSERT INTO lecturas (id, ${column}) VALUES (${i}, ${sql})`)
      const shown = (await server.get(i)).json as object
      for (const value of [next, null]) {
        expect(await server.put(i, { ...shown, [column]: value })).toMatchObject({
          status: 200,
          json: { [column]: value },
        })
        expect((await server.get(i)).json).toMatchObject({ [column]: value })
      }
    }
    expect(
      await store.sql(
        'SELECT count(*)::int AS n FROM lecturas WHERE coalesce(grande::text, peso::text, doc::text) IS NOT NULL',
      ),
    ).toEqual([{ n: 0 }])
    await server.close()
  })

  it('a null in a PUT or PATCH keeps a number that GET shows as null', async () => {
    await store.sql(`TRUNCATE lecturas; INSERT INTO lecturas (id, grande, peso) VALUES (1, 9223372036854775807, 'NaN')`)
    const before = await store.sql(all)
    const server = await serving()
    const body = { grande: null, peso: null }
    expect((await server.send('PATCH', '/v1/lecturas/1', { 'content-type': 'application/json' }, body)).status).toBe(
      200,
    )
    expect(await store.sql(all)).toEqual(before)
    expect((await server.put(1, { id: 1, ...body })).status).toBe(200)
    expect(await store.sql(all)).toEqual(before)
    await server.close()
  })

  it('a PUT of an absent row gets a 404, and a PUT whose update is cancelled by a trigger gets a 422', async () => {
    await store.sql(`TRUNCATE lecturas; INSERT INTO lecturas (id, peso) VALUES (1, 'NaN');
      CREATE FUNCTION nada() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
      CREATE TRIGGER nada BEFORE UPDATE ON lecturas FOR EACH ROW EXECUTE FUNCTION nada()`)
    const server = await serving()
    expect((await server.put(2, { id: 2 })).status).toBe(404)
    expect((await server.put(1, { id: 1, peso: null })).status).toBe(422)
    await server.close()
    await store.sql('DROP FUNCTION nada CASCADE')
  })

  it('replacing a row twice in one transaction does not lose a value that JSON cannot represent', async () => {
    await store.sql(`TRUNCATE lecturas; INSERT INTO lecturas (id, peso) VALUES (1, 'NaN')`)
    const adapter = postgresAdapter(store.client, { resource: lecturas, table: 'lecturas' })
    const change = async (tx: SqlClient): Promise<void> => {
      for (const nota of ['a', 'b']) {
        const next = { id: 1, nota, peso: null }
        expect(await adapter.within(tx).replace(1, next, undefined, callOf())).toMatchObject({ value: { nota } })
      }
    }
    if ('transaction' in store.client) await (store.client as PGlite).transaction((tx) => change(tx as SqlClient))
    else {
      const client = await (store.client as pg.Pool).connect()
      await client.query('BEGIN')
      await change(client)
      await client.query('COMMIT')
      client.release()
    }
    expect(await store.sql('SELECT nota, peso::text FROM lecturas')).toEqual([{ nota: 'b', peso: 'NaN' }])
  })

  it('REP-8: ready() warns about members that are never written, unless the schema makes them readOnly', async () => {
    await store.sql(
      'CREATE TABLE sumas (id int PRIMARY KEY, a int, doble int GENERATED ALWAYS AS (a * 2) STORED, b int)',
    )
    for (const readOnly of [false, true]) {
      const member = { type: ['integer', 'null'], readOnly } as const
      const properties = {
        id: { type: 'integer' },
        a: { type: ['integer', 'null'] },
        doble: member,
        b: member,
        c: member,
      } as const
      const resource = defineResource({ collection: 'sumas', key: 'id', schema: { type: 'object', properties } })
      const columns = { b: { write: false }, c: { expression: '1' } } as const
      const unwritten = async (methods?: ReadonlySet<'create'>): Promise<readonly string[]> => {
        const warnings: string[] = []
        const onWarning = (message: string) => warnings.push(message)
        await postgresAdapter(store.client, { resource, table: 'sumas', columns, onWarning }).ready(methods)
        return warnings.flatMap((message) => /"(\w+)" is never written: .*readOnly/.exec(message)?.[1] ?? [])
      }
      expect(await unwritten()).toEqual(readOnly ? [] : ['doble', 'b', 'c'])
      expect(await unwritten(new Set())).toEqual([])
    }
    await store.sql('DROP TABLE sumas')
  })
})
