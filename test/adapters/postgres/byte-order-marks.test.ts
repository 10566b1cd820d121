/**
 * Strings that begin with U+FEFF, the byte order mark. PGlite removes one U+FEFF from the start of
 * each string that it returns.
 */
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { api, defineResource, mount } from '../../../src/index.js'
import { listen } from '../../clauses/fixture.js'
import { type Store, stores } from './stores.js'

const contratos = defineResource({
  collection: 'contratos',
  key: 'codigo',
  schema: {
    type: 'object',
    required: ['codigo'],
    properties: {
      codigo: { type: 'string' },
      nota: { type: ['string', 'null'] },
      corta: { type: ['string', 'null'] },
      calculada: { type: ['string', 'null'], readOnly: true },
      lista: { type: ['array', 'null'], items: { type: 'string' } },
      dentro: { type: ['object', 'null'], additionalProperties: true },
    },
  },
  filters: { nota: true },
  sort: ['nota'],
})

describe.each(stores)('U+FEFF at the start of strings on $name', ({ open }) => {
  let store: Store
  let service: Awaited<ReturnType<typeof listen>>
  beforeAll(async () => {
    store = await open()
    await store.sql(
      'CREATE TABLE contratos (codigo text PRIMARY KEY, nota text, corta varchar(9), lista text[], dentro jsonb)',
    )
    const adapter = postgresAdapter(store.client, {
      table: 'contratos',
      columns: { calculada: { expression: 'nota' } },
    })
    const made = api({ versions: { v1: [mount(contratos, adapter)] } })
    await made.ready()
    service = await listen(express().use(made))
  })
  afterAll(async () => {
    await service.close()
    await store.close()
  })

  it.each([1, 2, 3])(
    'REP-4, PATH-11: %i marks are preserved in keys, members, lists and objects; a key without marks is another key',
    async (count) => {
      const { send } = service
      const mark = '\ufeff'.repeat(count)
      const codigo = `${mark}C-${count}`
      const record = {
        codigo,
        nota: `${mark}n`,
        corta: mark,
        calculada: `${mark}n`,
        lista: [mark, 'a'],
        dentro: { [mark]: mark },
      }
      const { calculada: _, ...sent } = record
      await send('POST', '/v1/contratos', {}, { codigo: `C-${count}` })
      const created = await send('POST', '/v1/contratos', {}, sent)
      expect(created.status).toBe(201)
      const path = new URL(String(created.headers.location)).pathname
      expect(decodeURIComponent(path.split('/').at(-1) as string)).toBe(codigo)
      expect((await send('GET', path)).json).toEqual(record)
      expect((await send('PUT', path, {}, record)).json).toEqual(record)
      expect((await send('GET', `/v1/contratos?nota=${encodeURIComponent(record.nota)}`)).json).toEqual([record])
      expect((await send('GET', `/v1/contratos?sort=nota&limit=1`)).status).toBe(200)
      expect((await send('DELETE', path)).status).toBe(204)
      expect((await send('GET', `/v1/contratos/C-${count}`)).status).toBe(200)
    },
  )

  it('REP-4: a string that another program wrote is returned unchanged', async () => {
    await store.sql(`INSERT INTO contratos (codigo, nota) VALUES ('otro', U&'\\FEFFx')`)
    expect((await service.send('GET', '/v1/contratos/otro')).json).toMatchObject({ nota: '\ufeffx' })
  })
})
