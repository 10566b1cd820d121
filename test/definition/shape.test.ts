import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../src/definition/schema-types.js'
import { Shape } from '../../src/definition/shape.js'

const party = {
  type: 'object',
  required: ['nombre'],
  properties: { nombre: { type: 'string' }, alias: { type: ['string', 'null'] } },
}
const of = (schema: JsonSchema): Shape => Shape.of(schema)
/** The `Shape` of a member that has this schema. The schema can refer to `$defs`. */
const member = (schema: unknown, $defs: JsonSchema = { party }): Shape =>
  Shape.of({ type: 'object', $defs, properties: { one: schema } }).at(['one']) as Shape
const summary = ({ types, nullable }: Shape) => `${[...types].sort().join(' ')}${nullable ? '?' : ''}`
const names = (shape: Shape) => [...shape.members.keys()]

describe('the type of a value', () => {
  it.each<[JsonSchema, string]>([
    [{ type: 'string' }, 'string'],
    [{ type: ['integer', 'null'] }, 'integer?'],
    [{ type: 'null' }, '?'],
    [{}, ''],
    [{ enum: ['a', 'b'] }, 'string'],
    [{ enum: ['a', null] }, 'string?'],
    [{ enum: [1, 2] }, 'integer'],
    [{ enum: [1, 2.5] }, 'number'],
    [{ enum: [1, 'a', true] }, 'boolean integer string'],
    [{ const: null }, '?'],
    [{ const: 5 }, 'integer'],
    [{ type: 'number', enum: [1, 2.5] }, 'number'],
    [{ type: ['string', 'null'], enum: ['a', null] }, 'string?'],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'integer?'],
    [{ oneOf: [{ const: 'a' }, { type: 'null' }] }, 'string?'],
    [{ anyOf: [{}, { type: 'null' }] }, '?'],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, 'integer string'],
    [{ allOf: [{ type: ['string', 'null'] }, { type: ['string', 'integer'] }] }, 'string'],
    [{ type: 'number', allOf: [{ type: 'integer' }] }, 'integer'],
    [{ $ref: '#/$defs/party' }, 'object'],
    [{ anyOf: [{ $ref: '#/$defs/party' }, { type: 'null' }] }, 'object?'],
    [{ properties: { a: {} } }, 'object'],
    [{ anyOf: [{ properties: { a: {} } }, { type: 'null' }] }, 'object?'],
  ])('REP-8: the schema %j has the type "%s" ("?" means nullable)', (schema, expected) => {
    expect(summary(member(schema))).toBe(expected)
  })

  it('REP-8: a type list with null does not allow null if the enum lacks null', () => {
    expect(summary(member({ type: ['string', 'null'], enum: ['a', 'b'] }))).toBe('string')
  })

  it('QUERY-1: the allowed values are those of enum and const, also in unions, but without null', () => {
    expect(member({ enum: ['a', null, 'b'] }).values).toEqual(['a', 'b'])
    expect(member({ const: 7 }).values).toEqual([7])
    expect(member({ anyOf: [{ const: 'a' }, { enum: ['b', 'a'] }, { type: 'null' }] }).values).toEqual(['a', 'b'])
    expect(member({ anyOf: [{ const: 'a' }, { type: 'string' }] }).values).toBeUndefined()
    expect(member({ allOf: [{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }] }).values).toEqual(['b'])
    expect(member({ type: 'string' }).values).toBeUndefined()
  })

  it('REP-4: a union with exactly one string schema has the format of that schema', () => {
    const date = { type: 'string', format: 'local-date-time' }
    expect(member({ anyOf: [date, { type: 'null' }] }).format).toBe('local-date-time')
    expect(member({ anyOf: [date, { type: 'integer' }] }).format).toBe('local-date-time')
    expect(member({ anyOf: [date, { type: 'string' }] }).format).toBeUndefined()
  })

  it('REP-8: a member is readOnly or writeOnly if any of its schemas declares it so', () => {
    expect(member({ $ref: '#/$defs/party', readOnly: true }).readOnly).toBe(true)
    expect(
      member({ $ref: '#/$defs/pin', writeOnly: false }, { pin: { type: 'string', writeOnly: true } }).writeOnly,
    ).toBe(true)
    expect(member({ anyOf: [{ type: 'string', writeOnly: true }, { type: 'null' }] }).writeOnly).toBe(true)
    expect(member({ type: 'string' }).writeOnly).toBe(false)
  })

  it('REP-8: a default of null counts as a default', () => {
    expect(member({ type: ['string', 'null'], default: null }).fallback).toEqual({ value: null })
    expect(member({ type: 'string' }).fallback).toBeUndefined()
  })
})

