import { once } from 'node:events'
import request from 'supertest'
import { expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, mount, problems } from '../../src/index.js'
import { majors } from '../middleware/majors.js'

const customers = defineResource({
  collection: 'customers',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
})
const orders = defineResource({
  collection: 'orders',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'customerId'],
    properties: { id: { type: 'string' }, customerId: { type: 'string' } },
  },
  links: { customer: { to: customers, by: 'customerId' } },
})

for (const [name, framework] of majors) {
  const app = (options: { baseUrl?: string } = {}) =>
    framework().use(
      api({
        ...options,
        versions: {
          v1: [
            mount(customers, memoryAdapter(customers, { records: [{ id: 'ana' }] })),
            mount(orders, memoryAdapter(orders)),
          ],
        },
      }),
      problems(),
    )
  const refusal = async (href: string, target = app()): Promise<string> => {
    const { status, body } = await request(target).post('/v1/orders').send({ id: '1', customer: { href } })
    expect(status).toBe(422)
    return body.errors[0].detail
  }

  it(`REP-7: a link with another origin gets an error that names both origins and the fix (${name})`, async () => {
    const detail = await refusal('http://127.0.0.1:1/v1/customers/ana')
    expect(detail).toMatch(
      / The href has the origin http:\/\/127\.0\.0\.1:1, and this service has the origin http:\/\/127\.0\.0\.1:\d+\. If both origins belong to this service, set its option "baseUrl", or send all requests to one listening server\.$/,
    )
    expect(await refusal('https://other.example/v1/customers/ana', app({ baseUrl: 'https://a.example/api' }))).toMatch(
      /origin https:\/\/other\.example, and this service has the origin https:\/\/a\.example\./,
    )
  })

  it(`REP-7: the error for a link that is invalid for another reason does not mention origins (${name})`, async () => {
    const fixed = () => app({ baseUrl: 'http://a.example' })
    for (const href of [
      'http://a.example/v1/orders/1',
      'HTTP://A.example:80/v1/orders/1',
      '/v1/orders/1',
      'customers/ana',
      '//b.example/v1',
      'mailto:a@b.example',
      'http://',
      'http://[',
      `http://${'b'.repeat(300)}.example/v1/customers/ana`,
    ]) {
      expect(await refusal(href, fixed()), href).not.toMatch(/origin/)
    }
  })

  it(`REP-7: a listening server accepts a link that it returned earlier (${name})`, async () => {
    const server = app().listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const { body: customer } = await request(server).get('/v1/customers')
      const created = await request(server).post('/v1/customers').send({ id: 'eva' })
      expect(customer).toHaveLength(1)
      await request(server)
        .post('/v1/orders')
        .send({ id: '1', customer: { href: created.headers.location } })
        .expect(201)
    } finally {
      server.close()
    }
  })
}
