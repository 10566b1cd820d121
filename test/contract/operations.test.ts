import { describe, expect, it } from 'vitest'
import { compareContracts } from '../../src/contract/compare.js'
import { compareServices } from '../../src/contract/compare-services.js'
import {
  document,
  type Json,
  list,
  members,
  operation,
  query,
  request,
  response,
  responseHeader,
  withParameter,
} from './documents.js'

const text = { type: 'string' }
const whole = { type: 'integer' }
const many = (items: unknown, rest = {}) => ({ type: 'array', items, ...rest })
const filter = (name: string, rest: Json = {}): Json => ({ name, in: 'query', schema: text, ...rest })
const limit = (schema: Json): Json =>
  operation({ parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', ...schema } }] })
const sort = (...names: readonly string[]): Json =>
  filter('sort', { schema: { ...text, pattern: pattern('[-+ ]?', names) } })
const expand = (...names: readonly string[]): Json =>
  filter('expand', { schema: { ...text, pattern: pattern('', names) } })
const pattern = (sign: string, names: readonly string[]): string => {
  const one = `${sign}(?:${names.join('|')})`
  const once = sign === '' ? '' : `(?!(?:.*,)?${sign}([^,]+),(?:.*,)?${sign}\\1(?:,|$))`
  return `^${once}${one}(?:,${one})*$`
}
const header = (name: string, rest: Json = {}): Json => withParameter({ name, in: 'header', schema: text, ...rest })
const statuses = (...names: readonly string[]): Json =>
  operation({ responses: Object.fromEntries(names.map((name) => [name, { description: name }])) })
const fields = (...names: readonly string[]): Json =>
  operation({
    responses: {
      200: { description: 'Things', headers: Object.fromEntries(names.map((name) => [name, { schema: text }])) },
    },
  })
const path = (...names: readonly string[]): Json =>
  document(Object.fromEntries(names.map((name) => [name, { get: { responses: { 200: { description: 'Yes' } } } }])))
const secured = (security: unknown, scheme: Json = { type: 'http', scheme: 'bearer' }): Json =>
  operation(security === undefined ? {} : { security }, {
    components: { securitySchemes: { one: scheme, other: { type: 'apiKey', in: 'header', name: 'x-key' } } },
  })
const body = (rest: Json, type = 'application/json'): Json =>
  document({
    '/things': {
      post: {
        requestBody: { content: { [type]: { schema: text } }, ...rest },
        responses: { 201: { description: 'Created' } },
      },
    },
  })

/**
 * Two documents, the changes from `one` to `other`, and the reverse changes. `!` marks a breaking
 * change, and `?` a warning.
 */
type Twins = readonly [title: string, one: Json, other: Json, there: readonly string[], back: readonly string[]]

const lists: readonly Twins[] = [
  ['a filter', list(filter('lote')), list(), ['filter-removed!'], ['filter-added']],
  [
    'a required filter',
    list(),
    list(filter('lote', { required: true })),
    ['required-parameter-added!'],
    ['filter-removed!'],
  ],
  [
    'a filter whose type changes from integer to string',
    list(filter('a', { schema: whole })),
    list(filter('a')),
    ['parameter-type-widened'],
    ['parameter-type-narrowed!'],
  ],
  [
    'an enum value of a filter',
    list(filter('a', { schema: { enum: ['x', 'y'] } })),
    list(filter('a', { schema: { enum: ['x'] } })),
    ['parameter-value-removed!'],
    ['parameter-value-added'],
  ],
  [
    'a filter that accepts several values',
    list(filter('a')),
    list(filter('a', { schema: many(text, { minItems: 1 }) })),
    ['parameter-became-many-valued'],
    ['parameter-type-changed!'],
  ],
  [
    'a filter that accepts several values, separated by commas',
    list(filter('a')),
    list(filter('a', { explode: false, schema: many(text) })),
    ['parameter-type-changed!'],
    ['parameter-type-changed!'],
  ],
  ['the search', list(filter('q')), list(), ['search-removed!'], ['parameter-added']],
  ['the parameter "sort"', list(sort('a')), list(), ['sort-removed!'], ['parameter-added']],
  ['a sort member', list(sort('a', 'b')), list(sort('a')), ['sort-member-removed!'], ['sort-member-added']],
  [
    'a sort member, if "sort" accepts only one',
    list(filter('sort', { schema: { ...text, pattern: '^-?(a|b)$' } })),
    list(filter('sort', { schema: { ...text, pattern: '^-?(a|b|c)$' } })),
    ['sort-member-added'],
    ['sort-member-removed!'],
  ],
  [
    'several sort members instead of one',
    list(filter('sort', { schema: { ...text, pattern: '^([+-]?(a|b))$' } })),
    list(filter('sort', { schema: { ...text, pattern: '^([+-]?(a|b))(,([+-]?(a|b)))*$' } })),
    [],
    ['parameter-pattern-changed!'],
  ],
  [
    'a character class and its shorthand',
    query({ ...text, pattern: '^[0-9]+$' }),
    query({ ...text, pattern: '^\\d+$' }),
    [],
    [],
  ],
  ['sort members in another order', list(sort('a', 'b')), list(sort('b', 'a')), [], []],
  ['an expansion', list(expand('a', 'b')), list(expand('b')), ['expansion-removed!'], ['expansion-added']],
  [
    'an expansion in place of another',
    list(expand('a')),
    list(expand('b')),
    ['expansion-removed!', 'expansion-added'],
    ['expansion-removed!', 'expansion-added'],
  ],
  ['the parameter "expand"', list(expand('a')), list(), ['expand-removed!'], ['parameter-added']],
  [
    'a sort member, if "sort" is an array',
    list(filter('sort', { explode: false, schema: many({ enum: ['a', '-a'] }) })),
    list(filter('sort', { explode: false, schema: many({ enum: ['a'] }) })),
    ['sort-member-removed!'],
    ['sort-member-added'],
  ],
  ['the maximum limit', limit({ maximum: 100 }), limit({ maximum: 50 }), ['limit-lowered!'], ['limit-raised']],
  ['a maximum limit in place of none', limit({}), limit({ maximum: 50 }), ['limit-lowered!'], ['limit-raised']],
  [
    'the default limit',
    limit({ default: 20 }),
    limit({ default: 10 }),
    ['limit-default-lowered!'],
    ['limit-default-raised'],
  ],
  [
    'a default limit in place of none',
    limit({}),
    limit({ default: 10 }),
    ['parameter-default-changed!'],
    ['parameter-default-changed!'],
  ],
  [
    'the parameter "limit"',
    list(filter('offest')),
    operation({ parameters: [filter('offest')] }),
    ['parameter-removed!'],
    ['parameter-added'],
  ],
]

const parameters: readonly Twins[] = [
  ['an optional parameter', operation({}), query(text), ['parameter-added'], ['parameter-removed!']],
  [
    'a required parameter',
    operation({}),
    query(text, { required: true }),
    ['required-parameter-added!'],
    ['parameter-removed!'],
  ],
  [
    'an optional parameter that becomes required',
    query(text),
    query(text, { required: true }),
    ['parameter-became-required!'],
    ['parameter-became-optional'],
  ],
  [
    'a default',
    query(text),
    query({ ...text, default: 'a' }),
    ['parameter-default-changed!'],
    ['parameter-default-changed!'],
  ],
  [
    'a default of a required parameter',
    query(text, { required: true }),
    query({ ...text, default: 'a' }, { required: true }),
    [],
    [],
  ],
  [
    'the style of a list',
    query(many(text)),
    query(many(text), { explode: false }),
    ['parameter-style-changed!'],
    ['parameter-style-changed!'],
  ],
  ['the style of a scalar, explicit or implied', query(text), query(text, { style: 'form', explode: true }), [], []],
  [
    'a parameter in another place',
    query(text),
    withParameter({ name: 'x', in: 'header', schema: text }),
    ['parameter-removed!', 'parameter-added'],
    ['parameter-removed!', 'parameter-added'],
  ],
  ['the case of a header name', header('X-One'), header('x-one'), [], []],
  [
    'Idempotency-Key that becomes required',
    header('Idempotency-Key'),
    header('Idempotency-Key', { required: true }),
    ['idempotency-key-required!'],
    ['parameter-became-optional'],
  ],
  [
    'a new Idempotency-Key that is required',
    operation({}),
    header('Idempotency-Key', { required: true }),
    ['idempotency-key-required!'],
    ['parameter-removed!'],
  ],
  [
    'If-Match that becomes required',
    header('If-Match'),
    header('if-match', { required: true }),
    ['if-match-required!'],
    ['parameter-became-optional'],
  ],
  ['a path parameter with another name', path('/things/{id}'), path('/things/{number}'), [], []],
  [
    'a path parameter, documented or not',
    path('/things/{id}'),
    document({
      '/things/{number}': {
        get: {
          parameters: [{ name: 'number', in: 'path', required: true, schema: text }],
          responses: { 200: { description: 'Yes' } },
        },
      },
    }),
    [],
    [],
  ],
  [
    'a parameter that is declared for the whole path instead of for the operation',
    document({ '/things': { parameters: [filter('a')], get: { responses: {} } } }),
    document({ '/things': { get: { parameters: [filter('a')], responses: {} } } }),
    [],
    [],
  ],
  [
    'the type of a member of an object',
    query(members({ a: text }), { style: 'deepObject' }),
    query(members({ a: whole }), { style: 'deepObject' }),
    ['parameter-type-narrowed!'],
    ['parameter-type-widened'],
  ],
]

const bodies: readonly Twins[] = [
  [
    'a body',
    operation({}),
    operation({ requestBody: { content: { 'application/json': {} } } }),
    ['request-body-added'],
    ['request-body-removed!'],
  ],
  [
    'a required body',
    operation({}),
    operation({ requestBody: { required: true, content: { 'application/json': {} } } }),
    ['required-request-body-added!'],
    ['request-body-removed!'],
  ],
  [
    'an optional body that becomes required',
    body({}),
    body({ required: true }),
    ['request-body-became-required!'],
    ['request-body-became-optional'],
  ],
  [
    'a media type of a request',
    body({}),
    body({ content: { 'application/json': { schema: text }, 'application/xml': { schema: text } } }),
    ['request-media-type-added'],
    ['request-media-type-removed!'],
  ],
  [
    'a media type in place of another',
    body({}),
    body({}, 'application/xml'),
    ['request-media-type-added', 'request-media-type-removed!'],
    ['request-media-type-added', 'request-media-type-removed!'],
  ],
  [
    'a range of media types',
    body({}),
    body({}, 'application/*'),
    [],
    ['request-media-type-added', 'request-media-type-removed!'],
  ],
  ['the charset', body({}), body({}, 'application/json; charset=utf-8'), [], []],
  [
    'a media type of a response',
    response(text),
    operation({
      responses: { 200: { description: 'Things', content: { 'application/json': { schema: text }, 'text/csv': {} } } },
    }),
    ['response-media-type-added'],
    ['response-media-type-removed!'],
  ],
  [
    'a body of a response',
    statuses('200'),
    response(text),
    ['response-media-type-added'],
    ['response-media-type-removed!'],
  ],
]

const answers: readonly Twins[] = [
  ['a 2xx status', statuses('200'), statuses('200', '202'), ['status-added'], ['status-removed!']],
  [
    'a 2xx status in place of another',
    statuses('201'),
    statuses('202'),
    ['status-added', 'status-removed!'],
    ['status-added', 'status-removed!'],
  ],
  ['302', statuses('302', '404'), statuses('404'), ['status-removed!'], ['status-added']],
  ['a 4xx status', statuses('200', '404'), statuses('200'), ['error-status-removed'], ['status-added']],
  ['304', statuses('200', '304'), statuses('200'), ['error-status-removed'], ['status-added']],
  ['428', statuses('200'), statuses('200', '428'), ['if-match-required!'], ['error-status-removed']],
  ['a range of statuses', statuses('2XX'), statuses('200'), [], ['status-added']],
  [
    'a 2xx status in place of another, beside a default response',
    statuses('200', 'default'),
    statuses('201', 'default'),
    ['status-added', 'status-removed!'],
    ['status-added', 'status-removed!'],
  ],
  ['a header field', fields('x-total-count'), fields(), ['response-header-removed!'], ['response-header-added']],
  ['the case of a header field', fields('ETag'), fields('Etag'), [], []],
  [
    'Deprecation and Sunset',
    fields('Deprecation', 'Sunset'),
    fields(),
    ['advisory-header-removed', 'advisory-header-removed'],
    ['response-header-added', 'response-header-added'],
  ],
  [
    'a required header field',
    responseHeader({ required: true, schema: text }),
    responseHeader({ schema: text }),
    ['response-header-became-optional!'],
    ['response-header-became-required'],
  ],
]

const addresses: readonly Twins[] = [
  ['a path', path('/a', '/b'), path('/a'), ['path-removed!'], ['operation-added']],
  [
    'a method',
    document({ '/a': { get: { responses: {} }, delete: { responses: {} } } }),
    document({ '/a': { get: { responses: {} } } }),
    ['operation-removed!'],
    ['operation-added'],
  ],
  [
    'the operation id',
    operation({ operationId: 'a' }),
    operation({ operationId: 'b' }),
    ['operation-id-changed?'],
    ['operation-id-changed?'],
  ],
  [
    'a host',
    operation({}, { servers: [{ url: 'https://a.example/v1' }] }),
    operation({}, { servers: [{ url: 'https://b.example/v1/' }] }),
    [],
    [],
  ],
  [
    'a base path',
    operation({}, { servers: [{ url: '/v1' }] }),
    operation({}, { servers: [{ url: '/api/v1' }] }),
    ['base-path-changed!'],
    ['base-path-changed!'],
  ],
  [
    'summaries, descriptions and tags',
    operation({ summary: 'One', tags: ['a'] }),
    operation({ summary: 'Other', description: 'More', tags: ['b'] }),
    [],
    [],
  ],
  [
    'a webhook',
    operation({}, { webhooks: { done: { post: {} } } }),
    operation({}),
    ['webhook-removed!'],
    ['webhook-added'],
  ],
  [
    'a callback',
    operation({ callbacks: { done: { '{$request.body#/url}': { post: {} } } } }),
    operation({}),
    ['webhook-removed!'],
    ['webhook-added'],
  ],
  [
    'a component that nothing refers to',
    operation({}, { components: { schemas: { A: text } } }),
    operation({}),
    ['component-removed?'],
    [],
  ],
]

const credentials: readonly Twins[] = [
  [
    'credentials in place of none',
    secured(undefined),
    secured([{ one: [] }]),
    ['security-added!'],
    ['security-relaxed'],
  ],
  [
    'credentials in place of none, required for the whole document',
    operation({}),
    { ...secured(undefined), security: [{ one: [] }] },
    ['security-added!'],
    ['security-relaxed'],
  ],
  [
    'optional credentials that become required',
    secured([{}, { one: [] }]),
    secured([{ one: [] }]),
    ['security-added!'],
    ['security-relaxed'],
  ],
  ['a scope', secured([{ one: ['read'] }]), secured([{ one: ['read', 'write'] }]), ['security-scope-added!'], []],
  [
    'one of two ways to authenticate',
    secured([{ one: [] }, { other: [] }]),
    secured([{ one: [] }]),
    ['security-scheme-removed!'],
    ['security-relaxed'],
  ],
  ['two schemes at once', secured([{ one: [] }]), secured([{ one: [], other: [] }]), ['security-scheme-removed!'], []],
  [
    'another scheme with the same name',
    secured([{ one: [] }]),
    secured([{ one: [] }], { type: 'http', scheme: 'basic' }),
    ['security-relaxed', 'security-scheme-removed!'],
    ['security-relaxed', 'security-scheme-removed!'],
  ],
  [
    'the description of a scheme',
    secured([{ one: [] }]),
    secured([{ one: [] }], { type: 'http', scheme: 'Bearer', bearerFormat: 'JWT', description: 'A token' }),
    [],
    [],
  ],
]

it.each([
  [['read', 'write'], 'needs the scope "write" of "one" now: clients without it get 403'],
  [['a', 'b', 'read'], 'needs the scopes "a", "b" of "one" now: clients without all of them get 403'],
])('the summary of a change from the scope "read" to the scopes %j names the new scopes', (scopes, summary) => {
  const [change] = compareContracts(secured([{ one: ['read'] }]), secured([{ one: scopes }]))
  expect(change?.summary).toContain(summary)
})

it('a value that contains the text of a placeholder is quoted as it is', () => {
  const codes = (pattern: string): Json =>
    body({ content: { 'application/json': { schema: { type: 'string', pattern } } } })
  const [change] = compareContracts(codes('^{after}$'), codes('^{keyword}$'))
  expect(change?.summary).toContain('^{after}$')
  expect(change?.summary).toContain('^{keyword}$')
})

const marks = { breaking: '!', warning: '?', harmless: '' } as const
const kindsOf = (before: Json, after: Json): readonly string[] =>
  compareContracts(before, after)
    .map(({ kind, level }) => `${kind}${marks[level]}`)
    .sort()

describe.each([
  ['a list', lists],
  ['a parameter', parameters],
  ['a body', bodies],
  ['a response', answers],
  ['a path, method or URL', addresses],
  ['credentials', credentials],
] as const)('changes of %s are classified in both directions', (_name, twins: readonly Twins[]) => {
  it.each(twins)('%s', (_title, one, other, there, back) => {
    expect(kindsOf(one, other)).toEqual([...there].sort())
    expect(kindsOf(other, one)).toEqual([...back].sort())
  })
})

describe('removals after a sunset', () => {
  const now = new Date('2026-06-01')
  const kinds = (before: Json, after: Json): readonly string[] =>
    compareContracts(before, after, { now }).map(({ kind }) => kind)
  const ending = (sunset: string | undefined, rest: Json = {}): Json =>
    operation({ deprecated: true, ...(sunset === undefined ? {} : { 'x-sunset': sunset }), ...rest })

  it('a method may be removed after its sunset, but not before it or without a sunset', () => {
    expect(kinds(ending('2026-05-31'), document({}))).toEqual(['operation-removed-after-sunset'])
    expect(kinds(ending('2026-06-02'), document({}))).toEqual(['path-removed'])
    expect(kinds(ending(undefined), document({}))).toEqual(['path-removed'])
    expect(kinds(ending('soon'), document({}))).toEqual(['path-removed'])
  })

  it('a parameter and a member may be removed after their sunset, but not before it', () => {
    const parameter = (sunset: string) => query(text, { deprecated: true, 'x-sunset': sunset })
    expect(kinds(parameter('2026-05-31'), operation({}))).toEqual(['parameter-removed-after-sunset'])
    expect(kinds(parameter('2026-06-02'), operation({}))).toEqual(['parameter-removed'])
    const member = (sunset: string) => response(members({ a: { ...text, deprecated: true, 'x-sunset': sunset } }))
    expect(kinds(member('2026-05-31'), response(members({})))).toEqual(['response-member-removed-after-sunset'])
    expect(kinds(member('2026-06-02'), response(members({})))).toEqual(['response-member-removed'])
  })

  it('the sunset of a method may move to a later date, but must not become earlier or be removed', () => {
    expect(kinds(ending('2027-01-01'), ending('2028-01-01'))).toEqual([])
    expect(kinds(ending('2027-01-01'), ending('2026-07-01'))).toEqual(['sunset-brought-forward'])
    expect(kinds(ending('2027-01-01'), ending(undefined))).toEqual(['sunset-removed'])
    expect(kinds(ending('2027-01-01'), operation({}))).toEqual(['operation-undeprecated'])
    expect(kinds(operation({}), ending('2027-01-01'))).toEqual(['operation-deprecated'])
  })

  it('VER-2: a version may be removed after its sunset, but not before it or without a sunset', () => {
    const version = (sunset?: string) => operation({}, sunset === undefined ? {} : { 'x-sunset': sunset })
    const retire = (sunset?: string) =>
      compareServices(
        new Map([
          ['v1', version(sunset)],
          ['v2', version()],
        ]),
        new Map([['v2', version()]]),
        now,
      )
    expect(retire('2026-05-31').map(({ kind, breaking }) => [kind, breaking])).toEqual([
      ['version-retired-after-sunset', false],
    ])
    expect(retire('2026-06-02').map(({ sentence }) => sentence)).toEqual([
      'v1: the version was removed before its sunset 2026-06-02: clients that call it get 404 or 410. ' +
        'Serve the version until its sunset, or accept this change with --accept',
    ])
    expect(retire().map(({ kind, breaking }) => [kind, breaking])).toEqual([['version-retired', true]])
  })

  it('the message about a removed path names the future sunsets of its methods', () => {
    const dated = (sunset?: string) => ({ responses: {}, ...(sunset === undefined ? {} : { 'x-sunset': sunset }) })
    const paths = { '/b': { get: dated(), put: dated('2026-06-02'), post: dated('2020-01-01') } }
    const [change] = compareServices(
      new Map([['v1', { ...operation({}), paths }]]),
      new Map([['v1', operation({})]]),
      now,
    )
    expect(change?.sentence).toMatch(
      /^v1: the path \/b was removed with its operations GET, POST and PUT \(before its sunset 2026-06-02\): /,
    )
  })

  it('the sunset of a version may move to a later date, but must not become earlier or be removed', () => {
    const version = (sunset?: string) =>
      operation({ deprecated: true }, sunset === undefined ? {} : { 'x-sunset': sunset })
    expect(kinds(version('2027-01-01'), version('2028-01-01'))).toEqual([])
    expect(kinds(version('2027-01-01'), version('2026-12-01'))).toEqual(['sunset-brought-forward'])
    expect(kinds(version('2027-01-01'), version())).toEqual(['sunset-removed'])
    expect(kinds(version('2027-01-01'), operation({}))).toEqual(['operation-undeprecated'])
  })

  it('adding a version is harmless', () => {
    const changes = compareServices(
      new Map([['v1', operation({})]]),
      new Map([
        ['v1', operation({})],
        ['v2', operation({})],
      ]),
      now,
    )
    expect(changes.map(({ kind, breaking }) => [kind, breaking])).toEqual([['version-added', false]])
  })
})

describe('reported changes', () => {
  const sentences = (before: Json, after: Json): readonly string[] =>
    compareContracts(before, after).map(({ sentence }) => sentence)
  const collection = (...given: readonly Json[]): Json =>
    document({
      '/pre-piezas': { get: { parameters: [{ name: 'limit', in: 'query', schema: whole }, ...given], responses: {} } },
    })

  it('name the changed part, the affected clients and the fix', () => {
    expect(sentences(collection(filter('lote')), collection())).toEqual([
      'v1: the filter "lote" of pre-piezas was removed: clients that send it get 400. ' +
        'Put the change into v2, or accept it with --accept',
    ])
    expect(sentences(collection(sort('numero', 'lote')), collection(sort('numero')))).toEqual([
      'v1: the sort member "lote" of pre-piezas was removed: clients that send sort=lote get 400. ' +
        'Put the change into v2, or accept it with --accept',
    ])
    expect(sentences(request(members({ a: text })), request(members({ a: text, b: text }, 'b')))).toEqual([
      'v1: the member "b" of the body of POST /things is new and required: clients that leave it out get 422. ' +
        'Put the change into v2, or accept it with --accept',
    ])
    expect(sentences(response(many(members({ a: text }))), response(many(members({}))))).toEqual([
      'v1: the member "[].a" of the 200 response of GET /things was removed: clients that read it no longer find it. ' +
        'Put the change into v2, or accept it with --accept',
    ])
  })

  it('recommend the version after the highest existing version', () => {
    const documents = (value: Json) =>
      new Map([
        ['v1', value],
        ['v8', path('/a')],
      ])
    const [change] = compareServices(documents(path('/a')), documents(path()))
    expect(change?.sentence).toBe(
      'v1: the path /a was removed with its operation GET: clients that call it get 404. ' +
        'Put the change into v9, or accept it with --accept',
    )
  })

  it('a change that concerns GET and HEAD of a list is reported once', () => {
    const both = (...given: readonly Json[]): Json => {
      const one = { parameters: [{ name: 'limit', in: 'query', schema: whole }, ...given], responses: {} }
      return document({ '/things': { get: one, head: one } })
    }
    const changes = compareContracts(both(filter('a')), both())
    expect(changes.map(({ kind, method, alsoAt }) => [kind, method, alsoAt])).toEqual([
      ['filter-removed', 'GET', ['HEAD /things']],
    ])
  })

  it('a change of a component is reported once, however many operations use it', () => {
    const shared = (properties: Json): Json => {
      const content = { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } }
      const get = { responses: { 200: { description: 'A thing', content } } }
      return document(
        { '/a': { get }, '/b': { get }, '/c': { get } },
        { components: { schemas: { Thing: members(properties) } } },
      )
    }
    const changes = compareContracts(shared({ a: text, b: text }), shared({ a: text }))
    expect(changes.map(({ kind, alsoAt, pointer }) => [kind, alsoAt, pointer])).toEqual([
      ['response-member-removed', ['GET /b', 'GET /c'], '#/components/schemas/Thing/properties/b'],
    ])
    expect(changes[0]?.sentence).toContain('of GET /a was removed (also in 2 other operations): ')
  })
})

describe('invalid documents', () => {
  it.each([
    ['undefined', undefined, 'This is not an OpenAPI document of version 3'],
    ['Swagger 2.0', { swagger: '2.0' }, 'This is not an OpenAPI document of version 3'],
    [
      'a reference without a target',
      response({ $ref: '#/components/schemas/Lost' }),
      '"#/components/schemas/Lost" at #/paths/~1things/get/responses/200/content/application~1json/schema ' +
        'has no target',
    ],
    ['a reference to a file', response({ $ref: 'other.json#/a' }), 'leads outside the document'],
  ])('compareContracts() refuses %s', (_title, value, message) => {
    expect(() => compareContracts(value, response(text))).toThrow(message)
    expect(() => compareContracts(response(text), value)).toThrow(message)
  })
})

it.each([
  ['the style label', 'path', { schema: text, style: 'label' }],
  ['the style matrix', 'path', { schema: text, style: 'matrix' }],
  ['content', 'query', { content: { 'application/json': { schema: text } } }],
])('adding or removing %s of a string parameter in the %s is reported as a style change', (_title, where, rest) => {
  const of = (parameter: Json): Json =>
    document({
      '/things/{a}': { get: { parameters: [{ name: 'a', in: where, required: true, ...parameter }], responses: {} } },
    })
  const kinds = (one: Json, other: Json) => compareContracts(of(one), of(other)).map(({ kind }) => kind)
  expect([kinds({ schema: text }, rest), kinds(rest, { schema: text })]).toEqual([
    ['parameter-style-changed'],
    ['parameter-style-changed'],
  ])
})

it('replacing the schema of a string parameter with text/plain content is not a change', () => {
  const content = withParameter({ name: 'a', in: 'query', content: { 'text/plain': { schema: text } } })
  expect(compareContracts(withParameter({ name: 'a', in: 'query', schema: text }), content)).toEqual([])
})

it('the schema of a response header is compared, even if it is inside "content"', () => {
  const of = (schema: Json): Json => responseHeader({ content: { 'application/json': { schema } } })
  expect(compareContracts(of(text), of(whole)).map(({ kind }) => kind)).toEqual(['header-type-changed'])
})

it('the operations and parameters beside the "$ref" of a path item are compared', () => {
  const of = (beside: Json): Json =>
    document(
      { '/things': { $ref: '#/components/pathItems/Things', ...beside } },
      { components: { pathItems: { Things: { get: { responses: {} } } } } },
    )
  const kinds = (one: Json, other: Json) => compareContracts(of(one), of(other)).map(({ kind }) => kind)
  expect(kinds({ delete: { responses: {} } }, {})).toEqual(['operation-removed'])
  expect(kinds({}, { parameters: [filter('a', { required: true })] })).toEqual(['required-parameter-added'])
})
