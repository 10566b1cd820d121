import express from 'express'
import request from 'supertest'
import { expect, it } from 'vitest'
import { memoryAdapter } from '../../../src/adapters/memory/index.js'
import { api, defineResource, mount, problems } from '../../../src/index.js'

for (const [type, first] of [
  ['integer', /^1$/],
  ['string', /^[\da-f-]{36}$/],
] as const) {
  it(`REP-8: the memory adapter assigns a readOnly key (${type})`, async () => {
    const orders = defineResource({
      collection: 'orders',
      key: 'id',
      schema: { type: 'object', properties: { id: { type, readOnly: true }, note: { type: 'string' } } },
    })
    const app = express().use(api({ versions: { v1: [mount(orders, memoryAdapter(orders))] } }), problems())
    const created = await request(app).post('/v1/orders').send({ note: 'a' }).expect(201)
    const id = new URL(created.headers.location as string).pathname.slice('/v1/orders/'.length)
    expect(id).toMatch(first)
    const other = await request(app).post('/v1/orders').send({}).expect(201)
    expect(other.headers.location).not.toBe(created.headers.location)
  })
}
