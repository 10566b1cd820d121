/**
 * Members that are stored in JSON columns, but are not declared in the schema. Clients do not see
 * these members, so a PATCH keeps them (VERB-5).
 */
import express from 'express'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { api, defineResource, mount } from '../../../src/index.js'
import { listen } from '../../clauses/fixture.js'
import { type Store, stores } from './stores.js'

const fichas = defineResource({
  collection: 'fichas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'integer' },
      nota: { type: ['string', 'null'] },
      lugar: {
        type: ['object', 'null'],
        properties: {
          calle: { type: 'string' },
          plano: { type: 'object', properties: { x: { type: 'integer' } } },
        },
      },
      lineas: { type: ['array', 'null'], items: { type: 'object', properties: { n: { type: 'integer' } } } },
    },
  },
})
const lugar = { calle: 'Mayor', piso: 4, plano: { x: 1, z: 3 } }
const lineas = [{ n: 1, coste: 7 }, { n: 2 }]

describe.each(stores)('undeclared JSON members, on $name', ({ open }) => {
  let store: Store
  let server: Awaited<ReturnType<typeof listen>>
  beforeAll(async () => {
    store = await open()
    await store.sql('CREATE TABLE fichas (id int PRIMARY KEY, nota text, lugar jsonb, lineas jsonb)')
    const adapter = postgresAdapter(store.client, { resource: fichas, table: 'fichas' })
    server = await listen(express().use(api({ versions: { v1: [mount(fichas, adapter)] }, jsonPatch: true })))
  })
  beforeEach(() =>
    store.sql(
      `TRUNCATE fichas; INSERT INTO fichas VALUES (1, 'a', '${JSON.stringify(lugar)}', '${JSON.stringify(lineas)}')`,
    ),
  )
  afterAll(async () => {
    await server.close()
    await store.close()
  })

  const stored = async () => {
    const [row] = await store.sql('SELECT lugar::text, lineas::text FROM fichas')
    return { lugar: JSON.parse(String(row?.lugar)), lineas: JSON.parse(String(row?.lineas)) }
  }
  const patch = (body: unknown, type = 'application/json') =>
    server.send('PATCH', '/v1/fichas/1', { 'content-type': type }, body)
  const operations = 'application/json-patch+json'

  it('VERB-5: a PATCH of a declared member keeps the undeclared members', async () => {
    const answer = await patch({ nota: 'b' })
    expect(answer).toMatchObject({
      status: 200,
      json: { nota: 'b', lugar: { calle: 'Mayor', plano: { x: 1 } }, lineas: [{ n: 1 }, { n: 2 }] },
    })
    expect(await stored()).toEqual({ lugar, lineas })
    expect((await patch([{ op: 'replace', path: '/nota', value: 'c' }], operations)).status).toBe(200)
    expect(await stored()).toEqual({ lugar, lineas })
  })

  it('VERB-5: a PATCH of an object keeps the undeclared members of the object', async () => {
    expect((await patch({ lugar: { plano: { x: 2 } } })).status).toBe(200)
    expect(await stored()).toEqual({ lugar: { ...lugar, plano: { x: 2, z: 3 } }, lineas })
    expect((await patch([{ op: 'replace', path: '/lugar/calle', value: 'Real' }], operations)).status).toBe(200)
    expect(await stored()).toEqual({ lugar: { ...lugar, calle: 'Real', plano: { x: 2, z: 3 } }, lineas })
  })

  it('in a PATCH, a list replaces the whole stored list, and null replaces the whole stored object', async () => {
    expect((await patch({ lineas: [{ n: 9 }], lugar: null })).status).toBe(200)
    expect(await store.sql('SELECT lugar, lineas::text FROM fichas')).toEqual([{ lugar: null, lineas: '[{"n": 9}]' }])
  })

  it('REP-8: a PATCH of an undeclared member gets a 422', async () => {
    const answer = await patch({ lugar: { piso: 5 } })
    expect(answer).toMatchObject({ status: 422, json: { errors: [{ pointer: '/lugar/piso' }] } })
    expect(await stored()).toEqual({ lugar, lineas })
  })
})
