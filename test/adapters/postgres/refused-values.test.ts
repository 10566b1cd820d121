/**
 * PostgreSQL refuses some values of clients with an SQLSTATE of class 22. The response is then 404
 * for a key in the path, 400 for a list query, and 422 for a body. The content of stored rows can
 * cause the same SQLSTATEs. The response is then 500.
 */
import express from 'express'
import pg from 'pg'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { defineResource } from '../../../src/definition/resource.js'
import { api, mount, problems } from '../../../src/index.js'
import { freshDatabase } from '../../servers/databases.js'
import { type Store, stores } from './stores.js'

const text = { type: ['string', 'null'] } as const
const id = { type: 'integer' } as const

const tramos = defineResource({
  collection: 'tramos',
  key: 'rango',
  schema: { type: 'object', required: ['rango'], properties: { rango: { type: 'string' }, nombre: text } },
})
const salas = defineResource({
  collection: 'salas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id, rango: text, estado: text, razon: { type: ['integer', 'null'], readOnly: true } },
  },
  sort: ['rango', 'estado'],
  filters: { estado: true, rango: true },
  links: { tramo: { to: tramos, by: 'rango' } },
})
const cocientes = { razon: { expression: 'a / b' } }

const serve = (...tables: ReturnType<typeof mount>[]) =>
  express().use(api({ versions: { v1: tables }, onError: () => {} }), problems())

/**
 * A range that the database refuses, because its canonical form has an upper bound above the
 * largest integer.
 */
const refusedKey = encodeURIComponent('[2147483647,2147483647]')

describe.each(stores)('$name: values that the database refuses', ({ open }) => {
  let store: Store
  let app: express.Express

  beforeAll(async () => {
    store = await open()
    await store.sql(`
      CREATE TYPE estado AS ENUM ('a', 'b', 'c');
      CREATE TABLE tramos (rango int4range PRIMARY KEY, nombre text);
      CREATE TABLE salas (id int PRIMARY KEY, rango int4range, estado estado, a int DEFAULT 1, b int DEFAULT 1);
      INSERT INTO tramos VALUES ('[1,2)', 'uno');
      INSERT INTO salas VALUES (1, '[1,2)', 'a'), (2, '[2,3)', 'b'), (3, '[3,4)', 'c')`)
    app = serve(
      mount(tramos, postgresAdapter(store.client, { table: 'tramos' })),
      mount(salas, postgresAdapter(store.client, { table: 'salas', columns: cocientes })),
    )
  })
  afterAll(() => store.close())

  it('PATH-11: if the database refuses a key in the path, the response is 404', async () => {
    const path = `/v1/tramos/${refusedKey}`
    const found = [
      await request(app).get(path),
      await request(app).head(path),
      await request(app).patch(path).send({ nombre: 'x' }),
      await request(app).put(path).send({ rango: '[2147483647,2147483647]', nombre: 'x' }),
      await request(app).delete(path),
    ]
    expect(found.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
  })

  it('REP-7: if the database refuses the key in a link, the response is a 422 that names the link', async () => {
    const { status, body } = await request(app)
      .post('/v1/salas')
      .send({ id: 9, tramo: { rango: '[2147483647,2147483647]' } })
    expect([status, body.errors?.[0]?.pointer]).toEqual([422, '/tramo'])
  })

  it('QUERY-7: if the database refuses a value in a cursor, the response is 400', async () => {
    const first = await request(app).get('/v1/salas?sort=rango&limit=1')
    const url = new URL(/<([^>]+)>; rel="next"/.exec(first.headers.link as string)?.[1] ?? '')
    const parts = JSON.parse(Buffer.from(url.searchParams.get('after') ?? '', 'base64url').toString())
    parts[3] = '[2147483647,2147483647]'
    url.searchParams.set('after', Buffer.from(JSON.stringify(parts)).toString('base64url'))
    const { status, body } = await request(app).get(url.pathname + url.search)
    expect([status, body.errors?.[0]?.parameter]).toEqual([400, 'after'])
  })

  it('ERR-1: if the expression of a member fails for a stored row, the status is 500, also with a filter', async () => {
    await store.sql(`INSERT INTO salas VALUES (7, '[7,8)', 'c', 1, 0)`)
    try {
      const statuses = [await request(app).get('/v1/salas'), await request(app).get('/v1/salas?estado=c')]
      expect(statuses.map(({ status }) => status)).toEqual([500, 500])
      expect((await request(app).get('/v1/salas/7')).status).toBe(500)
    } finally {
      await store.sql('DELETE FROM salas WHERE id = 7')
    }
  })

  it('QUERY-1, QUERY-7: the old name of a renamed enum label in a filter or in a next link causes a 400', async () => {
    const first = await request(app).get('/v1/salas?sort=estado&limit=2')
    await store.sql(`ALTER TYPE estado RENAME VALUE 'b' TO 'bb'`)
    const url = new URL(/<([^>]+)>; rel="next"/.exec(first.headers.link as string)?.[1] ?? '')
    expect((await request(app).get(url.pathname + url.search)).status).toBe(400)
    const { status, body } = await request(app).get('/v1/salas?estado=b&rango=[1,2)')
    expect([status, body.detail]).toEqual([400, '"estado" holds a value that the store cannot compare.'])
  })
})

it('a character that the encoding of the database lacks never causes a 500', async () => {
  await using place = await freshDatabase()
  const name = `${place.name}_latin`
  await place.sql(`CREATE DATABASE ${name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`)
  const url = new URL(place.url)
  url.pathname = `/${name}`
  const pool = new pg.Pool({ connectionString: url.href })
  try {
    await pool.query(`CREATE TABLE clientes (codigo text PRIMARY KEY, nombre text)`)
    const clientes = defineResource({
      collection: 'clientes',
      key: 'codigo',
      schema: { type: 'object', required: ['codigo'], properties: { codigo: { type: 'string' }, nombre: text } },
      search: ['nombre'],
      filters: { nombre: true },
    })
    const app = serve(mount(clientes, postgresAdapter(pool, { table: 'clientes' })))
    const smile = encodeURIComponent('😀')
    const found = [
      await request(app).get(`/v1/clientes/${smile}`),
      await request(app).delete(`/v1/clientes/${smile}`),
      await request(app).get(`/v1/clientes?q=${smile}`),
      await request(app).get(`/v1/clientes?nombre=${smile}`),
      await request(app).post('/v1/clientes').send({ codigo: '😀' }),
    ]
    expect(found.map(({ status }) => status)).toEqual([404, 404, 400, 400, 422])
    expect(found[2]?.body.detail).toBe('"q" holds a value that the store cannot compare.')
  } finally {
    await pool.end()
    await place.sql(`DROP DATABASE ${name} WITH (FORCE)`)
  }
})
