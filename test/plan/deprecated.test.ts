import { describe, expect, it } from 'vitest'
import { Shape } from '../../src/definition/shape.js'
import { compileDeprecated } from '../../src/plan/deprecated.js'

const old = { type: 'string', deprecated: true }
const inner = { type: 'object', properties: { nombre: { type: 'string' }, viejo: old } }
const schema = {
  type: 'object',
  properties: {
    par: { type: 'array', prefixItems: [{ type: 'integer' }, inner], items: old },
    tabla: { type: 'object', properties: { fija: inner }, additionalProperties: inner },
    textos: {
      type: 'object',
      patternProperties: { '^v': old, '^t': { type: 'string' } },
      additionalProperties: false,
    },
    hijo: { $ref: '#/properties/tabla' },
  },
}
const found = compileDeprecated(Shape.of(schema))

describe('VER-3: deprecated members in every part of a schema', () => {
  it.each<[unknown, string[]]>([
    [{ par: [1, { viejo: 'x' }] }, ['par[1].viejo']],
    [{ par: [{ viejo: 'x' }, { nombre: 'x' }] }, []],
    [{ par: [1, {}, 'x'] }, ['par[]']],
    [{ tabla: { 2024: { viejo: 'x' }, 2025: { viejo: 'x' } } }, ['tabla.*.viejo']],
    [{ tabla: { fija: { viejo: 'x' } } }, ['tabla.fija.viejo']],
    [{ tabla: { nueva: { nombre: 'x' } } }, []],
    [{ textos: { viejo: 'x', texto: 'x' } }, ['textos.*']],
    [{ textos: { texto: 'x' } }, []],
    [{ hijo: { x: { viejo: 'x' } } }, ['hijo.*.viejo']],
    [{ par: 'x', tabla: [], textos: null }, []],
    [null, []],
  ])('the body %j uses the deprecated members %j', (body, names) => {
    expect(found?.in(body)).toEqual(names)
  })

  it.each<[string, unknown, string[]]>([
    ['/par/1/viejo', 'x', ['par[1].viejo']],
    ['/par/1', { viejo: 'x' }, ['par[1].viejo']],
    ['/par/0/viejo', 'x', []],
    ['/par/-', 'x', ['par[]']],
    ['/par/2', undefined, ['par[]']],
    ['/tabla/2024/viejo', undefined, ['tabla.*.viejo']],
    ['/tabla/a~1b/viejo', 'x', ['tabla.*.viejo']],
    ['/tabla/fija/viejo/0', 'x', ['tabla.fija.viejo']],
    ['/tabla', { a: { viejo: 'x' }, fija: { viejo: 'x' } }, ['tabla.fija.viejo', 'tabla.*.viejo']],
    ['', { textos: { vez: 'x' } }, ['textos.*']],
    ['/textos/texto', 'x', []],
  ])('a patch operation with the path %j and the value %j uses the deprecated members %j', (path, value, names) => {
    expect(found?.inJsonPatch([{ op: 'add', path, value }])).toEqual(names)
  })

  it('a move or copy counts as a use of the member that `from` addresses', () => {
    const [move, copy] = ['move', 'copy'].map((op) => ({ op, from: '/par/1/viejo', path: '/textos/texto' }))
    expect(found?.inJsonPatch([move])).toEqual(['par[1].viejo'])
    expect(found?.inJsonPatch([copy, { op: 'copy', from: 7, path: '/textos/vez' }])).toEqual([
      'par[1].viejo',
      'textos.*',
    ])
    expect(found?.inJsonPatch([{ op: 'move', from: '/par/1/nombre', path: '/textos/texto' }])).toEqual([])
  })

  it('each name is reported once, and malformed operations are ignored', () => {
    const use = { op: 'remove', path: '/textos/viejo' }
    expect(found?.inJsonPatch([use, { op: 'remove', path: 7 }, null, use])).toEqual(['textos.*'])
    expect(found?.inJsonPatch({})).toEqual([])
  })

  it('a recursive schema is searched to a limited depth', () => {
    const nodo: object = {
      type: 'object',
      properties: { viejo: old },
      additionalProperties: { $ref: '#' },
    }
    const recursive = compileDeprecated(Shape.of(nodo as never))
    expect(recursive?.in({ a: { b: { viejo: 'x' } } })).toEqual(['*.*.viejo'])
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`m${i}`, { $ref: '#' }]))
    expect(compileDeprecated(Shape.of({ type: 'object', properties: many }))).toBeUndefined()
  })
})
