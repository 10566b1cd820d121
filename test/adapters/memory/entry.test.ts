import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Stored } from '../../../src/adapters/contract.js'
import { draftOf, entryOf, type Row } from '../../../src/adapters/memory/entry.js'
import { FixedStored, isFixed } from '../../../src/definition/fixed.js'

const rows = fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), fc.jsonValue({ maxDepth: 4 }), {
  noNullPrototype: false,
})

const plainRows = fc.dictionary(
  fc.string().filter((name) => name !== '__proto__'),
  fc.jsonValue({ maxDepth: 4 }),
  { noNullPrototype: false },
)

const stored = (row: object, before?: Stored<Row>): Stored<Row> => entryOf('1', draftOf(row as Row), 'v', before).stored
const kept = (row: object): Row => stored(row).value

function everyObject(value: unknown, found: object[] = []): object[] {
  if (typeof value !== 'object' || value === null) return found
  found.push(value)
  for (const inner of Object.values(value)) everyObject(inner, found)
  return found
}

describe('entryOf', () => {
  it('stores a frozen copy that equals the result of structuredClone, and does not freeze the given record', () => {
    fc.assert(
      fc.property(rows, (row) => {
        const value = kept(row)
        expect(value).toStrictEqual(structuredClone(row))
        const given = new Set(everyObject(row))
        for (const object of everyObject(value)) {
          expect(Object.isFrozen(object)).toBe(true)
          expect(given.has(object)).toBe(false)
        }
        for (const object of given) expect(Object.isFrozen(object)).toBe(false)
      }),
    )
  })

  it('stores the object that draftOf() returned, without copying it again', () => {
    fc.assert(
      fc.property(plainRows, (row) => {
        const draft = draftOf(row as Row)
        expect(entryOf('1', draft, 'v').stored.value).toBe(draft)
      }),
    )
  })

  it('shares unchanged members with the previous record, and copies everything else', () => {
    fc.assert(
      fc.property(plainRows, plainRows, (row, changes) => {
        const old = stored(row)
        const before = old.value
        const { value } = stored({ ...before, ...changes }, old)
        expect(value).toStrictEqual(structuredClone({ ...before, ...changes }))
        for (const name of Object.keys(before))
          if (!Object.hasOwn(changes, name)) expect(value[name]).toBe(before[name])
        const given = new Set(everyObject(changes))
        for (const object of everyObject(value))
          expect([Object.isFrozen(object), given.has(object)]).toEqual([true, false])
      }),
    )
  })

  it('copies the objects inside a frozen object, because they can still change', () => {
    const inner = { count: 1 }
    const value = kept({ part: Object.freeze({ inner }) })
    inner.count = 2
    expect(value).toEqual({ part: { inner: { count: 1 } } })
  })

  it('marks a record as deeply frozen only if all its members, new and shared ones, are deeply frozen', () => {
    fc.assert(
      fc.property(rows, rows, (row, changes) => {
        const old = stored(row)
        for (const made of [old, stored({ ...old.value, ...changes }, old)]) {
          const looked = isFixed(Object.freeze({ ...made }))
          if (FixedStored.is(made)) expect(looked).toBe(true)
          if (!JSON.stringify([row, changes]).includes('__proto__')) expect(FixedStored.is(made)).toBe(true)
        }
      }),
    )
    const dated = stored({ at: new Date(0), n: 1 })
    expect([FixedStored.is(dated), Object.isFrozen(dated), isFixed(dated)]).toEqual([false, true, false])
    expect(FixedStored.is(stored({ ...dated.value, n: 2 }, dated))).toBe(false)
  })

  it('clones values that are not plain data, and throws if a value cannot be cloned', () => {
    class Money {
      constructor(readonly amount: number) {}
    }
    const value = kept({
      at: new Date(0),
      money: new Money(3),
      list: [new Money(4)],
      bare: Object.assign(Object.create(null), { a: 1 }),
    })
    expect(value).toEqual({ at: new Date(0), money: { amount: 3 }, list: [{ amount: 4 }], bare: { a: 1 } })
    expect(value.money).not.toBeInstanceOf(Money)
    expect(kept(new Money(5))).toStrictEqual({ amount: 5 })
    for (const wrong of [() => 1, Symbol('x')]) {
      expect(() => kept({ wrong })).toThrow('could not be cloned')
      expect(() => kept({ list: [wrong] })).toThrow('could not be cloned')
    }
  })
})
