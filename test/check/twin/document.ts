/** The OpenAPI 3.0 document of the twin, the hand-written test service. No library generates it. */
import type { Fault } from './faults.js'

const text = { type: 'string' }
const number = { type: 'integer' }
const link = { type: 'object', properties: { href: text } }
const order = {
  type: 'object',
  properties: {
    id: { type: 'integer', readOnly: true },
    customer: { ...link, properties: { href: text, id: text } },
    state: { type: 'string', enum: ['open', 'closed'] },
    amount: { type: 'integer', nullable: true },
    urgent: { type: 'boolean' },
    createdAt: { type: 'string', readOnly: true },
    note: { type: 'string', nullable: true, maxLength: 200 },
  },
}
const customer = {
  type: 'object',
  properties: { id: text, name: text, phone: { ...text, nullable: true }, parent: { ...link, nullable: true } },
}
const label = { type: 'object', required: ['code'], properties: { code: text, text } }
const parcel = { type: 'object', properties: { weight: number, city: text } }
const price = {
  type: 'object',
  properties: { customer: text, year: { type: 'integer' }, amount: { type: 'integer' }, parent: link },
}
const inQuery = (name: string, schema: object) => ({ name, in: 'query', schema })
const pages = [
  inQuery('offest', { type: 'integer', minimum: 1 }),
  inQuery('limit', { type: 'integer', minimum: 1, maximum: 20 }),
]
const expand = inQuery('expand', { type: 'string', enum: ['customer'] })
const listed = (schema: object) => ({
  200: {
    description: 'Done.',
    headers: {
      'x-total-count': { required: true, schema: number },
      Link: { schema: text },
      ETag: { required: true, schema: text },
    },
    content: Object.fromEntries(
      ['application/json', 'application/xml'].map((type) => [type, { schema: { type: 'array', items: schema } }]),
    ),
  },
})
const shown = (schema: object) => ({ 200: { description: 'Done.', content: { 'application/json': { schema } } } })
const id = (schema: object) => [{ name: 'id', in: 'path', required: true, schema }]
const body = {
  'application/json': {
    schema: order,
    example: { customer: { id: 'ana' }, state: 'open', amount: 1, urgent: false, note: 'x' },
  },
}

export const document = {
  openapi: '3.0.3',
  info: { title: 'Orders', version: '1' },
  servers: [{ url: '/' }],
  security: [{ bearer: [] }],
  components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/v1/orders': {
      get: {
        parameters: [
          ...pages,
          inQuery('sort', { type: 'array', items: { enum: ['id', 'state', 'amount', 'createdAt'] } }),
          inQuery('q', text),
          expand,
          inQuery('state', text),
          inQuery('amount', number),
          inQuery('urgent', { type: 'boolean' }),
          inQuery('note', text),
        ],
        responses: listed(order),
      },
      post: {
        parameters: [{ name: 'Idempotency-Key', in: 'header', schema: text }],
        requestBody: { content: body },
        responses: { 201: { description: 'Created.', headers: { Location: { schema: text } } } },
      },
    },
    '/v1/orders/{id}': {
      parameters: id(number),
      get: { parameters: [expand], responses: shown(order) },
      put: { requestBody: { content: body }, responses: shown(order) },
      patch: {
        requestBody: { content: { ...body, 'application/json-patch+json': { schema: { type: 'array' } } } },
        responses: shown(order),
      },
      delete: { responses: { 204: { description: 'Deleted.' } } },
    },
    '/v1/orders/{id}/urgent': {
      parameters: id(number),
      get: { responses: { 204: { description: 'Set.' } } },
      put: { responses: { 204: { description: 'Set.' } } },
      delete: { responses: { 204: { description: 'Not set.' } } },
    },
    '/v1/parcels': {
      post: {
        parameters: [{ name: 'Idempotency-Key', in: 'header', schema: text }],
        requestBody: { content: { 'application/json': { schema: parcel, example: { weight: 3, city: 'Rosario' } } } },
        responses: { 201: { description: 'Created.' } },
      },
    },
    '/v1/parcels/{id}': {
      parameters: id(text),
      get: { responses: shown(parcel) },
      delete: { responses: { 204: { description: 'Deleted.' } } },
    },
    '/login': { get: { security: [{ basic: [] }], responses: { 200: { description: 'The token.' } } } },
    '/v1/labels': {
      get: { parameters: [...pages, inQuery('text', text)], responses: listed(label) },
      post: {
        requestBody: { content: { 'application/json': { schema: label } } },
        responses: { 201: { description: 'Created.' } },
      },
    },
    '/v1/labels/{code}': {
      parameters: [{ name: 'code', in: 'path', required: true, schema: text }],
      get: { responses: shown(label) },
      put: { requestBody: { content: { 'application/json': { schema: label } } }, responses: shown(label) },
      delete: { responses: { 204: { description: 'Deleted.' } } },
    },
    '/v1/orders/{id}/labels': { parameters: id(number), get: { parameters: pages, responses: listed(label) } },
    '/v1/orders/{id}/labels/{code}': {
      parameters: [...id(number), { name: 'code', in: 'path', required: true, schema: text }],
      get: { responses: shown(label) },
      put: { responses: { 204: { description: 'Attached.' } } },
      delete: { responses: { 204: { description: 'Detached.' } } },
    },
    '/v1/prices': { get: { deprecated: true, parameters: pages, responses: listed(price) } },
    '/v1/prices/{id}': {
      parameters: id({ type: 'string', example: 'customer=ana,year=2024' }),
      get: { responses: shown(price) },
    },
    '/v1/customers': { get: { parameters: pages, responses: listed(customer) } },
    '/v1/customers/{id}': { parameters: id(text), get: { responses: shown(customer) } },
  },
}

/** For each fault that changes the path `/v1/prices`: the path that replaces it. */
const prices: Partial<Record<Fault, string>> = {
  'collection in the singular': '/v1/price',
  'verb as a collection': '/v1/get-prices',
  'paths without a version': '/prices',
}

/** The paths that some faults add to the twin. */
const misplaced: Partial<Record<Fault, object>> = {
  'parent below its child': {
    '/v1/orders/{id}/customers': { parameters: id(number), get: { parameters: pages, responses: listed(customer) } },
    '/v1/orders/{id}/customers/{customer}': { parameters: id(number), get: { responses: shown(customer) } },
  },
  'filter in the path': {
    '/v1/orders/by-state/{state}': { get: { parameters: pages, responses: listed(order) } },
  },
  'flag name as a filter': { '/v1/orders/urgent': { get: { parameters: pages, responses: listed(order) } } },
}

/** The document of a twin with this fault. */
export function documentOf(fault: Fault | undefined): unknown {
  if (fault === undefined) return document
  const paths = { ...document.paths, ...misplaced[fault] }
  return JSON.parse(JSON.stringify({ ...document, paths }).replaceAll('/v1/prices', prices[fault] ?? '/v1/prices'))
}
