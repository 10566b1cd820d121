import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../src/definition/schema-types.js'
import { Shape } from '../../src/definition/shape.js'
import { compileGuard } from '../../src/plan/guard.js'
import { compilePresent } from '../../src/plan/members.js'
import { ConfigurationError } from '../../src/problem.js'
import { cpuTime } from '../cpu-time.js'

type Row = Record<string, unknown>
const guard = (schema: JsonSchema) => compileGuard(Shape.of(schema))
/** Applies an update. Returns the completed record, or the pointers of the violations. */
function applyUpdate(schema: JsonSchema, next: Row, current: Row): Row | string[] {
  const found = guard(schema).carry(next, current)
  return found.length === 0 ? next : found.map(({ pointer }) => pointer ?? '')
}

const item = {
  type: 'object',
  properties: {
    id: { type: 'integer', readOnly: true },
    nombre: { type: 'string' },
    pin: { type: 'string', writeOnly: true },
  },
}
const schema = {
  type: 'object',
  properties: {
    nombre: { type: 'string' },
    alta: { type: ['string', 'null'], format: 'local-date-time', readOnly: true },
    autor: {
      type: 'object',
      readOnly: true,
      properties: { id: { type: 'integer' }, alias: { type: ['string', 'null'] } },
    },
    clave: { type: ['string', 'null'], writeOnly: true },
    'a/b': item,
    lista: { type: 'array', items: item },
    hijo: { $ref: '#' },
  },
}

describe('REP-8: readOnly members', () => {
  it('in an update, an absent member keeps its stored value', () => {
    expect(applyUpdate(schema, { nombre: 'b' }, { nombre: 'a', alta: 'x', autor: { id: 1 } })).toEqual({
      nombre: 'b',
      alta: 'x',
      autor: { id: 1 },
    })
  })

  it('in an update, the stored value is accepted, and any other value is a violation', () => {
    expect(applyUpdate(schema, { alta: 'x' }, { alta: 'x' })).toEqual({ alta: 'x' })
    expect(guard(schema).carry({ alta: 'y' }, { alta: 'x' })).toEqual([
      {
        pointer: '/alta',
        detail: '"alta" is read-only: leave it out, or send the current value.',
        code: 'readOnly',
        clause: 'REP-8',
      },
    ])
    expect(applyUpdate(schema, { alta: null }, { alta: 'x' })).toEqual(['/alta'])
    expect(applyUpdate(schema, { alta: 'x' }, {})).toEqual(['/alta'])
  })

  it('values are compared as responses show them, with null for an absent value', () => {
    expect(applyUpdate(schema, { alta: null }, {})).toEqual({ alta: null })
    expect(applyUpdate(schema, { alta: '2024-01-31T08:30:00.0000000' }, { alta: '2024-01-31T08:30:00' })).toEqual({
      alta: '2024-01-31T08:30:00',
    })
    const stored = { id: 1, interno: 'x' }
    expect(applyUpdate(schema, { autor: { alias: null, id: 1 } }, { autor: stored })).toEqual({ autor: stored })
  })

  it('the rules apply to members at every depth, also in recursive schemas', () => {
    expect(applyUpdate(schema, { 'a/b': { id: 2 } }, { 'a/b': { id: 1 } })).toEqual(['/a~1b/id'])
    expect(applyUpdate(schema, { 'a/b': { nombre: 'y' } }, { 'a/b': { id: 1, nombre: 'x' } })).toEqual({
      'a/b': { id: 1, nombre: 'y' },
    })
    const deep = (alta: string | undefined) => ({
      hijo: { hijo: { hijo: { hijo: { hijo: alta === undefined ? {} : { alta } } } } },
    })
    expect(applyUpdate(schema, deep('y'), deep('x'))).toEqual(['/hijo/hijo/hijo/hijo/hijo/alta'])
    expect(applyUpdate(schema, deep(undefined), deep('x'))).toEqual(deep('x'))
  })

  it('a new object cannot set its read-only members', () => {
    expect(applyUpdate(schema, { 'a/b': { id: 2 } }, {})).toEqual(['/a~1b/id'])
    expect(applyUpdate(schema, { 'a/b': { id: 2 } }, { 'a/b': null })).toEqual(['/a~1b/id'])
  })

  it('a create with a read-only member is refused, at any depth', () => {
    const given = guard(schema).given({
      alta: 'x',
      'a/b': { id: 1 },
      lista: [{ nombre: 'a' }, { id: 1 }],
      hijo: { autor: {} },
    })
    expect(given.map(({ pointer }) => pointer).toSorted()).toEqual(['/alta', '/a~1b/id', '/hijo/autor', '/lista/1/id'])
    expect(given[0]?.detail).toBe('"alta" is read-only: the store sets it. Leave it out.')
    expect(guard(schema).given({ nombre: 'x', clave: 'y', lista: [{ pin: 'z' }] })).toEqual([])
  })
})

