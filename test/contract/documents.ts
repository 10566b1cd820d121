/** Small OpenAPI documents for comparisons. */

export type Json = Readonly<Record<string, unknown>>

/** A document with these paths. */
export const document = (paths: Json, rest: Json = {}): Json => ({
  openapi: '3.1.0',
  info: { title: 'Things', version: 'v1' },
  paths,
  ...rest,
})

/** A document with one operation, `GET /things`. */
export const operation = (parts: Json, rest: Json = {}): Json =>
  document(
    { '/things': { get: { operationId: 'listThings', responses: { 200: { description: 'Things' } }, ...parts } } },
    rest,
  )

/** `GET /things` as a list: with the parameter `limit` and these parameters. */
export const list = (...parameters: readonly Json[]): Json =>
  operation({
    parameters: [
      { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
      ...parameters,
    ],
  })

/** `GET /things` with one parameter. */
export const withParameter = (parameter: Json): Json => operation({ parameters: [parameter] })

/** `GET /things` with a query parameter that has this schema. */
export const query = (schema: unknown, rest: Json = {}): Json =>
  withParameter({ name: 'x', in: 'query', schema, ...rest })

/** `POST /things` with a request body that has this schema. */
export const request = (schema: unknown, type = 'application/json', components: Json = {}): Json =>
  document(
    {
      '/things': {
        post: {
          operationId: 'createThing',
          requestBody: { content: { [type]: { schema } } },
          responses: { 201: { description: 'Created' } },
        },
      },
    },
    { components },
  )

/** `GET /things` with a response body that has this schema. */
export const response = (schema: unknown, type = 'application/json', components: Json = {}): Json =>
  operation({ responses: { 200: { description: 'Things', content: { [type]: { schema } } } } }, { components })

/** `GET /things` with this header field in its response. */
export const responseHeader = (field: Json): Json =>
  operation({ responses: { 200: { description: 'Things', headers: { 'x-field': field } } } })

/** The document with the version number of OpenAPI 3.0. Nothing else is converted. */
export const legacy = (value: Json): Json => ({ ...value, openapi: '3.0.3' })

/** A schema of an object with these members. `required` lists the names of the required members. */
export const members = (properties: Json, ...required: readonly string[]): Json => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
})
