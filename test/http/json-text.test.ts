import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkParsed, parseJson } from '../../src/http/json-text.js'
import { cpuTime } from '../cpu-time.js'

const limits = { depth: 32 }
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const parse = (text: string, depth = limits.depth) => parseJson(bytes(text), { depth })
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const timed = (work: () => void): number => {
  const started = cpuTime()
  work()
  return cpuTime() - started
}

describe('parseJson', () => {
  it('HDR-5: a text that JSON.stringify writes is read, unless it has a member named __proto__', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        if (text.includes('"__proto__"')) return
        expect(parse(text, Number.POSITIVE_INFINITY)).toEqual({
          value: JSON.parse(text, (_, item) => (item === 0 ? 0 : item)),
        })
      }),
    )
  })

  it('HDR-5: refuses every text that JSON.parse refuses, and gives every other error a pointer', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b"',
      '"',
      '\\u00e9',
      '\\',
      '1',
      '-',
      '0',
      '.5',
      'e1',
      'true',
      'null',
      ' ',
      '\n',
      'x',
      '\u0001',
    )
    const json = fc.jsonValue().map((value) => JSON.stringify(value))
    const broken = fc
      .tuple(json, fc.nat(), piece)
      .map(([text, at, extra]) => text.slice(0, at % (text.length + 1)) + extra + text.slice(at % (text.length + 1)))
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece).map((pieces) => pieces.join('')),
          broken,
        ),
        (text) => {
          let refused = false
          try {
            JSON.parse(text)
          } catch {
            refused = true
          }
          const result = parse(text, Number.POSITIVE_INFINITY)
          if (refused) expect(result).toHaveProperty('malformed')
          else if ('malformed' in result) expect(result).toHaveProperty('pointer')
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('ERR-3: an error has a message and a position that do not depend on the JavaScript engine', () => {
    expect(parse('')).toEqual({ malformed: 'The text is empty where a JSON value is expected.' })
    expect(parse(' \n')).toEqual({ malformed: 'The text is empty where a JSON value is expected.' })
    expect(parse('{"a":1,}')).toEqual({ malformed: 'Unexpected }: line 1, column 8.' })
    expect(parse('{\n  "a": tru\n}')).toEqual({ malformed: 'Unexpected t: line 2, column 8.' })
    expect(parse('[1 2]')).toEqual({ malformed: 'Unexpected 2: line 1, column 4.' })
    expect(parse('[01]')).toEqual({ malformed: 'Unexpected 1: line 1, column 3.' })
    expect(parse('{"a"')).toEqual({ malformed: 'The text ends before its JSON value is complete: line 1, column 5.' })
    expect(parse('["a\nb"]')).toEqual({
      malformed: 'A control character must be escaped in a string: line 1, column 4.',
    })
    expect(parse('"\\x"')).toEqual({ malformed: 'The escape is not valid in JSON: line 1, column 2.' })
    expect(parse('"\\u12"')).toEqual({ malformed: 'The escape is not valid in JSON: line 1, column 2.' })
    expect(parse('"abc')).toEqual({ malformed: 'A string has no closing quotation mark: line 1, column 1.' })
    expect(parse('1 ñ')).toEqual({ malformed: 'Unexpected character: line 1, column 3.' })
    expect(parse('[1}')).toEqual({ malformed: 'Unexpected }: line 1, column 3.' })
  })

  it('HDR-5: the text must be UTF-8, and a byte order mark is skipped', () => {
    expect(parseJson(Uint8Array.of(0x22, 0xc3, 0x22), limits)).toEqual({ malformed: 'The text is not valid UTF-8.' })
    expect(parseJson(Uint8Array.of(0xef, 0xbb, 0xbf, 0x31), limits)).toEqual({ value: 1 })
    expect(parse('"ñ😀"')).toEqual({ value: 'ñ😀' })
  })

  it('HDR-5: the depth of nesting is limited, and the error points to the first value that is too deep', () => {
    expect(parse(nested(3), 3)).toEqual({ value: [[[]]] })
    expect(parse(nested(4), 3)).toEqual({
      malformed: 'Arrays and objects may be nested at most 3 levels deep.',
      pointer: '/0/0/0',
    })
    expect(parse('[[],[{"a":{}}]]', 3)).toMatchObject({ pointer: '/1/0/a' })
    expect(parse('1', 0)).toEqual({ value: 1 })
    expect(parse('[]', 0)).toMatchObject({ pointer: '' })
  })

  it('HDR-5: a member may occur only once (RFC 7493 2.3), even if its name is escaped in one place', () => {
    const twice = 'A member occurs twice in one object.'
    expect(parse('{"a":1,"\\u0061":2}')).toEqual({ malformed: twice, pointer: '/a' })
    expect(parse('{"x":[0,{"a/~":1,"b":{"a/~":1},"a/~":2}]}')).toEqual({ malformed: twice, pointer: '/x/1/a~1~0' })
    expect(parse('[{"a":1},{"a":1,"b":{"a":1}}]')).toEqual({ value: [{ a: 1 }, { a: 1, b: { a: 1 } }] })
    const long = 'x'.repeat(5_000)
    expect(parse(`{"${long}":1,"${long}":2}`)).toEqual({ malformed: twice })
  })

  it('HDR-5: a member named __proto__ is refused, and constructor is an ordinary name', () => {
    expect(parse('{"a":{"__proto__":{}}}')).toEqual({
      malformed: 'A member must not be named "__proto__".',
      pointer: '/a/__proto__',
    })
    expect(parse('{"__pr\\u006fto__":1}')).toMatchObject({ pointer: '/__proto__' })
    expect(parse('{"constructor":1,"toString":"__proto__"}')).toEqual({
      value: { constructor: 1, toString: '__proto__' },
    })
  })

  it('HDR-5: a number that a double cannot hold is refused, and so is an integer that a double would change', () => {
    expect(parse('{"a":[1e400]}')).toEqual({
      malformed: 'The number is too large for a double-precision number.',
      pointer: '/a/0',
    })
    expect(parse('[0,-1e999]')).toMatchObject({ pointer: '/1' })
    expect(parse('{"id":9007199254740993}')).toMatchObject({ pointer: '/id' })
    expect(parse('[9007199254740992,1e16,1.5e300,0.1,123456789012345]')).toEqual({
      value: [9007199254740992, 1e16, 1.5e300, 0.1, 123456789012345],
    })
  })

  it('HDR-5: -0 is read as 0', () => {
    expect(parse('[-0,-0.0,-0e5,-1e-999,{"a":-0},0,-0.5]')).toEqual({ value: [0, 0, 0, 0, { a: 0 }, 0, -0.5] })
  })

  it('HDR-5: parsing a hostile text of a megabyte takes less than three seconds', () => {
    const million = 1_000_000
    const keys = Array.from({ length: 100_000 }, (_, at) => `"k${at}":${at}`).join(',')
    expect(timed(() => expect(parse('['.repeat(million))).toHaveProperty('malformed'))).toBeLessThan(1_000)
    expect(timed(() => expect(parse('['.repeat(million), million)).toHaveProperty('malformed'))).toBeLessThan(3_000)
    expect(timed(() => expect(parse(`"${'a'.repeat(million)}"`)).toHaveProperty('value'))).toBeLessThan(1_000)
    expect(timed(() => expect(parse(`{${keys}}`)).toHaveProperty('value'))).toBeLessThan(3_000)
    expect(timed(() => expect(parse(`{${keys},"k7":1}`)).toMatchObject({ pointer: '/k7' }))).toBeLessThan(3_000)
    expect(timed(() => expect(parse('9'.repeat(million))).toHaveProperty('malformed'))).toBeLessThan(1_000)
  })
})

