import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileCanonical } from '../../src/definition/conversion.js'
import type { JsonSchema } from '../../src/definition/schema-types.js'
import { Shape } from '../../src/definition/shape.js'
import { compileKnown, compileNormalize, compilePresent } from '../../src/plan/members.js'

const normalize = (schema: JsonSchema, fill: 'create' | 'update' | 'nothing', value: unknown) =>
  (fill === 'nothing' ? compileCanonical(Shape.of(schema)) : compileNormalize(Shape.of(schema), fill))(value)
const create = (schema: JsonSchema, value: unknown) => normalize(schema, 'create', value)
const present = (schema: JsonSchema, value: unknown) => compilePresent(Shape.of(schema))(value)
const json = (text: string): unknown => JSON.parse(text)

const date = { type: 'string', format: 'local-date-time' }
const optional = {
  type: 'object',
  required: ['n'],
  properties: {
    n: { type: ['string', 'null'] },
    nula: { type: ['string', 'null'] },
    texto: { type: 'string' },
    estado: { type: 'string', default: 'abierta' },
    alta: { ...date, default: '2024-01-31T08:30:00' },
    id: { type: ['integer', 'null'], readOnly: true },
    pin: { type: ['string', 'null'], writeOnly: true, default: '0000' },
  },
}

describe('REP-8: input values', () => {
  it('an absent member gets its default, or null if allowed, unless the member is required or readOnly', () => {
    expect(create(optional, {})).toEqual({
      nula: null,
      estado: 'abierta',
      alta: '2024-01-31T08:30:00.0000000',
      pin: '0000',
    })
  })

  it('in an update, absent writeOnly members stay absent, because the client could not see them', () => {
    expect(normalize(optional, 'update', {})).toEqual({
      nula: null,
      estado: 'abierta',
      alta: '2024-01-31T08:30:00.0000000',
    })
  })

  it('in a patch, nothing is filled in', () => {
    expect(normalize(optional, 'nothing', { alta: '2024-01-31T08:30:00' })).toEqual({
      alta: '2024-01-31T08:30:00.0000000',
    })
  })

  it('given values are kept, even null', () => {
    const given = {
      n: null,
      nula: 'x',
      texto: 'y',
      estado: 'cerrada',
      alta: 'no date',
      id: 5,
      pin: null,
      otra: { a: 1 },
    }
    expect(create(optional, given)).toEqual(given)
  })

  it('defaults are filled in inside nested objects, arrays and defaults', () => {
    const inner = {
      type: 'object',
      properties: { a: { type: 'integer', default: 1 }, b: { type: ['string', 'null'] } },
    }
    const schema = {
      type: 'object',
      properties: {
        uno: inner,
        lista: { type: 'array', items: inner },
        vacio: { ...inner, default: {} },
        par: { type: 'array', prefixItems: [inner] },
      },
    }
    const full = { a: 1, b: null }
    expect(create(schema, { uno: {}, lista: [{}, { a: 2 }], par: [{}, {}] })).toEqual({
      uno: full,
      lista: [full, { a: 2, b: null }],
      vacio: full,
      par: [full, {}],
    })
    expect(create(schema, {})).toEqual({ vacio: full })
  })

  it('each record gets its own copy of a default', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'object', additionalProperties: true, default: { lista: [1] } },
        b: { default: { c: {} } },
      },
    }
    const convert = compileNormalize(Shape.of(schema), 'create')
    const [one, other] = [convert({}), convert({})] as [
      { a: { lista: number[] }; b: { c: object } },
      { a: { lista: number[] }; b: { c: object } },
    ]
    expect(one).toEqual(other)
    expect(one.a).not.toBe(other.a)
    expect(one.a.lista).not.toBe(other.a.lista)
    expect(one.b.c).not.toBe(schema.properties.b.default.c)
  })

  it('the conversion terminates if a default contains itself', () => {
    const schema = { type: 'object', properties: { hijo: { $ref: '#', default: {} }, a: { type: ['string', 'null'] } } }
    expect(create(schema, {})).toEqual({ hijo: { a: null }, a: null })
  })

  it('a member that only some branches of a union declare is not filled in', () => {
    const schema = {
      type: 'object',
      required: ['kind'],
      oneOf: [
        { properties: { kind: { const: 'a' }, a: { type: ['string', 'null'] } } },
        { properties: { kind: { const: 'b' }, b: { type: 'string', default: 'x' } } },
      ],
    }
    expect(create(schema, { kind: 'a' })).toEqual({ kind: 'a' })
    expect(present(schema, { kind: 'a' })).toEqual({ kind: 'a' })
    expect(present(schema, { kind: 'b', b: 'y' })).toEqual({ kind: 'b', b: 'y' })
  })

  it('REP-4: date-times become canonical at any depth', () => {
    const schema = {
      type: 'object',
      additionalProperties: date,
      patternProperties: { '^l': { type: 'array', items: date } },
      properties: {
        a: date,
        b: { type: 'array', items: { anyOf: [date, { type: 'null' }] } },
        c: { type: 'object', properties: { d: date } },
      },
    }
    const [given, full] = ['2024-01-31T08:30:00.5', '2024-01-31T08:30:00.5000000']
    expect(create(schema, { a: given, b: [given, null], c: { d: given }, otra: given, lista: [given] })).toEqual({
      a: full,
      b: [full, null],
      c: { d: full },
      otra: full,
      lista: [full],
    })
  })

  it('the conversion copies its input, and leaves invalid values for the validator', () => {
    const given = Object.freeze({ uno: Object.freeze({ a: 1 }), lista: 'no list', n: 5 })
    const schema = {
      type: 'object',
      properties: { uno: { type: 'object', properties: { a: {} } }, lista: { type: 'array', items: {} }, n: {} },
    }
    const made = create(schema, given)
    expect(made).toEqual(given)
    expect(made).not.toBe(given)
    expect((made as typeof given).uno).not.toBe(given.uno)
    for (const odd of [null, 5, 'x', [], undefined]) expect(create(schema, odd)).toEqual(odd)
  })

  it('names that JavaScript objects inherit are ordinary names', () => {
    const schema = {
      type: 'object',
      additionalProperties: true,
      properties: { constructor: { type: ['string', 'null'] }, toString: { default: 1 } },
    }
    const made = create(schema, json('{"__proto__":{"polluted":true}}')) as object
    expect(Object.keys(made).toSorted()).toEqual(['__proto__', 'constructor', 'toString'])
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype)
    expect((made as { polluted?: unknown }).polluted).toBeUndefined()
    expect(Object.hasOwn(present(schema, made) as object, '__proto__')).toBe(true)
  })

  it('the conversion of a very deep record terminates', () => {
    const schema = { type: 'object', properties: { hijo: { $ref: '#' }, a: { type: ['string', 'null'] } } }
    let value: object = {}
    for (let i = 0; i < 500; i += 1) value = { hijo: value }
    expect(JSON.stringify(create(schema, value))).toContain('"a":null')
  })
})

