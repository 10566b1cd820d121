import fc from 'fast-check'
import { createPatch } from 'rfc6902'
import { describe, expect, it } from 'vitest'
import { applyOperations, readOperations } from '../../src/plan/json-patch.js'
import { HttpProblem } from '../../src/problem.js'
import { cpuTime } from '../cpu-time.js'

const limits = { bodyLimit: 1_048_576, depthLimit: 32 }
const apply = (document: unknown, operations: unknown) =>
  applyOperations(document, readOperations(operations), limits).document

/**
 * Applies the operations. Returns the resulting document, or the pointers and codes of the errors.
 */
function result(document: unknown, operations: unknown): unknown {
  try {
    return apply(document, operations)
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error
    expect([error.status, error.code]).toEqual([422, 'invalid-body'])
    return error.errors.map(({ pointer, code }) => `${pointer} ${code}`).join()
  }
}

describe('VERB-5: JSON Patch', () => {
  it.each<[string, unknown, object[], unknown]>([
    ['A.1: a member is added', { foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { baz: 'qux', foo: 'bar' }],
    [
      'A.2: an array element is added',
      { foo: ['bar', 'baz'] },
      [{ op: 'add', path: '/foo/1', value: 'qux' }],
      { foo: ['bar', 'qux', 'baz'] },
    ],
    ['A.3: a member is removed', { baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
    [
      'A.4: an array element is removed',
      { foo: ['bar', 'qux', 'baz'] },
      [{ op: 'remove', path: '/foo/1' }],
      { foo: ['bar', 'baz'] },
    ],
    [
      'A.5: a value is replaced',
      { baz: 'qux', foo: 'bar' },
      [{ op: 'replace', path: '/baz', value: 'boo' }],
      { baz: 'boo', foo: 'bar' },
    ],
    [
      'A.6: a value is moved',
      { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
      [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
      { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
    ],
    [
      'A.7: an array element is moved',
      { foo: ['all', 'grass', 'cows', 'eat'] },
      [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
      { foo: ['all', 'cows', 'eat', 'grass'] },
    ],
    [
      'A.8: "test" succeeds if the values are equal',
      { baz: 'qux', foo: ['a', 2, 'c'] },
      [
        { op: 'test', path: '/baz', value: 'qux' },
        { op: 'test', path: '/foo/1', value: 2 },
      ],
      { baz: 'qux', foo: ['a', 2, 'c'] },
    ],
    [
      'A.9: "test" fails if the values differ',
      { baz: 'qux' },
      [{ op: 'test', path: '/baz', value: 'bar' }],
      '/0 test-failed',
    ],
    [
      'A.10: a nested object is added',
      { foo: 'bar' },
      [{ op: 'add', path: '/child', value: { grandchild: {} } }],
      { foo: 'bar', child: { grandchild: {} } },
    ],
    [
      'A.11: an unknown member of an operation is ignored',
      { foo: 'bar' },
      [{ op: 'add', path: '/baz', value: 'qux', xyz: 123 }],
      { foo: 'bar', baz: 'qux' },
    ],
    [
      'A.12: an addition to a missing object is refused',
      { foo: 'bar' },
      [{ op: 'add', path: '/baz/bat', value: 'qux' }],
      '/0/path path-absent',
    ],
    [
      'A.14: "~01" in a pointer means "~1"',
      { '/': 9, '~1': 10 },
      [{ op: 'test', path: '/~01', value: 10 }],
      { '/': 9, '~1': 10 },
    ],
    [
      'A.15: "test" fails for a string and a number',
      { '/': 9, '~1': 10 },
      [{ op: 'test', path: '/~01', value: '10' }],
      '/0 test-failed',
    ],
    [
      'A.16: an array is added as one element',
      { foo: ['bar'] },
      [{ op: 'add', path: '/foo/-', value: ['abc', 'def'] }],
      { foo: ['bar', ['abc', 'def']] },
    ],
    [
      '4.6: "test" compares members in any order',
      { a: { b: 1, c: [{ d: 1, e: 2 }] } },
      [{ op: 'test', path: '/a', value: { c: [{ e: 2, d: 1 }], b: 1 } }],
      { a: { b: 1, c: [{ d: 1, e: 2 }] } },
    ],
    ['4.6: "test" compares numbers by value', { a: -0 }, [{ op: 'test', path: '/a', value: 0 }], { a: -0 }],
    [
      '4.4: "move" resolves its target after the removal',
      { a: [1, { x: 1 }, { x: 2 }] },
      [{ op: 'move', from: '/a/0', path: '/a/1/y' }],
      { a: [{ x: 1 }, { x: 2, y: 1 }] },
    ],
    [
      '4.4: a move to an index that no longer exists after the removal is refused',
      { a: [1, 2] },
      [{ op: 'move', from: '/a/0', path: '/a/2' }],
      '/0/path path-absent',
    ],
    [
      '4.4: a move to the same position changes nothing',
      { a: [1, 2], b: 3 },
      [
        { op: 'move', from: '/a/1', path: '/a/1' },
        { op: 'move', from: '/b', path: '/b' },
        { op: 'move', from: '', path: '' },
      ],
      { a: [1, 2], b: 3 },
    ],
    [
      '4.4: a move of a value into itself is refused',
      { a: {} },
      [{ op: 'move', from: '/a', path: '/a/b' }],
      '/0/path pointer',
    ],
    [
      '4.5: a copy is independent of its source',
      { a: { x: 1 } },
      [
        { op: 'copy', from: '/a', path: '/b' },
        { op: 'replace', path: '/b/x', value: 2 },
      ],
      { a: { x: 1 }, b: { x: 2 } },
    ],
    [
      'the whole document is copied and moved',
      { a: 1 },
      [
        { op: 'copy', from: '', path: '/b' },
        { op: 'move', from: '/b', path: '' },
        { op: 'test', path: '', value: { a: 1 } },
      ],
      { a: 1 },
    ],
    [
      'the whole document is removed and replaced',
      { a: 1 },
      [
        { op: 'remove', path: '' },
        { op: 'add', path: '', value: { b: 1 } },
      ],
      { b: 1 },
    ],
    [
      'an addition of a member after the removal of the whole document is refused',
      { a: 1 },
      [
        { op: 'remove', path: '' },
        { op: 'add', path: '/b', value: 1 },
      ],
      '/1/path path-absent',
    ],
    ['inherited members do not exist', {}, [{ op: 'test', path: '/toString', value: 1 }], '/0/path path-absent'],
    [
      '"constructor" and "prototype", which the package rfc6902 skips, are ordinary names',
      { constructor: { prototype: 1 }, prototype: 2 },
      [
        { op: 'test', path: '/constructor/prototype', value: 1 },
        { op: 'move', from: '/prototype', path: '/constructor/x' },
        { op: 'copy', from: '/constructor', path: '/y' },
      ],
      { constructor: { prototype: 1, x: 2 }, y: { prototype: 1, x: 2 } },
    ],
    [
      'a name that equals the escaped form of another name is a different name',
      { '\0constructor': 1, constructor: 2 },
      [{ op: 'remove', path: '/constructor' }],
      { '\0constructor': 1 },
    ],
    [
      'an index of 400 digits does not exist',
      { a: [] },
      [{ op: 'add', path: `/a/1${'0'.repeat(400)}`, value: 1 }],
      '/0/path path-absent',
    ],
    ['an index with Arabic digits does not exist', { a: [1] }, [{ op: 'remove', path: '/a/٠' }], '/0/path path-absent'],
  ])('RFC 6902 %s', (_title, document, operations, expected) => {
    const before = structuredClone(document)
    expect(result(document, operations)).toEqual(expected)
    expect(document).toEqual(before)
  })

  const name = fc.constantFrom(
    'a',
    'b',
    '',
    '0',
    '1',
    '-',
    'a/b',
    '~',
    '~1',
    'constructor',
    'prototype',
    'toString',
    '\0constructor',
    'ñ',
  )
  const { document } = fc.letrec((tie) => ({
    document: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, 0, 1.5, 'x', ''),
      fc.array(tie('document'), { maxLength: 4 }),
      fc.dictionary(name, tie('document'), { maxKeys: 5, noNullPrototype: true }),
    ),
  }))

  it('RFC 6902: operations that are derived from two documents convert the first document to the second', () => {
    const objects = fc.dictionary(
      name.filter((one) => !/constructor|prototype/.test(one)),
      document,
      { noNullPrototype: true },
    )
    fc.assert(
      fc.property(objects, objects, (one, other) => {
        const [from, to] = JSON.parse(
          JSON.stringify([one, other]).replaceAll(/"(constructor|prototype|toString)"/g, '"x$1"'),
        )
        expect(apply(from, createPatch(from, to))).toEqual(to)
      }),
    )
  })

  it('RFC 6902 5: random operations modify neither their input nor Object.prototype', () => {
    const pointer = fc
      .array(name, { maxLength: 4 })
      .map((tokens) => tokens.map((one) => `/${one.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''))
    const operation = fc.record({
      op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
      path: pointer,
      from: pointer,
      value: document,
    })
    const names = Object.getOwnPropertyNames(Object.prototype).length
    fc.assert(
      fc.property(document, fc.array(operation, { maxLength: 8 }), (given, operations) => {
        const before = structuredClone(given)
        result(given, operations)
        expect(given).toEqual(before)
        expect(Object.getOwnPropertyNames(Object.prototype)).toHaveLength(names)
      }),
      { numRuns: 500 },
    )
  })

  it('ERR-3: a missing or invalid member of an operation is reported once', () => {
    const refused = (body: unknown) => result({}, body)
    expect(refused([{ op: 'move', path: '/a' }])).toBe('/0/from required')
    expect(refused([{ op: 'move', from: '/a' }])).toBe('/0/path required')
    expect(refused([{ op: 'move', from: 'a', path: '/a' }])).toBe('/0/from pointer')
    expect(refused([{ op: 'move', from: '', path: '/a' }])).toBe('/0/path pointer')
  })

  it('ERR-3: a pointer to a missing value is shown as sent, and shortened if it is long', () => {
    const detail = (document: unknown, operation: object): string => {
      try {
        return String(apply(document, [operation]))
      } catch (error) {
        return (error as HttpProblem).errors[0]?.detail ?? ''
      }
    }
    expect(detail({}, { op: 'remove', path: '/a~1b/~0/constructor' })).toContain(
      'resolved: "/a~1b/~0/constructor". Pointers apply',
    )
    expect(detail({ l: [1] }, { op: 'add', path: '/l/2', value: 1 })).toContain(`"path" can't be resolved: "/l/2"`)
    expect(detail({ l: 1 }, { op: 'copy', from: '/m', path: '/l' })).toContain(`"from" can't be resolved: "/m"`)
    expect(detail({}, { op: 'remove', path: `/${'x'.repeat(1_000_000)}` })).toContain(
      `"/${'x'.repeat(79)}...". Pointers apply`,
    )
  })

  it('ERR-3: any body is either a list of operations or gets 422', () => {
    fc.assert(fc.property(fc.jsonValue(), (body) => void result({}, body)))
  })
})

describe('HDR-5: limits on the cost of one JSON Patch', () => {
  const times = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i))
  const wide = {
    lista: times(100_000, (i) => i),
    otra: {},
    tabla: Object.fromEntries(times(50_000, (i) => [`k${i}`, i])),
  }

  it.each<[string, (i: number) => object]>([
    ['insertions at the start of a list', () => ({ op: 'add', path: '/lista/0', value: 1 })],
    ['removals at the start of a list', () => ({ op: 'remove', path: '/lista/0' })],
    [
      'moves of a large list',
      (i) =>
        i % 2 === 0 ? { op: 'move', from: '/lista', path: '/cosas' } : { op: 'move', from: '/cosas', path: '/lista' },
    ],
    [
      'additions and removals of a member',
      (i) => (i % 2 === 0 ? { op: 'add', path: '/tabla/x', value: 1 } : { op: 'remove', path: '/tabla/x' }),
    ],
    ['"test" operations', () => ({ op: 'test', path: '/tabla/k1', value: 1 })],
  ])('a thousand %s on a large record take little time', (_title, operation) => {
    const started = cpuTime()
    expect(result(wide, times(1_000, operation))).toBeTypeOf('object')
    expect(cpuTime() - started).toBeLessThan(3_000)
  })

  it.each<[string, object[], RegExp]>([
    [
      'copies of the document into itself',
      times(30, (i) => ({ op: 'copy', from: '', path: `/c${i}` })),
      /^\/0 too-large$/,
    ],
    [
      'copies that double an object',
      times(30, (i) => ({ op: 'copy', from: '/otra', path: `/otra/c${i}` })),
      /^\/\d+ too-large$/,
    ],
    [
      'large moves to deeper positions',
      [
        { op: 'add', path: '/lista/0', value: 'x'.repeat(600_000) },
        { op: 'move', from: '/lista', path: '/otra/lista' },
      ],
      /^\/1 too-large$/,
    ],
    [
      'deep nesting',
      times(40, (i) => ({ op: 'add', path: `/otra${'/x'.repeat(i + 1)}`, value: {} })),
      /^\/30\/path too-deep$/,
    ],
    [
      'deep nesting by moves',
      times(40, (i) => [
        { op: 'add', path: `/a${i + 1}`, value: {} },
        { op: 'move', from: i === 0 ? '/otra' : `/a${i}`, path: `/a${i + 1}/x` },
      ]).flat(),
      /^\/\d+\/path too-deep$/,
    ],
    ['a very long list of operations', times(100_000, () => ({ op: 'remove', path: '/nada' })), /^ maxItems$/],
  ])('a patch with %s is refused within seconds', (_title, operations, expected) => {
    const started = cpuTime()
    expect(result(wide, operations)).toMatch(expected)
    expect(cpuTime() - started).toBeLessThan(3_000)
  })
})
