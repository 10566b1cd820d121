/**
 * Webhooks and callbacks, together called deliveries: requests that the service sends, and to which
 * clients respond. The tests also compare links, parts of forms, `allowReserved` and
 * `allowEmptyValue` of parameters, and the servers of a path or an operation.
 */
import { describe, expect, it } from 'vitest'
import { compareContracts } from '../../src/contract/compare.js'
import { document, type Json, members, operation } from './documents.js'

const text = { type: 'string' }
const whole = { type: 'integer' }
const json = (schema: unknown): Json => ({ 'application/json': { schema } })
const replies = (...statuses: readonly string[]): Json =>
  Object.fromEntries(statuses.map((status) => [status, { description: status }]))

const delivery = (parts: Json, method = 'post'): Json => ({ [method]: { responses: replies('200'), ...parts } })
const webhook = (parts: Json, method = 'post'): Json =>
  operation({}, { webhooks: { shipped: delivery(parts, method) } })
const callback = (parts: Json, expression = '{$request.body#/url}'): Json =>
  operation({ callbacks: { shipped: { [expression]: delivery(parts) } } })
const body = (schema: unknown, required = true): Json => ({ requestBody: { required, content: json(schema) } })
const reply = (schema: unknown): Json => ({ responses: { 200: { description: 'Taken', content: json(schema) } } })
const field = (rest: Json = {}): Json => ({
  parameters: [{ name: 'X-Signature', in: 'header', schema: text, ...rest }],
})

/**
 * Two documents, with the changes from `one` to `other` (`there`) and from `other` to `one`
 * (`back`). `!` marks a breaking change. In `twins`, `one` and `other` are only parts of a
 * delivery, from which the tests make documents.
 */
type Twins = readonly [title: string, one: Json, other: Json, there: readonly string[], back: readonly string[]]

const twins: readonly Twins[] = [
  [
    'a member',
    body(members({ a: text })),
    body(members({ a: text, b: text })),
    ['delivery-member-added'],
    ['delivery-member-removed!'],
  ],
  [
    'an optional member',
    body(members({ a: text }, 'a')),
    body(members({ a: text })),
    ['delivery-member-became-optional!'],
    ['delivery-member-became-required'],
  ],
  [
    'a wider type',
    body(members({ a: whole })),
    body(members({ a: { type: 'number' } })),
    ['delivery-type-widened!'],
    ['delivery-type-narrowed'],
  ],
  [
    'an enum value',
    body(members({ a: { enum: ['x'] } })),
    body(members({ a: { enum: ['x', 'y'] } })),
    ['delivery-value-added!'],
    ['delivery-value-removed'],
  ],
  ['a body', {}, body(text), ['delivery-body-added'], ['delivery-body-removed!']],
  ['an optional body', body(text), body(text, false), ['delivery-body-became-optional!'], []],
  [
    'a media type',
    body(text),
    { requestBody: { required: true, content: { ...json(text), 'application/xml': { schema: text } } } },
    ['delivery-media-type-added!'],
    ['delivery-media-type-removed!'],
  ],
  ['a header field', {}, field(), ['delivery-parameter-added'], ['delivery-parameter-removed!']],
  ['an optional header field', field({ required: true }), field(), ['delivery-parameter-became-optional!'], []],
  [
    'the type of a header field',
    field({ schema: whole }),
    field(),
    ['delivery-type-changed!'],
    ['delivery-type-changed!'],
  ],
  [
    'an additional status of a reply',
    { responses: replies('200') },
    { responses: replies('200', '202') },
    ['reply-status-added'],
    ['reply-status-removed!'],
  ],
  ['a 4xx status of a reply', { responses: replies('200') }, { responses: replies('200', '410') }, [], []],
  [
    'any 2xx status of a reply',
    { responses: replies('200') },
    { responses: replies('2XX') },
    ['reply-status-added'],
    ['reply-status-removed!'],
  ],
  [
    'a member of a reply',
    reply(members({ a: text })),
    reply(members({ a: text, b: text })),
    ['reply-member-added'],
    ['reply-member-removed!'],
  ],
  [
    'a required member of a reply',
    reply(members({ a: text })),
    reply(members({ a: text, b: text }, 'b')),
    ['reply-required-member-added!'],
    ['reply-member-removed!'],
  ],
  [
    'a wider type of a reply',
    reply(members({ a: whole })),
    reply(members({ a: { type: 'number' } })),
    ['reply-type-widened'],
    ['reply-type-narrowed!'],
  ],
  [
    'summaries and descriptions',
    { ...body(text), summary: 'One' },
    { ...body({ ...text, description: 'Text' }), summary: 'Other' },
    [],
    [],
  ],
]

