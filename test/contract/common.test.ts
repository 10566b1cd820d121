/**
 * Common changes of OpenAPI documents, each with the expected verdict: the changes that public
 * comparison tools report, and related special cases.
 */
import { describe, expect, it } from 'vitest'
import { compareContracts } from '../../src/contract/compare.js'
import {
  document,
  type Json,
  legacy,
  list,
  members,
  operation,
  query,
  request,
  response,
  responseHeader,
} from './documents.js'

const text = { type: 'string' }
const whole = { type: 'integer' }
const many = (items: unknown, rest = {}) => ({ type: 'array', items, ...rest })
const ok = { 200: { description: 'Yes' } }
const path = (...names: readonly string[]): Json =>
  document(
    Object.fromEntries(
      names.map((name) => [name, { get: { operationId: `get${name.replaceAll(/\W/g, '')}`, responses: ok } }]),
    ),
  )
const withSchemas = (schemas: Json, schema: unknown, make = response): Json =>
  make(schema, 'application/json', { schemas })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const answers = (responses: Json): Json => operation({ responses })
const content = (schemas: Json): Json =>
  Object.fromEntries(Object.entries(schemas).map(([type, schema]) => [type, { schema }]))
const secured = (security: unknown, schemes: Json = {}): Json =>
  operation(
    { security },
    {
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer' },
          key: { type: 'apiKey', in: 'header', name: 'x-key' },
          oauth: {
            type: 'oauth2',
            flows: { clientCredentials: { tokenUrl: 'https://a.example/token', scopes: { read: 'r', write: 'w' } } },
          },
          ...schemes,
        },
      },
    },
  )

/**
 * Whether a change breaks clients. A `Pair` has two verdicts: one for the change from `one` to
 * `other`, and one for the reverse change.
 */
type Verdict = 'breaks' | 'harmless'
type Pair = readonly [title: string, one: Json, other: Json, there: Verdict, back: Verdict]

