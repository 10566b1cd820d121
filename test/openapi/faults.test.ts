/**
 * Invalid input of `openapi()` causes a ConfigurationError that names the input. What the service
 * adds, such as descriptions and examples, is in the document.
 */
import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, ConfigurationError, defineResource, endpoint, type MountOptions, mount } from '../../src/index.js'
import { type OpenApiOptions, openapi } from '../../src/openapi/index.js'

const text = { type: 'string' } as const
const define = (collection: string, more: object = {}, properties: object = {}) =>
  defineResource<{ id: number }>()({
    collection,
    key: 'id',
    schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, ...properties } },
    ...more,
  })

type Orders = ReturnType<typeof define>
const served = (definitions: readonly Orders[], options: MountOptions = {}) =>
  api({
    versions: {
      v1: definitions.map((one) => mount(one, memoryAdapter(one), options as MountOptions<{ id: number }, number>)),
      v0: 'retired',
    },
  })
const orders = define('orders', {}, { note: text })
const describing =
  (options: OpenApiOptions, mounting: MountOptions = {}) =>
  () =>
    openapi(served([orders], mounting), 'v1', options)

describe('the ConfigurationError of openapi()', () => {
  it('names two resources with the same type name', () => {
    const twin = define('pedidos', { singular: 'order' })
    expect(() => openapi(served([orders, twin]), 'v1')).toThrow(
      /"pedidos" and "orders" have the same name "Order"[\s\S]*description-clash/,
    )
  })

  it('names two operations with the same operation id', () => {
    const named = { describe: { operations: { list: { operationId: 'getOrder' } } } }
    expect(describing({}, named)).toThrow(/GET \/orders\/\{id\} and GET \/orders have the same operation id "getOrder"/)
  })

  it('names a keyword that openapi() cannot describe, such as $anchor', () => {
    const schema = { type: 'object', properties: { city: { type: 'string', $anchor: 'city' } } }
    const places = endpoint('places', {
      description: 'Places.',
      methods: { GET: { describe: { responses: { 200: { schema } } }, handle: () => ({}) } },
    })
    const service = api({ versions: { v1: [places] } })
    expect(() => openapi(service, 'v1')).toThrow(
      /the endpoint "get-places" has the keyword "\$anchor" at "\/city"[\s\S]*description-unfit/,
    )
  })

  it('names a keyword that OpenAPI 3.1 has and OpenAPI 3.0.3 lacks', () => {
    const paired = define('orders', {}, { pair: { type: 'array', prefixItems: [text, text] } })
    expect(() => openapi(served([paired]), 'v1')).not.toThrow()
    expect(() => openapi(served([paired]), 'v1', { openapi: '3.0.3' })).toThrow(/"Order" has the keyword "prefixItems"/)
  })

  it('names an example that does not match its schema, in an operation and in a definition', () => {
    const withExample = (value: unknown) => ({ describe: { operations: { create: { examples: { small: value } } } } })
    expect(describing({}, withExample({ id: 1, note: 'x' }))).not.toThrow()
    expect(describing({}, withExample({ id: 'one' }))).toThrow(
      /The example "small" of POST \/orders does not match its schema: \/id must be integer/,
    )
    const wrong = define('orders', {}, { note: { type: 'string', examples: [5] } })
    expect(() => openapi(served([wrong]), 'v1')).toThrow(/schema at "Order\/properties\/note" does not match/)
  })

  it('names an invalid example of a fragment, even if the body and the example are references', () => {
    const fragment = (value: unknown) => ({
      paths: { '/notes': { post: { operationId: 'note', requestBody: { $ref: '#/components/requestBodies/Note' } } } },
      components: {
        examples: { Short: { value }, Elsewhere: { externalValue: 'https://example.com/a.json' } },
        requestBodies: {
          Note: {
            content: {
              'application/json': {
                schema: text,
                examples: {
                  short: { $ref: '#/components/examples/Short' },
                  elsewhere: { $ref: '#/components/examples/Elsewhere' },
                },
              },
              'text/plain': { examples: { any: { value: 'x' } } },
            },
          },
        },
      },
    })
    const own = { describe: { operations: { create: { examples: { small: { id: 1, note: 'x' } } } } } }
    expect(describing({ fragments: [fragment('x')] }, own)).not.toThrow()
    expect(describing({ fragments: [fragment(5)] }, own)).toThrow(
      /The example "short" of POST \/notes does not match its schema/,
    )
  })

  it('names an unknown operation that has a description, and suggests the closest name', () => {
    expect(describing({}, { describe: { operations: { reed: { summary: 'x' } } } })).toThrow(
      /"reed", which is not one of its operations\. Did you mean "read"\?/,
    )
  })

  it('names a part of a fragment that the document already has', () => {
    expect(describing({ fragments: [{ paths: { '/orders': { get: {} } } }] })).toThrow(
      /A fragment has "get" in "\/orders" of "paths"/,
    )
    expect(describing({ fragments: [{ components: { schemas: { Order: {} } } }] })).toThrow(
      /A fragment has "Order" in "schemas"/,
    )
    expect(
      describing({ fragments: [{ paths: { '/orders/count': { get: { operationId: 'countAll', responses: {} } } } }] }),
    ).not.toThrow()
  })

  it('names a version that is not served or has retired', () => {
    expect(() => openapi(served([orders]), 'v2')).toThrow(/"v2", which is not served\. Did you mean "v1"\? \[/)
    expect(() => openapi(served([orders]), 'v0')).toThrow(/"v0", which has retired/)
    expect(() => openapi({}, 'v1')).toThrow(/got no service/)
  })

  it('is also thrown for a value that is not a service', () => {
    expect(() => openapi({}, 'v1')).toThrow(ConfigurationError)
  })
})

describe('additions by the service', () => {
  it('are in the document: descriptions, examples, problems, extensions, responses of endpoints', () => {
    const search = endpoint('search', {
      description: 'Looks for a text.',
      methods: {
        GET: {
          describe: { operationId: 'search', responses: { 200: { description: 'Finds.', schema: { type: 'array' } } } },
          handle: () => [],
        },
      },
    })
    const service = api({
      versions: {
        v1: [
          mount(orders, memoryAdapter(orders), {
            describe: {
              description: 'What clients order.',
              'x-owner': 'sales',
              operations: {
                create: {
                  summary: 'Order',
                  'x-slow': true,
                  problems: [{ code: 'sold-out', status: 409, title: 'Sold out' }],
                },
              },
            },
          }),
          search,
        ],
      },
    })
    const document = openapi(service, 'v1', { info: { title: 'Orders', version: '2', 'x-team': 'a' } })
    expect(document.info).toEqual({ title: 'Orders', version: '2', 'x-team': 'a' })
    expect(document.tags?.[0]).toEqual({ name: 'orders', description: 'What clients order.', 'x-owner': 'sales' })
    expect(document.paths['/orders']?.post).toMatchObject({
      summary: 'Order',
      'x-slow': true,
      responses: { 409: { $ref: '#/components/responses/Conflict' } },
    })
    expect(document.paths['/search']?.get).toMatchObject({
      operationId: 'search',
      responses: { 200: { description: 'Finds.', content: { 'application/json': { schema: { type: 'array' } } } } },
    })
  })
})
