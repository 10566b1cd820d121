import { describe, expect, it } from 'vitest'
import { compareContracts } from '../../src/contract/compare.js'
import { type Difference, levelAt } from '../../src/contract/findings.js'
import { legacy, members, query, request, response, responseHeader } from './documents.js'

const text = { type: 'string' }
const whole = { type: 'integer' }
const list = (items: unknown, rest = {}) => ({ type: 'array', items, ...rest })

/**
 * Two schemas, the differences from `one` to `other`, and the differences from `other` to `one`.
 * Two schemas without differences are equivalent.
 */
type Twins = readonly [
  title: string,
  one: unknown,
  other: unknown,
  there: readonly Difference[],
  back: readonly Difference[],
]

const scalars: readonly Twins[] = [
  ['from integer to number', whole, { type: 'number' }, ['type-widened'], ['type-narrowed']],
  ['from string to integer', text, whole, ['type-changed'], ['type-changed']],
  ['from string to string or integer', text, { type: ['string', 'integer'] }, ['type-widened'], ['type-narrowed']],
  ['from string to anything', text, {}, ['type-widened', 'null-allowed'], ['type-narrowed', 'null-refused']],
  ['from string to list of strings', text, list(text), ['type-changed'], ['type-changed']],
  ['from object to string', members({ a: text }), text, ['type-changed'], ['type-changed']],
  ['from string to string or null', text, { type: ['string', 'null'] }, ['null-allowed'], ['null-refused']],
  ['from string to an anyOf with null', text, { anyOf: [text, { type: 'null' }] }, ['null-allowed'], ['null-refused']],
  ['from no format to uuid', text, { type: 'string', format: 'uuid' }, ['format-added'], ['format-removed']],
  [
    'from date to date-time',
    { ...text, format: 'date' },
    { ...text, format: 'date-time' },
    ['format-changed'],
    ['format-changed'],
  ],
  [
    'from int32 to int64',
    { ...whole, format: 'int32' },
    { ...whole, format: 'int64' },
    ['format-removed'],
    ['format-added'],
  ],
  ['from no format to int64', whole, { ...whole, format: 'int64' }, [], []],
  [
    'from an enum to one with fewer values',
    { enum: ['a', 'b', 'c'] },
    { enum: ['a', 'b'] },
    ['value-removed'],
    ['value-added'],
  ],
  [
    'from an enum to one with other values',
    { enum: ['a', 'b'] },
    { enum: ['a', 'c'] },
    ['value-removed', 'value-added'],
    ['value-removed', 'value-added'],
  ],
  ['from string to an enum', text, { ...text, enum: ['a', 'b'] }, ['enum-added'], ['enum-removed']],
  ['from an enum to a const', { enum: ['a', 'b'] }, { const: 'a' }, ['value-removed'], ['value-added']],
  [
    'from a const to another const',
    { const: 'a' },
    { const: 'b' },
    ['value-removed', 'value-added'],
    ['value-removed', 'value-added'],
  ],
  ['enum values in another order', { enum: ['a', 'b'] }, { enum: ['b', 'a'] }, [], []],
  [
    'from an enum to an enum with null',
    { ...text, enum: ['a'] },
    { type: ['string', 'null'], enum: ['a', null] },
    ['null-allowed'],
    ['null-refused'],
  ],
  [
    'from an enum to a oneOf of constants',
    { ...text, enum: ['a', 'b'] },
    {
      oneOf: [
        { const: 'a', title: 'A' },
        { const: 'b', title: 'B' },
      ],
    },
    [],
    [],
  ],
  ['a boolean with a description', { type: 'boolean' }, { type: 'boolean', description: 'Yes or no' }, [], []],
  ['from no default to a default', text, { ...text, default: 'a' }, ['default-changed'], ['default-changed']],
]

