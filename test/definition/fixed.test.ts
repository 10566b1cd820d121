import { describe, expect, it } from 'vitest'
import { isFixed } from '../../src/definition/fixed.js'

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

  it('is false for anything that could still change', () => {
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
