import { describe, expect, it } from 'vitest'
import { compileValidator } from '../../src/plan/validator.js'
import type { KnownViolation } from '../../src/problem.js'
import { type ViolationCode, violationKinds } from '../../src/violation.js'

const member = (schema: unknown, value: unknown) =>
  compileValidator('cosas', { type: 'object', properties: { a: schema } }, new Set())({ a: value })

/** For each code of a schema keyword: a schema, an invalid value, and the expected params. */
const broken: readonly (readonly [code: ViolationCode, schema: object, value: unknown, params?: object])[] = [
  ['type', { type: ['integer', 'null'] }, 'x', { types: ['integer', 'null'] }],
  ['required', { type: 'object', required: ['b'], properties: { b: {} } }, {}, { member: 'b' }],
  [
    'required',
    { type: 'object', dependentRequired: { c: ['b'] }, properties: { b: {}, c: {} } },
    { c: 1 },
    { member: 'b' },
  ],
  [
    'unknown',
    { type: 'object', properties: { b: {} } },
    { [`${'x'.repeat(90)}`]: 1 },
    { name: `${'x'.repeat(80)}...` },
  ],
  [
    'unknown',
    { type: 'object', additionalProperties: true, propertyNames: { maxLength: 1 } },
    { bb: 1 },
    { name: 'bb' },
  ],
  ['enum', { enum: ['x', 'y'] }, 'z'],
  ['const', { const: 'x' }, 'z'],
  ['minLength', { type: 'string', minLength: 2 }, 'x', { limit: 2 }],
  ['maxLength', { type: 'string', maxLength: 2 }, 'xxx', { limit: 2 }],
  ['minItems', { type: 'array', minItems: 1 }, [], { limit: 1 }],
  ['maxItems', { type: 'array', maxItems: 1 }, [1, 2], { limit: 1 }],
  ['minProperties', { type: 'object', additionalProperties: true, minProperties: 1 }, {}, { limit: 1 }],
  ['maxProperties', { type: 'object', additionalProperties: true, maxProperties: 1 }, { b: 1, c: 2 }, { limit: 1 }],
  ['minimum', { type: 'number', minimum: 0 }, -1, { limit: 0 }],
  ['maximum', { type: 'number', maximum: 0.5 }, 1, { limit: 0.5 }],
  ['exclusiveMinimum', { type: 'number', exclusiveMinimum: 0 }, 0, { limit: 0 }],
  ['exclusiveMaximum', { type: 'number', exclusiveMaximum: 0 }, 0, { limit: 0 }],
  ['multipleOf', { type: 'number', multipleOf: 5 }, 7, { divisor: 5 }],
  ['pattern', { type: 'string', pattern: '^[A-Z]+$' }, 'x', { pattern: '^[A-Z]+$' }],
  ['format', { type: 'string', format: 'date' }, 'x', { format: 'date' }],
  ['uniqueItems', { type: 'array', uniqueItems: true }, [0, 1, 1], { first: 1, second: 2 }],
  ['contains', { type: 'array', contains: { const: 1 } }, [2], { least: 1 }],
  [
    'contains',
    { type: 'array', contains: { const: 1 }, minContains: 0, maxContains: 1 },
    [1, 1],
    { least: 0, most: 1 },
  ],
  ['items', { type: 'array', prefixItems: [{}], items: false, minItems: 1, maxItems: 9 }, [1, 2], { limit: 1 }],
  [
    'unevaluatedItems',
    { type: 'array', allOf: [{ prefixItems: [{}] }], unevaluatedItems: false },
    [1, 2],
    { limit: 1 },
  ],
  ['exactInteger', { type: 'integer' }, 2 ** 53, { minimum: -(2 ** 53 - 1), maximum: 2 ** 53 - 1 }],
  ['anyOf', { anyOf: [{ type: 'string', minLength: 3 }, { type: 'number' }, { type: 'boolean' }] }, null],
  ['oneOf', { oneOf: [{ minimum: 0 }, { maximum: 9 }] }, 5],
  ['not', { not: { const: 1 } }, 1],
  ['not', { type: 'object', properties: { b: false } }, { b: 1 }],
]

describe('ERR-3: the params of violations', () => {
  it.each(broken)('the violation %s of the schema %j has the expected params', (code, schema, value, params) => {
    const found = member(schema, value).find((one) => one.code === code)
    expect(found).toBeDefined()
    expect(found?.params).toEqual(params)
  })

  it('match the names that violationKinds lists for the code', () => {
    for (const [, schema, value] of broken) {
      for (const { code = '', params = {} } of member(schema, value)) {
        expect(violationKinds, code).toHaveProperty([code])
        const names: readonly string[] = violationKinds[code as ViolationCode]
        const required = names.filter((name) => !name.endsWith('?'))
        expect(Object.keys(params)).toEqual(expect.arrayContaining(required))
        expect(names.map((name) => name.replace('?', ''))).toEqual(expect.arrayContaining(Object.keys(params)))
      }
    }
  })

  it('have the type that belongs to the code', () => {
    const say = (found: KnownViolation): string => {
      switch (found.code) {
        case 'maxLength':
          return `at most ${found.params.limit}`
        case 'type':
          return found.params.types.join(' or ')
        case 'enum':
          // @ts-expect-error: a violation of enum has no params
          return String(found.params?.limit)
        default:
          return found.detail
      }
    }
    expect(say({ code: 'maxLength', params: { limit: 3 }, detail: '' })).toBe('at most 3')
    // @ts-expect-error: the params of minLength are missing
    expect(say({ code: 'minLength', detail: 'x' })).toBe('x')
  })
})
