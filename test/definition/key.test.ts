import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type KeyValue, keyCodec, segmentOf, unaddressable } from '../../src/definition/key.js'
import { Shape } from '../../src/definition/shape.js'

const shape = Shape.of({
  type: 'object',
  properties: {
    text: { type: 'string' },
    whole: { type: 'integer' },
    amount: { type: 'number' },
    flag: { type: 'boolean' },
    kind: { enum: ['a', 'b'] },
    moment: { type: 'string', format: 'local-date-time' },
    'a,b=c%': { type: 'string' },
  },
})
const simple = (member: string) => keyCodec(shape, [member], false)
const composite = (...members: string[]) => keyCodec(shape, members, true)

/** Any Unicode string, without lone surrogates. */
const unicode = fc.string({ unit: 'binary' })
const values = {
  text: unicode.filter((text) => unaddressable(text) === undefined),
  whole: fc.maxSafeInteger(),
  amount: fc
    .double({ noDefaultInfinity: true, noNaN: true })
    .filter((value) => !Number.isInteger(value) || Number.isSafeInteger(value)),
  flag: fc.boolean(),
} as const
const plain = (value: unknown): unknown => (Object.is(value, -0) ? 0 : value)

describe('simple keys', () => {
  it.each(Object.keys(values) as (keyof typeof values)[])(
    'PATH-11: a key in the member "%s" survives the conversion to a string and back',
    (member) => {
      const codec = simple(member)
      fc.assert(
        fc.property(values[member] as fc.Arbitrary<string | number | boolean>, (value) => {
          const key = codec.of({ [member]: value }) as KeyValue
          expect(key).toBe(plain(value))
          expect(codec.parse(codec.text(key))).toBe(plain(value))
        }),
      )
    },
  )

  it('PATH-11: two different ids never give the same string, number or boolean key', () => {
    const spelling = fc.oneof(
      unicode,
      fc.stringMatching(/^[-+ ]?0*[0-9]{1,17}(\.[0-9]{1,3})?(e[-+]?[0-9]{1,2})?$/),
      fc.double().map(String),
    )
    for (const member of Object.keys(values)) {
      const codec = simple(member)
      fc.assert(
        fc.property(spelling, (text) => {
          const key = codec.parse(text)
          if (key !== undefined) expect(codec.text(key)).toBe(text)
        }),
      )
    }
  })

  it.each([
    '03',
    '+3',
    '3.0',
    '1e3',
    '-0',
    ' 3',
    '3 ',
    '',
    '0x3',
    '٣',
    '３',
    '1_000',
    'NaN',
    'Infinity',
    '9007199254740993',
    'null',
  ])('PATH-11: %j is not a valid spelling of an integer key or a number key', (text) => {
    expect([simple('whole').parse(text), simple('amount').parse(text)]).toEqual([undefined, undefined])
  })

  it('PATH-11: the string form of a large number is parsed as that number', () => {
    for (const number of [2 ** 53, -(2 ** 53), 1e21, 1.7976931348623157e308]) {
      expect(simple('whole').parse(String(number))).toBe(number)
      expect(simple('amount').parse(String(number))).toBe(number)
    }
  })

  it('PATH-11: 1.5 is a number key but not an integer key, and 1.50 is neither', () => {
    expect(simple('whole').parse('1.5')).toBeUndefined()
    expect(simple('amount').parse('1.5')).toBe(1.5)
    expect(simple('amount').parse('1.50')).toBeUndefined()
  })

  it('PATH-11: only true and false are valid boolean keys', () => {
    expect(['true', 'false', 'TRUE', '1', ''].map((text) => simple('flag').parse(text))).toEqual([
      true,
      false,
      undefined,
      undefined,
      undefined,
    ])
  })

  it('PATH-11: an id cannot be empty, "." or "..", and cannot contain a lone surrogate', () => {
    for (const text of ['', '.', '..', '\ud800', 'a\udc00b']) {
      expect(simple('text').parse(text)).toBeUndefined()
      expect(unaddressable(text)).toMatch(/^An id can't/)
    }
    for (const text of ['...', '.a', ' ', '😀', 'null', '__proto__']) {
      expect(simple('text').parse(text)).toBe(text)
      expect(unaddressable(text)).toBeUndefined()
    }
  })

  it('PATH-11, REP-4: a local date-time may lack fractional digits in an id, but has seven in the key', () => {
    const codec = simple('moment')
    expect(codec.parse('2024-01-31T08:30:00')).toBe('2024-01-31T08:30:00.0000000')
    expect(codec.parse('2024-01-31T08:30')).toBeUndefined()
    expect(codec.parse('2024-01-31T08:30:00.0000000')).toBe('2024-01-31T08:30:00.0000000')
    expect(codec.of({ moment: '2024-01-31T08:30:00' })).toBe('2024-01-31T08:30:00.0000000')
  })

  it('an enum without a type has the type of its values', () => {
    expect(simple('kind').of({ kind: 'a' })).toBe('a')
  })

  it('a record without its key member, or with a key member of another type, has no key', () => {
    const codec = simple('whole')
    for (const record of [
      {},
      { whole: '3' },
      { whole: null },
      { whole: Number.NaN },
      null,
      3,
      [],
      Object.create({ whole: 3 }),
    ]) {
      expect(codec.of(record)).toBeUndefined()
    }
  })
})

describe('composite keys', () => {
  const codec = composite('text', 'whole', 'amount', 'flag')

  it('PATH-9: a key survives the conversion to a string and back, whatever its parts contain', () => {
    const any = fc.record({ ...values, text: unicode })
    fc.assert(
      fc.property(any, (record) => {
        const key = codec.of(record) as KeyValue
        expect(codec.parse(codec.text(key))).toEqual(key)
        expect(codec.from(codec.parts(key))).toEqual(key)
      }),
    )
  })

  it('PATH-9: different keys have different strings', () => {
    const tricky = fc.string({ unit: fc.constantFrom('%', ',', '=', '2', '5', 'C', 'c', '3', 'D', 'a') })
    const two = composite('text', 'a,b=c%')
    fc.assert(
      fc.property(tricky, tricky, tricky, tricky, (a, b, c, d) => {
        const one = { text: a, 'a,b=c%': b }
        const other = { text: c, 'a,b=c%': d }
        expect(two.parse(two.text(one))).toEqual(one)
        expect(two.text(one) === two.text(other)).toBe(a === c && b === d)
      }),
    )
  })

  it('PATH-9: every key has only one valid string', () => {
    const piece = fc.constantFrom('text=', 'whole=', ',', '=', '%2C', '%2c', '%25', '%', '3', '03', 'a', '')
    const two = composite('text', 'whole')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('')
        const key = two.parse(text)
        if (key !== undefined) expect(two.text(key)).toBe(text)
      }),
    )
  })

  it('PATH-9: parts are in the declared order, and reserved characters are escaped', () => {
    const two = composite('text', 'whole')
    expect(two.text({ whole: 3, text: 'a,b=c%d' })).toBe('text=a%2Cb%3Dc%25d,whole=3')
    expect(two.parse('text=a%2Cb%3Dc%25d,whole=3')).toEqual({ text: 'a,b=c%d', whole: 3 })
    expect(two.text({ text: '%2C', whole: 0 })).toBe('text=%252C,whole=0')
    expect(two.text({ text: '', whole: 0 })).toBe('text=,whole=0')
  })

  it.each([
    'whole=3,text=a',
    'text=a',
    'text=a,whole=3,flag=true',
    'text=a,whole=3,',
    ',text=a,whole=3',
    'text=a,whole=03',
    'text=a,whole=',
    'text=a,Whole=3',
    'text=a=b,whole=3',
    'text=a%2c,whole=3',
    'text=%61,whole=3',
    'text:a,whole:3',
    'a,3',
    '',
  ])('PATH-9: %j is not a valid key', (text) => {
    expect(composite('text', 'whole').parse(text)).toBeUndefined()
  })

  it('PATH-9: a key that is declared as an array is composite, even if the array has one element', () => {
    expect(composite('whole').parse('whole=3')).toEqual({ whole: 3 })
    expect(composite('whole').parse('3')).toBeUndefined()
  })

  it('keys and their codec are frozen', () => {
    expect(Object.isFrozen(codec.parse('text=,whole=0,amount=0,flag=true'))).toBe(true)
    expect(Object.isFrozen(codec)).toBe(true)
    expect(Object.isFrozen(codec.members)).toBe(true)
  })
})

describe('segments', () => {
  it('PATH-11: a path segment that is percent-decoded once is the id', () => {
    fc.assert(
      fc.property(unicode, (text) => {
        const segment = segmentOf(text)
        expect(decodeURIComponent(segment)).toBe(text)
        expect(segment).not.toMatch(/[/?#\s]/)
      }),
    )
  })

  it('PATH-9: commas and equals signs are not encoded', () => {
    expect(segmentOf('numero=1,lote=a/b%2C')).toBe('numero=1,lote=a%2Fb%252C')
  })

  it('PATH-11: a lone surrogate is replaced by U+FFFD', () => {
    expect(segmentOf('a\ud800')).toBe('a%EF%BF%BD')
  })
})
