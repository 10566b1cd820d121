/** Tests of the target that is derived from an OpenAPI document. */
import { expect, it } from 'vitest'
import { resolveTarget } from '../../src/check/check-service.js'
import { Client } from '../../src/check/client/client.js'
import { Service } from '../../src/check/service.js'
import { at, withoutReferences } from '../../src/check/target/references.js'
import { document } from './twin/document.js'

it('withoutReferences() resolves references, including those of a schema to itself', () => {
  const tree = { type: 'object', properties: { children: { items: { $ref: '#/components/schemas/Tree%20x' } } } }
  const whole = withoutReferences({
    paths: { here: { $ref: '#/components/schemas/Tree%20x' } },
    components: { schemas: { 'Tree x': tree } },
  })
  const { here } = (whole as { paths: { here: typeof tree } }).paths
  expect(here.properties.children.items).toBe(here)
})

it('the target contains the parameters, keys and features that the document declares', () => {
  const { collections } = resolveTarget(document)
  expect(collections.map(({ template }) => template)).toEqual([
    '/v1/orders',
    '/v1/labels',
    '/v1/orders/{id}/labels',
    '/v1/prices',
    '/v1/customers',
  ])
  expect(collections[0]).toMatchObject({
    key: ['id'],
    sort: ['id', 'state', 'amount', 'createdAt'],
    expand: ['customer'],
    largest: 20,
    first: 1,
    filters: expect.arrayContaining([{ name: 'amount', type: 'integer', many: false }]),
    nullable: ['amount', 'note'],
    secured: true,
    counted: true,
    create: { marker: 'note', idempotent: true },
    patches: ['application/json', 'application/json-patch+json'],
    itemExpand: ['customer'],
    flags: [{ name: 'urgent', methods: ['GET', 'PUT', 'DELETE'] }],
    below: [],
  })
  expect(collections[2]).toMatchObject({ associated: true, itemMethods: ['GET', 'PUT', 'DELETE'] })
  expect(collections[2]).not.toHaveProperty('create')
  expect(collections[3]).toMatchObject({ deprecated: true, key: ['customer', 'year'] })
  const { login, unlisted } = resolveTarget(document)
  expect(login).toBe('/login')
  expect(unlisted).toMatchObject([{ template: '/v1/parcels', itemMethods: ['GET', 'DELETE'] }])
})

it.each(['/v1/prices/{id}', '/v1/prices/{id}/'])('the parts of a key are read from the operations of %s', (item) => {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string', pattern: '^customer=[^,]+,year=.+$' } }
  const schema = { type: 'array', items: { properties: { customer: { type: 'string' }, year: { type: 'integer' } } } }
  const [prices] = resolveTarget({
    openapi: '3.1.0',
    paths: {
      '/v1/prices': { get: { responses: { 200: { content: { 'application/json': { schema } } } } } },
      [item]: { get: { parameters: [id], responses: {} } },
    },
  }).collections
  expect(prices?.key).toEqual(['customer', 'year'])
})

const openItems = { get: { parameters: [{ name: 'sort', in: 'query', schema: { type: 'string' } }], responses: {} } }

it('the target contains no features that the document does not declare', () => {
  const [items] = resolveTarget({
    openapi: '3.1.0',
    paths: { '/v1/items': openItems, '/v1/items/{id}': { get: { responses: {} } } },
  }).collections
  expect(items).not.toHaveProperty('key')
  expect(items).not.toHaveProperty('sort')
  expect(items).not.toHaveProperty('largest')
  expect(items).not.toHaveProperty('create')
})

it('the checks create no records in a sub-collection where DELETE would only detach them', () => {
  const { get, post } = document.paths['/v1/orders']
  const item = document.paths['/v1/orders/{id}']
  const paths = {
    ...document.paths,
    '/v1/customers/{id}/orders': { get, post },
    '/v1/customers/{id}/orders/{order}': item,
  }
  const found = resolveTarget({ ...document, paths }).collections.filter(({ create }) => create !== undefined)
  expect(found.map(({ template }) => template)).toEqual(['/v1/orders', '/v1/labels'])
})

it.each([
  ['/v1', 'http://h:1', 'http://h:1/v1'],
  ['https://api.example.com/v1/', 'http://h:1', 'http://h:1/v1'],
  ['https://api.example.com/v1', 'http://h:1/x', 'http://h:1/x'],
  ['/', 'http://h:1', 'http://h:1'],
  ['https://{region}.example.com/v1', 'http://h:1', 'http://h:1'],
])('the server %s of the document and the given URL %s result in the base URL %s', (url, given, base) => {
  const client = new Client({ principals: [], rate: 1, budget: 1 })
  expect(new Service(given, resolveTarget({ ...document, servers: [{ url }] }), client).base).toBe(base)
  client.close()
})

it('withoutReferences() resolves the references in a chain of thousands of schemas', () => {
  const chain = Array.from({ length: 5000 }, (_, at) => [`T${at}`, { next: { $ref: `#/T${at + 1}` } }] as const)
  let found = at(withoutReferences({ ...Object.fromEntries(chain), T5000: { last: true } }), '/T0')
  for (let n = 0; n < 5000; n += 1) found = at(found, '/next')
  expect(found).toEqual({ last: true })
})
