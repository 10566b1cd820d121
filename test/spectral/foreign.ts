/** A valid OpenAPI document that was written by hand, without this library. */
const text = { type: 'string', maxLength: 200 }
const field = (description: string) => ({ description, schema: text })
const inHeader = (name: string) => ({ name, in: 'header', description: 'A tag.', schema: text })
const inQuery = (name: string, schema: object) => ({ name, in: 'query', description: 'Of a list.', schema })

const problem = (description: string, headers: object = {}) => ({
  description,
  headers,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})
const ref = (name: string) => ({ $ref: `#/components/responses/${name}` })
const refused = { 401: ref('Unauthorized'), 415: ref('Unsupported'), 429: ref('TooMany') }
const absent = { 404: ref('Absent') }
const sent = { 400: ref('Malformed'), 422: ref('Unfit') }
const guarded = { 412: ref('Stale') }

const invoice = { 'application/json': { schema: { $ref: '#/components/schemas/Invoice' } } }
const body = { required: true, content: invoice }
const known = { description: 'Known already.' }

const item = () => ({
  parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
  get: {
    operationId: 'getInvoice',
    description: 'An invoice.',
    parameters: [inHeader('if-none-match')],
    responses: {
      200: { description: 'It.', headers: { ETag: field('The tag.') }, content: invoice },
      304: known,
      ...refused,
      ...absent,
    },
  },
  head: {
    operationId: 'checkInvoice',
    description: 'Is it there?',
    responses: { 302: { description: 'Yes.' }, 401: { description: 'No token.' }, 404: { description: 'No.' } },
  },
  put: {
    operationId: 'replaceInvoice',
    description: 'Replaces it.',
    parameters: [inHeader('If-Match')],
    requestBody: body,
    responses: { 200: { description: 'Replaced.', content: invoice }, ...refused, ...absent, ...sent, ...guarded },
  },
  patch: {
    operationId: 'updateInvoice',
    description: 'Changes it.',
    parameters: [inHeader('If-Match')],
    requestBody: { content: { 'application/merge-patch+json': { schema: { type: 'object' } } } },
    responses: { 200: { description: 'Changed.', content: invoice }, ...refused, ...absent, ...sent, ...guarded },
  },
  delete: {
    operationId: 'deleteInvoice',
    description: 'Deletes it.',
    parameters: [inHeader('If-Match')],
    responses: { 204: { description: 'Deleted.' }, ...refused, ...absent, ...guarded },
  },
})

const list = () => ({
  get: {
    operationId: 'listInvoices',
    description: 'Invoices.',
    parameters: [
      inQuery('offest', { type: 'integer', minimum: 1 }),
      inQuery('limit', { type: 'integer', minimum: 1, maximum: 50 }),
      inQuery('sort', text),
      inQuery('state', text),
      inHeader('If-None-Match'),
    ],
    responses: {
      200: {
        description: 'A page.',
        headers: { 'X-Total-Count': { description: 'All.', schema: { type: 'integer' } }, Link: field('Pages.') },
        content: {
          'application/json': {
            schema: { type: 'array', maxItems: 50, items: { $ref: '#/components/schemas/Invoice' } },
          },
        },
      },
      304: known,
      400: ref('Malformed'),
      ...refused,
    },
  },
  post: {
    operationId: 'createInvoice',
    description: 'Creates one.',
    requestBody: body,
    responses: { 201: { description: 'Created.', headers: { Location: field('Where.') } }, ...refused, ...sent },
  },
})

const flag = () => ({
  parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
  put: {
    operationId: 'pay',
    description: 'Marks the invoice as paid.',
    responses: { 204: { description: 'Set.' }, ...refused, ...absent },
  },
  delete: {
    operationId: 'unpay',
    description: 'Marks the invoice as unpaid.',
    responses: { 204: { description: 'Unset.' }, ...refused, ...absent },
  },
})

/** A new copy of the document. The type is `any`, so that a test can change any member. */
// biome-ignore lint/suspicious/noExplicitAny: tests change any member.
export const foreignDocument = (): any =>
  structuredClone({
    openapi: '3.1.0',
    info: { title: 'Invoices', version: '1' },
    servers: [{ url: 'https://api.invoices.test' }],
    security: [{ bearer: [] }],
    paths: {
      '/login': { get: { security: [{ basic: [] }], responses: { 200: { description: 'A token.' } } } },
      '/v1/customers/{id}/invoices': list(),
      '/v1/customers/{id}/invoices/{number}': item(),
      '/v1/invoices': list(),
      '/v1/invoices/{id}': item(),
      '/v1/invoices/{id}/paid': flag(),
      '/v1/search': {
        get: {
          operationId: 'search',
          description: 'Looks for a text in everything.',
          responses: {
            200: { description: 'Finds.', content: { 'application/json': { schema: { type: 'array', items: text } } } },
            ...refused,
          },
        },
      },
    },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' }, basic: { type: 'http', scheme: 'basic' } },
      responses: {
        Unauthorized: problem('No token.'),
        Unsupported: problem('No such media type.'),
        TooMany: problem('Too many.', { 'Retry-After': field('Seconds.') }),
        Absent: problem('There is none.'),
        Malformed: problem('Malformed.'),
        Unfit: problem('Not valid.'),
        Stale: problem('It has changed.'),
      },
      schemas: {
        Invoice: { type: 'object', properties: { id: text } },
        Problem: {
          allOf: [
            { type: 'object', properties: { type: text, title: text, status: { type: 'integer' } } },
            { type: 'object', properties: { code: text } },
          ],
        },
      },
    },
  })