describe('checkParsed', () => {
  it('HDR-5: accepts everything that parseJson returns', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const result = parse(JSON.stringify(value), 100)
        if ('value' in result) expect(checkParsed(result.value, { depth: 100 })).toBeUndefined()
      }),
    )
  })

  it('HDR-5: depth, __proto__ and numbers are checked in parsed values too', () => {
    expect(checkParsed([[[]]], { depth: 3 })).toBeUndefined()
    expect(checkParsed([1, [[]]], { depth: 2 })).toMatchObject({ pointer: '/1/0' })
    expect(checkParsed(JSON.parse('{"a":[{"__proto__":1}]}'), limits)).toMatchObject({ pointer: '/a/0/__proto__' })
    expect(checkParsed({ a: [1, Number.POSITIVE_INFINITY] }, limits)).toMatchObject({ pointer: '/a/1' })
    expect(checkParsed({ 'a/b': Number.NaN }, limits)).toMatchObject({ pointer: '/a~1b' })
    expect(checkParsed(Number.NaN, limits)).toMatchObject({ pointer: '' })
    expect(checkParsed(2n ** 60n, limits)).toMatchObject({ pointer: '' })
    expect(checkParsed({ a: [1, { b: 7n }] }, limits)).toMatchObject({ pointer: '/a/1/b' })
    for (const value of [1, 'a', null, true, {}, [], Object.create(null)])
      expect(checkParsed(value, limits)).toBeUndefined()
  })

  it('HDR-5: checkParsed and parseJson limit the depth in the same way', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat({ max: 6 }), (value, depth) => {
        const text = JSON.stringify(value)
        if (text.includes('"__proto__"')) return
        expect(checkParsed(JSON.parse(text), { depth }) === undefined).toBe('value' in parse(text, depth))
      }),
    )
  })

  it('HDR-5: a cycle is refused, and the check of shared or very deep arrays takes less than three seconds', () => {
    const cycle: Record<string, unknown> = {}
    cycle.a = cycle
    cycle.b = [cycle, cycle]
    expect(checkParsed(cycle, limits)).toHaveProperty('malformed')
    let shared: unknown = []
    for (let level = 0; level < 30; level++) shared = [shared, shared]
    expect(timed(() => expect(checkParsed(shared, limits)).toBeUndefined())).toBeLessThan(1_000)
    let deep: unknown = []
    for (let level = 0; level < 100_000; level++) deep = [deep]
    expect(
      timed(() =>
        expect(checkParsed(deep, { depth: 100_000 })).toMatchObject({ malformed: expect.stringContaining('100000') }),
      ),
    ).toBeLessThan(3_000)
  })
})
