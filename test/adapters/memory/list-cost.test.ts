import { describe, expect, it } from 'vitest'
import { type MemoryAdapter, memoryAdapter } from '../../../src/adapters/memory/index.js'
import { type Pieza, piezas } from './pieces.js'
import { call, callOf, listRequest, type RequestParts } from './requests.js'

const count = 10_000
const records = Array.from(
  { length: count },
  (_, i): Pieza => ({
    numero: i + 1,
    lote: `L${i % 10}`,
    peso: (i * 7919) % count,
    urgente: i % 4 === 0,
    inquilino: `T${i % 5}`,
    clienteId: i % 100,
    etiquetas: [`e${i % 50}`],
  }),
)

const filled = () => memoryAdapter(piezas, { records })

function cost(
  adapter: MemoryAdapter<Pieza, number>,
  parts: RequestParts,
  scope = {},
): { examined: number; total: number; items: number } {
  const before = adapter.stats.examined
  const { total, items } = adapter.list(listRequest(parts), callOf({ scope }))
  return { examined: adapter.stats.examined - before, total, items: items.length }
}

describe('the cost of a list over 10,000 records', () => {
  it('page 3 with an equality filter and a sort examines only its own records', () => {
    const parts: RequestParts = { where: [{ field: 'lote', op: 'eq', value: 'L3' }], sort: '-peso,-numero', page: 3 }
    expect(cost(filled(), parts)).toEqual({ examined: 25, total: 1_000, items: 25 })
  })

  it('a deep page without filters examines only its own records', () => {
    expect(cost(filled(), { sort: 'peso,numero', page: 390 })).toEqual({ examined: 25, total: count, items: 25 })
    expect(cost(filled(), { sort: '-numero', page: 399 })).toEqual({ examined: 25, total: count, items: 25 })
    expect(cost(filled(), { sort: 'numero', page: 401 })).toEqual({ examined: 0, total: count, items: 0 })
  })

  it('a page with a range and a sort on the same member examines its own records and O(log n) others', () => {
    const parts: RequestParts = {
      where: [
        { field: 'peso', op: 'gte', value: 2_000 },
        { field: 'peso', op: 'lt', value: 7_000 },
      ],
      page: 3,
    }
    for (const sort of ['peso,numero', '-peso,-numero']) {
      const { examined, total, items } = cost(filled(), { ...parts, sort })
      expect({ total, items }).toEqual({ total: 5_000, items: 25 })
      expect(examined).toBeLessThanOrEqual(25 + 4 * 14)
    }
  })

  it('a page with an equality filter and a range examines its own records and O(log n) others', () => {
    const parts: RequestParts = {
      where: [
        { field: 'lote', op: 'eq', value: 'L3' },
        { field: 'peso', op: 'gt', value: 5_000 },
      ],
      sort: 'peso,numero',
    }
    const { examined, items } = cost(filled(), parts)
    expect(items).toBe(25)
    expect(examined).toBeLessThanOrEqual(25 + 2 * 10)
  })

  it('a page with a narrow range and a sort on another member examines the range and O(log n) other records', () => {
    const parts: RequestParts = {
      where: [
        { field: 'peso', op: 'gte', value: 2_000 },
        { field: 'peso', op: 'lt', value: 2_100 },
      ],
      sort: 'lote,numero',
    }
    const { examined, total } = cost(filled(), parts)
    expect(total).toBe(100)
    expect(examined).toBeLessThanOrEqual(100 + 4 * 14)
  })

  it('a page with two filters examines only the matches of the more selective filter', () => {
    const parts: RequestParts = {
      where: [
        { field: 'urgente', op: 'eq', value: true },
        { field: 'clienteId', op: 'eq', value: 8 },
      ],
      sort: 'peso,numero',
    }
    expect(cost(filled(), parts)).toEqual({ examined: 100, total: 100, items: 25 })
  })

  it('if one of two filters has no index, a page examines only the matches of the other filter', () => {
    const parts: RequestParts = {
      where: [
        { field: 'etiquetas', op: 'contains', value: 'e8' },
        { field: 'clienteId', op: 'eq', value: 8 },
      ],
      sort: 'peso,numero',
    }
    expect(cost(filled(), parts)).toEqual({ examined: 100, total: 100, items: 25 })
  })

  it('a repeated combination of filter and scope gets an index, and then a page examines only its own records', () => {
    const adapter = filled()
    const parts: RequestParts = { where: [{ field: 'lote', op: 'eq', value: 'L5' }], sort: 'peso,numero' }
    const costs = Array.from({ length: 20 }, () => cost(adapter, parts, { inquilino: 'T0' }))
    expect(costs[0]).toEqual({ examined: 1_000, total: 1_000, items: 25 })
    expect(costs.at(-1)).toEqual({ examined: 25, total: 1_000, items: 25 })
    adapter.replace(6, { ...(adapter.read([6], call)[0]?.value as Pieza), lote: 'L6' }, undefined, call)
    expect(cost(adapter, parts, { inquilino: 'T0' })).toEqual({ examined: 25, total: 999, items: 25 })
  })

  it('a filter by one key examines one record; a filter by several values examines only records that match it', () => {
    const adapter = filled()
    expect(cost(adapter, { where: [{ field: 'numero', op: 'eq', value: 77 }], sort: '-peso,numero' })).toEqual({
      examined: 1,
      total: 1,
      items: 1,
    })
    expect(
      cost(adapter, { where: [{ field: 'numero', op: 'in', value: [77, 78, 99_999] }], sort: 'peso,numero' }),
    ).toMatchObject({
      examined: 2,
      total: 2,
    })
    const any: RequestParts = {
      where: [
        { field: 'lote', op: 'in', value: ['L1', 'L2'] },
        { field: 'urgente', op: 'eq', value: false },
      ],
      sort: 'peso,numero',
    }
    expect(cost(adapter, any)).toMatchObject({ examined: 2_000, total: 1_500 })
  })

  it('a page with a scope, or below a parent, examines only its own records', () => {
    const adapter = filled()
    expect(cost(adapter, { sort: 'peso,numero', page: 3 }, { inquilino: 'T1' })).toEqual({
      examined: 25,
      total: 2_000,
      items: 25,
    })
    expect(cost(adapter, { sort: 'peso,numero', parent: { collection: 'clientes', key: 8, as: 'piezas' } })).toEqual({
      examined: 25,
      total: 100,
      items: 25,
    })
    for (let numero = 1; numero <= 60; numero++)
      adapter.attach({ collection: 'carteras', key: 'norte', as: 'piezas' }, numero, undefined, call)
    expect(
      cost(adapter, { sort: 'peso,numero', parent: { collection: 'carteras', key: 'norte', as: 'piezas' } }),
    ).toEqual({
      examined: 25,
      total: 60,
      items: 25,
    })
  })

  it('a search examines only the records that it finds', () => {
    const adapter = filled()
    expect(cost(adapter, { search: 'e8' })).toEqual({ examined: 200, total: 200, items: 25 })
    expect(
      cost(adapter, { search: 'e8', sort: '-peso,numero', where: [{ field: 'clienteId', op: 'eq', value: 8 }] }),
    ).toMatchObject({
      examined: 100,
      total: 100,
    })
  })
})
