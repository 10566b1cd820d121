/** A service with many kinds of resources, over adapters that throw if they are called. */
import type { Adapter } from '../../src/index.js'
import type { DocumentFragment } from '../../src/openapi/index.js'
import {
  type ApiOptions,
  adapterView,
  api,
  bearer,
  defineResource,
  endpoint,
  mount,
  scopePermission,
} from './library.js'

const unused = (): never => {
  throw new Error('A mock calls no adapter of the service.')
}

/** An adapter whose methods all throw. */
const closed = <T, K>(): Adapter<T, K> => ({
  list: unused,
  read: unused,
  create: unused,
  replace: unused,
  remove: unused,
  attach: unused,
  detach: unused,
  recall: unused,
  ready: unused,
})

const customers = defineResource({
  collection: 'customers',
  key: 'id',
  assigned: true,
  schema: {
    type: 'object',
    required: ['id', 'tenant', 'fullName', 'email', 'createdAt', 'from', 'to'],
    properties: {
      id: { type: 'string', format: 'uuid' },
      tenant: { type: 'string' },
      fullName: { type: 'string' },
      email: { type: 'string', format: 'email' },
      createdAt: { type: 'string', format: 'date-time', readOnly: true },
      from: { type: 'integer', minimum: 0, maximum: 9 },
      to: { type: 'integer', minimum: 0, maximum: 9 },
    },
  },
  filters: { email: true },
  sort: ['fullName', 'createdAt'],
  search: ['fullName'],
  links: { orders: { sub: 'orders' } },
  scope: (principal) => ({ tenant: (principal as { tenant?: string }).tenant ?? 'north' }),
  rules: (next) => (next.from > next.to ? [{ member: 'from', detail: 'It must not be after "to".' }] : []),
})

const orders = defineResource({
  collection: 'orders',
  key: 'number',
  assigned: true,
  schema: {
    type: 'object',
    required: ['number', 'customerId', 'state', 'total'],
    properties: {
      number: { type: 'integer', minimum: 1000 },
      customerId: { type: ['string', 'null'], format: 'uuid' },
      state: { enum: ['open', 'paid', 'sent'], default: 'open' },
      total: { type: 'number', minimum: 0, multipleOf: 0.5 },
      urgent: { type: 'boolean' },
      followsId: { type: ['integer', 'null'] },
    },
  },
  filters: { state: { many: true }, urgent: true },
  sort: ['number', 'total'],
  flags: { express: 'urgent' },
  links: {
    customer: { to: customers, by: 'customerId', show: ['fullName'] },
    follows: { to: 'orders', by: 'followsId' },
    lines: { sub: 'lines' },
  },
  attachedTo: [{ of: customers, by: 'customerId' }],
})

const products = defineResource({
  collection: 'products',
  key: 'sku',
  schema: {
    type: 'object',
    required: ['sku', 'title'],
    properties: {
      sku: { type: 'string', pattern: '^[A-Z]{2}-\\d{4}$' },
      title: { type: 'string', examples: ['Lamp', 'Chair'] },
    },
  },
  search: ['title'],
  attachedTo: [{ of: orders, as: 'favourites' }],
})

const lines = defineResource({
  collection: 'lines',
  key: ['order', 'position'],
  assigned: ['position'],
  schema: {
    type: 'object',
    required: ['order', 'position', 'sku', 'quantity'],
    properties: {
      order: { type: 'integer' },
      position: { type: 'integer', minimum: 1 },
      sku: { type: 'string' },
      quantity: { type: 'integer', minimum: 1, maximum: 5 },
    },
  },
  links: { product: { to: products, by: 'sku' } },
  parent: { of: orders, by: 'order' },
})

/** A resource whose key consists of links to two other resources. */
const stocks = defineResource({
  collection: 'stocks',
  key: ['sku', 'country'],
  schema: {
    type: 'object',
    required: ['sku', 'country', 'pieces'],
    properties: { sku: { type: 'string' }, country: { type: 'string' }, pieces: { type: 'integer' } },
  },
  links: { product: { to: products, by: 'sku' }, place: { to: 'countries', by: 'country' } },
})

