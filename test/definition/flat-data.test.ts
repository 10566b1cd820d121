/** Plain data that is stored as one flat array, so that it can be compared quickly. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isFixed } from '../../src/definition/fixed.js'
import { Flattener, frozenData, isSameData, sizeOfData } from '../../src/definition/flat-data.js'

const names = fc.constantFrom('a', 'b', 'c', '__proto__', 'toJSON', '0', '')
const scalars = fc.oneof(
  fc.constantFrom(
    undefined,
    null,
    true,
    false,
    0,
    -0,
    1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '',
    'a',
    '\ud800',
    '"',
    'é漢',
  ),
  fc.double(),
  fc.string({ unit: 'binary' }),
)
class Own {
  readonly a = 1
}
/**
 * Values that a store can return, but that are not plain data. Each call creates a new value, as a
 * store does.
 */
const odd: readonly (() => unknown)[] = [
  () => new Date(0),
  () => 1n,
  () => () => 1,
  () => Symbol.for('a'),
  () => new Own(),
  () => new Map([['a', 1]]),
  () => Object.create(null),
  () => Object.create({ a: 1 }),
  () => Object.defineProperty({ a: 1 }, 'b', { value: 1, enumerable: false }),
  () => Object.defineProperty({ a: 1 }, 'toJSON', { value: () => 'other', enumerable: false }),
  () => ({ a: 1, toJSON: () => 'other' }),
  () => Object.assign([1], { toJSON: () => 'other' }),
  () => Object.setPrototypeOf([1], { toJSON: () => 'other' }),
  () => Object.assign([], { 0: 1, 2: 2 }),
  () => [undefined],
  () => Number.NaN,
  () => new String('a'),
  () => new Uint8Array(2),
]
const oddOnes = fc.constantFrom(...odd).map((make) => make())

/**
 * Creates an object. Its members are defined instead of assigned, so that `__proto__` is an
 * ordinary member.
 */
const objectOf = (members: readonly (readonly [string, unknown])[]): object => {
  const made = {}
  for (const [name, value] of members)
    Object.defineProperty(made, name, { value, enumerable: true, configurable: true, writable: true })
  return made
}
const valuesOf = (leaves: fc.Arbitrary<unknown>) =>
  fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 3, depthSize: 'small' }, leaves, tie('list'), tie('object')),
    list: fc.array(tie('value'), { maxLength: 3 }),
    object: fc.uniqueArray(fc.tuple(names, tie('value')), { maxLength: 4, selector: ([name]) => name }).map(objectOf),
  })).object as fc.Arbitrary<object>
const plain = valuesOf(scalars)
const any = valuesOf(fc.oneof({ weight: 5, arbitrary: scalars }, { weight: 1, arbitrary: oddOnes }))

const textOf = (value: unknown): unknown => {
  try {
    return JSON.stringify(value)
  } catch (error) {
    return (error as Error).constructor
  }
}

/** A copy of the value in which the first leaf is replaced. */
const changed = (value: unknown, by: unknown): unknown => {
  if (Array.isArray(value)) return [changed(value[0], by), ...Array.prototype.slice.call(value, 1)]
  if (typeof value !== 'object' || value === null) return by
  const [first, ...rest] = Object.entries(value)
  return first === undefined ? by : objectOf([[first[0], changed(first[1], by)], ...rest])
}

describe('flattened data', () => {
  const flattener = new Flattener()

  it('equals a value only if both have the same JSON', () => {
    fc.assert(
      fc.property(any, any, scalars, (one, other, leaf) => {
        const flat = flattener.flat(one)
        if (flat === undefined) return
        for (const given of [one, other, changed(one, leaf), changed(other, leaf)]) {
          if (isSameData(flat, given)) expect(textOf(given)).toEqual(textOf(one))
        }
      }),
      { numRuns: 3_000 },
    )
  })

  it('equals each copy of its source', () => {
    fc.assert(
      fc.property(plain, (value) => {
        const flat = flattener.flat(value)
        if (flat === undefined) return
        expect(isSameData(flat, copied(value))).toBe(true)
        expect(isSameData(flat, value)).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })

  it('can be converted to a frozen copy of its source, with the members in the same order', () => {
    fc.assert(
      fc.property(plain, (value) => {
        const flat = flattener.flat(value)
        if (flat === undefined) return
        const copy = frozenData(flat)
        expect(isFixed(copy)).toBe(true)
        expect(JSON.stringify(copy)).toBe(JSON.stringify(value))
        expect(copy).toStrictEqual(value)
      }),
      { numRuns: 1_000 },
    )
  })

  it.each(odd.map((make, at) => [at, make] as const))(
    'cannot be made from data that is not plain, and never equals such data: odd[%i]',
    (_, make) => {
      expect(flattener.flat({ a: make() })).toBeUndefined()
      for (const kept of [{ a: { a: 1 } }, { a: [1] }, { a: 'a' }, { a: {} }, { a: [1, 2] }, { a: 1 }, { a: [] }]) {
        expect(isSameData(flattener.flat(kept) ?? [], { a: make() })).toBe(false)
      }
    },
  )

  it('equals no value with reordered, missing or additional members, or with an object in place of a list', () => {
    const flat = flattener.flat({ a: 1, b: { c: [1, 'x'] } }) ?? []
    expect(isSameData(flat, { a: 1, b: { c: [1, 'x'] } })).toBe(true)
    for (const other of [
      { b: { c: [1, 'x'] }, a: 1 },
      { a: 1 },
      { a: 1, b: { c: [1, 'x'] }, d: undefined },
      { a: 1, b: { c: [1] } },
      { a: 1, b: { c: [1, 'x', 2] } },
      { a: 1, b: { c: { 0: 1, 1: 'x' } } },
      { a: 1, b: { c: ['1', 'x'] } },
      Object.create({ a: 1, b: { c: [1, 'x'] } }),
    ]) {
      expect(isSameData(flat, other)).toBe(false)
    }
  })

  it('keeps the name of each member, even if objects differ only in the name of a middle member', () => {
    const each = [
      { a: 1, b: 2, c: 3 },
      { a: 1, x: 2, c: 3 },
      { a: 1, b: 2, c: 3 },
    ]
    expect(each.map((value) => JSON.stringify(frozenData(flattener.flat(value) ?? [])))).toEqual(
      each.map((value) => JSON.stringify(value)),
    )
    expect(isSameData(flattener.flat(each[0] as object) ?? [], each[1])).toBe(false)
  })

  it('cannot be made from data that is cyclic, or nested more than 50 levels deep', () => {
    let deep: object = {}
    for (let depth = 0; depth < 60; depth += 1) deep = { deep }
    expect(flattener.flat(deep)).toBeUndefined()
    const round: Record<string, unknown> = {}
    round.round = [round]
    expect(flattener.flat(round)).toBeUndefined()
    expect(isSameData(flattener.flat({ round: [{ round: [] }] }) ?? [], round)).toBe(false)
  })

  it('has an estimated size of at least the size of its strings', () => {
    expect(sizeOfData(flattener.flat({ a: 'x'.repeat(100), b: ['y'.repeat(50)] }) ?? [])).toBeGreaterThan(150)
  })
})

function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied)
  if (typeof value !== 'object' || value === null) return value
  return objectOf(Object.entries(value).map(([name, member]) => [name, copied(member)]))
}
