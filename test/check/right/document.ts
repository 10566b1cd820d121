/**
 * The OpenAPI 3.1 document of the correct test services, which differ in the methods that they
 * offer.
 */
const text = { type: 'string' }
const book = {
  type: 'object',
  properties: {
    id: { ...text, readOnly: true },
    title: text,
    author: text,
    year: { type: ['integer', 'null'] },
    available: { type: 'boolean' },
  },
}
const inQuery = (name: string, schema: object) => ({ name, in: 'query', schema })
const content = { 'application/json': { schema: book } }
const body = {
  content: {
    'application/json': {
      schema: book,
      example: { title: 'A title', author: 'An author', year: 2001, available: true },
    },
  },
}
const done = { 200: { description: 'Done.', content } }

/**
 * The document of a service with a collection of books. `methods` lists the write methods of an
 * item, in lower case.
 */
export const bookDocument = (methods: readonly ('put' | 'patch' | 'delete')[]) => ({
  openapi: '3.1.0',
  info: { title: 'Books', version: '1' },
  servers: [{ url: '/v2' }],
  security: [{ key: [] }],
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: {
    '/books': {
      get: {
        parameters: [
          inQuery('offest', { type: 'integer', minimum: 1 }),
          inQuery('limit', { type: 'integer', minimum: 1, maximum: 50 }),
          inQuery('sort', { type: 'array', items: { enum: ['id', 'title', 'author', 'year'] } }),
          inQuery('author', text),
          inQuery('title', text),
          inQuery('year', { type: 'integer' }),
          inQuery('available', { type: 'boolean' }),
        ],
        responses: {
          200: { description: 'Done.', content: { 'application/json': { schema: { type: 'array', items: book } } } },
        },
      },
      post: { requestBody: body, responses: { 201: { description: 'Created.' } } },
    },
    '/books/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
      get: { responses: done },
      ...Object.fromEntries(
        methods.map((method) => [
          method,
          method === 'delete'
            ? { responses: { 204: { description: 'Deleted.' } } }
            : { requestBody: body, responses: done },
        ]),
      ),
    },
  },
})
