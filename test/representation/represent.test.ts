import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { defineResource, mount } from '../../src/index.js'
import type { Mounted, RouteTable } from '../../src/plan/routes.js'
import { gatherRelated, noRelated } from '../../src/representation/related.js'
import { Presenter } from '../../src/representation/represent.js'
import { routeTable } from '../../src/router/route-table.js'

const sedes = defineResource({
  collection: 'sedes',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer' }, nombre: { type: 'string' }, zona: { type: ['string', 'null'] } },
  },
})
const fichas = defineResource({
  collection: 'fichas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    additionalProperties: { type: 'string' },
    properties: {
      id: { type: 'integer' },
      nombre: { type: 'string' },
      nota: { type: ['string', 'null'] },
      sedeId: { type: ['integer', 'null'] },
      foto: { type: ['object', 'null'], properties: { href: { type: 'string' } } },
    },
  },
  links: { sede: { to: sedes, by: 'sedeId', show: ['nombre', 'zona'] }, foto: { external: true } },
})
const table: RouteTable = routeTable([mount(sedes, memoryAdapter(sedes)), mount(fichas, memoryAdapter(fichas))])
const [offices, cards] = table.resources as [Mounted, Mounted]
const shown = (record: object) => new Presenter('http://h/v1').represent(cards, record, [1], noRelated)

describe('represent (REP-1..8)', () => {
  it.each([
    ['/fotos/1', 'http://h/v1/fotos/1'],
    ['//cdn.example/x', '//cdn.example/x'],
    ['https://cdn.example/x', 'https://cdn.example/x'],
    ['fotos/1', 'fotos/1'],
  ])(
    'REP-1: the base URL is put only before external links that start with exactly one slash: %s is sent as %s',
    (href, expected) => {
      expect(shown({ id: 1, foto: { href } })).toMatchObject({ foto: { href: expected } })
    },
  )

  it('REP-8: a null that the schema does not allow is omitted', () => {
    const wire = shown({ id: 1, nombre: null, nota: null, otro: null, foto: null })
    expect(wire).toStrictEqual({ id: 1, nota: null, sede: null, foto: null })
    expect(Object.keys(shown({ id: 1, otro: 'x' }))).toEqual(['id', 'nota', 'sede', 'foto', 'otro'])
  })

  it.each([
    [{ id: 7, nombre: null, zona: null }, { zona: null }],
    [{ id: 7 }, { zona: null }],
    [
      { id: 7, nombre: 'N', zona: 'Z' },
      { nombre: 'N', zona: 'Z' },
    ],
  ])('REP-1, REP-8: a link to the record %j contains the href and the members %j', async (value, members) => {
    const record = { id: 1, sedeId: 7 }
    const related = await gatherRelated(cards, [record], [], (_mounted, keys) =>
      keys.map(() => ({ value, version: '1' })),
    )
    const { sede } = new Presenter('http://h/v1').represent(cards, record, [1], related)
    expect(sede).toStrictEqual({ href: 'http://h/v1/sedes/7', ...members })
    expect(offices.plan.definition.collection).toBe('sedes')
  })
})
