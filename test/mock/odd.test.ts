/**
 * A mock of resources whose records are hard to generate.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import type { ResourceDefinition } from '../../src/definition/resource.js'
import { api, defineResource, mount } from './library.js'
import { type Mocked, mocked } from './mocked.js'

const never = (): never => {
  throw new Error('A mock calls no adapter.')
}
const adapter = { list: never, read: never, create: never }

interface Given {
  readonly collection: string
  readonly key: string | readonly string[]
  readonly properties: object
  readonly schema?: object
  readonly [option: string]: unknown
}

const define = ({ collection, key, properties, schema, ...options }: Given): ResourceDefinition =>
  defineResource<Record<string, unknown>>()({
    collection,
    key,
    schema: { type: 'object', required: Object.keys(properties), properties, ...schema },
    allow: { [collection]: 'a short name' },
    ...options,
  } as never) as ResourceDefinition

const serve = (...definitions: readonly ResourceDefinition[]): Promise<Mocked> =>
  mocked(api({ versions: { v1: definitions.map((one) => mount(one, adapter as never)) } }))

const whole = { type: 'integer' }
const text = { type: 'string' }

/** The items of a list, after a check that each of their links resolves. */
async function listed(mock: Mocked, path: string): Promise<Record<string, unknown>[]> {
  const answer = await (await mock.ask(`${path}?limit=100`)).text()
  for (const [, href] of answer.matchAll(/"href":"(http:\/\/127[^"]+)"/g))
    expect((await mock.ask(href ?? '')).status, href).toBe(200)
  return JSON.parse(answer)
}