describe('members', () => {
  it('include the members of references and subschemas, in the order of the schema', () => {
    const shape = of({
      type: 'object',
      $defs: { party },
      properties: { a: { type: 'string' } },
      allOf: [{ $ref: '#/$defs/party' }, { required: ['c'], properties: { c: { type: 'integer' } } }],
    })
    expect(names(shape)).toEqual(['a', 'nombre', 'alias', 'c'])
    expect([...shape.required]).toEqual(['nombre', 'c'])
    expect(shape.at(['c'])?.types).toEqual(new Set(['integer']))
  })

  it('are merged if several schemas declare the same member', () => {
    const shape = of({
      properties: { a: { type: 'integer' } },
      allOf: [{ properties: { a: { minimum: 1, readOnly: true } } }],
    })
    expect(summary(shape.at(['a']) as Shape)).toBe('integer')
    expect(shape.at(['a'])?.readOnly).toBe(true)
  })

  it('include those of every branch of a union, and are conditional if only some branches have them', () => {
    const shape = member({
      oneOf: [
        { type: 'object', required: ['kind', 'a'], properties: { kind: { const: 'a' }, a: { type: 'string' } } },
        { type: 'object', required: ['kind'], properties: { kind: { const: 'b' }, b: { type: ['integer', 'null'] } } },
        { type: 'null' },
      ],
    })
    expect(names(shape)).toEqual(['kind', 'a', 'b'])
    expect([...shape.conditional]).toEqual(['a', 'b'])
    expect([...shape.required]).toEqual(['kind'])
    expect(shape.at(['kind'])?.values).toEqual(['a', 'b'])
    expect(shape.nullable).toBe(true)
  })

  it('include those of "then", "else" and "dependentSchemas", which are conditional', () => {
    const shape = of({
      properties: { a: { type: 'string' } },
      if: { properties: { a: { const: 'x' } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { b: { type: 'string' } } },
      else: { properties: { c: { type: 'string' } } },
      dependentSchemas: { a: { properties: { d: true } } },
    })
    expect(names(shape)).toEqual(['a', 'b', 'c', 'd'])
    expect([...shape.conditional]).toEqual(['b', 'c', 'd'])
  })

  it('may have any value if their schema is true, and do not exist if it is false', () => {
    const shape = of({ type: 'object', properties: { any: true, none: false } })
    expect(names(shape)).toEqual(['any'])
    expect(summary(shape.at(['any']) as Shape)).toBe('')
  })

  it('may have names that every object inherits, such as "constructor"', () => {
    const shape = of({ type: 'object', properties: { constructor: { type: 'string' }, toString: { type: 'integer' } } })
    expect(summary(shape.at(['constructor']) as Shape)).toBe('string')
    expect(shape.at(['hasOwnProperty'])).toBeUndefined()
    expect(of({ type: 'object' }).at(['constructor'])).toBeUndefined()
  })

  it('may be undeclared only if "additionalProperties" or "patternProperties" allows them', () => {
    expect(of({ type: 'object' }).open).toBe(false)
    expect(of({ type: 'object' }).other('x')).toBeUndefined()
    expect(of({ type: 'object', additionalProperties: true }).other('x')?.types.size).toBe(0)
    expect(of({ type: 'object', additionalProperties: { type: 'integer' } }).other('x')?.types).toEqual(
      new Set(['integer']),
    )
    const patterned = of({ type: 'object', patternProperties: { '^n-': { type: 'integer' } } })
    expect([patterned.open, patterned.hasOthers, patterned.other('x')]).toEqual([false, true, undefined])
    expect(patterned.other('n-1')?.types).toEqual(new Set(['integer']))
    expect(member({ anyOf: [{ type: 'object', additionalProperties: true }, { type: 'null' }] }).open).toBe(true)
  })

  it('of list items are declared in "items"; the first items can have their own schemas in "prefixItems"', () => {
    const shape = member({ type: 'array', prefixItems: [{ type: 'string' }, true], items: { $ref: '#/$defs/party' } })
    expect(shape.prefix.map(summary)).toEqual(['string', ''])
    expect(names(shape.items as Shape)).toEqual(['nombre', 'alias'])
    expect(member({ anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] }).items?.types).toEqual(
      new Set(['string']),
    )
    expect(member({ type: 'array' }).items).toBeUndefined()
  })

  it('have paths with dots, and along() returns the shape of each member on a path', () => {
    const shape = of({ $defs: { party }, properties: { a: { $ref: '#/$defs/party' }, b: { type: 'string' } } })
    expect(shape.paths()).toEqual(['a', 'a.nombre', 'a.alias', 'b'])
    expect(shape.along(['a', 'nombre'])?.map(summary)).toEqual(['object', 'string'])
    expect(shape.along(['a', 'apellido'])).toBeUndefined()
  })
})