const bounds: readonly Twins[] = [
  ['a lower maximum', { ...whole, maximum: 10 }, { ...whole, maximum: 5 }, ['maximum-lowered'], ['maximum-raised']],
  ['from no maximum to a maximum', whole, { ...whole, maximum: 5 }, ['maximum-lowered'], ['maximum-raised']],
  ['a higher minimum', { ...whole, minimum: 1 }, { ...whole, minimum: 2 }, ['minimum-raised'], ['minimum-lowered']],
  ['from no minimum to a minimum', whole, { ...whole, minimum: 2 }, ['minimum-raised'], ['minimum-lowered']],
  [
    'from maximum to exclusiveMaximum',
    { type: 'number', maximum: 5 },
    { type: 'number', exclusiveMaximum: 5 },
    ['maximum-lowered'],
    ['maximum-raised'],
  ],
  [
    'from minimum to exclusiveMinimum',
    { type: 'number', minimum: 5 },
    { type: 'number', exclusiveMinimum: 5 },
    ['minimum-raised'],
    ['minimum-lowered'],
  ],
  ['minimum 1 and exclusiveMinimum 0 of integers', { ...whole, minimum: 1 }, { ...whole, exclusiveMinimum: 0 }, [], []],
  [
    'a lower exclusiveMaximum',
    { type: 'number', exclusiveMaximum: 5 },
    { type: 'number', exclusiveMaximum: 4 },
    ['maximum-lowered'],
    ['maximum-raised'],
  ],
  ['a lower maxLength', { ...text, maxLength: 10 }, { ...text, maxLength: 5 }, ['maximum-lowered'], ['maximum-raised']],
  ['from no maxLength to a maxLength', text, { ...text, maxLength: 5 }, ['maximum-lowered'], ['maximum-raised']],
  ['a higher minLength', { ...text, minLength: 1 }, { ...text, minLength: 2 }, ['minimum-raised'], ['minimum-lowered']],
  ['from no minLength to minLength 0', text, { ...text, minLength: 0 }, [], []],
  [
    'a lower maxItems',
    list(text, { maxItems: 10 }),
    list(text, { maxItems: 5 }),
    ['maximum-lowered'],
    ['maximum-raised'],
  ],
  ['from no minItems to a minItems', list(text), list(text, { minItems: 1 }), ['minimum-raised'], ['minimum-lowered']],
  [
    'a lower maxProperties',
    { type: 'object', maxProperties: 9 },
    { type: 'object', maxProperties: 8 },
    ['maximum-lowered'],
    ['maximum-raised'],
  ],
  [
    'from no minProperties to a minProperties',
    { type: 'object' },
    { type: 'object', minProperties: 1 },
    ['minimum-raised'],
    ['minimum-lowered'],
  ],
  [
    'from a multipleOf to a multiple of it',
    { ...whole, multipleOf: 2 },
    { ...whole, multipleOf: 4 },
    ['multiple-narrowed'],
    ['multiple-widened'],
  ],
  [
    'from no multipleOf to a multipleOf',
    { type: 'number' },
    { type: 'number', multipleOf: 0.01 },
    ['multiple-narrowed'],
    ['multiple-widened'],
  ],
  [
    'from a multipleOf to a number that is not a multiple of it',
    { ...whole, multipleOf: 2 },
    { ...whole, multipleOf: 3 },
    ['multiple-changed'],
    ['multiple-changed'],
  ],
  [
    'from no uniqueItems to uniqueItems',
    list(text),
    list(text, { uniqueItems: true }),
    ['unique-items-required'],
    ['unique-items-dropped'],
  ],
  ['from no pattern to a pattern', text, { ...text, pattern: '^a' }, ['pattern-added'], ['pattern-removed']],
  [
    'from a pattern to another pattern',
    { ...text, pattern: '^a' },
    { ...text, pattern: '^b' },
    ['pattern-changed'],
    ['pattern-changed'],
  ],
  ['from no pattern to a pattern that matches everything', text, { ...text, pattern: '^.*$' }, [], []],
  ['a bound that does not apply to the type', text, { ...text, maximum: 5 }, [], []],
]

