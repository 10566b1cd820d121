import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KeysetPosition, Scalar } from '../../../src/adapters/contract.js'
import { type MemoryAdapter, memoryAdapter } from '../../../src/adapters/memory/index.js'
import { get } from '../../../src/definition/json.js'
import { type Pieza, piezas } from './pieces.js'
import { call, listRequest, type RequestParts } from './requests.js'

const sorts = [
  'numero',
  '-numero',
  'lote,numero',
  '-lote,-numero',
  'lote,-peso,-numero',
  '-lote,peso,numero',
  'urgente,-lote,-numero',
]

/**
 * The members other than the key have few values, including null. Therefore many records have equal
 * sort values and differ only in the key.
 */
const piece = (numero: number): Pieza => ({
  numero,
  lote: numero % 5 === 0 ? null : `L${numero % 5}`,
  peso: numero % 3 === 0 ? null : numero % 6,
  urgente: numero % 7 === 0 ? null : numero % 2 === 0,
})

const positionOf = (value: Pieza, sort: string): readonly (Scalar | null)[] =>
  sort.split(',').map((field) => (get(value, field.replace('-', '').split('.')) ?? null) as Scalar | null)

/**
 * Reads page after page, each from the position where the previous page ended. Returns the `numero`
 * of each record that was read, in the order of the list. `between` runs between two pages.
 */
function walk(
  adapter: MemoryAdapter<Pieza, number>,
  parts: RequestParts,
  start: KeysetPosition | undefined,
  between: () => void,
): number[] {
  const met: number[] = []
  const backwards = start?.backwards ?? false
  const sort = parts.sort ?? ''
  for (let seek = start; ; ) {
    const { items, more, seekable } = adapter.list(listRequest({ ...parts, seek }), call)
    expect(seekable).toBe(true)
    const page = items.map(({ value }) => value.numero)
    if (backwards) met.unshift(...page)
    else met.push(...page)
    const edge = backwards ? items[0] : items.at(-1)
    if (!more || edge === undefined) return met
    between()
    seek = { values: positionOf(edge.value, sort), backwards }
  }
}

describe('keyset pagination', () => {
  it('QUERY-7: reading all pages returns each unchanged record once and in order, while other records change', () => {
    const change = fc.record({ numero: fc.integer({ min: 1, max: 80 }), there: fc.boolean() })
    const parts = fc.record({
      sort: fc.constantFrom(...sorts),
      size: fc.integer({ min: 1, max: 7 }),
      where: fc.constantFrom<NonNullable<RequestParts['where']>>(
        [],
        [{ field: 'lote', op: 'eq', value: 'L1' }],
        [{ field: 'peso', op: 'lt', value: 4 }],
        [{ field: 'urgente', op: 'in', value: [true, false] }],
      ),
    })
    fc.assert(
      fc.property(
        parts,
        fc.boolean(),
        fc.array(fc.array(change, { maxLength: 8 }), { maxLength: 30 }),
        (asked, backwards, changes) => {
          const adapter = memoryAdapter(piezas, { records: Array.from({ length: 40 }, (_, i) => piece(2 * i + 1)) })
          const matching = () =>
            adapter.list(listRequest({ ...asked, size: 1_000 }), call).items.map(({ value }) => value)
          const before = matching()
          const touched = new Set<number>()
          const left = [...changes]
          const between = (): void => {
            for (const { numero, there } of left.shift() ?? []) {
              touched.add(numero)
              if (there) adapter.create(piece(numero), call)
              else adapter.remove(numero, undefined, call)
            }
          }
          const last = before.at(-1)
          const start =
            backwards && last !== undefined ? { values: positionOf(last, asked.sort), backwards } : undefined
          const met = walk(adapter, asked, start, between)
          const stayed = before.map(({ numero }) => numero).filter((numero) => !touched.has(numero))
          const expected = start === undefined ? stayed : stayed.filter((numero) => numero !== last?.numero)
          expect(met.filter((numero) => !touched.has(numero))).toEqual(expected)
          expect(new Set(met).size).toBe(met.length)
        },
      ),
      { numRuns: 400 },
    )
  })

  it('QUERY-7: a position where there is no record works like the position of a record', () => {
    const adapter = memoryAdapter(piezas, { records: [2, 4, 6].map(piece) })
    const met = (numero: number | null, backwards: boolean) => {
      const { items, more } = adapter.list(
        listRequest({ sort: 'numero', size: 2, seek: { values: [numero], backwards } }),
        call,
      )
      return [...items.map(({ value }) => value.numero), more]
    }
    expect([met(0, false), met(3, false), met(4, false), met(6, false), met(null, false)]).toEqual([
      [2, 4, true],
      [4, 6, false],
      [6, false],
      [false],
      [false],
    ])
    expect([met(0, true), met(2, true), met(5, true), met(6, true), met(null, true)]).toEqual([
      [false],
      [false],
      [2, 4, false],
      [2, 4, false],
      [4, 6, true],
    ])
  })

  it('QUERY-7: a page that starts at a position examines its own records and O(log n) others', () => {
    const count = 10_000
    const adapter = memoryAdapter(piezas, { records: Array.from({ length: count }, (_, i) => piece(i + 1)) })
    adapter.list(listRequest({ sort: '-peso,-numero' }), call)
    for (const backwards of [false, true]) {
      const before = adapter.stats.examined
      const seek = { values: positionOf(piece(5_000), '-peso,-numero'), backwards }
      const { items, total } = adapter.list(listRequest({ sort: '-peso,-numero', seek }), call)
      expect([items.length, total]).toEqual([25, count])
      expect(adapter.stats.examined - before).toBeLessThanOrEqual(25 + 14)
    }
  })

  it('QUERY-3: results ordered by rank have no positions, and a position in a request is ignored', () => {
    const adapter = memoryAdapter(piezas, { records: [1, 2, 3].map(piece) })
    const page = adapter.list(listRequest({ search: '', size: 2, seek: { values: [], backwards: true } }), call)
    expect(page).toMatchObject({ total: 3, more: true, seekable: false, items: [{}, {}] })
  })
})
