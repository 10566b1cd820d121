/**
 * Links that use the same stored member, such as the tenant id in several foreign keys. A change of
 * one link must not change another link. Setting a link to null must not change the shared member.
 */
import express from 'express'
import fc from 'fast-check'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, mount, problems } from '../../src/index.js'

const integer = { type: 'integer' } as const
const nullable = { type: ['integer', 'null'] } as const
const keyed = <const Name extends string>(collection: Name) =>
  defineResource({
    collection,
    key: ['tenantId', 'id'],
    schema: { type: 'object', required: ['tenantId', 'id'], properties: { tenantId: integer, id: integer } },
  })
const customers = keyed('customers')
const offices = keyed('offices')
const keys = [1, 2].flatMap((tenantId) => [10, 20].map((id) => ({ tenantId, id })))

const ordersWith = (tenantId: typeof integer | typeof nullable, required: readonly ('id' | 'tenantId')[]) =>
  defineResource({
    collection: 'orders',
    key: 'id',
    schema: {
      type: 'object',
      required,
      properties: { id: integer, tenantId, customerId: nullable, officeId: nullable, note: { type: 'string' } },
    },
    links: {
      customer: { to: customers, by: ['tenantId', 'customerId'] },
      office: { to: offices, by: ['tenantId', 'officeId'] },
    },
  })
const bills = defineResource({
  collection: 'bills',
  key: ['tenantId', 'id'],
  schema: {
    type: 'object',
    required: ['tenantId', 'id'],
    properties: { tenantId: integer, id: integer, customerId: nullable, note: { type: 'string' } },
  },
  links: { customer: { to: customers, by: ['tenantId', 'customerId'] } },
})

type Row = Record<string, unknown>

function serve(orders: ReturnType<typeof ordersWith>, rows: readonly Row[] = []) {
  const store = memoryAdapter(orders as never, { records: rows as never })
  const app = express().use(
    api({
      baseUrl: 'https://shop.example.com',
      jsonPatch: true,
      versions: {
        v1: [
          mount(orders as never, store),
          mount(customers, memoryAdapter(customers, { records: keys })),
          mount(offices, memoryAdapter(offices, { records: keys })),
          mount(bills, memoryAdapter(bills, { records: [{ tenantId: 1, id: 1, customerId: null, note: 'a' }] })),
        ],
      },
    }),
    problems(),
  )
  const call = { principal: undefined, scope: {}, requestId: '', signal: new AbortController().signal }
  const stored = async (id: number): Promise<Row> => {
    const [found] = await store.read([id as never], call)
    const { tenantId, customerId, officeId, note } = (found?.value ?? {}) as Row
    return { tenantId: tenantId ?? null, customerId: customerId ?? null, officeId: officeId ?? null, note }
  }
  return { call: request(app), stored }
}

const optional = ordersWith(nullable, ['id'])
const required = ordersWith(integer, ['id', 'tenantId'])
const row = (tenantId: number | null, customerId: number | null, officeId: number | null) => ({
  tenantId,
  customerId,
  officeId,
  note: 'a',
})
const at = (tenantId: number, id: number) => ({ tenantId, id })
const jsonPatch = { 'Content-Type': 'application/json-patch+json' }