const objects: readonly Twins[] = [
  ['an additional member', members({ a: text }), members({ a: text, b: text }), ['member-added'], ['member-removed']],
  [
    'an additional required member',
    members({ a: text }),
    members({ a: text, b: text }, 'b'),
    ['required-member-added'],
    ['member-removed'],
  ],
  [
    'a member that becomes required',
    members({ a: text }),
    members({ a: text }, 'a'),
    ['member-became-required'],
    ['member-became-optional'],
  ],
  [
    'a required member without a schema',
    members({}),
    { type: 'object', required: ['a'] },
    ['required-member-added'],
    ['member-removed'],
  ],
  [
    'a nested member, from integer to string',
    members({ a: members({ b: whole }) }),
    members({ a: members({ b: text }) }),
    ['type-changed'],
    ['type-changed'],
  ],
  [
    'a member that becomes nullable',
    members({ a: text }),
    members({ a: { type: ['string', 'null'] } }),
    ['null-allowed'],
    ['null-refused'],
  ],
  [
    'from an open object to a closed one',
    members({ a: text }),
    { ...members({ a: text }), additionalProperties: false },
    ['extra-members-refused'],
    ['extra-members-allowed'],
  ],
  [
    'from an open object to one with unevaluatedProperties: false',
    members({ a: text }),
    { ...members({ a: text }), unevaluatedProperties: false },
    ['extra-members-refused'],
    ['extra-members-allowed'],
  ],
  [
    'a closed object with an additional member',
    { ...members({ a: text }), additionalProperties: false },
    { ...members({ a: text, b: text }), additionalProperties: false },
    ['member-added'],
    ['member-removed'],
  ],
  [
    'from a map of integers to a map of numbers',
    { type: 'object', additionalProperties: whole },
    { type: 'object', additionalProperties: { type: 'number' } },
    ['type-widened'],
    ['type-narrowed'],
  ],
  [
    'from no patternProperties to patternProperties',
    { type: 'object' },
    { type: 'object', patternProperties: { '^x': text } },
    ['condition-added'],
    ['condition-removed'],
  ],
  [
    'from no propertyNames to propertyNames',
    { type: 'object' },
    { type: 'object', propertyNames: { maxLength: 5 } },
    ['condition-added'],
    ['condition-removed'],
  ],
  [
    'from no dependentRequired to dependentRequired',
    members({ a: text, b: text }),
    { ...members({ a: text, b: text }), dependentRequired: { a: ['b'] } },
    ['condition-added'],
    ['condition-removed'],
  ],
  [
    'from no dependentSchemas to dependentSchemas',
    members({ a: text }),
    { ...members({ a: text }), dependentSchemas: { a: { minProperties: 2 } } },
    ['condition-added'],
    ['condition-removed'],
  ],
  ['items from integer to number', list(whole), list({ type: 'number' }), ['type-widened'], ['type-narrowed']],
  [
    'from items of any type to strings',
    { type: 'array' },
    list(text),
    ['type-narrowed', 'null-refused'],
    ['type-widened', 'null-allowed'],
  ],
  [
    'a member of items that becomes optional',
    list(members({ a: text }, 'a')),
    list(members({ a: text })),
    ['member-became-optional'],
    ['member-became-required'],
  ],
  [
    'prefixItems from integer to number',
    { type: 'array', prefixItems: [whole] },
    { type: 'array', prefixItems: [{ type: 'number' }] },
    ['type-widened'],
    ['type-narrowed'],
  ],
  [
    'from no contains to contains',
    list(text),
    list(text, { contains: { const: 'a' } }),
    ['condition-added'],
    ['condition-removed'],
  ],
  [
    'a higher minContains',
    list(text, { contains: { const: 'a' }, minContains: 2 }),
    list(text, { contains: { const: 'a' }, minContains: 3 }),
    ['minimum-raised'],
    ['minimum-lowered'],
  ],
  [
    'from minContains 0 to no minContains',
    list(text, { contains: { const: 'a' }, minContains: 0 }),
    list(text, { contains: { const: 'a' } }),
    ['condition-added'],
    ['condition-removed'],
  ],
  ['from no "not" to a "not"', text, { ...text, not: { const: 'a' } }, ['condition-added'], ['condition-removed']],
  [
    'from a "not" to another "not"',
    { ...text, not: { const: 'b' } },
    { ...text, not: { const: 'a' } },
    ['condition-changed'],
    ['condition-changed'],
  ],
  [
    'from no "if" to "if" and "then"',
    members({ a: text }),
    { ...members({ a: text }), if: { required: ['a'] }, ...Object.fromEntries([['then', { minProperties: 2 }]]) },
    ['condition-added', 'condition-added'],
    ['condition-removed', 'condition-removed'],
  ],
  [
    'from a contentMediaType to another',
    { ...text, contentMediaType: 'image/png' },
    { ...text, contentMediaType: 'image/gif' },
    ['condition-changed'],
    ['condition-changed'],
  ],
]