const countries = defineResource({
  collection: 'countries',
  key: 'code',
  schema: {
    type: 'object',
    required: ['code', 'name'],
    properties: { code: { enum: ['AR', 'ES', 'UY'] }, name: { type: 'string' } },
  },
})

const oldProducts = defineResource({
  collection: 'products',
  key: 'sku',
  schema: {
    type: 'object',
    required: ['sku', 'name'],
    properties: { sku: { type: 'string' }, name: { type: 'string' } },
  },
  attachedTo: [{ of: orders, as: 'favourites' }],
})

const find = {
  type: 'object',
  required: ['href', 'title'],
  properties: { href: { type: 'string', format: 'uri' }, title: { type: 'string' } },
} as const

/** The descriptions of the hand-written routes. */
export const fragments: readonly DocumentFragment[] = [
  {
    paths: {
      '/branches/{code}': {
        get: {
          operationId: 'getBranch',
          responses: {
            200: {
              description: 'It.',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Branch' } } },
            },
          },
        },
        delete: { operationId: 'deleteBranch', responses: { 204: { description: 'Done.' } } },
      },
      '/branches/main': {
        get: {
          operationId: 'getMainBranch',
          responses: {
            200: { description: 'It.', content: { 'application/json': { example: { city: 'Sevilla' } } } },
          },
        },
      },
      '/reports/last': {
        get: { operationId: 'getReport', responses: { 200: { $ref: '#/components/responses/Last' } } },
      },
      '/reports/first': {
        get: {
          operationId: 'getFirstReport',
          responses: {
            200: {
              description: 'It.',
              content: { 'application/json': { examples: { one: { $ref: '#/components/examples/First' } } } },
            },
          },
        },
      },
    },
    components: {
      responses: {
        Last: {
          description: 'It.',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Branch' } } },
        },
      },
      examples: { First: { value: { year: 1999 } } },
      schemas: {
        Branch: { type: 'object', required: ['city'], properties: { city: { type: 'string', examples: ['Cadiz'] } } },
      },
    },
  },
]

function shopOptions(): ApiOptions {
  const productStore = closed<never, never>()
  const search = endpoint('search', {
    description: 'Looks for a text.',
    methods: {
      GET: {
        query: { properties: { q: { type: 'string' } }, required: ['q'] },
        describe: { responses: { 200: { schema: { type: 'array', items: find } } } },
        handle: unused,
      },
      POST: { body: { type: 'object', properties: { q: { type: 'string' } } }, handle: unused },
      DELETE: { describe: { responses: { 204: {} } }, handle: unused },
    },
  })
  const shared = [
    mount(customers, closed()),
    mount(orders, closed(), {
      endpoints: [
        endpoint('cancellations', {
          description: 'Cancels an order.',
          methods: {
            POST: {
              describe: {
                responses: {
                  201: { schema: { type: 'object', properties: { reason: { type: 'string' } }, required: ['reason'] } },
                },
              },
              handle: unused,
            },
          },
        }),
      ],
    }),
    mount(lines, closed()),
    mount(stocks, closed()),
    mount(countries, { list: unused, read: unused }),
    search,
  ]
  return {
    baseUrl: 'https://shop.example.com',
    authenticate: bearer({ keys: { algorithm: 'HS256', key: 'a secret of tests, 32 bytes or more' } }),
    permission: scopePermission(),
    jsonPatch: true,
    onResponse: unused,
    describe: {
      public: true,
      servers: [{ url: 'https://shop.example.com/v2' }],
      fragments,
    },
    versions: {
      v2: { resources: [...shared, mount(products, productStore)], routes: unused },
      v1: {
        resources: [...shared, mount(oldProducts, adapterView(productStore, { rename: { name: 'title' } }))],
        deprecated: '2026-01-01',
        successor: 'v2',
      },
      v0: 'retired',
    },
  } as ApiOptions
}

export const shop = () => api(shopOptions())
