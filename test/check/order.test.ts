/** QUERY-2: which orders are wrong for certain, without knowing how the store compares texts. */
import { describe, expect, it } from 'vitest'
import { areReverse, misplaced, torn } from '../../src/check/checks/order.js'

describe('misplaced', () => {
  it.each([
    [[1, 2, 2, 10, null], false, undefined],
    [[null, 10, 2, 1], true, undefined],
    [[1, 10, 2], false, 2],
    [[null, 1], false, 1],
    [[1, null], true, 1],
    [[false, true], true, 1],
    [['2026-01-02T00:00:00.0000000', '2026-01-01T00:00:00.0000000'], false, 1],
    // How texts compare is the store's own affair.
    [['b', 'A', 'a', 'Z'], false, undefined],
    // The zones of these may differ.
    [['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z'], false, undefined],
  ])('%j, descending %s: %s', (values, descending, place) => {
    expect(misplaced(values, descending)).toBe(place)
  })
})

describe('torn', () => {
  it('finds a value that stands at two places', () => {
    expect(torn(['a', 'b', 'a'])).toBe('"a"')
    expect(torn([1, 2, 1])).toBe('1')
  })

  it.each([
    ['without case, with ties by key', ['ana', 'Ana', 'ana', 'bea']],
    ['by code units', ['Ana', 'Bea', 'ana', 'bea']],
    ['without accents, with ties by key', ['José', 'Jose', 'José', 'Juan']],
    ['of a language', ['ana', 'Ana', 'anabel']],
  ])('takes orders %s', (_, values) => {
    expect(torn(values)).toBeUndefined()
  })
})

it('two directions are each other in reverse, also where equal texts keep their order', () => {
  expect(areReverse(['ana', 'Ana', 'bea'], ['bea', 'ana', 'Ana'])).toBe(true)
  expect(areReverse(['Ana', 'bea', 'ana'], ['ana', 'bea', 'Ana'])).toBe(true)
  expect(areReverse(['ana', 'bea'], ['ana', 'bea'])).toBe(false)
})
