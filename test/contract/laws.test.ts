import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalDocument } from '../../src/contract/canonical.js'
import { compareContracts } from '../../src/contract/compare.js'
import { isObject } from '../../src/definition/json.js'
import { type Json, list, members, request, response } from './documents.js'

const names = ['a', 'b', 'c', 'required', 'enum', 'type', 'parameters'] as const

/** Generates schemas like those of real services. */
const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ type: fc.constantFrom('string', 'integer', 'number', 'boolean') }),
    fc.record(
      { type: fc.constant('string'), maxLength: fc.nat(9), pattern: fc.constantFrom('^a', '^b') },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      { type: fc.constant('integer'), minimum: fc.nat(5), maximum: fc.integer({ min: 5, max: 9 }) },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      { type: fc.constant(['string', 'null']), format: fc.constantFrom('date', 'uuid') },
      { requiredKeys: ['type'] },
    ),
    fc.record({ enum: fc.uniqueArray(fc.constantFrom('x', 'y', 'z', 1, null), { minLength: 1 }) }),
    fc.record(
      { type: fc.constant('array'), items: tie('schema'), minItems: fc.nat(3) },
      { requiredKeys: ['type', 'items'] },
    ),
    objects(tie('schema')),
    fc.tuple(objects(tie('schema')), objects(tie('schema'))).map((oneOf) => ({ oneOf })),
    fc.tuple(objects(tie('schema')), tie('schema')).map((allOf) => ({ allOf: [allOf[0], members({ z: allOf[1] })] })),
  ),
}))

function objects(member: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc
    .tuple(
      fc.dictionary(fc.constantFrom(...names), member, { minKeys: 1, maxKeys: 4 }),
      fc.boolean(),
      fc.array(fc.boolean()),
    )
    .map(([properties, isClosed, wanted]) => ({
      type: 'object',
      properties: { ...properties },
      required: Object.keys(properties).filter((_, index) => wanted[index] === true),
      ...(isClosed ? { additionalProperties: false } : {}),
    }))
}

/**
 * The same document with its members in reverse order. Lists whose order has no meaning are
 * reversed too.
 */
function reversed(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => reversed(item))
    return ['required', 'enum', 'type', 'parameters', 'oneOf', 'allOf'].includes(key) ? items.reverse() : items
  }
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member, name)]),
  )
}

/**
 * The same document with another summary. Without this difference, the comparison would skip the
 * operation as unchanged.
 */
const touched = (value: Json): unknown =>
  JSON.parse(JSON.stringify(value).replace('"operationId":', '"summary":"Touched","operationId":'))

/** Moves a schema, and every schema inside it, into components of their own. */
function referring(value: Json, prefix: string): { readonly root: Json; readonly schemas: Json } {
  const schemas: Record<string, unknown> = {}
  const move = (schema: unknown): unknown => {
    if (!isObject(schema)) return schema
    const name = `${prefix}${Object.keys(schemas).length}`
    schemas[name] = {}
    const table = (given: unknown): Json =>
      isObject(given) ? Object.fromEntries(Object.entries(given).map(([key, part]) => [key, move(part)])) : {}
    schemas[name] = {
      ...schema,
      ...(schema.properties === undefined ? {} : { properties: table(schema.properties) }),
      ...(schema.items === undefined ? {} : { items: move(schema.items) }),
      ...Object.fromEntries(
        ['oneOf', 'allOf'].flatMap((word) => (Array.isArray(schema[word]) ? [[word, schema[word].map(move)]] : [])),
      ),
    }
    return { $ref: `#/components/schemas/${name}` }
  }
  const root = move(value)
  return { root: isObject(root) ? root : {}, schemas }
}

const kinds = (before: unknown, after: unknown): readonly string[] =>
  compareContracts(before, after).map(({ kind }) => kind)