const unions: readonly Twins[] = [
  [
    'an additional alternative of a oneOf',
    { oneOf: [members({ a: text }, 'a'), members({ b: text }, 'b')] },
    { oneOf: [members({ a: text }, 'a'), members({ b: text }, 'b'), members({ c: text }, 'c')] },
    ['alternative-added'],
    ['alternative-removed'],
  ],
  ['from a oneOf of scalars to a list of types', { oneOf: [text, whole] }, { type: ['integer', 'string'] }, [], []],
  ['from an anyOf of one schema to the schema', { anyOf: [members({ a: text })] }, members({ a: text }), [], []],
  [
    'the alternatives of a oneOf in another order',
    { oneOf: [members({ a: text }, 'a'), members({ b: text }, 'b')] },
    { oneOf: [members({ b: text }, 'b'), members({ a: text }, 'a')] },
    [],
    [],
  ],
  [
    'a member of an alternative, from integer to number',
    { oneOf: [members({ k: { const: 'a' } }, 'k'), members({ k: { const: 'b' }, n: whole }, 'k')] },
    { oneOf: [members({ k: { const: 'a' } }, 'k'), members({ k: { const: 'b' }, n: { type: 'number' } }, 'k')] },
    ['type-widened'],
    ['type-narrowed'],
  ],
  [
    'an allOf merged into one schema',
    { allOf: [members({ a: text }, 'a'), members({ b: text })] },
    members({ a: text, b: text }, 'a'),
    [],
    [],
  ],
  [
    'an additional part of an allOf',
    { allOf: [members({ a: text })] },
    { allOf: [members({ a: text }), members({ b: text }, 'b')] },
    ['required-member-added'],
    ['member-removed'],
  ],
  [
    'an annotation as an additional part of an allOf',
    { allOf: [members({ a: text })] },
    { allOf: [members({ a: text }), { description: 'Words' }] },
    [],
    [],
  ],
  [
    'an allOf inside a member, merged into one schema',
    members({ a: { allOf: [text, { maxLength: 5 }] } }),
    members({ a: { ...text, maxLength: 5 } }),
    [],
    [],
  ],
  [
    'common members beside the oneOf, or in each alternative',
    { ...members({ a: text }), oneOf: [members({ b: text }, 'b'), members({ c: text }, 'c')] },
    { oneOf: [members({ a: text, b: text }, 'b'), members({ a: text, c: text }, 'c')] },
    [],
    [],
  ],
]

const twins = [...scalars, ...bounds, ...objects, ...unions]
const differencesOf = (changes: ReturnType<typeof compareContracts>): readonly string[] =>
  changes.map(({ kind }) => kind.replace(/^(?:request|response|header|parameter)-/, '')).sort()

describe.each([
  ['request', request],
  ['response', response],
] as const)('changes of a schema in a %s are classified in both directions', (place, make) => {
  it.each(twins)('%s', (_title, one, other, there, back) => {
    for (const [before, after, expected] of [
      [one, other, there],
      [other, one, back],
    ] as const) {
      const changes = compareContracts(make(before), make(after))
      expect(differencesOf(changes)).toEqual([...expected].sort())
      for (const change of changes)
        expect(change.breaking, change.kind).toBe(
          expected.some((name) => change.kind.endsWith(name) && levelAt(place, name) === 'breaking'),
        )
    }
  })
})