describe('references', () => {
  const at = (schema: JsonSchema, ...path: string[]): string | undefined => {
    const found = of(schema).at(path)
    return found && summary(found)
  }

  it('may point to any subschema, with escapes and percent-encoding', () => {
    const $defs = {
      'a/b': { type: 'string' },
      'c~d': { type: 'integer' },
      'é e': { type: 'boolean' },
      list: [{ type: 'number' }],
      any: true,
    }
    const properties = {
      slash: { $ref: '#/$defs/a~1b' },
      tilde: { $ref: '#/$defs/c~0d' },
      percent: { $ref: '#/$defs/%C3%A9%20e' },
      index: { $ref: '#/$defs/list/0' },
      any: { $ref: '#/$defs/any' },
      sibling: { $ref: '#/properties/slash' },
    }
    const schema = { type: 'object', $defs, properties }
    expect(Object.keys(properties).map((name) => at(schema, name))).toEqual([
      'string',
      'integer',
      'boolean',
      'number',
      '',
      'string',
    ])
  })

  it('may make a schema recursive', () => {
    const schema = {
      type: 'object',
      properties: {
        nombre: { type: 'string' },
        padre: { anyOf: [{ $ref: '#' }, { type: 'null' }] },
        hijos: { type: 'array', items: { $ref: '#' } },
      },
    }
    expect(at(schema, 'padre', 'padre', 'padre', 'nombre')).toBe('string')
    expect(names(of(schema).at(['hijos'])?.items as Shape)).toEqual(['nombre', 'padre', 'hijos'])
  })

  it.each([
    ['#/$defs/none', 'contains no such subschema'],
    ['#/$defs/__proto__', 'contains no such subschema'],
    ['#/$defs/list/x', 'contains no such subschema'],
    ['#/$defs/text', 'contains no such subschema'],
    ['https://example.com/party.json', 'copy the target into $defs'],
    ['#anchor', 'copy the target into $defs'],
    ['#/%', 'copy the target into $defs'],
  ])('ERR-2: the reference %s is refused with a message that contains "%s"', (ref, fix) => {
    const schema = { type: 'object', $defs: { list: [], text: 'x' }, properties: { a: { $ref: ref } } }
    expect(() => of(schema).at(['a'])).toThrow(fix)
  })

  it.each<[string, JsonSchema]>([
    ['the schema itself', { $ref: '#' }],
    [
      'two definitions',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { allOf: [{ $ref: '#/$defs/a' }] } } },
    ],
    ['a union', { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }, { type: 'null' }] } } }],
  ])('ERR-2: a $ref cycle through %s is a configuration error', (_, schema) => {
    expect(() => of(schema)).toThrow('has a $ref cycle')
    // The second attempt throws too, so the first attempt has left no state behind.
    expect(() => of(schema)).toThrow('has a $ref cycle')
  })

  it('ERR-2: an invalid pattern in patternProperties is a configuration error', () => {
    expect(() => of({ type: 'object', patternProperties: { '(': {} } })).toThrow('an invalid pattern')
  })
})