describe('REP-8: output values', () => {
  it('null is sent if one branch of a union allows any value, even if another branch allows only objects', () => {
    const object = {
      type: 'object',
      properties: { x: { type: 'string' }, oculto: { type: 'string', writeOnly: true } },
    }
    for (const union of [
      { anyOf: [object, {}] },
      { oneOf: [{ anyOf: [object, { minimum: 3 }] }, { type: 'string' }] },
    ]) {
      const schema = { type: 'object', properties: { d: union as JsonSchema } }
      expect(present(schema, { d: null })).toEqual({ d: null })
      expect(present(schema, { d: { x: 'x', oculto: 'y' } })).toEqual({ d: { x: 'x' } })
      expect([present(schema, {}), create(schema, {})]).toEqual([{}, {}])
    }
    // Neither branch of this union allows null, so a null from the store counts as absent.
    expect(
      present({ type: 'object', properties: { d: { anyOf: [object, { type: 'string' }] } } }, { d: null }),
    ).toEqual({})
  })

  it('a nullable member that clients can see is always present, and members are in the order of the schema', () => {
    const wire = present(optional, { texto: 'x', otra: 1 }) as object
    expect(wire).toEqual({ n: null, nula: null, texto: 'x', id: null })
    expect(Object.keys(wire)).toEqual(['n', 'nula', 'texto', 'id'])
  })

  it('writeOnly members are never sent, at any depth', () => {
    const pin = { type: 'string', writeOnly: true }
    const inner = { type: 'object', properties: { pin, a: { type: 'string' } } }
    const schema = {
      type: 'object',
      $defs: { inner },
      additionalProperties: inner,
      patternProperties: { '^p': inner },
      properties: {
        pin,
        uno: inner,
        nulo: { anyOf: [{ $ref: '#/$defs/inner' }, { type: 'null' }] },
        lista: { type: 'array', items: inner },
        par: { type: 'array', prefixItems: [inner], items: { type: 'array', items: inner } },
        union: { oneOf: [inner, { type: 'object', properties: { b: { type: 'object', properties: { pin } } } }] },
      },
    }
    const secret = { pin: 'SECRETO', a: 'x' }
    const record = {
      pin: 'SECRETO',
      uno: secret,
      nulo: secret,
      lista: [secret],
      par: [secret, [secret]],
      union: { b: secret },
      otra: secret,
      pat: secret,
    }
    const wire = present(schema, record)
    expect(JSON.stringify(wire)).not.toContain('SECRETO')
    expect(wire).toMatchObject({
      uno: { a: 'x' },
      nulo: { a: 'x' },
      lista: [{ a: 'x' }],
      par: [{ a: 'x' }, [{ a: 'x' }]],
      otra: { a: 'x' },
      pat: { a: 'x' },
    })
  })

  it('undeclared members are never sent unless "additionalProperties" or "patternProperties" allows them', () => {
    const inner = { type: 'object', properties: { a: { type: 'string' } } }
    const stored = { a: 'x', interno: 'SECRETO' }
    expect(present(inner, stored)).toEqual({ a: 'x' })
    expect(present({ type: 'array', items: inner }, [stored])).toEqual([{ a: 'x' }])
    expect(present({ ...inner, additionalProperties: true }, stored)).toEqual(stored)
    expect(present({ ...inner, patternProperties: { '^x-': {} } }, { ...stored, 'x-b': 1 })).toEqual({
      a: 'x',
      'x-b': 1,
    })
    expect(present({ type: 'object' }, stored)).toEqual({})
  })

  it('a null that the schema does not allow counts as absent', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' }, b: {}, c: { type: ['string', 'null'] } } }
    expect(present(schema, { a: null, b: null, c: null })).toEqual({ b: null, c: null })
    expect(present({ type: 'string' }, null)).toBeUndefined()
    expect(compileKnown(Shape.of(schema))({ a: null, b: null, c: null, d: 1 })).toEqual({ b: null, c: null })
  })

  it('REP-4: date-times are sent with seven digits', () => {
    expect(present({ type: 'array', items: date }, ['2024-01-31T08:30:00', 'x'])).toEqual([
      '2024-01-31T08:30:00.0000000',
      'x',
    ])
  })

  it('REP-7: output that a client sends back in an update results in the same output', () => {
    const schema = {
      type: 'object',
      required: ['n'],
      properties: {
        n: { type: 'integer' },
        a: { type: ['string', 'null'] },
        b: { type: 'object', properties: { c: { type: ['integer', 'null'] }, d: { type: 'string' } } },
        l: { type: 'array', items: { type: 'object', properties: { e: { type: ['boolean', 'null'] } } } },
      },
    }
    const record = fc.record(
      {
        n: fc.integer(),
        a: fc.option(fc.string()),
        b: fc.record({ c: fc.option(fc.integer()), d: fc.string() }, { requiredKeys: [] }),
        l: fc.array(fc.record({ e: fc.option(fc.boolean()) }, { requiredKeys: [] })),
      },
      { requiredKeys: ['n'] },
    )
    const out = compilePresent(Shape.of(schema))
    const shown = compilePresent(Shape.of(schema), true)
    const back = compileNormalize(Shape.of(schema), 'update')
    fc.assert(
      fc.property(record, (stored) => {
        const wire = out(stored)
        expect(out(back(wire))).toEqual(wire)
        for (const value of [stored, wire]) expect(JSON.stringify(shown(value))).toBe(JSON.stringify(out(value)))
      }),
    )
  })

  it('with `shares`, values that need no conversion are returned without a copy', () => {
    const inner = {
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: { type: ['string', 'null'] },
        c: date,
        d: { type: 'string', writeOnly: true },
      },
    }
    const schema = { type: 'object', properties: { uno: inner, lista: { type: 'array', items: inner } } }
    const full = '2024-01-31T08:30:00.0000000'
    const shown = (uno: object) =>
      compilePresent(Shape.of(schema), true)({ uno, lista: [uno] }) as { uno: object; lista: object[] }
    const same = { a: 'x', b: null, c: full }
    expect(shown(same).uno).toBe(same)
    expect(shown(same).lista[0]).toBe(same)
    const others: [object, object][] = [
      [{ b: null, a: 'x', c: full }, same],
      [{ ...same, c: '2024-01-31T08:30:00' }, same],
      [{ ...same, d: 'SECRETO' }, same],
      [{ ...same, interno: 1 }, same],
      [{ a: 'x', c: full }, same],
      [
        { a: undefined, b: null, c: full },
        { b: null, c: full },
      ],
      [
        { a: null, b: null, c: full },
        { b: null, c: full },
      ],
      [Object.assign(Object.create({ toJSON: () => 'SECRETO' }), same), same],
    ]
    for (const [stored, wire] of others) {
      expect(JSON.stringify(shown(stored))).toBe(JSON.stringify({ uno: wire, lista: [wire] }))
      expect(shown(stored).uno).not.toBe(stored)
    }
  })
})
