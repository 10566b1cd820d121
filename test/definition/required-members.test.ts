import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkRequired } from '../../src/definition/required-members.js'
import type { JsonSchema } from '../../src/definition/schema-types.js'
import { Shape } from '../../src/definition/shape.js'
import { compileValidator } from '../../src/plan/validator.js'
import { ConfigurationError } from '../../src/problem.js'

/** The error for a schema; `undefined` if the schema is accepted. */
function fault(schema: JsonSchema): string | undefined {
  try {
    checkRequired('The schema of "autores"', schema, Shape.of(schema))
    return undefined
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
    throw error
  }
}

const text = { type: 'string' }
const author = { type: 'object', required: ['nam'], properties: { id: text, name: text } }
const fixed = { ...author, required: ['name'] }
const inAuthor = (more: object): JsonSchema => ({ type: 'object', properties: { id: text, name: text }, ...more })
const when = (condition: object, consequence: object): object => ({
  if: condition,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: consequence,
})
const holding = (member: object): JsonSchema => ({ type: 'object', properties: { a: member } })

describe('REP-8: a schema that requires an undeclared member is refused', () => {
  it.each<[string, JsonSchema, string]>([
    ['in the record', author, ''],
    ['in a member', holding(author), ' of "a"'],
    ['in a nullable member', holding({ ...author, type: ['object', 'null'] }), ' of "a"'],
    ['in an item', holding({ type: 'array', items: author }), ' of "a.*"'],
    ['in a positional item', holding({ type: 'array', prefixItems: [author] }), ' of "a.*"'],
    ['in a table', holding({ additionalProperties: author, type: 'object' }), ' of "a.*"'],
    ['in the target of a $ref', { ...holding({ $ref: '#/$defs/b' }), $defs: { b: author } }, ' of "a"'],
    ['in a part of allOf', inAuthor({ allOf: [{ required: ['nam'] }] }), ''],
    ['in a branch of anyOf', inAuthor({ anyOf: [{ required: ['id'] }, { required: ['nam'] }] }), ''],
    ['in then', inAuthor(when({ required: ['id'] }, { required: ['nam'] })), ''],
    ['in dependentRequired', inAuthor({ dependentRequired: { id: ['nam'] } }), ''],
    ['in a closed object', { ...author, additionalProperties: false }, ''],
  ])('%s', (_, schema, place) => {
    const message = fault(schema)
    expect(message).toContain(`The schema of "autores" has "nam" in "required"${place}, but does not declare`)
    expect(message).toContain('this member. Did you mean "name"? [PATH-10 unknown-member]')
  })

  it('without a similar member, the message says how to fix the schema', () => {
    expect(fault(inAuthor({ required: ['country'] }))).toContain(
      'but does not declare this member. Declare it in "properties", or leave it out of "required".',
    )
  })
})

describe('REP-8: a schema may require a member', () => {
  it.each<[string, JsonSchema]>([
    ['that it declares', fixed],
    ['that additionalProperties allows', { ...author, additionalProperties: true }],
    ['that a schema in additionalProperties allows', { ...author, additionalProperties: text }],
    ['that unevaluatedProperties allows', { ...author, unevaluatedProperties: text }],
    ['that patternProperties allows', { ...author, patternProperties: { '^na': text } }],
    ['that a part of allOf declares', { allOf: [author, { properties: { nam: text } }] }],
    ['that a branch of oneOf declares', { ...author, oneOf: [{ properties: { nam: text } }, { required: ['id'] }] }],
    ['that a branch of anyOf allows', { ...author, anyOf: [{ additionalProperties: true }] }],
    [
      'that the object declares around the branches',
      inAuthor({ oneOf: [{ required: ['id'] }, { required: ['name'] }] }),
    ],
    ['that then declares', { ...author, ...when({ required: ['id'] }, { properties: { nam: text } }) }],
    ['that then allows', { ...author, ...when({ required: ['id'] }, { additionalProperties: true }) }],
    ['that if declares', { ...author, ...when({ properties: { nam: text } }, { required: ['id'] }) }],
    ['that dependentSchemas declares', { ...author, dependentSchemas: { id: { properties: { nam: text } } } }],
    [
      'that the target of a $ref declares',
      { ...author, $ref: '#/$defs/b', $defs: { b: { properties: { nam: text } } } },
    ],
    ['as a condition, in if', inAuthor(when({ required: ['nam'] }, { required: ['id'] }))],
    ['as a condition, in not', inAuthor({ not: { required: ['nam'] } })],
    ['if the value need not be an object', holding({ required: ['nam'] })],
    ['in a recursive schema', { ...fixed, properties: { ...fixed.properties, parent: { $ref: '#' } } }],
  ])('%s', (_, schema) => {
    expect(fault(schema)).toBeUndefined()
  })

  it('a member is reported only if the schema refuses every object that has the member', () => {
    const names = ['a', 'b', 'c', 'd']
    const name = fc.constantFrom(...names)
    const leaf = fc.record(
      {
        required: fc.uniqueArray(name, { minLength: 1, maxLength: 2 }),
        properties: fc.dictionary(name, fc.constantFrom(true, {}), { maxKeys: 2 }),
      },
      { requiredKeys: [] },
    )
    const schemaOf = (inner: fc.Arbitrary<object>): fc.Arbitrary<object> => {
      const list = fc.array(inner, { minLength: 1, maxLength: 2 })
      const more = fc.oneof(
        // `properties` is empty, because Ajv refuses a schema whose patterns match its properties.
        fc.constantFrom({ patternProperties: { '^a': {} }, properties: {} }),
        fc.record({ additionalProperties: fc.constantFrom(true, false, {}) }),
        fc.record({ dependentSchemas: fc.dictionary(name, inner, { maxKeys: 1 }) }),
        fc.record({ allOf: list }),
        fc.record({ anyOf: list }),
        fc.record({ oneOf: list }),
        fc.record({ not: inner }),
        fc.record({ if: inner, else: inner }),
      )
      return fc.tuple(leaf, more).map(([one, other]) => ({ ...one, ...other }))
    }
    let reports = 0
    fc.assert(
      fc.property(schemaOf(schemaOf(leaf)), (given) => {
        const schema = { ...given, type: 'object' }
        const reported = /has "(.)" in/.exec(fault(schema) ?? '')?.[1]
        if (reported === undefined) return
        reports += 1
        const validate = compileValidator('autores', schema, new Set())
        for (let set = 0; set < 2 ** names.length; set += 1) {
          const members = names.filter((one, at) => one === reported || (set & (1 << at)) !== 0)
          const value = Object.fromEntries(members.map((one) => [one, 1]))
          expect(validate(value), JSON.stringify(value)).not.toEqual([])
        }
      }),
    )
    expect(reports).toBeGreaterThan(0)
  })
})