describe('breaking and harmless changes', () => {
  const breaks = (before: unknown, after: unknown, make: (schema: unknown) => unknown): boolean =>
    compareContracts(make(before), make(after)).some(({ breaking }) => breaking)

  it('it is harmless to widen a request schema, and to narrow a response schema', () => {
    expect(breaks(whole, { type: 'number' }, request)).toBe(false)
    expect(breaks({ type: 'number' }, whole, request)).toBe(true)
    expect(breaks(whole, { type: 'number' }, response)).toBe(true)
    expect(breaks({ type: 'number' }, whole, response)).toBe(false)
  })

  it('a new enum value in a response breaks clients, and a new enum value in a request does not', () => {
    expect(breaks({ enum: ['a'] }, { enum: ['a', 'b'] }, response)).toBe(true)
    expect(breaks({ enum: ['a'] }, { enum: ['a', 'b'] }, request)).toBe(false)
  })

  it('a changed pattern is harmless in a response, but breaks requests', () => {
    expect(breaks({ ...text, pattern: '^a' }, { ...text, pattern: '^b' }, response)).toBe(false)
    expect(breaks({ ...text, pattern: '^a' }, { ...text, pattern: '^b' }, request)).toBe(true)
  })

  it('a response schema may gain a more detailed alternative in anyOf, but no unrelated alternative in oneOf', () => {
    const brief = members({ href: text }, 'href')
    const full = members({ href: text, name: text }, 'href', 'name')
    expect(breaks(brief, { anyOf: [brief, full] }, response)).toBe(false)
    expect(breaks(brief, { oneOf: [brief, members({ id: whole }, 'id')] }, response)).toBe(true)
  })

  it('a new alternative of a oneOf counts as a change, even if another alternative has the same structure', () => {
    const [dog, cat, rabbit] = ['Dog', 'Cat', 'Rabbit'].map((title) => ({ ...members({ name: text }), title }))
    expect(breaks({ oneOf: [dog, cat] }, { oneOf: [dog, cat, rabbit] }, response)).toBe(true)
    expect(breaks({ oneOf: [dog, cat] }, { oneOf: [dog, cat, rabbit] }, request)).toBe(false)
    expect(breaks({ oneOf: [dog, cat, rabbit] }, { oneOf: [dog, rabbit] }, request)).toBe(true)
  })

  it('alternatives may be merged into one wider schema in a request, but not in a response', () => {
    const [dog, cat] = ['dog', 'cat'].map((kind) => members({ kind: { const: kind }, name: text }, 'kind'))
    const animal = members({ kind: { enum: ['dog', 'cat', 'fox'] }, name: text }, 'kind')
    expect(breaks({ oneOf: [dog, cat] }, animal, request)).toBe(false)
    expect(breaks(animal, { oneOf: [dog, cat] }, request)).toBe(true)
    expect(breaks(animal, { oneOf: [dog, cat] }, response)).toBe(false)
    expect(breaks({ oneOf: [dog, cat] }, animal, response)).toBe(true)
  })

  it('readOnly removes a member from requests, and writeOnly removes it from responses', () => {
    const hidden = (word: string) => members({ a: { ...text, [word]: true } })
    expect(breaks(members({ a: text }), hidden('readOnly'), request)).toBe(true)
    expect(breaks(members({ a: text }), hidden('readOnly'), response)).toBe(false)
    expect(breaks(members({ a: text }), hidden('writeOnly'), response)).toBe(true)
    expect(breaks(members({ a: text }), hidden('writeOnly'), request)).toBe(false)
  })

  it('changes of readOnly members in requests, and of writeOnly members in responses, are ignored', () => {
    const readOnly = (schema: object) => members({ a: { ...schema, readOnly: true } }, 'a')
    expect(compareContracts(request(readOnly(text)), request(readOnly(whole)))).toEqual([])
    expect(breaks(members({}), readOnly(text), request)).toBe(false)
    expect(breaks(readOnly(text), readOnly(whole), response)).toBe(true)
    const writeOnly = (schema: object) => members({ a: { ...schema, writeOnly: true } })
    expect(compareContracts(response(writeOnly(text)), response(members({})))).toEqual([])
  })

  it('a new required member with a default breaks requests', () => {
    expect(breaks(members({}), members({ a: { ...text, default: 'x' } }, 'a'), request)).toBe(true)
  })

  it('an extensible enum may gain values in responses, but not lose values in requests', () => {
    const extensible = (...values: readonly string[]) => ({ ...text, 'x-extensible-enum': values })
    expect(breaks(extensible('a'), extensible('a', 'b'), response)).toBe(false)
    const listed = (...values: readonly string[]) => ({ ...extensible(...values), enum: values })
    expect(breaks(listed('a'), listed('a', 'b'), response)).toBe(false)
    expect(breaks({ ...text, enum: ['a'] }, listed('a', 'b'), response)).toBe(true)
    expect(
      breaks(
        members({ m: listed('a') }),
        members({ m: { ...listed('a'), type: ['string', 'null'], enum: ['a', null] } }),
        response,
      ),
    ).toBe(true)
    expect(breaks(extensible('a', 'b'), extensible('a'), request)).toBe(true)
  })
})

