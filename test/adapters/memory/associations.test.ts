import { describe, expect, it } from 'vitest'
import type { ParentKey } from '../../../src/adapters/contract.js'
import { type MemoryAdapter, memoryAdapter } from '../../../src/adapters/memory/index.js'
import { defineResource } from '../../../src/definition/resource.js'
import { clientes, type Pieza, piezas, rutas } from './pieces.js'
import { call, callOf, listRequest, type RequestParts } from './requests.js'

const cliente: ParentKey = { collection: 'clientes', key: 5, as: 'piezas' }
const ruta: ParentKey = { collection: 'rutas', key: { dia: 3, zona: 'norte' }, as: 'piezas' }
const cartera: ParentKey = { collection: 'carteras', key: 'k1', as: 'piezas' }

const filled = () => memoryAdapter(piezas, { records: [1, 2, 3].map((numero): Pieza => ({ numero, peso: -numero })) })
const versionOf = (adapter: MemoryAdapter<Pieza, number>, numero: number) => adapter.read([numero], call)[0]?.version
const recordOf = (adapter: MemoryAdapter<Pieza, number>, numero: number) => adapter.read([numero], call)[0]?.value
const attached = (adapter: MemoryAdapter<Pieza, number>, parent: ParentKey) =>
  adapter.list(listRequest({ parent, sort: 'peso,numero' }), call).items.map(({ value }) => value.numero)

describe.each([
  ['stored in a member', cliente],
  ['stored in several members', ruta],
  ['stored apart from the records', cartera],
])('an association %s', (_, parent) => {
  it('PATH-7: list returns only records that are attached to the parent', () => {
    const adapter = filled()
    expect(attached(adapter, parent)).toEqual([])
    adapter.attach(parent, 1, undefined, call)
    expect(adapter.attach(parent, 3, undefined, call)).toBe('attached')
    expect(attached(adapter, parent)).toEqual([3, 1])
    const only = listRequest({ parent, sort: 'numero', where: [{ field: 'peso', op: 'lt', value: -1 }] })
    expect(adapter.list(only, call)).toMatchObject({ total: 1, items: [{ value: { numero: 3 } }] })
  })

  it('VERB-4: attaching a record a second time is no error and changes nothing', () => {
    const adapter = filled()
    adapter.attach(parent, 1, undefined, call)
    const version = versionOf(adapter, 1)
    expect(adapter.attach(parent, 1, undefined, call)).toBe('attached')
    expect(versionOf(adapter, 1)).toBe(version)
    expect(attached(adapter, parent)).toEqual([1])
  })

  it('VERB-4: detaching keeps the record; detaching a record that is not attached returns "absent"', () => {
    const adapter = filled()
    adapter.attach(parent, 1, undefined, call)
    expect(adapter.detach(parent, 2, undefined, call)).toBe('absent')
    expect(adapter.detach({ ...parent, key: parent === ruta ? { zona: 'sur', dia: 3 } : 77 }, 1, undefined, call)).toBe(
      'absent',
    )
    expect(adapter.detach(parent, 1, undefined, call)).toBe('detached')
    expect(adapter.detach(parent, 1, undefined, call)).toBe('absent')
    expect(attached(adapter, parent)).toEqual([])
    expect(recordOf(adapter, 1)).toMatchObject({ numero: 1 })
  })

  it('HDR-3: attach compares versions only if the record exists, detach only if the record is attached', () => {
    const adapter = filled()
    expect(adapter.attach(parent, 1, 'other', call)).toBe('stale')
    expect(adapter.attach(parent, 9, 'other', call)).toBe('absent')
    expect(adapter.detach(parent, 1, 'other', call)).toBe('absent')
    expect(adapter.attach(parent, 1, versionOf(adapter, 1), call)).toBe('attached')
    expect(adapter.detach(parent, 1, 'other', call)).toBe('stale')
    expect(adapter.detach(parent, 1, versionOf(adapter, 1), call)).toBe('detached')
  })

  it('PATH-7: a create below a parent attaches the new record; a refused create attaches nothing', () => {
    const adapter = filled()
    adapter.create({ numero: 8, peso: 0 }, callOf({ attachTo: parent }))
    expect(attached(adapter, parent)).toEqual([8])
    expect(adapter.create({ numero: 1 }, callOf({ attachTo: parent }))).toMatchObject({ refused: 'duplicate' })
    expect(attached(adapter, parent)).toEqual([8])
  })

  it('a removed record is detached, and a new record with the same key is not attached', () => {
    const adapter = filled()
    adapter.attach(parent, 1, undefined, call)
    adapter.remove(1, undefined, call)
    expect(attached(adapter, parent)).toEqual([])
    adapter.create({ numero: 1 }, call)
    adapter.replace(1, { numero: 1, peso: 4 }, undefined, call)
    expect(attached(adapter, parent)).toEqual([])
  })
})