const kinds = (before: Json, after: Json): readonly string[] =>
  compareContracts(before, after)
    .map(({ kind, breaking }) => `${kind}${breaking ? '!' : ''}`)
    .sort()

describe.each([
  ['a webhook', webhook],
  ['a callback', callback],
] as const)('changes of %s are classified in both directions', (_name, make) => {
  it.each(twins)('%s', (_title, one, other, there, back) => {
    expect(kinds(make(one), make(other))).toEqual([...there].sort())
    expect(kinds(make(other), make(one))).toEqual([...back].sort())
  })
})

describe('a delivery', () => {
  it('with another method counts as another delivery', () => {
    expect(kinds(webhook({}), webhook({}, 'put'))).toEqual(['webhook-added', 'webhook-removed!'])
  })

  it('is not affected by the extensions of its callback', () => {
    const withExtension = (name: string, summary: string) =>
      operation({ callbacks: { shipped: { [name]: 'team', '{$request.body#/url}': delivery(body(text)) } }, summary })
    expect(kinds(withExtension('x-owner', 'a'), withExtension('x-owner', 'b'))).toEqual([])
    expect(kinds(withExtension('x-owner', 'a'), withExtension('x-team', 'b'))).toEqual([])
  })

  it('breaks clients if the URL of its callback is read from another member of the request', () => {
    const [before, after] = [callback(body(text)), callback(body(text), '{$request.body#/callbackUrl}')]
    expect(kinds(before, after)).toEqual(['callback-address-changed!'])
    expect(compareContracts(before, after)[0]?.sentence).toBe(
      'v1: the callback of GET /things "shipped" is sent to {$request.body#/callbackUrl} in place of ' +
        '{$request.body#/url}: clients that sent that URL are no longer called. ' +
        'Put the change into v2, or accept it with --accept',
    )
  })

  it('counts as unchanged if its path item is moved to the components', () => {
    const inline = webhook(body(members({ a: text })))
    const referring = operation(
      {},
      {
        webhooks: { shipped: { $ref: '#/components/pathItems/Shipped' } },
        components: { pathItems: { Shipped: delivery(body(members({ a: text }))) } },
      },
    )
    expect(kinds(inline, referring)).toEqual([])
    expect(kinds(referring, inline)).toEqual([])
  })

  it('is named in the sentences about its changes', () => {
    const [change] = compareContracts(
      webhook(body(members({ order: members({ id: text }) }))),
      webhook(body(members({ order: members({}) }))),
    )
    expect(change?.summary).toBe(
      'v1: the member "order.id" of the body of the webhook "shipped" was removed: clients that read it no longer find it',
    )
    const [lost, gained] = [webhook(field()), webhook({})].map(
      (one, at, both) => compareContracts(one, both[1 - at])[0],
    )
    expect(lost?.summary).toMatch(/^v1: the header "[^"]+" of the webhook "shipped" was removed: /)
    expect(gained?.summary).toMatch(/^v1: the header "[^"]+" of the webhook "shipped" is new$/)
    const [other] = compareContracts(webhook(reply(members({}))), webhook(reply(members({ a: text }, 'a'))))
    expect(other?.summary).toBe(
      'v1: the member "a" of the 200 reply to the webhook "shipped" is new and required: the service may reject ' +
        'replies that were accepted before',
    )
  })
})

describe('links of responses', () => {
  const linked = (links: Json): Json => operation({ responses: { 200: { description: 'Yes', links } } })
  const link = (rest: Json = {}): Json => ({
    operationId: 'getThing',
    parameters: { id: '$response.body#/id' },
    ...rest,
  })

  it('become names in generated clients, so removing or changing a link is a warning', () => {
    const levels = (before: Json, after: Json) =>
      compareContracts(before, after).map(({ kind, level }) => [kind, level])
    expect(levels(linked({ thing: link() }), linked({}))).toEqual([['response-link-removed', 'warning']])
    expect(levels(linked({}), linked({ thing: link() }))).toEqual([['response-link-added', 'harmless']])
    expect(levels(linked({ thing: link() }), linked({ thing: link({ operationId: 'other' }) }))).toEqual([
      ['response-link-changed', 'warning'],
    ])
    expect(levels(linked({ thing: link() }), linked({ thing: link({ description: 'Words' }) }))).toEqual([])
  })
})