describe('REP-8: writeOnly members', () => {
  it('in an update, an absent member keeps its stored value, and a given value is stored, even null', () => {
    expect(applyUpdate(schema, {}, { clave: 'x' })).toEqual({ clave: 'x' })
    expect(applyUpdate(schema, { clave: 'y' }, { clave: 'x' })).toEqual({ clave: 'y' })
    expect(applyUpdate(schema, { clave: null }, { clave: 'x' })).toEqual({ clave: null })
    expect(applyUpdate(schema, { 'a/b': { nombre: 'y' } }, { 'a/b': { nombre: 'x', pin: 'p' } })).toEqual({
      'a/b': { nombre: 'y', pin: 'p' },
    })
  })
})

describe('REP-8: items of lists', () => {
  const stored = {
    lista: [
      { id: 1, nombre: 'a', pin: 'p' },
      { id: 2, nombre: 'b', pin: 'q' },
      { id: 3, nombre: 'b', pin: 'r' },
    ],
  }

  it('an item is matched to the stored item with the same read-only members, at any position', () => {
    expect(
      applyUpdate(
        schema,
        {
          lista: [
            { id: 2, nombre: 'B' },
            { id: 1, nombre: 'a' },
          ],
        },
        stored,
      ),
    ).toEqual({
      lista: [
        { id: 2, nombre: 'B', pin: 'q' },
        { id: 1, nombre: 'a', pin: 'p' },
      ],
    })
  })

  it('an item without read-only members matches the first unmatched stored item whose other members are equal', () => {
    expect(
      applyUpdate(schema, { lista: [{ nombre: 'b' }, { nombre: 'c' }, { nombre: 'b' }, { nombre: 'b' }] }, stored),
    ).toEqual({
      lista: [{ id: 2, nombre: 'b', pin: 'q' }, { nombre: 'c' }, { id: 3, nombre: 'b', pin: 'r' }, { nombre: 'b' }],
    })
  })

  it('a read-only value that no stored item has is a violation, and no stored item is matched twice', () => {
    expect(applyUpdate(schema, { lista: [{ id: 9, nombre: 'a' }] }, stored)).toEqual(['/lista/0/id'])
    expect(applyUpdate(schema, { lista: [{ id: 1 }, { id: 1 }] }, stored)).toEqual(['/lista/1/id'])
    expect(applyUpdate(schema, { lista: [{ id: 1 }] }, {})).toEqual(['/lista/0/id'])
  })

  it('thousands of items take little time and cause at most 100 violations', () => {
    const many = Array.from({ length: 20_000 }, (_, id) => ({ id, nombre: `n${id % 7}` }))
    const started = cpuTime()
    expect(applyUpdate(schema, { lista: structuredClone(many) }, { lista: many })).toEqual({ lista: many })
    expect(applyUpdate(schema, { lista: structuredClone(many) }, {})).toHaveLength(100)
    expect(cpuTime() - started).toBeLessThan(5000)
  })
})

describe('the guard of read-only and write-only members', () => {
  it('says whether an update needs the current record', () => {
    expect(guard(schema).any).toBe(true)
    expect(guard({ type: 'object', properties: { lista: { type: 'array', items: item } } }).any).toBe(true)
    expect(guard({ type: 'object', properties: { a: { type: 'string' }, hijo: { $ref: '#' } } }).any).toBe(false)
  })

  it('leaves invalid values to the validator', () => {
    const odd = { 'a/b': 5, lista: 'x', hijo: [null] }
    expect(applyUpdate(schema, structuredClone(odd), { 'a/b': { id: 1 }, lista: [{ id: 1 }] })).toEqual(odd)
    expect(applyUpdate(schema, { lista: [5, null] }, { lista: 'x' })).toEqual({ lista: [5, null] })
  })
})

