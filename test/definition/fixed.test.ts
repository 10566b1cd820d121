import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { freezeThroughout, isFixed } from '../../src/definition/fixed.js'

const { freeze } = Object

describe('isFixed', () => {
  it('is true for scalars and deeply frozen plain data', () => {
    const bare = freeze(Object.assign(Object.create(null), { a: 1 }))
    for (const value of [
      1,
      'a',
      true,
      null,
      undefined,
      freeze([]),
      freeze({ a: freeze([freeze({ b: null })]) }),
      bare,
    ]) {
      expect(isFixed(value)).toBe(true)
    }
  })

  it('is false for values that could still change, and for cyclic data', () => {
    const itself: { me?: unknown } = {}
    itself.me = itself
    const changing = [
      {},
      freeze({ a: {} }),
      freeze([[]]),
      () => 1,
      freeze({ a: () => 1 }),
      freeze(new Date()),
      freeze(new Map()),
      freeze(new (class Own {})()),
      freeze({
        get a() {
          return 1
        },
      }),
      freeze({ set a(_: number) {} }),
      freeze(itself),
    ]
    for (const value of changing) expect(isFixed(value)).toBe(false)
  })
})

describe('freezeThroughout', () => {
  it('freezes any JSON value deeply, without changing its contents', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const before = JSON.stringify(value)
        const frozen = freezeThroughout(value)
        expect(isFixed(frozen)).toBe(true)
        expect(JSON.stringify(frozen)).toBe(before)
      }),
    )
  })

  it('freezes a member named __proto__, and does not freeze inherited objects', () => {
    const inherited = { shared: {} }
    const value = Object.assign(Object.create(inherited), JSON.parse('{"a":[{}],"__proto__":{"b":{}}}'))
    Object.defineProperty(value, '__proto__', { value: { b: {} }, enumerable: true })
    freezeThroughout(value)
    expect(Object.isFrozen(value.a[0])).toBe(true)
    expect(Object.isFrozen(Object.getOwnPropertyDescriptor(value, '__proto__')?.value.b)).toBe(true)
    expect(Object.isFrozen(inherited.shared)).toBe(false)
  })
})
