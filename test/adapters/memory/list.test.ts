import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Condition, ListRequest, Scalar } from '../../../src/adapters/contract.js'
import { memoryAdapter } from '../../../src/adapters/memory/index.js'
import { get } from '../../../src/definition/json.js'
import { type Pieza, piezas } from './pieces.js'
import { call, callOf, listRequest, type RequestParts, type Where } from './requests.js'

const records: readonly Pieza[] = [
  { numero: 1, lote: 'b', peso: 10, urgente: true, destino: { cp: 28001 }, etiquetas: ['roja', 'azul'] },
  { numero: 2, lote: null, peso: 9, urgente: false, destino: { cp: null }, etiquetas: [] },
  { numero: 3, peso: null, urgente: null, destino: null },
  {
    numero: 4,
    lote: '\u{1F600}',
    peso: -1,
    urgente: false,
    destino: { cp: 8001, calle: 'Mayor' },
    etiquetas: ['azul'],
  },
  { numero: 5, lote: '\uFB01', peso: 10, destino: {} },
]

function numbers(parts: RequestParts): { total: number; items: number[] } {
  const { total, items } = memoryAdapter(piezas, { records }).list(listRequest({ sort: 'numero', ...parts }), call)
  return { total, items: items.map(({ value }) => value.numero) }
}