describe('REP-7: links that share a stored member', () => {
  it('PUT of a representation that GET returned, and patches of other members, change no link (property)', async () => {
    const part = fc.constantFrom(null, 10, 20)
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(1, 2, null),
        part,
        part,
        fc.boolean(),
        async (tenantId, customerId, officeId, strict) => {
          const rowBefore = row(strict ? (tenantId ?? 1) : tenantId, customerId, officeId)
          const { call, stored } = serve((strict ? required : optional) as never, [{ id: 1, ...rowBefore }])
          const { body } = await call.get('/v1/orders/1')
          expect((await call.put('/v1/orders/1').send(body)).status).toBe(200)
          expect(await stored(1)).toEqual(rowBefore)
          expect((await call.patch('/v1/orders/1').send({ note: 'b' })).status).toBe(200)
          expect(await stored(1)).toEqual({ ...rowBefore, note: 'b' })
          const change = [{ op: 'replace', path: '/note', value: 'c' }]
          expect((await call.patch('/v1/orders/1').set(jsonPatch).send(JSON.stringify(change))).status).toBe(200)
          expect(await stored(1)).toEqual({ ...rowBefore, note: 'c' })
        },
      ),
      { numRuns: 60 },
    )
  })

  it.each([
    ['PATCH of a link to null', row(1, 10, 20), { office: null }, row(1, 10, null)],
    ['PATCH of a link in the same tenant', row(1, 10, 20), { office: at(1, 10) }, row(1, 10, 10)],
    [
      'PATCH of a link to another tenant, if the other link is null',
      row(1, null, 20),
      { office: at(2, 10) },
      row(2, null, 10),
    ],
    [
      'PATCH of both links to another tenant',
      row(1, 10, 20),
      { office: at(2, 10), customer: at(2, 20) },
      row(2, 20, 10),
    ],
    [
      'PATCH of a link to another tenant, with null for the other',
      row(1, 10, 20),
      { customer: null, office: at(2, 10) },
      row(2, null, 10),
    ],
  ])('%s: the request succeeds, and changes only the links that it names', async (_, before, patch, after) => {
    for (const orders of [optional, required]) {
      const { call, stored } = serve(orders as never, [{ id: 1, ...before }])
      expect((await call.patch('/v1/orders/1').send(patch)).status).toBe(200)
      expect(await stored(1)).toEqual(after)
    }
  })

  it('a patch that would change a link that it does not name is refused', async () => {
    const { call, stored } = serve(optional, [{ id: 1, ...row(1, 10, 20) }])
    const { status, body } = await call.patch('/v1/orders/1').send({ office: at(2, 10) })
    expect([status, body.errors]).toEqual([
      422,
      [
        expect.objectContaining({
          pointer: '/customer',
          code: 'link',
          detail: expect.stringContaining('Send "customer" too'),
        }),
      ],
    ])
    expect(await stored(1)).toEqual(row(1, 10, 20))
  })

  it.each(['post', 'put', 'patch', 'json patch'])('%s of links to different tenants is refused', async (method) => {
    const { call, stored } = serve(optional, [{ id: 1, ...row(1, 10, 20) }])
    const links = { customer: at(1, 10), office: at(2, 20) }
    const sent =
      method === 'post'
        ? call.post('/v1/orders').send({ id: 2, ...links })
        : method === 'json patch'
          ? call
              .patch('/v1/orders/1')
              .set(jsonPatch)
              .send(JSON.stringify([{ op: 'replace', path: '/office', value: at(2, 20) }]))
          : call[method as 'put'](`/v1/orders/1`).send(links)
    const { status, body } = await sent
    expect([status, body.errors]).toEqual([
      422,
      [
        expect.objectContaining({
          code: 'link',
          detail: expect.stringMatching(/"(?:customer|office)" and "(?:customer|office)" contradict/),
        }),
      ],
    ])
    expect(await stored(1)).toEqual(row(1, 10, 20))
  })

  it('a link can be null even if one of its stored members is a part of the key, which is never null', async () => {
    const { call } = serve(optional)
    const path = '/v1/bills/tenantId=1,id=1'
    const { body } = await call.get(path)
    expect(body).toMatchObject({ tenantId: 1, customer: null })
    expect(await call.put(path).send(body)).toMatchObject({ status: 200, body })
    const change = JSON.stringify([{ op: 'replace', path: '/note', value: 'b' }])
    expect((await call.patch(path).set(jsonPatch).send(change)).status).toBe(200)
    expect((await call.patch(path).send({ customer: at(1, 10) })).body.customer).not.toBeNull()
    expect((await call.patch(path).send({ customer: null })).body.customer).toBeNull()
    expect((await call.patch(path).send({ customer: at(2, 10) })).status).toBe(422)
  })
})