const same: readonly (readonly [title: string, one: Json, other: Json])[] = [
  [
    'a component gets another name',
    withSchemas({ Thing: members({ a: text }) }, ref('Thing')),
    withSchemas({ Item: members({ a: text }) }, ref('Item')),
  ],
  [
    'a component becomes inline',
    withSchemas({ Thing: members({ a: text }) }, ref('Thing')),
    response(members({ a: text })),
  ],
  [
    'a parameter becomes a component',
    query(text),
    operation(
      { parameters: [{ $ref: '#/components/parameters/X' }] },
      { components: { parameters: { X: { name: 'x', in: 'query', schema: text } } } },
    ),
  ],
  [
    'a body becomes a component',
    request(text),
    document(
      {
        '/things': {
          post: {
            operationId: 'createThing',
            requestBody: { $ref: '#/components/requestBodies/Thing' },
            responses: { 201: { description: 'Created' } },
          },
        },
      },
      { components: { requestBodies: { Thing: { content: content({ 'application/json': text }) } } } },
    ),
  ],
  [
    'a response becomes a component',
    response(text),
    operation(
      { responses: { 200: { $ref: '#/components/responses/Thing' } } },
      { components: { responses: { Thing: { description: 'x', content: content({ 'application/json': text }) } } } },
    ),
  ],
  [
    'a path item becomes a component',
    path('/things'),
    document(
      { '/things': { $ref: '#/components/pathItems/Things' } },
      { components: { pathItems: { Things: { get: { operationId: 'getthings', responses: ok } } } } },
    ),
  ],
  ['enum values in another order', query({ enum: ['a', 'b'] }), query({ enum: ['b', 'a'] })],
  [
    'required members in another order',
    request(members({ a: text, b: text }, 'a', 'b')),
    request(members({ b: text, a: text }, 'b', 'a')),
  ],
  [
    'names and descriptions of tags',
    operation({ tags: ['a', 'b'] }, { tags: [{ name: 'a' }, { name: 'b' }] }),
    operation({ tags: ['b'] }, { tags: [{ name: 'b', description: 'B' }] }),
  ],
  [
    'summaries, descriptions and external documentation',
    operation({ summary: 'One', description: 'One' }),
    operation({ summary: 'Other', externalDocs: { url: 'https://a.example' } }),
  ],
  ['examples', response({ ...text, example: 'a' }), response({ ...text, examples: ['b'] })],
  [
    'titles',
    response({ ...members({ a: text }), title: 'A' }),
    response({ ...members({ a: { ...text, title: 'X' } }), title: 'B' }),
  ],
  ['extensions', operation({ 'x-owner': 'a', 'x-rate-limit': 5 }), operation({ 'x-owner': 'b', 'x-internal': true })],
  [
    'an extension of a schema',
    response({ ...members({ a: text }), 'x-order': 1 }),
    response({ ...members({ a: { ...text, 'x-go-name': 'A' } }), 'x-order': 2 }),
  ],
  [
    'the members of info',
    operation({}, { info: { title: 'A', version: '1.2.3' } }),
    operation({}, { info: { title: 'B', version: '1.3.0', contact: { name: 'x' } } }),
  ],
  [
    'null in OpenAPI 3.0 and in 3.1',
    legacy(response({ ...text, nullable: true })),
    response({ type: ['string', 'null'] }),
  ],
  [
    'null in OpenAPI 3.0, and a oneOf with null',
    legacy(response({ ...text, nullable: true })),
    response({ oneOf: [text, { type: 'null' }] }),
  ],
  [
    'a nullable component in OpenAPI 3.0, and a oneOf with null',
    legacy(withSchemas({ A: members({ a: text }) }, members({ m: { nullable: true, allOf: [ref('A')] } }))),
    withSchemas({ A: members({ a: text }) }, members({ m: { oneOf: [ref('A'), { type: 'null' }] } })),
  ],
  [
    'an exclusive bound in OpenAPI 3.0 and in 3.1',
    legacy(request({ type: 'number', maximum: 9, exclusiveMaximum: true })),
    request({ type: 'number', exclusiveMaximum: 9 }),
  ],
  [
    'exclusiveMinimum: false in OpenAPI 3.0',
    legacy(request({ ...whole, minimum: 1, exclusiveMinimum: false })),
    legacy(request({ ...whole, minimum: 1 })),
  ],
  [
    'a binary body in OpenAPI 3.0 and in 3.1',
    legacy(request({ ...text, format: 'binary' }, 'image/png')),
    request({}, 'image/png'),
  ],
  [
    'base64 in OpenAPI 3.0 and in 3.1',
    legacy(request(members({ a: { ...text, format: 'byte' } }))),
    request(members({ a: { ...text, contentEncoding: 'base64' } })),
  ],
  [
    'an example in OpenAPI 3.0 and in 3.1',
    legacy(response({ ...text, example: 'a' })),
    response({ ...text, examples: ['a'] }),
  ],
  [
    'an allOf merged into one schema',
    request({ allOf: [members({ a: text }, 'a'), members({ b: whole })] }),
    request(members({ a: text, b: whole }, 'a')),
  ],
  [
    'an allOf of components merged into one schema',
    withSchemas({ A: members({ a: text }, 'a') }, { allOf: [ref('A'), members({ b: whole })] }),
    response(members({ a: text, b: whole }, 'a')),
  ],
  [
    '"required" in a separate part of an allOf',
    response({ allOf: [members({ a: text }), { required: ['a'] }] }),
    response(members({ a: text }, 'a')),
  ],
  [
    'an allOf inside an allOf',
    response({ allOf: [{ allOf: [members({ a: text })] }] }),
    response(members({ a: text })),
  ],
  ['const and an enum with one value', query({ const: 'a' }), query({ enum: ['a'] })],
  ['a type as a list of one type', query({ type: ['string'] }), query(text)],
  ['an enum with and without its type', query({ enum: ['a'] }), query({ ...text, enum: ['a'] })],
  ['integer and number with multipleOf 1', request({ type: 'integer' }), request({ type: 'number', multipleOf: 1 })],
  [
    'additionalProperties, explicit or implied',
    request(members({ a: text })),
    request({ ...members({ a: text }), additionalProperties: true }),
  ],
  [
    'an empty list of required members',
    request(members({ a: text })),
    request({ ...members({ a: text }), required: [] }),
  ],
  ['required: false of a parameter', query(text), query(text, { required: false })],
  ['deprecated: false', operation({}), operation({ deprecated: false })],
  [
    'a path parameter with another name',
    document({
      '/a/{id}': {
        get: {
          operationId: 'x',
          parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
          responses: ok,
        },
      },
    }),
    document({
      '/a/{key}': {
        get: {
          operationId: 'x',
          parameters: [{ name: 'key', in: 'path', required: true, schema: text }],
          responses: ok,
        },
      },
    }),
  ],
  [
    'two path parameters that swap their names',
    document({
      '/a/{x}/b/{y}': {
        get: {
          operationId: 'x',
          parameters: [
            { name: 'x', in: 'path', required: true, schema: text },
            { name: 'y', in: 'path', required: true, schema: whole },
          ],
          responses: ok,
        },
      },
    }),
    document({
      '/a/{y}/b/{x}': {
        get: {
          operationId: 'x',
          parameters: [
            { name: 'y', in: 'path', required: true, schema: text },
            { name: 'x', in: 'path', required: true, schema: whole },
          ],
          responses: ok,
        },
      },
    }),
  ],
  ['the case of a media type', response(text), response(text, 'Application/JSON; Charset=UTF-8')],
  [
    'parameters of a media type in another order',
    response(text, 'application/json;v=1;profile=a'),
    response(text, 'application/json; profile=a; v=1'),
  ],
  [
    'a media type parameter in quotes',
    response(text, 'application/json;profile="a"'),
    response(text, 'application/json;profile=a'),
  ],
  ['security in another order', secured([{ token: [] }, { key: [] }]), secured([{ key: [] }, { token: [] }])],
  [
    'security of the document in place of security of the operation',
    secured([{ token: [] }]),
    { ...secured(undefined), security: [{ token: [] }] },
  ],
  [
    'a security scheme with another name',
    secured([{ token: [] }]),
    secured([{ bearer: [] }], { bearer: { type: 'http', scheme: 'bearer' } }),
  ],
  [
    'the token URL of OAuth 2',
    secured([{ oauth: ['read'] }]),
    secured([{ oauth: ['read'] }], {
      oauth: {
        type: 'oauth2',
        flows: { clientCredentials: { tokenUrl: 'https://b.example/token', scopes: { read: 'R' } } },
      },
    }),
  ],
  [
    'an additional server',
    operation({}, { servers: [{ url: 'https://a.example/v1' }] }),
    operation({}, { servers: [{ url: 'https://b.example/v1' }, { url: 'https://a.example/v1' }] }),
  ],
  [
    'a server variable',
    operation({}, { servers: [{ url: 'https://{region}.example/v1', variables: { region: { default: 'a' } } }] }),
    operation({}, { servers: [{ url: 'https://a.example/v1' }] }),
  ],
  [
    'a base path in a server variable',
    operation({}, { servers: [{ url: 'https://a.example/{base}', variables: { base: { default: 'v1' } } }] }),
    operation({}, { servers: [{ url: 'https://a.example/v1' }] }),
  ],
  [
    'a base path that moves into paths',
    document({ '/things': { get: { operationId: 'x', responses: ok } } }, { servers: [{ url: '/v1' }] }),
    document({ '/v1/things': { get: { operationId: 'x', responses: ok } } }, { servers: [{ url: '/' }] }),
  ],
  [
    'a parameter of the path in place of a parameter of the operation',
    document({
      '/a': { parameters: [{ name: 'x', in: 'query', schema: text }], get: { operationId: 'x', responses: ok } },
    }),
    document({
      '/a': { get: { operationId: 'x', parameters: [{ name: 'x', in: 'query', schema: text }], responses: ok } },
    }),
  ],
  [
    'the default style, explicit or implied',
    query(many(text)),
    query(many(text), { style: 'form', explode: true, allowReserved: false, allowEmptyValue: false }),
  ],
  [
    'patternProperties that allow any value',
    request({ type: 'object' }),
    request({ type: 'object', patternProperties: { '^x-': {} } }),
  ],
  [
    'minProperties: 0, uniqueItems: false',
    request({ ...members({ a: many(text) }) }),
    request({ ...members({ a: many(text, { uniqueItems: false, minItems: 0 }) }), minProperties: 0 }),
  ],
  [
    'a discriminator mapped by name or by reference',
    withSchemas(
      { A: members({ k: text }), B: members({ k: text, b: text }) },
      { oneOf: [ref('A'), ref('B')], discriminator: { propertyName: 'k', mapping: { A: 'A' } } },
    ),
    withSchemas(
      { A: members({ k: text }), B: members({ k: text, b: text }) },
      { oneOf: [ref('A'), ref('B')], discriminator: { propertyName: 'k', mapping: { A: '#/components/schemas/A' } } },
    ),
  ],
  ['readOnly in a response', response(members({ a: text })), response(members({ a: { ...text, readOnly: true } }))],
  ['writeOnly in a request', request(members({ a: text })), request(members({ a: { ...text, writeOnly: true } }))],
]

