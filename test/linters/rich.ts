/**
 * A service with many of the features that an OpenAPI document can describe. Its schemas are
 * bounded, because linters require bounds.
 */
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { bearer } from '../../src/auth/index.js'
import { type Api, api, defineResource, endpoint, mount, representation } from '../../src/index.js'
import { crossOrigin, rateLimit } from '../../src/middleware/index.js'
import { csv, imports, ndjson } from '../../src/transfer/index.js'

const short = { type: 'string', minLength: 1, maxLength: 100 } as const

const clients = defineResource({
  collection: 'clients',
  key: 'code',
  schema: {
    type: 'object',
    required: ['code', 'name'],
    properties: {
      code: { ...short, pattern: '^[A-Z0-9-]+$' },
      name: short,
      secret: { ...short, writeOnly: true },
      since: { type: 'string', format: 'date', maxLength: 10 },
    },
  },
  filters: { name: true, since: { field: 'since', op: 'gte' } },
  sort: ['code', 'name'],
  search: ['name'],
  links: { orders: { sub: 'orders' } },
})

const orders = defineResource({
  collection: 'orders',
  key: 'number',
  assigned: true,
  schema: {
    type: 'object',
    title: 'An order "with" quotes & <marks>',
    description: 'Qué pidió el cliente.',
    required: ['number', 'total'],
    properties: {
      number: { type: 'integer' },
      total: { type: 'number', minimum: 0 },
      state: { enum: ['new', 'sent', null], default: 'new' },
      urgent: { type: 'boolean', default: false },
      placed: {
        type: 'string',
        format: 'local-date-time',
        maxLength: 27,
        readOnly: true,
        default: '2026-01-01T00:00:00.0000000',
      },
      clientCode: { type: ['string', 'null'], maxLength: 100 },
      payerCode: { ...short, default: 'C-1' },
      tags: { type: 'array', items: short, maxItems: 10, default: [] },
      address: {
        type: ['object', 'null'],
        title: 'Address',
        required: ['street'],
        properties: { street: short, 'house number': { type: ['integer', 'null'], minimum: 1, maximum: 9_999 } },
      },
      weight: { anyOf: [{ type: 'integer', minimum: 0, maximum: 10, format: 'int32' }, { type: 'null' }] },
    },
  },
  filters: {
    total: true,
    states: { field: 'state', many: true },
    urgent: true,
    tag: { field: 'tags', op: 'contains' },
    placedFrom: { field: 'placed', op: 'gte' },
    withoutClient: { field: 'clientCode', op: 'null' },
  },
  sort: ['number', 'total', 'placed'],
  links: {
    client: { to: clients, by: 'clientCode', show: ['name'] },
    payer: { to: clients, by: 'payerCode' },
    lines: { sub: 'lines' },
  },
  attachedTo: [{ of: clients, by: 'clientCode' }],
  flags: { urgent: 'urgent' },
})

const lines = defineResource({
  collection: 'lines',
  key: ['orderNumber', 'position'],
  schema: {
    type: 'object',
    required: ['orderNumber', 'position'],
    properties: { orderNumber: { type: 'integer' }, position: { type: 'integer', minimum: 1 }, text: short },
  },
  parent: { of: orders, by: 'orderNumber' },
  page: { size: 5, max: 20, first: 0 },
})

const badge = representation('application/pdf', { item: () => Buffer.from('%PDF') })
const done = {
  type: 'object',
  required: ['done'],
  properties: { done: { type: 'boolean' } },
  additionalProperties: false,
} as const

const cancellations = endpoint('cancellations', {
  description: 'Cancels an order.',
  methods: {
    POST: {
      body: { type: 'object', required: ['reason'], properties: { reason: short } },
      describe: {
        responses: { 200: { description: 'It is cancelled.', schema: done } },
        problems: [{ code: 'sent', status: 422, title: 'It has left' }],
      },
      handle: () => ({ done: true }),
    },
  },
})

const search = endpoint('search', {
  description: 'Looks for a text.',
  methods: {
    GET: {
      query: { properties: { q: { type: 'string' }, top: { type: 'integer' } }, required: ['q'] },
      describe: { responses: { 200: { schema: { type: 'array', maxItems: 10, items: done } }, 204: {} } },
      handle: () => [],
    },
  },
})

/** `v1` is deprecated and retires automatically. `v0` has retired. */
export function richService(): Api {
  const entries = () => [
    mount(clients, memoryAdapter(clients, { idempotency: true }), {
      idempotencyKey: 'required',
      representations: [badge],
      area: 'crm',
    }),
    mount(orders, memoryAdapter(orders, { idempotency: true }), {
      exports: { formats: [csv({ escapeFormulas: true }), ndjson()] },
      endpoints: [cancellations],
      describe: { operations: { create: { examples: { small: { total: 1, payer: { code: 'C-1' } } } } } },
    }),
    mount(lines, memoryAdapter(lines)),
    search,
    imports('order-imports', orders, {
      description: 'Creates orders from a file.',
      formats: [csv({ escapeFormulas: true })],
      transaction: 'none',
    }),
  ]
  return api({
    baseUrl: 'https://orders.shop.test/api',
    authenticate: bearer({ keys: { algorithm: 'HS256', key: 'a secret of at least 32 random bytes' } }),
    permission: () => 'allow',
    rateLimit: rateLimit({ limit: 600 }),
    cors: crossOrigin({ origins: ['https://shop.test'] }),
    requireIfMatch: true,
    jsonPatch: true,
    deleteStatus: 202,
    describe: { info: { title: 'Orders', version: '2.0.0' } },
    versions: {
      v2: entries(),
      v1: {
        resources: entries(),
        deprecated: '2026-01-01',
        sunset: '2027-12-31',
        retireAtSunset: true,
        successor: 'v2',
      },
      v0: 'retired',
    },
  })
}
