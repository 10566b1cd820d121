/**
 * PATH-11, REP-1: no URL leads to the keys `''`, `.` and `..`. A link is null in responses if its
 * stored key is one of these.
 */
import express from 'express'
import request from 'supertest'
import { expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { defineResource } from '../../src/definition/resource.js'
import { api, mount, problems } from '../../src/index.js'

const clientes = defineResource({
  collection: 'clientes',
  key: 'codigo',
  schema: { type: 'object', required: ['codigo'], properties: { codigo: { type: 'string' } } },
})
const pedidos = defineResource({
  collection: 'pedidos',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer' }, codigo: { type: 'string' }, nota: { type: 'string' } },
  },
  links: { cliente: { to: clientes, by: 'codigo' } },
})

it('REP-7: if no URL can contain the key in a link, the link is null, and PUT and PATCH keep the key', async () => {
  const store = memoryAdapter(pedidos, { records: ['', '.', '..', 'a'].map((codigo, id) => ({ id, codigo })) })
  const tables = [mount(clientes, memoryAdapter(clientes, { records: [{ codigo: 'a' }] })), mount(pedidos, store)]
  const app = express().use(api({ versions: { v1: tables } }), problems())
  const { body } = await request(app).get('/v1/pedidos')
  expect(body.map(({ cliente }: { cliente: { href: string } | null }) => cliente?.href ?? null)).toEqual([
    null,
    null,
    null,
    expect.stringMatching(/\/v1\/clientes\/a$/),
  ])
  for (const id of [0, 1, 2]) {
    expect((await request(app).put(`/v1/pedidos/${id}`).send(body[id])).status).toBe(200)
    expect((await request(app).patch(`/v1/pedidos/${id}`).send({ nota: 'x' })).status).toBe(200)
  }
  const { items } = await store.list({ where: [], sort: [], offset: 0, size: 9 } as never, { scope: {} } as never)
  expect(items.map(({ value }) => (value as { codigo?: string }).codigo)).toEqual(['', '.', '..', 'a'])
  const refused = await request(app)
    .post('/v1/pedidos')
    .send({ id: 9, cliente: { codigo: '' } })
  expect(refused.status).toBe(422)
})
