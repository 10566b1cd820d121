import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../src/definition/schema-types.js'
import { Shape } from '../../src/definition/shape.js'
import { compileKnown } from '../../src/plan/members.js'
import { mergePatch } from '../../src/plan/merge-patch.js'
import type { Violation } from '../../src/problem.js'

const text = { type: 'string' }
const open = { type: 'object', additionalProperties: true }

function merge(schema: JsonSchema, target: unknown, patch: unknown): { merged: unknown; found: readonly Violation[] } {
  const found: Violation[] = []
  return { merged: mergePatch(compileKnown(Shape.of(schema))(target), patch, Shape.of(schema), found), found }
}

describe('VERB-5: the examples of RFC 7396, appendix A, on a schema that allows any member', () => {
  it.each<[unknown, unknown, unknown]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('the document %j with the patch %j becomes %j', (target, patch, expected) => {
    expect(merge(open, target, patch)).toEqual({ merged: expected, found: [] })
  })
})

describe('VERB-5: merge patches on the schema of a resource', () => {
  const schema = {
    type: 'object',
    properties: {
      nombre: text,
      alias: { type: ['string', 'null'] },
      cp: {
        type: ['object', 'null'],
        properties: { codigo: { type: 'integer' }, calle: { type: ['string', 'null'] } },
      },
      lista: { type: 'array', items: { type: ['string', 'null'] } },
      constructor: { type: ['string', 'null'] },
    },
  }

  it('null is stored if the schema allows it, and otherwise removes the member', () => {
    const target = { nombre: 'x', alias: 'y', cp: { codigo: 1, calle: 'z' } }
    expect(merge(schema, target, { nombre: null, alias: null, cp: { codigo: null, calle: null } }).merged).toEqual({
      alias: null,
      cp: { calle: null },
    })
    expect(merge(schema, target, { cp: null }).merged).toEqual({ nombre: 'x', alias: 'y', cp: null })
    expect(merge(schema, {}, { constructor: null }).merged).toEqual({ constructor: null })
  })

  it('an array is replaced as a whole, and its nulls are kept', () => {
    expect(merge(schema, { lista: ['a', 'b'] }, { lista: [null] }).merged).toEqual({ lista: [null] })
  })

  it('an undeclared name is a violation even with the value null, and the closest name is suggested', () => {
    expect(merge(schema, {}, { nombe: null, cp: { 'cal/e': null } }).found).toMatchObject([
      { pointer: '/nombe', code: 'unknown', clause: 'REP-8', suggestion: 'nombre' },
      { pointer: '/cp/cal~1e', code: 'unknown', suggestion: 'calle' },
    ])
  })

  it('a name that JavaScript objects inherit is an ordinary name', () => {
    const patch = JSON.parse('{"__proto__":{"polluted":true},"hasOwnProperty":null}')
    const { merged, found } = merge(schema, {}, patch)
    expect(found.map(({ pointer }) => pointer)).toEqual(['/hasOwnProperty'])
    expect(Object.keys(merged as object)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    const removed = merge(open, JSON.parse('{"__proto__":1,"a":2}'), JSON.parse('{"__proto__":null}')).merged
    expect(Object.keys(removed as object)).toEqual(['a'])
  })

  it('undeclared stored members are left out of the result unless "additionalProperties" allows them', () => {
    const target = { nombre: null, interno: 1, cp: { codigo: 1, interno: 2 }, alias: 'x' }
    expect(merge(schema, target, { alias: 'y' }).merged).toEqual({ alias: 'y', cp: { codigo: 1 } })
    expect(merge(open, target, { alias: 'y' }).merged).toEqual({ ...target, alias: 'y' })
  })

  it('modifies neither the stored record nor the patch', () => {
    const target = Object.freeze({ cp: Object.freeze({ codigo: 1 }) })
    const patch = Object.freeze({ cp: Object.freeze({ calle: 'x' }) })
    expect(merge(schema, target, patch).merged).toEqual({ cp: { codigo: 1, calle: 'x' } })
  })

  it('thousands of unknown names produce at most 100 violations', () => {
    expect(
      merge(schema, {}, Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`m${i}`, null]))).found,
    ).toHaveLength(100)
  })

  it('null removes an untyped or undeclared member, unless the schema of the member names null', () => {
    const untyped = {
      type: 'object',
      properties: { libre: {}, suelta: true, texto: { enum: ['a', null] }, nula: { type: 'null' } },
    } as const
    const target = { libre: { a: 1 }, texto: 'a' }
    expect(merge(untyped, target, { libre: null, texto: null, nula: null }).merged).toEqual({ texto: null, nula: null })
    expect(merge(untyped, target, { libre: { b: null, c: [null] } })).toEqual({
      merged: { libre: { a: 1, c: [null] }, texto: 'a' },
      found: [],
    })
    const typed = { type: 'object', additionalProperties: { type: ['string', 'null'] } }
    expect(merge(typed, { x: 'y' }, { x: null }).merged).toEqual({ x: null })
  })

  it('a removed readOnly or writeOnly member becomes undefined, because a deleted member would be restored', () => {
    const guarded = {
      type: 'object',
      properties: { clave: { type: 'string', writeOnly: true }, alta: { type: 'string', readOnly: true } },
    } as const
    expect(merge(guarded, { clave: 'x', alta: 'y' }, { clave: null, alta: null }).merged).toStrictEqual({
      clave: undefined,
      alta: undefined,
    })
  })
})
