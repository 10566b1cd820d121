import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { postgresAdapter } from '../../src/adapters/postgres/index.js'
import { api, defineResource, mount } from '../../src/index.js'
import { listen } from '../clauses/fixture.js'
import { call } from './memory/requests.js'
import { type Store, stores } from './postgres/stores.js'

const schema = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'integer' }, pedido: { type: ['integer', 'null'] } },
} as const
const pedidos = defineResource({ collection: 'pedidos', key: 'id', schema })
const lineas = defineResource({ collection: 'lineas', key: 'id', schema })

describe.each(stores)('the PostgreSQL adapter, over $name', ({ open }) => {
  let store: Store
  beforeAll(async () => {
    store = await open()
    await store.sql(`
      CREATE TABLE pedidos (id integer PRIMARY KEY, pedido integer REFERENCES pedidos);
      CREATE TABLE lineas (id integer PRIMARY KEY, pedido integer REFERENCES pedidos DEFERRABLE INITIALLY DEFERRED);
      CREATE TABLE secretos (id integer PRIMARY KEY, pedido integer REFERENCES pedidos);
      INSERT INTO pedidos VALUES (1, NULL), (2, NULL), (3, NULL), (4, 3); INSERT INTO lineas VALUES (1, 1); INSERT INTO secretos VALUES (1, 2)`)
  }, 120_000)
  afterAll(() => store.close())

  it('ERR-2: a 422 for a DELETE names a referring collection of the API version, but never a table', async () => {
    const over = postgresAdapter(store.client, { resource: pedidos, table: 'pedidos' })
    const both = [mount(pedidos, over), mount(lineas, postgresAdapter(store.client, { table: 'lineas' }))]
    const { send, close } = await listen(express().use(api({ versions: { v1: both, v2: [mount(pedidos, over)] } })))
    const detail = async (path: string) => {
      const { status, json } = await send('DELETE', path)
      expect([status, json.code ?? json.errors[0].code]).toEqual([422, 'referenced'])
      return json.detail
    }
    expect(await detail('/v1/pedidos/1')).toBe('The record is still referred to by records of "lineas".')
    expect(await detail('/v2/pedidos/1')).toBe('The record is still referred to by other records.')
    expect(await detail('/v1/pedidos/2')).toBe('The record is still referred to by other records.')
    expect(await detail('/v1/pedidos/3')).toBe('The record is still referred to by records of "pedidos".')
    expect((await send('DELETE', '/v1/pedidos/4')).status).toBe(204)
    expect((await send('PUT', '/v1/pedidos/2', {}, { id: 2, pedido: 77 })).json.errors).toMatchObject([
      { code: 'reference', pointer: '/pedido' },
    ])
    await close()
  })

  it('ERR-2: "onCreate" and "onUpdate" can be asynchronous, and must return a record', async () => {
    const resource = lineas
    const over = (options: object) => postgresAdapter(store.client, { resource, table: 'lineas', ...options })
    const later = over({
      onCreate: async (value: object) => ({ ...value, pedido: 1 }),
      onUpdate: async (value: object, current: { pedido?: number }) => ({
        ...value,
        pedido: current.pedido === 1 ? 3 : null,
      }),
    })
    expect(await later.create({ id: 10 }, call)).toMatchObject({ created: { value: { pedido: 1 } } })
    expect(await later.replace(10, { id: 10 }, undefined, call)).toMatchObject({ value: { pedido: 3 } })
    await expect(over({ onCreate: () => undefined }).create({ id: 11 }, call)).rejects.toThrow(
      'onCreate of "lineas" returned undefined. Return the record.',
    )
    await expect(over({ onUpdate: async () => null }).replace(10, { id: 10 }, undefined, call)).rejects.toThrow(
      'onUpdate of "lineas" returned null.',
    )
  })
})

describe('the memory adapter', () => {
  it('ERR-2: refuses a removal if onRemove returns a refusal, and keeps the record', async () => {
    const hijas = memoryAdapter(lineas, { records: [{ id: 1, pedido: 1 }] })
    const data = memoryAdapter(pedidos, {
      records: [{ id: 1 }, { id: 2 }],
      onRemove: ({ id }) =>
        hijas.read([id], call)[0] === undefined ? undefined : { refused: 'referenced', members: [], by: ['lineas'] },
    })
    const { send, close } = await listen(
      express().use(api({ versions: { v1: [mount(pedidos, data), mount(lineas, hijas)] } })),
    )
    const { status, json } = await send('DELETE', '/v1/pedidos/1')
    expect([status, json.detail]).toEqual([422, 'The record is still referred to by records of "lineas".'])
    expect((await send('GET', '/v1/pedidos/1')).status).toBe(200)
    expect((await send('DELETE', '/v1/pedidos/2')).status).toBe(204)
    await close()
  })

  it('throws an error if onCreate or onRemove returns a promise, or if onUpdate returns undefined', () => {
    const gives = (options: object) => memoryAdapter(pedidos, { records: [{ id: 1 }], ...options })
    expect(() => gives({ onCreate: async (value: object) => value }).create({ id: 2 }, call)).toThrow(
      /onCreate of "pedidos" returned a promise. Make it synchronous/,
    )
    expect(() => gives({ onUpdate: () => undefined }).replace(1, { id: 1 }, undefined, call)).toThrow(
      'onUpdate of "pedidos" returned undefined. Return the record.',
    )
    const removing = gives({ onRemove: async () => Promise.reject(new Error('late')) })
    expect(() => removing.remove(1, undefined, call)).toThrow(/onRemove of "pedidos" returned a promise/)
    expect(removing.read([1], call)[0]?.value).toEqual({ id: 1 })
  })

  it('does not recurse forever if the onRemove function of each of two adapters calls remove() of the other', () => {
    const adapters: ReturnType<typeof memoryAdapter>[] = []
    const make = (other: 0 | 1) =>
      memoryAdapter(pedidos, {
        records: [{ id: 1 }],
        onRemove: () => void adapters[other]?.remove(1 as never, undefined, call),
      })
    adapters.push(make(1) as never, make(0) as never)
    expect(adapters[0]?.remove(1 as never, undefined, call)).toBe('removed')
    expect(adapters.map((one) => one.read([1 as never], call)[0])).toEqual([undefined, undefined])
  })
})