describe('laws of comparison', () => {
  it.each([['request', request] as const, ['response', response] as const])(
    'comparing a %s with a reordered copy finds no changes',
    (_name, make) => {
      fc.assert(
        fc.property(schema, (value) => {
          expect(kinds(make(value), touched(make(value)))).toEqual([])
          expect(kinds(make(value), reversed(make(value)))).toEqual([])
          expect(kinds(reversed(make(value)), make(value))).toEqual([])
        }),
      )
    },
  )

  it('moving schemas into components is no change, and moving them back only removes components', () => {
    fc.assert(
      fc.property(schema, (value) => {
        const [one, other] = [referring(value, 'A'), referring(value, 'B')]
        const named = (parts: typeof one): Json => response(parts.root, 'application/json', { schemas: parts.schemas })
        expect(kinds(response(value), named(one))).toEqual([])
        expect(kinds(named(one), response(value)).filter((kind) => kind !== 'component-removed')).toEqual([])
        expect(kinds(named(one), named(other)).filter((kind) => kind !== 'component-removed')).toEqual([])
      }),
    )
  })

  it('removing a member from a response breaks clients, but adding one does not', () => {
    fc.assert(
      fc.property(objects(schema), fc.nat(), (value, index) => {
        const properties = isObject(value.properties) ? value.properties : {}
        const name = Object.keys(properties)[index % Object.keys(properties).length] ?? ''
        const required = Array.isArray(value.required) ? value.required : []
        const { [name]: _, ...left } = properties
        const without = { ...value, properties: left, required: required.filter((one) => one !== name) }
        const gone = compareContracts(response(value), response(without))
        expect(gone.some(({ breaking }) => breaking)).toBe(true)
        expect(compareContracts(response(without), response(value)).filter(({ breaking }) => breaking)).toEqual([])
        const nested = (part: unknown): Json => response({ type: 'array', items: members({ deep: part }) })
        expect(compareContracts(nested(value), nested(without)).some(({ breaking }) => breaking)).toBe(true)
      }),
    )
  })

  it('a new required member of a request breaks clients, but a new optional member does not', () => {
    fc.assert(
      fc.property(objects(schema), (value) => {
        const properties = isObject(value.properties) ? value.properties : {}
        const required = [...(Array.isArray(value.required) ? value.required : []), 'fresh']
        const more = { ...value, properties: { ...properties, fresh: { type: 'string' } }, required }
        const optional = { ...more, required: value.required }
        expect(compareContracts(request(value), request(more)).some(({ breaking }) => breaking)).toBe(true)
        expect(compareContracts(request(value), request(optional)).some(({ breaking }) => breaking)).toBe(false)
        expect(compareContracts(request(more), request(optional)).some(({ breaking }) => breaking)).toBe(false)
      }),
    )
  })
})

describe('the canonical text', () => {
  it('stays the same if it is parsed and written again, and describes the same contract as the document', () => {
    fc.assert(
      fc.property(schema, (value) => {
        const document = { ...list({ name: 'a', in: 'query', schema: value }), components: { schemas: { One: value } } }
        const text = canonicalDocument(document)
        expect(canonicalDocument(JSON.parse(text))).toBe(text)
        expect(kinds(document, JSON.parse(text))).toEqual([])
      }),
    )
  })

  it('sorts members, parameters, and lists whose order has no meaning', () => {
    const value = (...order: readonly [Json, Json]): Json => ({
      ...list(...order),
      tags: [{ name: 'z' }, { name: 'a' }],
    })
    const [a, b] = [
      { name: 'a', in: 'query', schema: { enum: ['y', 'x'] } },
      { schema: { enum: ['x', 'y'] }, in: 'query', name: 'b' },
    ]
    expect(canonicalDocument(value(a, b))).toBe(canonicalDocument(value(b, a)))
    expect(canonicalDocument(value(a, b))).toContain('"enum": [\n                "x",\n                "y"')
  })

  it('keeps the order of arrays in defaults, examples and constants, even below a member named like a keyword', () => {
    const order = ['b', 'a']
    const properties = {
      enum: { type: 'string', default: order, examples: [order], const: { required: order } },
      required: { enum: order },
    }
    const { components } = JSON.parse(
      canonicalDocument({
        components: {
          schemas: { required: { properties } },
          parameters: { required: { name: 'b', example: { enum: order } } },
        },
      }),
    )
    expect(components.schemas.required.properties).toEqual({ enum: properties.enum, required: { enum: ['a', 'b'] } })
    expect(components.parameters.required.example.enum).toEqual(order)
  })

  it('ends with one newline, and is indented by two spaces', () => {
    expect(canonicalDocument({ b: 1, a: { d: 1, c: [] } })).toBe(
      '{\n  "a": {\n    "c": [],\n    "d": 1\n  },\n  "b": 1\n}\n',
    )
  })
})