describe('equivalent spellings and references', () => {
  const same = (one: object, other: object): void => {
    expect(compareContracts(one, other)).toEqual([])
    expect(compareContracts(other, one)).toEqual([])
  }

  it('the spellings of null in OpenAPI 3.0 and 3.1 are equivalent', () => {
    same(legacy(response({ ...text, nullable: true })), response({ type: ['string', 'null'] }))
    same(legacy(response({ nullable: true, allOf: [text] })), response({ type: ['string', 'null'] }))
    const either = [members({ a: text }, 'a'), members({ b: text }, 'b')]
    same(legacy(response({ nullable: true, anyOf: either })), response({ anyOf: [...either, { type: 'null' }] }))
    same(legacy(response({})), response({}))
    same(
      legacy(response({ ...text, nullable: true, enum: ['a'] })),
      response({ type: ['string', 'null'], enum: ['a', null] }),
    )
  })

  it('the spellings of exclusive bounds in OpenAPI 3.0 and 3.1 are equivalent', () => {
    same(
      legacy(request({ type: 'number', minimum: 1, exclusiveMinimum: true })),
      request({ type: 'number', exclusiveMinimum: 1 }),
    )
  })

  it('an implied object or array type is equivalent to an explicit type', () => {
    same(request({ properties: { a: { items: text } } }), request(members({ a: list(text) })))
  })

  it('references to components are equivalent to inline schemas, but removed components are reported', () => {
    const inline = response(members({ a: members({ b: text }) }))
    const referring = response({ $ref: '#/components/schemas/Thing' }, 'application/json', {
      schemas: { Thing: members({ a: { $ref: '#/components/schemas/Part' } }), Part: members({ b: text }) },
    })
    expect(compareContracts(inline, referring)).toEqual([])
    expect(compareContracts(referring, inline).map(({ kind }) => kind)).toEqual([
      'component-removed',
      'component-removed',
    ])
  })

  it('recursive schemas are compared in finite time, and their differences are found', () => {
    const tree = (leaf: object) =>
      response({ $ref: '#/components/schemas/Tree' }, 'application/json', {
        schemas: { Tree: members({ leaf, parts: list({ $ref: '#/components/schemas/Tree' }) }, 'leaf') },
      })
    same(tree(text), tree(text))
    const changes = compareContracts(tree(text), tree(whole))
    expect(changes.map(({ kind, pointer }) => [kind, pointer])).toEqual([
      ['response-type-changed', '#/components/schemas/Tree/properties/leaf'],
    ])
  })

  it('keywords next to a reference apply in OpenAPI 3.1, but not in OpenAPI 3.0', () => {
    const components = { schemas: { Text: text } }
    const extended = request({ $ref: '#/components/schemas/Text', maxLength: 5 }, 'application/json', components)
    const bare = request({ $ref: '#/components/schemas/Text' }, 'application/json', components)
    expect(compareContracts(bare, extended).map(({ kind }) => kind)).toEqual(['request-maximum-lowered'])
    same(legacy(bare), legacy(extended))
  })
})

