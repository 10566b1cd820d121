import express from 'express'
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { postgresAdapter, tableDdl } from '../../src/adapters/postgres/index.js'
import { api, defineResource, mount } from '../../src/index.js'
import { freshSchema } from '../servers/databases.js'
import { listen } from './fixture.js'

const clientes = defineResource({
  collection: 'clientes',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'nombre'],
    properties: { id: { type: 'integer' }, nombre: { type: 'string' } },
  },
})
const envios = defineResource({
  collection: 'envios',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'integer' },
      peso: { type: ['number', 'null'] },
      salida: { type: ['string', 'null'], format: 'local-date-time' },
      marcas: { type: 'array', items: { type: 'string' }, default: [] },
      destino: {
        type: ['object', 'null'],
        properties: { calle: { type: 'string' }, cp: { type: ['integer', 'null'] } },
      },
      clave: { type: ['string', 'null'], writeOnly: true },
      clienteId: { type: ['integer', 'null'] },
    },
  },
  links: { cliente: { to: clientes, by: 'clienteId', show: ['nombre'] } },
})

const place = await freshSchema()
await place.sql(`${tableDdl(clientes, { table: 'clientes' })}`)
await place.sql(`${tableDdl(envios, { table: 'envios' })}`)
const pools = [
  new pg.Pool({ connectionString: place.url, max: 4 }),
  new pg.Pool({ connectionString: place.url, max: 4 }),
]
// These two services stand for two processes: they do not share a queue.
const services = await Promise.all(
  pools.map((pool) =>
    listen(
      express().use(
        api({
          jsonPatch: true,
          baseUrl: 'https://api.example.com',
          versions: {
            v1: [
              mount(clientes, postgresAdapter(pool, { table: 'clientes' })),
              mount(envios, postgresAdapter(pool, { table: 'envios' })),
            ],
          },
        }),
      ),
    ),
  ),
)
afterAll(async () => {
  for (const { close } of services) await close()
  for (const pool of pools) await pool.end()
  await place.drop()
})

const send = (method: string, path: string, body?: unknown, at = 0, headers = {}) =>
  (services[at] as (typeof services)[0]).send(method, `/v1/${path}`, headers, body)
const patch = (path: string, operations: unknown, at = 0) =>
  send('PATCH', path, operations, at, { 'Content-Type': 'application/json-patch+json' })

describe('VERB-5: JSON Patch over PostgreSQL', () => {
  it('applies to the representation that GET shows, and stores the result', async () => {
    for (const [id, nombre] of [
      [1, 'Ana'],
      [2, 'Bea'],
    ])
      expect((await send('POST', 'clientes', { id, nombre })).status).toBe(201)
    const made = {
      id: 1,
      peso: 1.5,
      salida: '2024-01-31T08:30:00.5',
      marcas: ['a'],
      destino: { calle: 'x' },
      clave: 'k',
      cliente: { id: 1 },
    }
    expect((await send('POST', 'envios', made)).status).toBe(201)
    const seen = (await send('GET', 'envios/1')).json
    const answer = await patch('envios/1', [
      { op: 'test', path: '', value: seen },
      { op: 'test', path: '/cliente/nombre', value: 'Ana' },
      { op: 'replace', path: '/cliente/href', value: 'https://api.example.com/v1/clientes/2' },
      { op: 'copy', from: '/salida', path: '/destino/calle' },
      { op: 'remove', path: '/peso' },
      { op: 'add', path: '/marcas/0', value: 'b' },
    ])
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        ...seen,
        peso: null,
        marcas: ['b', 'a'],
        destino: { calle: '2024-01-31T08:30:00.5000000', cp: null },
        cliente: { href: 'https://api.example.com/v1/clientes/2', nombre: 'Bea' },
      },
    ])
    expect((await send('GET', 'envios/1')).json).toEqual(answer.json)
    expect((await place.sql('SELECT clave FROM envios WHERE id = 1'))[0]).toEqual({ clave: 'k' })
  })

  it('HDR-3: two processes lose no update. Of several updates that test the old value, one succeeds', async () => {
    expect((await send('POST', 'envios', { id: 2 })).status).toBe(201)
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        patch('envios/2', [{ op: 'add', path: '/marcas/-', value: `m${i}` }], i % 2),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await send('GET', 'envios/2')).json.marcas.sort()).toEqual(
      Array.from({ length: 24 }, (_, i) => `m${i}`).sort(),
    )
    const taken = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        patch(
          'envios/2',
          [
            { op: 'test', path: '/peso', value: null },
            { op: 'replace', path: '/peso', value: i + 1 },
          ],
          i % 2,
        ),
      ),
    )
    expect(taken.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(taken.filter(({ status, json }) => status === 422 && json.errors[0].code === 'test-failed')).toHaveLength(11)
  })
})