describe('an association that is stored in members of the record', () => {
  it('PATH-7: attaching copies the parts of the parent key to these members, and changes the version', () => {
    const adapter = filled()
    const before = versionOf(adapter, 1)
    adapter.attach(cliente, 1, undefined, call)
    adapter.attach(ruta, 1, undefined, call)
    expect(recordOf(adapter, 1)).toEqual({ numero: 1, peso: -1, clienteId: 5, rutaZona: 'norte', rutaDia: 3 })
    expect(versionOf(adapter, 1)).not.toBe(before)
  })

  it('PATH-7: detaching sets the members to null, or deletes them if they cannot be null', () => {
    const adapter = filled()
    adapter.attach(ruta, 1, undefined, call)
    const before = versionOf(adapter, 1)
    adapter.detach(ruta, 1, undefined, call)
    expect(recordOf(adapter, 1)).toStrictEqual({ numero: 1, peso: -1, rutaZona: null })
    expect(versionOf(adapter, 1)).not.toBe(before)
  })

  it('PATH-7: attaching to another parent moves the record', () => {
    const adapter = filled()
    adapter.attach(cliente, 1, undefined, call)
    adapter.attach({ collection: 'clientes', key: 6, as: 'piezas' }, 1, undefined, call)
    expect(attached(adapter, cliente)).toEqual([])
    expect(attached(adapter, { collection: 'clientes', key: 6, as: 'piezas' })).toEqual([1])
  })

  it('ERR-2: attaching is refused if it violates a unique constraint', () => {
    const adapter = memoryAdapter(piezas, {
      records: [{ numero: 1, clienteId: 5 }, { numero: 2 }, { numero: 3 }],
      unique: [['clienteId']],
    })
    expect(adapter.attach(cliente, 2, undefined, call)).toEqual({ refused: 'duplicate', members: ['clienteId'] })
    expect(adapter.detach(cliente, 1, undefined, call)).toBe('detached')
    expect(adapter.attach(cliente, 2, undefined, call)).toBe('attached')
  })

  it('ERR-2: detaching is refused if it violates a unique constraint', () => {
    const records = [{ numero: 1, rutaZona: 'norte', rutaDia: 3 }]
    const taken = memoryAdapter(piezas, {
      records: [...records, { numero: 2, lote: 'x' }],
      unique: [['lote']],
      onUpdate: (value) => ({ ...value, lote: 'x' }),
    })
    expect(taken.detach(ruta, 1, undefined, call)).toEqual({ refused: 'duplicate', members: ['lote'] })
    expect(taken.read([1], call)[0]?.value).toEqual(records[0])
  })
})

describe('several associations with one parent', () => {
  const contratos = defineResource({
    collection: 'contratos',
    key: 'codigo',
    schema: {
      type: 'object',
      required: ['codigo'],
      properties: {
        codigo: { type: 'string' },
        titular: { type: ['integer', 'null'] },
        pagador: { type: ['integer', 'null'] },
      },
    },
    attachedTo: [
      { of: clientes, by: 'titular' },
      { of: clientes, by: 'pagador', as: 'facturas' },
      { of: clientes, as: 'favoritos' },
      { of: clientes, as: 'recientes' },
    ],
  })
  const by = (as: string): ParentKey => ({ collection: 'clientes', key: 5, as })

  it('PATH-7: the path segment under the parent selects the association', () => {
    const adapter = memoryAdapter(contratos, { records: [{ codigo: 'a' }] })
    const codes = (as: string) =>
      adapter.list(listRequest({ parent: by(as), sort: 'codigo' }), call).items.map(({ value }) => value.codigo)
    expect(adapter.attach(by('facturas'), 'a', undefined, call)).toBe('attached')
    expect(adapter.read(['a'], call)[0]?.value).toEqual({ codigo: 'a', pagador: 5 })
    adapter.create({ codigo: 'b' }, callOf({ attachTo: by('contratos') }))
    expect(adapter.read(['b'], call)[0]?.value).toEqual({ codigo: 'b', titular: 5 })
    adapter.attach(by('favoritos'), 'b', undefined, call)
    expect([codes('contratos'), codes('facturas'), codes('favoritos'), codes('recientes')]).toEqual([
      ['b'],
      ['a'],
      ['b'],
      [],
    ])
    expect(adapter.detach(by('contratos'), 'a', undefined, call)).toBe('absent')
    expect(() => adapter.attach(by('otros'), 'a', undefined, call)).toThrow(/attachedTo/)
  })
})