describe('list', () => {
  it.each<[string, Where, number[]]>([
    ['"eq" matches equal values', { field: 'lote', op: 'eq', value: 'b' }, [1]],
    ['"eq" finds records by a member without an index', { field: 'destino.calle', op: 'eq', value: 'Mayor' }, [4]],
    ['"eq" compares numbers by value', { field: 'peso', op: 'eq', value: 10 }, [1, 5]],
    ['"eq" does not mix types', { field: 'peso', op: 'eq', value: '10' }, []],
    ['"eq" finds a record by its key', { field: 'numero', op: 'eq', value: 4 }, [4]],
    ['"eq" finds records by a nested member', { field: 'destino.cp', op: 'eq', value: 28001 }, [1]],
    ['"in" matches each of several values', { field: 'lote', op: 'in', value: ['b', '\uFB01', 'b', 'x'] }, [1, 5]],
    ['"in" finds records by their keys', { field: 'numero', op: 'in', value: [5, 2, 2, 77] }, [2, 5]],
    ['"in" with an empty list matches nothing', { field: 'lote', op: 'in', value: [] }, []],
    ['"gt" matches greater values', { field: 'peso', op: 'gt', value: 9 }, [1, 5]],
    ['"gte" matches greater and equal values', { field: 'peso', op: 'gte', value: 9 }, [1, 2, 5]],
    ['"lt" matches smaller values', { field: 'peso', op: 'lt', value: 9 }, [4]],
    ['"lte" matches smaller and equal values', { field: 'peso', op: 'lte', value: 9 }, [2, 4]],
    ['ranges compare text by code points', { field: 'lote', op: 'gt', value: '\uFB01' }, [4]],
    ['ranges treat false as less than true', { field: 'urgente', op: 'lt', value: true }, [2, 4]],
    ['ranges do not mix types', { field: 'peso', op: 'gt', value: '' }, []],
    ['"contains" matches arrays with an equal item', { field: 'etiquetas', op: 'contains', value: 'azul' }, [1, 4]],
    ['"contains" compares whole items', { field: 'etiquetas', op: 'contains', value: 'azu' }, []],
    ['"null" with true matches null and absent members', { field: 'lote', op: 'null', value: true }, [2, 3]],
    [
      '"null" with true matches nested members that are null or absent',
      { field: 'destino.cp', op: 'null', value: true },
      [2, 3, 5],
    ],
    ['"null" with false matches members that have a value', { field: 'destino.cp', op: 'null', value: false }, [1, 4]],
    [
      '"eq" with undefined matches nothing',
      { field: 'destino.calle', op: 'eq', value: undefined as unknown as string },
      [],
    ],
    ['the length of an array is not a member', { field: 'etiquetas.length', op: 'gte', value: 0 }, []],
    ['an inherited property is not a member', { field: 'constructor', op: 'null', value: false }, []],
  ])('QUERY-1: %s', (_, condition, expected) => {
    expect(numbers({ where: [condition] })).toEqual({ total: expected.length, items: expected })
  })

  it('QUERY-1: several conditions, even on one member, are combined by AND', () => {
    const range: Where[] = [
      { field: 'peso', op: 'gte', value: 9 },
      { field: 'peso', op: 'lt', value: 10 },
    ]
    expect(numbers({ where: range }).items).toEqual([2])
    expect(numbers({ where: [...range, { field: 'urgente', op: 'eq', value: true }] }).items).toEqual([])
    const contradiction: Where[] = [
      { field: 'lote', op: 'eq', value: 'b' },
      { field: 'lote', op: 'eq', value: 'c' },
    ]
    expect(numbers({ where: contradiction })).toEqual({ total: 0, items: [] })
  })

  it.each([
    ['lote,numero', [1, 5, 4, 2, 3]],
    ['-lote,-numero', [3, 2, 4, 5, 1]],
    ['-lote,numero', [2, 3, 4, 5, 1]],
    ['peso,-numero', [4, 2, 5, 1, 3]],
    ['urgente,peso,numero', [4, 2, 1, 5, 3]],
    ['destino.cp,numero', [4, 1, 2, 3, 5]],
    ['-numero', [5, 4, 3, 2, 1]],
  ])('QUERY-2: sort=%s puts null last in ascending order and first in descending order', (sort, expected) => {
    expect(numbers({ sort }).items).toEqual(expected)
  })

  it('QUERY-4, QUERY-7: a page is a slice of the matches, or empty past the end; the total counts all matches', () => {
    expect(numbers({ page: 2, size: 2 })).toEqual({ total: 5, items: [3, 4] })
    expect(numbers({ page: 3, size: 2 })).toEqual({ total: 5, items: [5] })
    expect(numbers({ page: 4, size: 2 })).toEqual({ total: 5, items: [] })
    expect(numbers({ sort: '-numero', page: 3, size: 2 })).toEqual({ total: 5, items: [1] })
    expect(numbers({ sort: '-numero', page: 9e15, size: 1 })).toEqual({ total: 5, items: [] })
  })

  it('an undefined value in a scope matches nothing', () => {
    const adapter = memoryAdapter(piezas, { records })
    const nobody = callOf({ scope: { inquilino: undefined as unknown as string } })
    expect(adapter.list(listRequest({ sort: 'numero' }), nobody)).toMatchObject({ total: 0, items: [] })
    expect(adapter.read([1], nobody)).toEqual([undefined])
  })

  it('returns the right list for every sort order, although at most 16 orders are cached', () => {
    const adapter = memoryAdapter(piezas, { records })
    const fields = ['lote', 'peso', 'urgente', 'destino.cp']
    for (let round = 0; round < 2; round++) {
      for (const first of fields) {
        for (const second of fields) {
          for (const sign of ['', '-']) {
            const request = listRequest({ sort: `${first},${sign}${second},numero` })
            expect(adapter.list(request, call)).toEqual(model(records, request))
          }
        }
      }
      adapter.replace(
        1,
        { numero: 1, lote: 'b', peso: 10, urgente: true, destino: { cp: 28001 }, etiquetas: ['roja', 'azul'] },
        undefined,
        call,
      )
    }
  })

  it('QUERY-1, QUERY-2, QUERY-7: after any writes, a page equals a filtered, sorted slice of all records', () => {
    const text = fc.constantFrom('', 'a', 'b', '\uD7FF', '\uE000', '\uFFFF', '\u{10000}', '\u{1F600}')
    const scalar = {
      lote: text,
      peso: fc.integer({ min: -2, max: 3 }),
      urgente: fc.boolean(),
      'destino.cp': fc.nat(3),
      numero: fc.integer({ min: 1, max: 40 }),
    }
    const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
    const record = fc.record(
      {
        lote: maybe(text),
        peso: maybe(scalar.peso),
        urgente: maybe(fc.boolean()),
        destino: maybe(fc.record({ cp: maybe(fc.nat(3)) }, { requiredKeys: [] })),
        etiquetas: fc.array(text, { maxLength: 3 }),
        clienteId: maybe(fc.nat(2)),
      },
      { requiredKeys: [] },
    )
    const conditionOn = (field: keyof typeof scalar) =>
      fc.oneof(
        fc.record({
          field: fc.constant(field),
          op: fc.constantFrom('eq', 'gt', 'gte', 'lt', 'lte'),
          value: scalar[field],
        }),
        fc.record({
          field: fc.constant(field),
          op: fc.constant('in'),
          value: fc.array<unknown>(scalar[field], { maxLength: 3 }),
        }),
        fc.record({ field: fc.constant(field), op: fc.constant('null'), value: fc.boolean() }),
      )
    const condition = fc.oneof(
      ...(Object.keys(scalar) as (keyof typeof scalar)[]).map(conditionOn),
      fc.record({ field: fc.constant('etiquetas'), op: fc.constant('contains'), value: text }),
      fc.record({ field: fc.constant('clienteId'), op: fc.constant('eq'), value: fc.nat(2) }),
    ) as fc.Arbitrary<Where>
    const sort = fc
      .tuple(
        fc.subarray(['lote', 'peso', 'urgente', 'destino.cp'], { maxLength: 3 }),
        fc.boolean(),
        fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
      )
      .map(([fields, last, signs]) =>
        [...fields.map((field, i) => `${signs[i] ? '-' : ''}${field}`), last ? '-numero' : 'numero'].join(','),
      )
    const request = fc.record({
      where: fc.array(condition, { maxLength: 3 }),
      sort,
      page: fc.integer({ min: 1, max: 4 }),
      size: fc.integer({ min: 1, max: 7 }),
      near: fc.nat(59),
      backwards: fc.option(fc.boolean()),
    })
    const numero = fc.integer({ min: 1, max: 40 })
    const step = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({ list: request, scope: fc.option(fc.record({ clienteId: fc.nat(2) }), { nil: {} }) }),
      },
      { weight: 1, arbitrary: fc.record({ put: record, numero }) },
      { weight: 1, arbitrary: fc.record({ remove: numero }) },
    )
    fc.assert(
      fc.property(
        fc.array(record, { minLength: 10, maxLength: 60 }),
        fc.array(step, { maxLength: 25 }),
        (start, steps) => {
          const kept = new Map(start.map((value, i) => [i + 1, { ...value, numero: i + 1 } as Pieza]))
          const adapter = memoryAdapter(piezas, { records: kept.values() })
          for (const one of steps) {
            if ('list' in one) {
              const { near, backwards, ...parts } = one.list
              const place = start[near % start.length]
              // An earlier step may have changed or removed the record at this position.
              const values = place && positionOf({ ...place, numero: (near % start.length) + 1 } as Pieza, parts.sort)
              const asked = listRequest({
                ...(parts as RequestParts),
                seek: backwards === null || values === undefined ? undefined : { values, backwards },
              })
              const scoped = Object.entries(one.scope).map(
                ([field, value]): Condition => ({ field, path: [field], op: 'eq', value }),
              )
              const page = adapter.list(asked, callOf({ scope: one.scope }))
              expect(page).toEqual(model([...kept.values()], { ...asked, where: [...asked.where, ...scoped] }))
            } else if ('put' in one) {
              const value = { ...one.put, numero: one.numero } as Pieza
              if (kept.has(one.numero)) adapter.replace(one.numero, value, undefined, call)
              else adapter.create(value, call)
              kept.set(one.numero, value)
            } else {
              expect(adapter.remove(one.remove, undefined, call)).toBe(kept.delete(one.remove) ? 'removed' : 'absent')
            }
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  it('QUERY-1: any combination of conditions gives the same page as a scan, whichever indexes are used', () => {
    const many = Array.from(
      { length: 600 },
      (_, i): Pieza => ({
        numero: i + 1,
        lote: `L${i % 7}`,
        peso: i % 5 ? (i * 37) % 101 : null,
        urgente: i % 3 === 0,
        clienteId: i % 4,
        etiquetas: [`e${i % 2}`],
      }),
    )
    const adapter = memoryAdapter(piezas, { records: many })
    const condition = fc.constantFrom<Where>(
      { field: 'lote', op: 'eq', value: 'L3' },
      { field: 'lote', op: 'in', value: ['L1', 'L2', 'L3'] },
      { field: 'urgente', op: 'eq', value: true },
      { field: 'clienteId', op: 'eq', value: 1 },
      { field: 'peso', op: 'gt', value: 40 },
      { field: 'peso', op: 'lte', value: 60 },
      { field: 'peso', op: 'null', value: true },
      { field: 'numero', op: 'lt', value: 300 },
      { field: 'etiquetas', op: 'contains', value: 'e1' },
    )
    const request = fc.record({
      where: fc.uniqueArray(condition, { maxLength: 4 }),
      sort: fc.constantFrom('numero', '-numero', 'peso,numero', '-peso,-numero', '-lote,peso,numero'),
      page: fc.constantFrom(1, 2, 5),
      size: fc.constantFrom(3, 10),
    })
    fc.assert(
      fc.property(request, fc.option(fc.boolean()), fc.nat(599), (parts, backwards, near) => {
        const values = positionOf(many[near], parts.sort)
        const asked = listRequest({ ...parts, seek: backwards === null ? undefined : { values, backwards } })
        expect(adapter.list(asked, call)).toEqual(model(many, asked))
      }),
      { numRuns: 500 },
    )
  })
})

/** The expected page: all records, filtered, sorted and sliced. Any version is accepted. */
function model(all: readonly Pieza[], { where, sort, offset, size, seek }: ListRequest): unknown {
  const at = (value: unknown, path: readonly string[]): unknown =>
    path.reduce<unknown>((inner, name) => (inner as Record<string, unknown> | null | undefined)?.[name], value) ?? null
  const compare = (a: unknown, b: unknown): number => {
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
    if (typeof a !== 'string') return Number(a) - Number(b)
    const points = (text: string) => Array.from(text, (point) => point.codePointAt(0) as number)
    const [left, right] = [points(a), points(b as string)]
    const i = left.findIndex((point, index) => point !== right[index])
    return i < 0 ? left.length - right.length : i >= right.length ? 1 : (left[i] as number) - (right[i] as number)
  }
  const holds = (value: Pieza, condition: Condition): boolean => {
    const member = at(value, condition.path)
    if (condition.op === 'null') return (member === null) === condition.value
    if (member === null) return false
    if (condition.op === 'in') return condition.value.includes(member as string)
    if (condition.op === 'contains') return (member as unknown[]).includes(condition.value)
    const difference = compare(member, condition.value)
    return { eq: difference === 0, gt: difference > 0, gte: difference >= 0, lt: difference < 0, lte: difference <= 0 }[
      condition.op
    ]
  }
  const stand = (a: readonly unknown[], b: readonly unknown[]): number => {
    for (const [i, { descending }] of sort.entries()) {
      const difference = compare(a[i], b[i])
      if (difference !== 0) return descending ? -difference : difference
    }
    return 0
  }
  const valuesOf = (value: Pieza): unknown[] => sort.map(({ path }) => at(value, path))
  const found = all
    .filter((value) => where.every((condition) => holds(value, condition)))
    .sort((a, b) => stand(valuesOf(a), valuesOf(b)))
  const remaining = found.filter((value) => {
    const difference = seek === undefined ? 1 : stand(valuesOf(value), seek.values)
    return seek?.backwards ? difference < 0 : difference > 0
  })
  const start = seek === undefined ? offset : seek.backwards ? Math.max(0, remaining.length - size) : 0
  const page = remaining.slice(start, start + size)
  return {
    total: found.length,
    items: page.map((value) => ({ value, version: expect.any(String) })),
    more: seek?.backwards ? start > 0 : start + size < remaining.length,
    seekable: true,
  }
}

/** Returns the values of the sort members in a record. */
function positionOf(record: Pieza | undefined, sort: string): readonly (Scalar | null)[] {
  return sort
    .replaceAll('-', '')
    .split(',')
    .map((field) => (get(record, field.split('.')) ?? null) as Scalar | null)
}
