import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entryOf, type Row } from '../../../src/adapters/memory/entry.js'
import { compareText, compareValues, firstIndex, firstOf, orderOf } from '../../../src/adapters/memory/order.js'

const unit = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'z',
    '\uD7FF',
    '\uE000',
    '\uFFFF',
    '\u{10000}',
    '\u{1F600}',
    '\u{10FFFF}',
    '\uD800',
    '\uDBFF',
    '\uDC00',
    '\uDFFF',
  ),
)
const text = fc.array(unit, { maxLength: 5 }).map((units) => units.join(''))

/** The reference for `compareText()`: compares code point by code point. */
function byCodePoints(a: string, b: string): number {
  const left = [...a]
  const right = [...b]
  for (const [i, point] of left.entries()) {
    const other = right[i]
    if (other === undefined) return 1
    if (point !== other) return (point.codePointAt(0) as number) - (other.codePointAt(0) as number)
  }
  return left.length - right.length
}

describe('compareText', () => {
  it('QUERY-2: orders strings by code points, also beyond U+FFFF and for lone surrogates', () => {
    expect(compareText('\uFFFF', '\u{10000}')).toBeLessThan(0)
    expect('\uFFFF' < '\u{10000}').toBe(false)
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareText(a, b))).toBe(Math.sign(byCodePoints(a, b)))
      }),
      { numRuns: 2000 },
    )
  })
})

describe('compareValues', () => {
  it('QUERY-2: orders numbers by value, false before true, and null and absent values last', () => {
    const sorted = [undefined, 'b', 10, true, null, 9, false, 'a', -1]
    sorted.sort((a, b) => compareValues(a, b))
    expect(sorted.slice(0, 7)).toEqual([false, true, -1, 9, 10, 'a', 'b'])
    expect(compareValues(null, undefined)).toBe(0)
    expect(compareValues(0, -0)).toBe(0)
  })

  it('QUERY-2: defines a total order of all values', () => {
    const value = fc.oneof(
      fc.constantFrom(null, undefined, Number.NaN, true, false),
      fc.integer({ min: -2, max: 2 }),
      text,
      fc.constant({}),
    )
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        expect(Math.sign(compareValues(a, b)) + Math.sign(compareValues(b, a))).toBe(0)
        if (compareValues(a, b) <= 0 && compareValues(b, c) <= 0) expect(compareValues(a, c)).toBeLessThanOrEqual(0)
      }),
    )
  })
})

describe('firstIndex', () => {
  it('finds the first match in logarithmic time', () => {
    let calls = 0
    const list = Array.from({ length: 10_000 }, (_, i) => i)
    const edge = firstIndex(list, (item) => {
      calls++
      return item >= 7_777
    })
    expect(edge).toBe(7_777)
    expect(calls).toBeLessThanOrEqual(14)
    expect(firstIndex(list, () => false)).toBe(10_000)
    expect(firstIndex([], () => true)).toBe(0)
  })
})

describe('firstOf', () => {
  it('gives the same result as sorting and slicing', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.nat({ max: 30 }), (list, count) => {
        expect(firstOf(list, count, (a, b) => a - b)).toEqual([...list].sort((a, b) => a - b).slice(0, count))
      }),
    )
  })
})

describe('orderOf', () => {
  const entry = (row: Row) => entryOf(String(row.id), row, 'v')
  const [low, high] = [entry({ id: 2, a: 1, b: 2 }), entry({ id: 1, a: 2, b: 1 })]
  const key = Object.freeze(['id'])
  const term = (field: string, descending = false) => ({ field, path: [field], descending })

  it('QUERY-2: compiles frozen sort terms only once if the key members stay the same', () => {
    const sort = Object.freeze([Object.freeze({ ...term('a'), path: Object.freeze(['a']) })])
    const order = orderOf(sort, key)
    expect(orderOf(sort, key)).toBe(order)
    const other = orderOf(sort, Object.freeze(['b']))
    expect([order.name, other.name]).toEqual([orderOf([term('a')], key).name, orderOf([term('a')], ['b']).name])
    expect(other.name).not.toBe(order.name)
    expect(orderOf(sort, key).name).toBe(order.name)
  })

  it('QUERY-2: compiles sort terms again on each call if they are not deeply frozen', () => {
    const path = ['a']
    for (const sort of [
      [term('a')],
      Object.freeze([term('a')]),
      Object.freeze([Object.freeze({ ...term('a'), path })]),
    ]) {
      expect(orderOf(sort, key).compare(low, high)).toBeLessThan(0)
    }
    const open = [term('a')]
    orderOf(open, key)
    open[0] = term('b')
    expect(orderOf(open, key).compare(low, high)).toBeGreaterThan(0)
    const sort = Object.freeze([Object.freeze({ ...term('a'), path })])
    orderOf(sort, key)
    path[0] = 'b'
    expect(orderOf(sort, key).compare(low, high)).toBeGreaterThan(0)
  })
})
