/**
 * Tests of the check of QUERY-2. Stores compare strings in different ways. The check reports only
 * orders that are wrong in all of these ways.
 */
import { describe, expect, it } from 'vitest'
import { areReverse, misplaced, scattered } from '../../src/check/checks/order.js'

describe('misplaced()', () => {
  it.each([
    [[1, 2, 2, 10, null], false, undefined],
    [[null, 10, 2, 1], true, undefined],
    [[1, 10, 2], false, 2],
    [[null, 1], false, 1],
    [[1, null], true, 1],
    [[false, true], true, 1],
    [['2026-01-02T00:00:00.0000000', '2026-01-01T00:00:00.0000000'], false, 1],
    // The order of most strings depends on the store.
    [['b', 'A', 'a', 'Z'], false, undefined],
    // Timestamps with a time zone are not compared, because their zones can differ.
    [['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z'], false, undefined],
  ])('%j: if "descending" is %s, the index of the misplaced value is %s', (values, descending, place) => {
    expect(misplaced(values, descending)).toBe(place)
  })
})

describe('scattered()', () => {
  it('finds a value that appears at two separate positions', () => {
    expect(scattered(['a', 'b', 'a'])).toBe('"a"')
    expect(scattered([1, 2, 1])).toBe('1')
  })

  it.each([
    ['that ignores case, with ties sorted by key', ['ana', 'Ana', 'ana', 'bea']],
    ['by code units', ['Ana', 'Bea', 'ana', 'bea']],
    ['that ignores accents, with ties sorted by key', ['José', 'Jose', 'José', 'Juan']],
    ['of a language', ['ana', 'Ana', 'anabel']],
  ])('accepts a sort order %s', (_, values) => {
    expect(scattered(values)).toBeUndefined()
  })
})

it('areReverse() is true even if strings that differ only in case have the same order in both lists', () => {
  expect(areReverse(['ana', 'Ana', 'bea'], ['bea', 'ana', 'Ana'])).toBe(true)
  expect(areReverse(['Ana', 'bea', 'ana'], ['ana', 'bea', 'Ana'])).toBe(true)
  expect(areReverse(['ana', 'bea'], ['ana', 'bea'])).toBe(false)
})