describe('REP-8: members of dictionaries, and items of tuples', () => {
  const dictionary = {
    type: 'object',
    additionalProperties: item,
    patternProperties: { '^sello-': { type: 'string', readOnly: true } },
  }
  const stored = { a: { id: 1, nombre: 'x', pin: 'p' }, 'sello-1': 's' }

  it.each([
    ['a dictionary', (value: unknown) => value],
    ['a dictionary in a member', (value: unknown) => ({ tabla: value })],
    ['a dictionary at a position of a tuple', (value: unknown) => ({ tupla: [5, value] })],
  ])('readOnly and writeOnly also apply to the members of %s', (_, within) => {
    const schema: JsonSchema = {
      ...dictionary,
      properties: { tabla: dictionary, tupla: { type: 'array', prefixItems: [{ type: 'integer' }, dictionary] } },
    }
    const at = (next: unknown, current: unknown = stored) =>
      applyUpdate(schema, within(next) as Row, within(current) as Row)
    expect(at({ a: { nombre: 'y' } })).toEqual(within({ a: { id: 1, nombre: 'y', pin: 'p' }, 'sello-1': 's' }))
    expect(at({ a: { id: 2 } })).toMatchObject([expect.stringMatching(/\/a\/id$/)])
    expect(at({ 'sello-1': 't' })).toMatchObject([expect.stringMatching(/sello-1$/)])
    expect(guard(schema).given(within({ 'sello-2': 'x', b: { id: 1 } }) as Row)).toHaveLength(2)
    expect(guard(schema).any).toBe(true)
  })

  it('list items that are dictionaries are matched to stored items by the members that clients can see', () => {
    const schema = {
      type: 'object',
      properties: { lista: { type: 'array', items: { ...dictionary, properties: { pin: item.properties.pin } } } },
    }
    const current = {
      lista: [
        { a: { nombre: 'x' }, pin: 'p' },
        { a: { nombre: 'y' }, pin: 'q' },
      ],
    }
    expect(applyUpdate(schema, { lista: [{ a: { nombre: 'y' } }] }, current)).toEqual({
      lista: [{ a: { nombre: 'y' }, pin: 'q' }],
    })
  })

  it('writeOnly members of dictionaries and of tuple items are never sent', () => {
    const secret = {
      type: 'object',
      properties: { a: { type: 'object', additionalProperties: { type: 'string', writeOnly: true } } },
    }
    expect(compilePresent(Shape.of(secret))({ a: { b: 'x' } })).toEqual({ a: {} })
    expect(applyUpdate(secret, { a: {} }, { a: { b: 'x' } })).toEqual({ a: { b: 'x' } })
    const tuple = { anyOf: [{ type: 'array', prefixItems: [item] }, { type: 'null' }] }
    const schema = { type: 'object', properties: { tupla: tuple } }
    expect(compilePresent(Shape.of(schema))({ tupla: [{ nombre: 'x', pin: 'p' }] })).toEqual({
      tupla: [{ nombre: 'x' }],
    })
    expect(applyUpdate(schema, { tupla: [{ nombre: 'y' }] }, { tupla: [{ nombre: 'x', pin: 'p' }] })).toEqual({
      tupla: [{ nombre: 'y', pin: 'p' }],
    })
  })

  it('a schema is refused if an update could not match its list items, and the message contains the fix', () => {
    const list = (items: unknown) => ({ type: 'object', properties: { lista: { type: 'array', items } } })
    for (const items of [
      { type: 'array', items: item },
      { type: 'array', prefixItems: [item] },
      { type: 'string', writeOnly: true },
    ]) {
      expect(() => guard(list(items))).toThrow(ConfigurationError)
      expect(() => guard(list(items))).toThrow(/Put the keyword on the member that contains the list/)
    }
    expect(
      guard(list({ type: 'array', items: { type: 'object', properties: { nombre: { type: 'string' } } } })).any,
    ).toBe(false)
    expect(
      guard({
        type: 'object',
        properties: { lista: { type: 'array', readOnly: true, items: { type: 'array', items: item } } },
      }).any,
    ).toBe(true)
  })
})
