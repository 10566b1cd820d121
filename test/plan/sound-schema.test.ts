/**
 * A schema that is certain to compile is compiled only when the first body arrives. All other
 * schemas are compiled when the service is built, so that their errors are reported at startup.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, mount } from '../../src/index.js'
import { isSound } from '../../src/plan/sound-schema.js'
import { compileValidator } from '../../src/plan/validator.js'
import { ConfigurationError } from '../../src/problem.js'

const text = fc.oneof(
  fc.constantFrom('', '(', 'a{2,1}', '\\-', '^a$', '[', '__proto__', "'", '`$\u007bx}`', '\u2028', '"; throw 1'),
  fc.string(),
)
const limit = fc.oneof(fc.nat(), fc.constantFrom(-1, 0.5, Number.POSITIVE_INFINITY, -0, Number.MAX_VALUE))
const types = fc.constantFrom('string', 'integer', 'number', 'boolean', 'null', 'object', 'array', 'sting')

/**
 * Random schemas. They use only keywords that are certain to compile with a valid value. Some
 * keywords get invalid values.
 */
const { schema } = fc.letrec<{ schema: object | boolean }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.boolean(),
    fc.record(
      {
        type: fc.oneof(types, fc.uniqueArray(types)),
        title: text,
        default: fc.jsonValue(),
        const: fc.jsonValue(),
        enum: fc.array(fc.jsonValue(), { maxLength: 3 }),
        examples: fc.array(fc.jsonValue(), { maxLength: 2 }),
        required: fc.array(text, { maxLength: 2 }),
        properties: fc.dictionary(text, tie('schema'), { maxKeys: 3 }),
        additionalProperties: tie('schema'),
        items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 2 })),
        not: tie('schema'),
        allOf: fc.array(tie('schema'), { maxLength: 2 }),
        anyOf: fc.array(tie('schema'), { maxLength: 2 }),
        oneOf: fc.array(tie('schema'), { maxLength: 2 }),
        format: fc.oneof(text, fc.constantFrom('date-time', 'int64', 'int32', 'decimal', 'binary', 'toString')),
        pattern: text,
        minimum: limit,
        exclusiveMaximum: limit,
        multipleOf: limit,
        minLength: limit,
        maxItems: limit,
        minProperties: limit,
        uniqueItems: fc.boolean(),
        readOnly: fc.boolean(),
        deprecated: fc.boolean(),
        'x-column': fc.jsonValue(),
        xml: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  ),
}))

describe('ERR-2: schemas that are certain to compile', () => {
  it('a schema for which isSound() returns true is refused at once, or compiles at the first validation', () => {
    fc.assert(
      fc.property(fc.record({ a: schema, b: schema }), (properties) => {
        const whole = { type: 'object', properties }
        if (!isSound(whole)) return
        let validate: ReturnType<typeof compileValidator>
        try {
          validate = compileValidator('pieces', whole, new Set())
        } catch (error) {
          // compileValidator() has checked the schema against the meta-schema and refused it at
          // once.
          expect(error).toBeInstanceOf(ConfigurationError)
          return
        }
        // The first validation compiles the schema. It must return violations and must not throw.
        expect(Array.isArray(validate({ a: 'x', c: 1 }))).toBe(true)
        expect(Array.isArray(validate('x'))).toBe(true)
      }),
      { numRuns: 100 },
    )
  })

  it('a schema that is certain to compile is compiled only when the first body needs it', () => {
    const compilations = vi.spyOn(Ajv2020.prototype, 'compile')
    try {
      const validate = compileValidator('pieces', { type: 'object', properties: { a: { type: 'string' } } }, new Set())
      expect(compilations).not.toHaveBeenCalled()
      expect(validate({ a: 'x' })).toEqual([])
      expect(validate({ a: 'y' })).toEqual([])
      expect(compilations).toHaveBeenCalledOnce()
    } finally {
      compilations.mockRestore()
    }
  })

  it.each<[string, object]>([
    ['an unknown keyword', { type: 'string', minLenght: 3 }],
    ['an unknown format', { type: 'string', format: 'fecha' }],
    ['a format named like an inherited member', { type: 'string', format: 'toString' }],
    ['an invalid pattern', { type: 'string', pattern: '(' }],
    ['an enum without values', { enum: [] }],
    ['an "if" without "then" or "else"', { if: { type: 'string' } }],
    ['an invalid type', { type: 'sting' }],
    ['an invalid bound', { type: 'integer', minimum: '1' }],
    [
      'a nested enum without values',
      { type: 'array', items: { anyOf: [{ type: 'object', properties: { b: { enum: [] } } }] } },
    ],
  ])('a schema with %s is refused when the service is built', (_, member) => {
    const build = () => {
      const pieces = defineResource<object>()({
        collection: 'pieces',
        key: 'id',
        schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, a: member } },
      } as never)
      return api({ versions: { v1: [mount(pieces as never, memoryAdapter(pieces as never) as never)] } })
    }
    expect(build).toThrow(ConfigurationError)
    expect(build).toThrow(/pieces|"a"/)
  })
})