describe('XML, query parameters and header fields', () => {
  it('XML element names matter only in XML bodies', () => {
    const named = (name: string) => ({ ...text, xml: { name } })
    expect(
      compareContracts(response(named('a'), 'application/xml'), response(named('b'), 'application/xml')).map(
        ({ kind }) => kind,
      ),
    ).toEqual(['response-xml-changed'])
    expect(compareContracts(response(named('a')), response(named('b')))).toEqual([])
  })

  it('an integer may become a string in a query or in XML, but not in JSON', () => {
    expect(compareContracts(query(whole), query(text)).map(({ kind }) => kind)).toEqual(['parameter-type-widened'])
    expect(compareContracts(query(text), query(whole)).map(({ kind }) => kind)).toEqual(['parameter-type-narrowed'])
    expect(
      compareContracts(request(whole, 'application/xml'), request(text, 'application/xml')).map(
        ({ breaking }) => breaking,
      ),
    ).toEqual([false])
    expect(compareContracts(request(whole), request(text)).map(({ breaking }) => breaking)).toEqual([true])
  })

  it('if a query parameter changes from integer to string, a new length limit or pattern is reported', () => {
    expect(compareContracts(query(whole), query({ ...text, maxLength: 3 })).map(({ kind }) => kind)).toContain(
      'parameter-maximum-lowered',
    )
    expect(compareContracts(query(whole), query({ ...text, pattern: '^a$' })).map(({ kind }) => kind)).toContain(
      'parameter-pattern-added',
    )
  })

  it('a header field of a response is compared like a response body', () => {
    expect(
      compareContracts(responseHeader({ schema: whole }), responseHeader({ schema: text })).map(({ kind }) => kind),
    ).toEqual(['header-type-changed'])
    expect(
      compareContracts(responseHeader({ schema: whole }), responseHeader({ schema: { ...whole, minimum: 0 } })).map(
        ({ breaking }) => breaking,
      ),
    ).toEqual([false])
  })
})

it('a change of a schema to which many paths lead is found once, and quickly', () => {
  const levels = 30
  const ladder = (leaf: unknown) => {
    const next = (level: number) => ({ $ref: `#/components/schemas/T${level + 1}` })
    const all = Array.from({ length: levels }, (_, at) => [`T${at}`, members({ a: next(at), b: next(at) })] as const)
    const schemas = { ...Object.fromEntries(all), [`T${levels}`]: members({ name: leaf }) }
    return response({ $ref: '#/components/schemas/T0' }, 'application/json', { schemas })
  }
  const [change, ...others] = compareContracts(ladder(text), ladder(whole))
  expect([change?.kind, change?.pointer, others]).toEqual([
    'response-type-changed',
    `#/components/schemas/T${levels}/properties/name`,
    [],
  ])
})

it.each([
  ['not', { ...text, not: { $ref: '#/components/schemas/A' } }],
  ['if', { ...text, if: { $ref: '#/components/schemas/A' }, else: { minLength: 1 } }],
  ['a oneOf with 129 branches', { oneOf: Array.from({ length: 129 }, () => ({ $ref: '#/components/schemas/A' })) }],
])('a change of a schema to which %s refers is found, even through a second reference', (_title, schema) => {
  const of = (value: string, description: string) => {
    const schemas = { A: { $ref: '#/components/schemas/B', description }, B: { const: value, description } }
    return request(schema, 'application/json', { schemas })
  }
  expect(compareContracts(of('a', 'x'), of('b', 'x')).map(({ kind }) => kind)).toEqual(['request-condition-changed'])
  expect(compareContracts(of('a', 'x'), of('a', 'y'))).toEqual([])
})