describe('a mock of unusual resources', () => {
  it('generates one record for each pair of values of a key that consists of an enum and a boolean', async () => {
    const mock = await serve(
      define({ collection: 'pairs', key: ['a', 'b'], properties: { a: { enum: ['x', 'y'] }, b: { type: 'boolean' } } }),
    )
    expect(await listed(mock, '/v1/pairs')).toHaveLength(4)
  })

  it.each([
    ['numbers below zero', { type: 'integer', maximum: -5 }],
    ['multiples of 5, none above 3', { type: 'integer', multipleOf: 5, maximum: 3 }],
    ['multiples of 7 above 10', { type: 'integer', exclusiveMinimum: 10, multipleOf: 7 }],
    ['dates', { type: 'string', format: 'date' }],
    ['local date-times', { type: 'string', format: 'local-date-time' }],
    ['large numbers as strings', { type: 'string', format: 'int64' }],
    ['strings of a fixed length', { type: 'string', minLength: 12, maxLength: 12 }],
    ['strings that match a pattern', { type: 'string', pattern: '^\\p{Lu}{3}/[0-9]{2}$' }],
    ['decimals', { type: 'number', minimum: 0.5 }],
  ])('generates 25 keys that are %s', async (_name, key) => {
    expect(
      await listed(
        await serve(define({ collection: 'things', key: 'id', properties: { id: key, self: text } })),
        '/v1/things',
      ),
    ).toHaveLength(25)
  })

  it.each([
    { type: 'integer', exclusiveMaximum: 1 },
    { type: 'integer', maximum: 0.5 },
    { type: 'integer', multipleOf: 5, maximum: 3 },
    { type: 'number', maximum: 0.5 },
    { type: 'number', multipleOf: 0.4, maximum: 0.5 },
  ] as const)('generates valid numbers for the schema %j', async (schema) => {
    const mock = await serve(define({ collection: 'things', key: 'id', properties: { id: text, size: schema } }))
    const sizes = (await listed(mock, '/v1/things')).map(({ size }) => size)
    expect(sizes.length).toBeGreaterThan(0)
    const isValid = new Ajv2020().compile(schema)
    expect(sizes.filter((size) => size !== null && !isValid(size))).toEqual([])
    expect(sizes.some((size) => typeof size === 'number')).toBe(true)
  })

  it('serves the records that a schema gives as examples, under their own keys', async () => {
    const mock = await serve(
      define({
        collection: 'notes',
        key: 'id',
        properties: { id: whole, text },
        schema: { examples: [{ id: 77, text: 'mine' }] },
      }),
    )
    expect(await mock.json('/v1/notes/77')).toEqual({ id: 77, text: 'mine' })
  })

  it('ignores examples that do not match their schema', async () => {
    const mock = await serve(
      define({ collection: 'notes', key: 'id', properties: { id: whole, size: { ...whole, examples: ['large'] } } }),
    )
    expect(await listed(mock, '/v1/notes')).toHaveLength(25)
  })

  it('serves member names with markup, quotes or non-ASCII letters, and names such as toString', async () => {
    const names = ['</script>', 'ñ "quoted" \'x\'', 'constructor', 'toString', 'hasOwnProperty', '日本']
    const mock = await serve(
      define({
        collection: 'años',
        key: 'clave',
        properties: { clave: text, ...Object.fromEntries(names.map((name) => [name, text])) },
      }),
    )
    const [first] = await listed(mock, '/v1/años')
    expect(Object.keys(first ?? {})).toEqual(['clave', ...names])
  })

  it('generates required links between two resources in both directions, and within one resource', async () => {
    const mock = await serve(
      define({
        collection: 'parts',
        key: 'id',
        properties: { id: whole, bigId: text },
        links: { big: { to: 'bigs', by: 'bigId' } },
      }),
      define({
        collection: 'bigs',
        key: 'id',
        properties: { id: text, partId: whole },
        links: { part: { to: 'parts', by: 'partId' } },
      }),
      define({
        collection: 'nodes',
        key: 'id',
        properties: { id: whole, rootId: whole },
        links: { root: { to: 'nodes', by: 'rootId' } },
      }),
    )
    for (const path of ['/v1/parts', '/v1/bigs', '/v1/nodes']) expect(await listed(mock, path)).toHaveLength(25)
  })

  it('generates two links that share a member, even if one of them leads to a child of a child', async () => {
    const mock = await serve(
      define({ collection: 'as', key: 'id', properties: { id: whole } }),
      define({
        collection: 'bs',
        key: ['aId', 'n'],
        properties: { aId: whole, n: whole },
        parent: { of: 'as', by: 'aId' },
      }),
      define({
        collection: 'cs',
        key: ['aId', 'bN', 'n'],
        properties: { aId: whole, bN: whole, n: text },
        parent: { of: 'bs', by: ['aId', 'bN'] },
      }),
      define({
        collection: 'ds',
        key: 'id',
        properties: { id: whole, aId: whole, bN: whole, cN: text },
        links: { c: { to: 'cs', by: ['aId', 'bN', 'cN'] }, a: { to: 'as', by: 'aId' } },
      }),
    )
    expect(await listed(mock, '/v1/ds')).toHaveLength(25)
  })

  it('generates one record for each target of a link if the link is the whole key', async () => {
    const mock = await serve(
      define({ collection: 'users', key: 'id', properties: { id: { type: 'integer', maximum: 3 } } }),
      define({
        collection: 'profiles',
        key: 'userId',
        properties: { userId: whole },
        links: { user: { to: 'users', by: 'userId' } },
      }),
    )
    expect(await listed(mock, '/v1/users')).toHaveLength(3)
    expect(await listed(mock, '/v1/profiles')).toHaveLength(3)
  })

  it('generates records of recursive schemas, and refuses schemas whose required recursion never ends', async () => {
    const tree = (required: string) => ({
      $defs: {
        node: { type: 'object', required: [required], properties: { size: whole, next: { $ref: '#/$defs/node' } } },
      },
    })
    const of = (required: string) =>
      define({
        collection: 'trees',
        key: 'id',
        properties: { id: whole, tree: { $ref: '#/$defs/node' } },
        schema: tree(required),
      })
    expect(await listed(await serve(of('size')), '/v1/trees')).toHaveLength(25)
    await expect(serve(of('next'))).rejects.toThrow(
      /Cause: "tree\.next\.next.*\.\.\." \(\$ref\): it is recursive without end/,
    )
  })

  it('fails to start if no record satisfies a rule, and the error contains the detail of the rule', async () => {
    const rules = () => [{ member: 'a', detail: 'Never.' }]
    await expect(serve(define({ collection: 'notes', key: 'id', properties: { id: whole }, rules }))).rejects.toThrow(
      'No example of "notes" could be generated. Cause: the whole record (rules): "a": Never. ' +
        'Give records of "notes" as data (mock --data file.json).',
    )
  })

  it('if all versions are retired, responds with 410 to their paths, and with 404 to other paths', async () => {
    const mock = await mocked(api({ versions: { v0: 'retired' } }))
    expect((await mock.ask('/v0/x')).status).toBe(410)
    expect((await mock.ask('/other')).status).toBe(404)
  })
})