describe('an association that is stored apart from the records', () => {
  it('PATH-7: is many-to-many, and separate for each parent collection', () => {
    const adapter = filled()
    const other = { collection: 'carteras', key: 'k2', as: 'piezas' }
    const elsewhere = { collection: 'almacenes', key: 'k1', as: 'piezas' }
    for (const parent of [cartera, other]) for (const numero of [1, 2]) adapter.attach(parent, numero, undefined, call)
    expect([attached(adapter, cartera), attached(adapter, other), attached(adapter, elsewhere)]).toEqual([
      [2, 1],
      [2, 1],
      [],
    ])
    adapter.detach(other, 2, undefined, call)
    expect([attached(adapter, cartera), attached(adapter, other)]).toEqual([[2, 1], [1]])
  })

  it('PATH-7: does not change the version of the record, and survives a replace', () => {
    const adapter = filled()
    const before = versionOf(adapter, 1)
    adapter.attach(cartera, 1, undefined, call)
    expect(versionOf(adapter, 1)).toBe(before)
    adapter.attach(cartera, 2, undefined, call)
    expect(attached(adapter, cartera)).toEqual([2, 1])
    adapter.replace(1, { numero: 1, peso: -70 }, undefined, call)
    expect(attached(adapter, cartera)).toEqual([1, 2])
  })

  it('QUERY-1, QUERY-3: filters and searches below the parent find only attached records', () => {
    const records = Array.from(
      { length: 100 },
      (_, i): Pieza => ({ numero: i + 1, lote: i % 2 ? 'a' : 'b', peso: i < 60 ? 1 : 2 }),
    )
    const adapter = memoryAdapter(piezas, { records })
    for (const numero of [1, 2, 4]) adapter.attach(cartera, numero, undefined, call)
    const numbers = (parts: RequestParts) =>
      adapter
        .list(listRequest({ parent: cartera, sort: 'numero', ...parts }), call)
        .items.map(({ value }) => value.numero)
    expect(numbers({ where: [{ field: 'lote', op: 'eq', value: 'a' }] })).toEqual([2, 4])
    expect(numbers({ where: [{ field: 'numero', op: 'eq', value: 3 }] })).toEqual([])
    expect(numbers({ search: 'a' })).toEqual([2, 4])
    // Each of the following conditions matches only two records, fewer than the three attached
    // ones.
    for (const numero of [4, 6]) adapter.replace(numero, { numero, lote: 'raro' }, undefined, call)
    expect(numbers({ search: 'raro' })).toEqual([4])
    expect(numbers({ where: [{ field: 'lote', op: 'eq', value: 'raro' }] })).toEqual([4])
    expect(numbers({ where: [{ field: 'numero', op: 'in', value: [4, 6] }] })).toEqual([4])
  })

  it('after a remove and a create with the same key, the new record is not attached, even if it is replaced', () => {
    const adapter = filled()
    for (const numero of [1, 2]) adapter.attach(cartera, numero, undefined, call)
    adapter.remove(1, undefined, call)
    adapter.create({ numero: 1 }, call)
    adapter.replace(1, { numero: 1, peso: 4 }, undefined, call)
    expect(attached(adapter, cartera)).toEqual([2])
  })
})

describe('an invalid association', () => {
  const schema = {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer' }, a: { type: ['integer', 'null'] } },
  } as const

  it('is refused by memoryAdapter() if it uses the wrong number of members', () => {
    expect(() =>
      memoryAdapter(defineResource({ collection: 'cosas', key: 'id', schema, attachedTo: [{ of: rutas, by: 'a' }] })),
    ).toThrow(/zona, dia/)
  })

  it('is refused by attach() if the definition does not list the parent', () => {
    expect(() => filled().attach({ collection: 'otros', key: 1, as: 'piezas' }, 1, undefined, call)).toThrow(
      /attachedTo/,
    )
  })
})