describe('parts of forms', () => {
  const form = (
    encoding: Json,
    properties: Json = { file: text, tags: { type: 'array', items: text } },
    type = 'multipart/form-data',
  ): Json =>
    document({
      '/things': {
        post: {
          operationId: 'add',
          requestBody: { content: { [type]: { schema: members(properties), encoding } } },
          responses: { 201: { description: 'Yes' } },
        },
      },
    })
  const typed = (contentType: string): Json => form({ file: { contentType } })

  it.each<Twins>([
    ['a media type', typed('image/png, image/jpeg'), typed('image/png'), ['part-type-refused!'], ['part-type-added']],
    ['a range of media types', typed('image/png'), typed('image/*'), ['part-type-added'], ['part-type-refused!']],
    ['the usual media type, explicit or implied', form({}), typed('text/plain; charset=utf-8'), [], []],
    [
      'the style of a list',
      form({}),
      form({ tags: { style: 'form', explode: false } }),
      ['part-style-changed!'],
      ['part-style-changed!'],
    ],
    ['the usual style, explicit or implied', form({}), form({ tags: { style: 'form', explode: true } }), [], []],
    [
      'a required header field',
      form({}),
      form({ file: { headers: { 'X-One': { required: true, schema: text } } } }),
      ['part-header-required!'],
      [],
    ],
    ['an optional header field', form({}), form({ file: { headers: { 'X-One': { schema: text } } } }), [], []],
    [
      'encoding of a body that is not a form',
      form({}, undefined, 'application/json'),
      form({ file: { contentType: 'image/png' } }, undefined, 'application/json'),
      [],
      [],
    ],
  ])('changes are classified in both directions: %s', (_title, one, other, there, back) => {
    expect(kinds(one, other)).toEqual(there)
    expect(kinds(other, one)).toEqual(back)
  })

  it('a part of a multipart response may lose media types, but not gain any', () => {
    const answer = (contentType: string): Json =>
      operation({
        responses: {
          200: {
            description: 'Yes',
            content: { 'multipart/mixed': { schema: members({ file: text }), encoding: { file: { contentType } } } },
          },
        },
      })
    expect(kinds(answer('image/png, image/jpeg'), answer('image/png'))).toEqual(['part-type-removed'])
    expect(kinds(answer('image/png'), answer('image/png, image/jpeg'))).toEqual(['part-type-unknown!'])
  })
})

describe('allowReserved and allowEmptyValue', () => {
  const sent = (rest: Json): Json => operation({ parameters: [{ name: 'x', in: 'query', schema: text, ...rest }] })

  it.each([
    ['allowReserved', 'parameter-reserved-refused!', 'parameter-reserved-allowed'],
    ['allowEmptyValue', 'parameter-empty-refused!', 'parameter-empty-allowed'],
  ])('removing %s breaks clients, but adding it does not', (keyword, lost, gained) => {
    expect(kinds(sent({ [keyword]: true }), sent({}))).toEqual([lost])
    expect(kinds(sent({ [keyword]: false }), sent({ [keyword]: true }))).toEqual([gained])
  })
})

describe('servers of one path or operation', () => {
  const at = (rest: Json, own: Json = {}): Json =>
    document(
      { '/things': { ...rest, get: { operationId: 'list', responses: replies('200'), ...own } } },
      { servers: [{ url: 'https://a.example/v1' }] },
    )
  const elsewhere = { servers: [{ url: 'https://a.example/v2' }] }

  it('are compared like those of the document', () => {
    expect(kinds(at({}), at(elsewhere))).toEqual(['base-path-changed!'])
    expect(kinds(at({}), at({}, elsewhere))).toEqual(['base-path-changed!'])
    expect(kinds(at(elsewhere), at({}, elsewhere))).toEqual([])
    expect(kinds(at({}), at({ servers: [{ url: 'https://b.example/v1/' }] }))).toEqual([])
  })
})

it('the schema of a webhook header is compared, even if it is inside "content"', () => {
  const of = (schema: Json): Json => {
    const parameters = [{ name: 'X', in: 'header', content: { 'application/json': { schema } } }]
    return document({}, { webhooks: { shipped: { post: { parameters, responses: {} } } } })
  }
  expect(compareContracts(of({ type: 'integer' }), of(text)).map(({ kind }) => kind)).toEqual(['delivery-type-changed'])
})
