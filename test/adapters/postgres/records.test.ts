import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileRecord } from '../../../src/adapters/postgres/table/records.js'
import { columnType } from '../../../src/adapters/postgres/values/column-types.js'
import { type Content, decode } from '../../../src/adapters/postgres/values/places.js'

interface Member {
  readonly name: string
  readonly content: Content
  readonly nullable: boolean
}

/** The reference implementation, which builds a record member by member. */
function recordOf(
  members: readonly Member[],
  hasRest: boolean,
  cells: readonly (string | null)[],
): Record<string, unknown> {
  const entries: [string, unknown][] = []
  for (const [i, { name, content, nullable }] of members.entries()) {
    const text = cells[i] ?? null
    const value = text === null ? null : decode(content, text)
    if (value !== null || nullable) entries.push([name, value])
  }
  const rest = hasRest ? JSON.parse(cells[members.length] ?? 'null') : null
  if (typeof rest === 'object' && rest !== null && !Array.isArray(rest))
    for (const [name, value] of Object.entries(rest))
      if (!members.some((one) => one.name === name)) entries.push([name, value])
  return Object.fromEntries(entries)
}

const scalar = (name: string): Content => ({ kind: 'scalar', type: columnType(name, undefined, undefined) as never })
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { freq: 4 })
const json = fc
  .oneof(fc.jsonValue(), fc.constant(JSON.parse('{"__proto__":{"a":1},"constructor":null}')))
  .map((value) => JSON.stringify(value))

/** Kinds of columns, each with strings that the database can return for it. */
const contents = fc.constantFrom<readonly [Content, fc.Arbitrary<string | null>]>(
  [scalar('text'), maybe(fc.string())],
  [scalar('uuid'), maybe(fc.uuid())],
  [scalar('boolean'), maybe(fc.constantFrom('true', 'false'))],
  [scalar('integer'), maybe(fc.integer().map(String))],
  [scalar('bigint'), maybe(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String))],
  [
    scalar('numeric(30,10)'),
    maybe(fc.constantFrom('1.1000000000', '-0.0000000001', '12345678901234567890.0000000000', 'NaN', 'Infinity')),
  ],
  [scalar('double precision'), maybe(fc.constantFrom('1e+300', '-0', 'NaN', 'Infinity', '-Infinity', '0.1'))],
  [scalar('date'), maybe(fc.constantFrom('2026-01-31', 'infinity', '0044-03-15 BC'))],
  [scalar('timestamp without time zone'), maybe(fc.constantFrom('2026-01-31T09:30:00.1234560', '-infinity'))],
  [scalar('timestamp with time zone'), maybe(fc.constantFrom('2026-01-31T09:30:00.000Z', 'infinity'))],
  [{ kind: 'json', cast: 'jsonb' }, maybe(json)],
  [
    { kind: 'array', item: columnType('integer', undefined, undefined) as never },
    maybe(fc.array(maybe(fc.integer())).map((all) => JSON.stringify(all))),
  ],
)
const names = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'c0', 'v', 'here', '0', '10', '', 'a.b', 'ñandú'),
  fc.string(),
)

const tables = fc
  .record({
    members: fc.uniqueArray(fc.tuple(names, contents, fc.boolean()), { selector: ([name]) => name, maxLength: 12 }),
    hasRest: fc.boolean(),
  })
  .chain(({ members, hasRest }) =>
    fc.record({
      members: fc.constant(members.map(([name, [content], nullable]): Member => ({ name, content, nullable }))),
      hasRest: fc.constant(hasRest),
      rows: fc.array(fc.tuple(...members.map(([, [, text]]) => text), maybe(json), fc.constant('the version')), {
        minLength: 1,
        maxLength: 5,
      }),
    }),
  )

describe('REP-1: records from rows', () => {
  it('equal those of the reference implementation, for any member names and values (property)', () => {
    fc.assert(
      fc.property(tables, ({ members, hasRest, rows }) => {
        const read = compileRecord(members, hasRest)
        for (const cells of rows as (string | null)[][]) {
          const expected = recordOf(members, hasRest, cells)
          const record = read(cells)
          expect(Object.getPrototypeOf(record)).toBe(Object.prototype)
          // Vitest does not distinguish a member `__proto__` from the prototype.
          deepStrictEqual(
            Object.entries(Object.getOwnPropertyDescriptors(record)),
            Object.entries(Object.getOwnPropertyDescriptors(expected)),
          )
          expect(Object.keys(record)).toEqual(Object.keys(expected))
        }
      }),
      { numRuns: 300 },
    )
  })

  it('share nothing, so modifying one of them does not affect another', () => {
    const read = compileRecord([{ name: 'a', content: { kind: 'json', cast: 'jsonb' }, nullable: true }], false)
    const first = read(['{"b":[1]}']) as { a: { b: number[] } }
    first.a.b.push(2)
    Object.assign(first, { more: true })
    expect(read(['{"b":[1]}'])).toEqual({ a: { b: [1] } })
    expect(read([null])).toEqual({ a: null })
  })
})
