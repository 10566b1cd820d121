import { fullFormats } from 'ajv-formats/dist/formats.js'
import { describe, expect, it } from 'vitest'
import { Shape } from '../../src/definition/shape.js'
import { valueFormats } from '../../src/definition/value-formats.js'
import { formatWords } from '../../src/definition/value-words.js'
import { formatTest } from '../../src/plan/formats.js'
import { scalarGrammar } from '../../src/plan/scalar-grammar.js'
import { compileValidator } from '../../src/plan/validator.js'

const open = { type: 'object', additionalProperties: true }
const pair = { type: 'array', prefixItems: [{}], minItems: 1, maxItems: 9 }

/** The texts of all violations of a member "a" with this schema. */
const texts = (schema: unknown, value: unknown): string =>
  compileValidator(
    'cosas',
    { type: 'object', properties: { a: schema } },
    new Set(),
  )({ a: value })
    .map(({ detail }) => detail)
    .join(' ')

describe('ERR-3: the text of a violation says in plain words what is allowed', () => {
  it.each<[schema: object, value: unknown, text: string]>([
    [{ type: 'string' }, 1, '"a" must be a string.'],
    [{ type: 'number' }, 'x', '"a" must be a number.'],
    [{ type: ['integer', 'null'] }, 'x', '"a" must be a whole number or null.'],
    [{ type: ['boolean', 'null'] }, 'x', '"a" must be true, false or null.'],
    [{ type: 'array' }, 1, '"a" must be an array.'],
    [{ type: 'object' }, 1, '"a" must be an object.'],
    [{ type: 'null' }, 1, '"a" must be null.'],
    [{ type: 'integer' }, 2 ** 53, '"a" must be a whole number from -9007199254740991 to 9007199254740991.'],
    [{ type: 'string', minLength: 1 }, '', '"a" must have at least 1 character.'],
    [{ type: 'string', maxLength: 5 }, 'abcdef', '"a" must have at most 5 characters.'],
    [{ type: 'string', pattern: '^a' }, 'b', '"a" must match the pattern "^a".'],
    [{ type: 'string', format: 'date' }, 'b', '"a" must be a date such as 2026-01-31.'],
    [{ type: 'number', format: 'int64' }, 1.5, '"a" must be a whole number.'],
    [{ type: 'number', minimum: 0 }, -1, '"a" must be at least 0.'],
    [{ type: 'number', maximum: 10 }, 11, '"a" must be at most 10.'],
    [{ type: 'number', exclusiveMinimum: 0 }, 0, '"a" must be greater than 0.'],
    [{ type: 'number', exclusiveMaximum: 0.5 }, 0.5, '"a" must be less than 0.5.'],
    [{ type: 'number', multipleOf: 5 }, 7, '"a" must be a multiple of 5.'],
    [{ enum: ['x', null] }, 'z', '"a" must be one of "x", null.'],
    [{ enum: [{ b: 1 }, 2], ...open }, { b: 2 }, '"a" must be one of {"b":1}, 2.'],
    [{ const: [1] }, [2], '"a" must be [1].'],
    [{ type: 'array', minItems: 2 }, [1], '"a" must have at least 2 items.'],
    [{ type: 'array', maxItems: 1 }, [1, 2], '"a" must have at most 1 item.'],
    [{ ...pair, items: false }, [1, 2], '"a" must have at most 1 item.'],
    [{ type: 'array', allOf: [pair], unevaluatedItems: false }, [1, 2], '"a" must have at most 1 item.'],
    [{ type: 'array', uniqueItems: true }, [1, 1], '"a" must not have equal items, but [0] and [1] are equal.'],
    [
      { type: 'array', contains: { const: 1 } },
      [2],
      '"a[0]" must be 1. "a" must have at least 1 item that matches the schema in "contains".',
    ],
    [
      { type: 'array', contains: { const: 1 }, minContains: 0, maxContains: 1 },
      [1, 1],
      '"a" must have at most 1 item that matches the schema in "contains".',
    ],
    [
      { type: 'array', contains: { const: 1 }, minContains: 2, maxContains: 2 },
      [1, 1, 1],
      '"a" must have exactly 2 items that match the schema in "contains".',
    ],
    [
      { type: 'array', contains: { const: 1 }, minContains: 1, maxContains: 2 },
      [1, 1, 1],
      '"a" must have 1 to 2 items that match the schema in "contains".',
    ],
    [{ ...open, minProperties: 1 }, {}, '"a" must have at least 1 member.'],
    [{ ...open, maxProperties: 1 }, { b: 1, c: 2 }, '"a" must have at most 1 member.'],
    [
      { type: 'object', properties: { b: {}, c: {} }, dependentRequired: { c: ['b'] } },
      { c: 1 },
      '"b" is required if "c" is present.',
    ],
    [{ ...open, propertyNames: { maxLength: 1 } }, { bb: 1 }, 'The name "bb" must have at most 1 character.'],
    [{ ...open, properties: { b: false } }, { b: 1 }, '"b" is not allowed.'],
    [{ not: { const: 1 } }, 1, '"a" must not match the schema in "not".'],
    [
      { oneOf: [{ minimum: 0 }, { maximum: 9 }] },
      5,
      '"a" must match exactly one of the schemas in "oneOf", but matches more than one.',
    ],
  ])('for the schema %j and the value %j', (schema, value, text) => {
    expect(texts(schema, value)).toBe(text)
  })

  it('for "oneOf" and "anyOf", the text says that no schema matches', () => {
    const branches = [{ type: 'string' }, { type: 'boolean' }]
    expect(texts({ oneOf: branches }, 5)).toContain(
      'must match exactly one of the schemas in "oneOf", but matches none.',
    )
    expect(texts({ anyOf: branches }, 5)).toContain('must match at least one of the schemas in "anyOf".')
  })

  it.each(Object.keys(fullFormats).filter((name) => formatTest(name)?.('\\ "') === false))(
    'for the format %s, the text has an example that is valid in bodies and queries',
    (name) => {
      const words = formatWords(name)
      const example = /(?:such as|from) "?([^ ",]+)/.exec(words)?.[1] ?? ''
      const isNumber = ['int32', 'int64'].includes(name)
      if (!isNumber || valueFormats.has(name)) expect(formatTest(name)?.(example), words).toBe(true)
      expect(scalarGrammar(Shape.of({ type: 'string', format: name })).expects).toBe(words)
    },
  )
})
