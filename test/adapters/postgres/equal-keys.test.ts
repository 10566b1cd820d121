/**
 * Keys of types in which PostgreSQL treats values with different texts as equal, such as the
 * intervals `1 mon` and `30 days`. A request with one text never changes a record whose key has
 * another text.
 */
import express from 'express'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { defineResource } from '../../../src/definition/resource.js'
import { api, mount } from '../../../src/index.js'
import { listen } from '../../clauses/fixture.js'
import { type Store, stores } from './stores.js'

const cases = [
  { type: 'interval', stored: '1 mon', id: 'P1M', equal: ['P30D', 'PT720H'] },
  { type: 'numrange', stored: '[1,2.5)', id: '[1,2.5)', equal: ['[1.0,2.50)'] },
  { type: 'numrange', stored: '[1.0,2.50)', id: undefined, equal: ['[1,2.5)'] },
  { type: 'int4range', stored: '[1,5)', id: '[1,5)', equal: ['[1,4]', '(0,5)'] },
  {
    type: 'tstzrange',
    stored: '[2024-01-01 00:00:00+00,2024-02-01 00:00:00+00)',
    id: '[2024-01-01T00:00:00.000Z,2024-02-01T00:00:00.000Z)',
    equal: [],
  },
] as const
const tramos = defineResource({
  collection: 'tramos',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string' }, nombre: { type: ['string', 'null'] } },
  },
} as never)

describe.each(stores)('keys of types in which different texts can be equal, on $name', ({ open }) => {
  let store: Store
  beforeAll(async () => {
    store = await open()
  })
  afterAll(() => store.close())

  describe.each(cases)('$type, $stored', ({ type, stored, id, equal }) => {
    let server: Awaited<ReturnType<typeof listen>>
    beforeEach(async () => {
      await store.sql(
        `DROP TABLE IF EXISTS tramos; CREATE TABLE tramos (id ${type} PRIMARY KEY, nombre text); ` +
          `INSERT INTO tramos VALUES ('${stored}', 'x')`,
      )
      const adapter = postgresAdapter(store.client, { resource: tramos, table: 'tramos' })
      server = await listen(express().use(api({ versions: { v1: [mount(tramos, adapter as never)] } })))
      return () => server.close()
    })
    const send = (method: string, of: string, body?: object) =>
      server.send(method, `/v1/tramos/${encodeURIComponent(of)}`, { 'content-type': 'application/json' }, body)
    const names = async () => (await store.sql('SELECT nombre FROM tramos')).map(({ nombre }) => nombre)

    it('VERB-3, VERB-6: requests whose key is equal but has another text fail, and change nothing', async () => {
      for (const other of equal) {
        expect((await send('GET', other)).status).toBe(404)
        expect((await send('PUT', other, { id: other, nombre: 'y' })).status).toBeGreaterThanOrEqual(400)
        expect((await send('PATCH', other, { nombre: 'y' })).status).toBe(404)
        expect((await send('DELETE', other)).status).toBe(404)
        expect(await names()).toEqual(['x'])
      }
    })

    it('the record can be read and changed at its own URL', async () => {
      if (id === undefined) return
      expect((await send('GET', id)).json).toEqual({ id, nombre: 'x' })
      expect((await send('PUT', id, { id, nombre: 'y' })).status).toBe(200)
      expect(await names()).toEqual(['y'])
      expect((await send('DELETE', id)).status).toBe(204)
      expect(await names()).toEqual([])
    })
  })
})