const pairs: readonly Pair[] = [
  ['a required parameter', operation({}), query(text, { required: true }), 'breaks', 'breaks'],
  ['an optional parameter', operation({}), query(text), 'harmless', 'breaks'],
  ['an additional path parameter', path('/a'), path('/a/{id}'), 'breaks', 'breaks'],
  [
    'a member of a request',
    request(members({ a: text })),
    request(members({ a: text, b: text })),
    'harmless',
    'breaks',
  ],
  [
    'a required member of a request',
    request(members({ a: text })),
    request(members({ a: text, b: text }, 'b')),
    'breaks',
    'breaks',
  ],
  [
    'a required member with a default',
    request(members({ a: text })),
    request(members({ a: text, b: { ...text, default: 'x' } }, 'b')),
    'breaks',
    'breaks',
  ],
  [
    'a member of a response',
    response(members({ a: text })),
    response(members({ a: text, b: text }, 'b')),
    'harmless',
    'breaks',
  ],
  [
    'an optional member of a response',
    response(members({ a: text }, 'a')),
    response(members({ a: text })),
    'breaks',
    'harmless',
  ],
  [
    'a renamed member of a response',
    response(members({ a: text })),
    response(members({ b: text })),
    'breaks',
    'breaks',
  ],
  [
    'an enum value in a request',
    request(members({ a: { enum: ['a', 'b'] } })),
    request(members({ a: { enum: ['a', 'b', 'c'] } })),
    'harmless',
    'breaks',
  ],
  [
    'an enum value in a response',
    response(members({ a: { enum: ['a', 'b'] } })),
    response(members({ a: { enum: ['a', 'b', 'c'] } })),
    'breaks',
    'harmless',
  ],
  ['an enum value of a parameter', query({ enum: ['a', 'b'] }), query({ enum: ['a', 'b', 'c'] }), 'harmless', 'breaks'],
  [
    'an enum value in the items of a parameter',
    query(many({ enum: ['a', 'b'] })),
    query(many({ enum: ['a', 'b', 'c'] })),
    'harmless',
    'breaks',
  ],
  [
    'null in a response',
    response(members({ a: text })),
    response(members({ a: { type: ['string', 'null'] } })),
    'breaks',
    'harmless',
  ],
  [
    'null in a request',
    request(members({ a: text })),
    request(members({ a: { type: ['string', 'null'] } })),
    'harmless',
    'breaks',
  ],
  [
    'nullable in OpenAPI 3.0',
    legacy(request(members({ a: text }))),
    legacy(request(members({ a: { ...text, nullable: true } }))),
    'harmless',
    'breaks',
  ],
  ['null in a parameter', query(text), query({ type: ['string', 'null'] }), 'harmless', 'breaks'],
  [
    'additionalProperties of a request',
    request({ ...members({ a: text }), additionalProperties: false }),
    request({ ...members({ a: text }), additionalProperties: true }),
    'harmless',
    'breaks',
  ],
  [
    'int32 and int64 of a request',
    request(members({ a: { ...whole, format: 'int32' } })),
    request(members({ a: { ...whole, format: 'int64' } })),
    'harmless',
    'breaks',
  ],
  [
    'int32 and int64 of a response',
    response(members({ a: { ...whole, format: 'int32' } })),
    response(members({ a: { ...whole, format: 'int64' } })),
    'breaks',
    'harmless',
  ],
  [
    'float and double of a response',
    response(members({ a: { type: 'number', format: 'float' } })),
    response(members({ a: { type: 'number', format: 'double' } })),
    'breaks',
    'harmless',
  ],
  [
    'date and date-time',
    response(members({ a: { ...text, format: 'date' } })),
    response(members({ a: { ...text, format: 'date-time' } })),
    'breaks',
    'breaks',
  ],
  [
    'a format of a request',
    request(members({ a: text })),
    request(members({ a: { ...text, format: 'email' } })),
    'breaks',
    'harmless',
  ],
  [
    'integer and number of a response',
    response(members({ a: whole })),
    response(members({ a: { type: 'number' } })),
    'breaks',
    'harmless',
  ],
  [
    'integer and number of a request',
    request(members({ a: whole })),
    request(members({ a: { type: 'number' } })),
    'harmless',
    'breaks',
  ],
  ['integer and string of a query', query(whole), query(text), 'harmless', 'breaks'],
  ['integer and string of a body', request(members({ a: whole })), request(members({ a: text })), 'breaks', 'breaks'],
  [
    'a string and a list of strings',
    response(members({ a: text })),
    response(members({ a: many(text) })),
    'breaks',
    'breaks',
  ],
  [
    'maxLength of a request',
    request(members({ a: { ...text, maxLength: 5 } })),
    request(members({ a: { ...text, maxLength: 9 } })),
    'harmless',
    'breaks',
  ],
  [
    'maxLength of a response',
    response(members({ a: { ...text, maxLength: 5 } })),
    response(members({ a: { ...text, maxLength: 9 } })),
    'breaks',
    'harmless',
  ],
  [
    'minLength of a parameter',
    query({ ...text, minLength: 1 }),
    query({ ...text, minLength: 3 }),
    'breaks',
    'harmless',
  ],
  ['maximum of a parameter', query({ ...whole, maximum: 10 }), query({ ...whole, maximum: 5 }), 'breaks', 'harmless'],
  ['minItems of a request', request(many(text)), request(many(text, { minItems: 1 })), 'breaks', 'harmless'],
  ['minItems of a response', response(many(text, { minItems: 1 })), response(many(text)), 'breaks', 'harmless'],
  [
    'maxItems of a parameter',
    query(many(text, { maxItems: 9 })),
    query(many(text, { maxItems: 5 })),
    'breaks',
    'harmless',
  ],
  ['uniqueItems of a request', request(many(text)), request(many(text, { uniqueItems: true })), 'breaks', 'harmless'],
  [
    'uniqueItems of a response',
    response(many(text, { uniqueItems: true })),
    response(many(text)),
    'breaks',
    'harmless',
  ],
  ['pattern of a parameter', query({ ...text, pattern: '^a' }), query({ ...text, pattern: '^b' }), 'breaks', 'breaks'],
  [
    'a pattern that matches everything',
    query({ ...text, pattern: '^a' }),
    query({ ...text, pattern: '.*' }),
    'harmless',
    'breaks',
  ],
  [
    'multipleOf of a request',
    request(members({ a: { ...whole, multipleOf: 5 } })),
    request(members({ a: { ...whole, multipleOf: 10 } })),
    'breaks',
    'harmless',
  ],
  ['a default of a parameter', query({ ...text, default: 'a' }), query({ ...text, default: 'b' }), 'breaks', 'breaks'],
  [
    'a default of a member',
    request(members({ a: { ...text, default: 'a' } })),
    request(members({ a: { ...text, default: 'b' } })),
    'harmless',
    'harmless',
  ],
  [
    'a header of a request',
    operation({}),
    operation({ parameters: [{ name: 'X-One', in: 'header', required: true, schema: text }] }),
    'breaks',
    'breaks',
  ],
  [
    'a cookie',
    operation({}),
    operation({ parameters: [{ name: 'session', in: 'cookie', required: true, schema: text }] }),
    'breaks',
    'breaks',
  ],
  ['a header of a response', answers(ok), responseHeader({ schema: text }), 'harmless', 'breaks'],
  [
    'the type of a header of a response',
    responseHeader({ schema: whole }),
    responseHeader({ schema: text }),
    'breaks',
    'breaks',
  ],
  ['200 and 204', answers({ 200: { description: 'x' } }), answers({ 204: { description: 'x' } }), 'breaks', 'breaks'],
  ['an additional 201', answers(ok), answers({ ...ok, 201: { description: 'x' } }), 'harmless', 'breaks'],
  ['an additional 404', answers(ok), answers({ ...ok, 404: { description: 'x' } }), 'harmless', 'harmless'],
  ['an additional default', answers(ok), answers({ ...ok, default: { description: 'x' } }), 'harmless', 'harmless'],
  [
    'default in place of 200',
    answers({ default: { description: 'x' } }),
    answers({ 200: { description: 'x' } }),
    'harmless',
    'harmless',
  ],
  [
    'a member of a default response',
    answers({ default: { description: 'x', content: content({ 'application/json': members({ a: text }) }) } }),
    answers({ default: { description: 'x', content: content({ 'application/json': members({}) }) } }),
    'breaks',
    'harmless',
  ],
  [
    'a status and its range',
    answers({ 200: { description: 'x', content: content({ 'application/json': members({ a: text }) }) } }),
    answers({ '2XX': { description: 'x', content: content({ 'application/json': members({ a: text }) }) } }),
    'harmless',
    'harmless',
  ],
  [
    'a member of a 400 response',
    answers({ ...ok, 400: { description: 'x', content: content({ 'application/json': members({ a: text }) }) } }),
    answers({ ...ok, 400: { description: 'x', content: content({ 'application/json': members({}) }) } }),
    'breaks',
    'harmless',
  ],
  ['a body of a response', response(text), answers(ok), 'breaks', 'harmless'],
  [
    'a media type of a response',
    response(text),
    answers({ 200: { description: 'x', content: content({ 'application/json': text, 'application/xml': text }) } }),
    'harmless',
    'breaks',
  ],
  ['a media type with another name', response(text), response(text, 'application/vnd.thing+json'), 'breaks', 'breaks'],
  ['a media type parameter', response(text), response(text, 'application/json;v=2'), 'breaks', 'breaks'],
  ['a range of media types in a response', response(text), response(text, 'application/*'), 'breaks', 'harmless'],
  ['any value, or a schema, in a request', request({}), request(members({ a: text })), 'breaks', 'harmless'],
  ['any value, or a schema, in a response', response({}), response(members({ a: text })), 'harmless', 'breaks'],
  [
    'a oneOf alternative in a request',
    request({ oneOf: [members({ a: text }, 'a'), members({ b: text }, 'b')] }),
    request({ oneOf: [members({ a: text }, 'a'), members({ b: text }, 'b'), members({ c: text }, 'c')] }),
    'harmless',
    'breaks',
  ],
  [
    'a oneOf alternative in a response',
    response({ oneOf: [members({ a: text }, 'a'), members({ b: text }, 'b')] }),
    response({ oneOf: [members({ a: text }, 'a'), members({ b: text }, 'b'), members({ c: text }, 'c')] }),
    'breaks',
    'harmless',
  ],
  [
    'an anyOf alternative in a request',
    request({ anyOf: [members({ a: text }, 'a'), members({ b: text }, 'b')] }),
    request({ anyOf: [members({ a: text }, 'a')] }),
    'breaks',
    'harmless',
  ],
  [
    'an additional part of an allOf in a request',
    request({ allOf: [members({ a: text })] }),
    request({ allOf: [members({ a: text }), { minProperties: 1 }] }),
    'breaks',
    'harmless',
  ],
  [
    'readOnly in a request',
    request(members({ a: text })),
    request(members({ a: { ...text, readOnly: true } })),
    'breaks',
    'harmless',
  ],
  [
    'writeOnly in a response',
    response(members({ a: text })),
    response(members({ a: { ...text, writeOnly: true } })),
    'breaks',
    'harmless',
  ],
  ['new security requirements', secured([]), secured([{ token: [] }]), 'breaks', 'harmless'],
  [
    'an additional scope',
    secured([{ oauth: ['read'] }]),
    secured([{ oauth: ['read', 'write'] }]),
    'breaks',
    'harmless',
  ],
  [
    'an additional way to authenticate',
    secured([{ token: [] }]),
    secured([{ token: [] }, { key: [] }]),
    'harmless',
    'breaks',
  ],
  [
    'an API key in another place',
    secured([{ key: [] }]),
    secured([{ key: [] }], { key: { type: 'apiKey', in: 'query', name: 'key' } }),
    'breaks',
    'breaks',
  ],
  ['a path', path('/a'), path('/a', '/b'), 'harmless', 'breaks'],
  ['a trailing slash', path('/a'), path('/a/'), 'breaks', 'breaks'],
  ['a path in another case', path('/things'), path('/Things'), 'breaks', 'breaks'],
  ['a literal path beside a path with a parameter', path('/a/{id}'), path('/a/{id}', '/a/mine'), 'harmless', 'breaks'],
  [
    'a base path',
    operation({}, { servers: [{ url: 'https://a.example/v1' }] }),
    operation({}, { servers: [{ url: 'https://a.example/v2' }] }),
    'breaks',
    'breaks',
  ],
  ['a deprecated operation', operation({}), operation({ deprecated: true }), 'harmless', 'harmless'],
  ['an operation id', operation({ operationId: 'a' }), operation({ operationId: 'b' }), 'harmless', 'harmless'],
  ['a filter', list({ name: 'a', in: 'query', schema: text }), list(), 'breaks', 'harmless'],
  ['a list of values in another style', query(many(text)), query(many(text), { explode: false }), 'breaks', 'breaks'],
  [
    'content in place of a schema',
    query(members({ a: text }), { style: 'deepObject', explode: true }),
    operation({
      parameters: [{ name: 'x', in: 'query', content: content({ 'application/json': members({ a: text }) }) }],
    }),
    'breaks',
    'breaks',
  ],
  [
    'const of a response',
    response(members({ a: { const: 1 } })),
    response(members({ a: { const: 2 } })),
    'breaks',
    'breaks',
  ],
  [
    'prefixItems of a request',
    request({ type: 'array', prefixItems: [text] }),
    request({ type: 'array', prefixItems: [text, whole] }),
    'breaks',
    'harmless',
  ],
  [
    'dependentRequired of a response',
    response({ ...members({ a: text, b: text }), dependentRequired: { a: ['b'] } }),
    response(members({ a: text, b: text })),
    'breaks',
    'harmless',
  ],
  [
    'contentEncoding',
    response(members({ a: { ...text, contentEncoding: 'base64' } })),
    response(members({ a: { ...text, contentEncoding: 'base64url' } })),
    'breaks',
    'breaks',
  ],
  [
    'unevaluatedItems of a request',
    request({ type: 'array', prefixItems: [text] }),
    request({ type: 'array', prefixItems: [text], unevaluatedItems: false }),
    'breaks',
    'harmless',
  ],
  [
    'additionalProperties of another type in a request',
    request({ type: 'object', additionalProperties: text }),
    request({ type: 'object', additionalProperties: whole }),
    'breaks',
    'breaks',
  ],
  [
    'a map of strings, or any object, in a response',
    response({ type: 'object', additionalProperties: text }),
    response({ type: 'object' }),
    'breaks',
    'harmless',
  ],
]

const broken = (before: Json, after: Json): readonly string[] =>
  compareContracts(before, after)
    .filter(({ breaking }) => breaking)
    .map(({ kind, summary }) => `${kind}: ${summary}`)

describe('differences that break no client, in either direction', () => {
  it.each(same)('%s', (_title, one, other) => {
    expect(broken(one, other)).toEqual([])
    expect(broken(other, one)).toEqual([])
  })
})

describe('differences with the expected verdict in each direction', () => {
  it.each(pairs)('%s', (_title, one, other, there, back) => {
    for (const [before, after, verdict] of [
      [one, other, there],
      [other, one, back],
    ] as const) {
      const found = broken(before, after)
      expect(found.length === 0 ? 'harmless' : 'breaks', found.join('\n')).toBe(verdict)
    }
  })
})
