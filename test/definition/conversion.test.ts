import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileCanonical, compileRespelled } from '../../src/definition/conversion.js'
import { isObject, type JsonObject, put } from '../../src/definition/json.js'
import { Shape } from '../../src/definition/shape.js'
import { canonicalLocalDateTime } from '../../src/http/local-date-time.js'
import { compileKnown } from '../../src/plan/members.js'

const date = { type: 'string', format: 'local-date-time' } as const
const closed = { type: 'object', properties: { a: { type: 'integer' }, b: { type: ['integer', 'null'] } } } as const
const shape = Shape.of({
  type: 'object',
  properties: {
    at: date,
    maybe: { type: ['string', 'null'], format: 'local-date-time' },
    closed,
    open: {
      type: 'object',
      properties: { a: { type: 'string' } },
      patternProperties: { '^x': date },
      additionalProperties: { type: 'object', properties: { at: date } },
    },
    self: { $ref: '#' },
    dates: { type: 'array', items: date },
    plain: { type: 'array', items: { type: 'string' } },
    tuple: { type: 'array', prefixItems: [{ type: 'string' }, closed], items: { $ref: '#' } },
    anything: {},
  },
})

const names = fc.constantFrom(...shape.members.keys(), 'a', 'b', 'x1', 'unknown', '__proto__')
const times = ['2026-01-02T03:04:05', '2026-01-02T03:04:05.5', '2026-01-02T03:04:05.1234567']
const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom(null, 1, true, 'x', '', undefined, ...times),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(names, tie('value'), { maxKeys: 6, noNullPrototype: true }),
  ),
}))
const records = fc.dictionary(names, values, { noNullPrototype: true })

type Keeps = (named: Shape | undefined, other: Shape | undefined, value: unknown) => boolean

/**
 * Converts a value without compiling the schema. The tests compare the compiled conversions with
 * this function. `keeps` selects the members to keep.
 */
function referenceConversion(given: unknown, place: Shape, keeps: Keeps): unknown {
  if (typeof given === 'string')
    return place.format === 'local-date-time' ? (canonicalLocalDateTime(given) ?? given) : given
  if (Array.isArray(given)) {
    if (!place.isArray) return given
    return given.map((item, i) => {
      const inner = place.prefix[i] ?? place.items
      return inner === undefined ? item : referenceConversion(item, inner, keeps)
    })
  }
  if (!isObject(given) || !place.isObject) return given
  const object: JsonObject = {}
  for (const name of Object.keys(given)) {
    const named = place.members.get(name)
    const other = named === undefined ? place.other(name) : undefined
    const inner = named ?? other
    if (keeps(named, other, given[name]))
      put(object, name, inner === undefined ? given[name] : referenceConversion(given[name], inner, keeps))
  }
  return object
}

const all: Keeps = () => true
const known: Keeps = (named, other, value) =>
  named === undefined ? other !== undefined : value !== undefined && (value !== null || named.nullable || named.untyped)

/** Returns the objects and lists in `value` that the schema `place` describes. */
function typed(value: unknown, place: Shape | undefined, found = new Set<object>()): Set<object> {
  if (Array.isArray(value) && place?.isArray) {
    found.add(value)
    for (const [i, item] of value.entries()) typed(item, place.prefix[i] ?? place.items, found)
  } else if (isObject(value) && place?.isObject) {
    found.add(value)
    for (const [name, inner] of Object.entries(value)) typed(inner, place.members.get(name) ?? place.other(name), found)
  }
  return found
}

describe('compileCanonical', () => {
  it('REP-4: makes local date-times canonical, and copies every object that the schema describes', () => {
    const canonical = compileCanonical(shape)
    fc.assert(
      fc.property(records, (record) => {
        const before = structuredClone(record)
        const result = canonical(record)
        expect(result).toStrictEqual(referenceConversion(record, shape, all))
        expect(record).toStrictEqual(before)
        const given = typed(record, shape)
        for (const object of typed(result, shape)) expect(given.has(object)).toBe(false)
      }),
    )
  })
})

describe('compileRespelled', () => {
  it('REP-4: makes local date-times canonical, and does not copy values that are already canonical', () => {
    const respell = compileRespelled(shape)
    fc.assert(
      fc.property(records, (record) => {
        const before = structuredClone(record)
        const result = respell(record)
        expect(result).toStrictEqual(referenceConversion(record, shape, all))
        expect(record).toStrictEqual(before)
        expect(respell(result)).toBe(result)
      }),
    )
  })
})

describe('compileKnown', () => {
  it('VERB-5: removes members that a client could not send, and does not copy values without such members', () => {
    const convert = compileKnown(shape)
    fc.assert(
      fc.property(records, (record) => {
        const before = structuredClone(record)
        const result = convert(record)
        expect(result).toStrictEqual(referenceConversion(record, shape, known))
        expect(record).toStrictEqual(before)
        expect(convert(result)).toBe(result)
      }),
    )
  })
})
