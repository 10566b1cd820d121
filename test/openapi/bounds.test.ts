/** The patterns of a document match exactly the strings that the library accepts. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { valueFormats } from '../../src/definition/value-formats.js'
import { addressable, bounded, fieldValue, formatPatterns } from '../../src/openapi/bounds.js'

const digits = (count: number): fc.Arbitrary<string> => fc.stringMatching(new RegExp(`^[0-9]{${count}}$`))

/** Strings similar to a local date-time: many real days, some invalid days, and other forms. */
const nearDateTime = fc
  .tuple(
    fc.oneof(digits(4), fc.constantFrom('2000', '1900', '2024', '2023', '0000', '2400')),
    fc.integer({ min: 0, max: 13 }),
    fc.integer({ min: 0, max: 32 }),
    fc.integer({ min: 0, max: 25 }),
    fc.integer({ min: 0, max: 61 }),
    fc.constantFrom('', '.', '.5', '.1234567', '.12345678', 'Z', '\n', ' '),
  )
  .map(([year, month, day, hour, minute, rest]) => {
    const two = (value: number): string => String(value).padStart(2, '0')
    return `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(minute)}${rest}`
  })

const near: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'local-date-time': nearDateTime,
  'local-time': nearDateTime.map((text) => text.slice(11)),
  decimal: fc
    .tuple(
      fc.constantFrom('', '-', '+', '--'),
      fc.constantFrom('0', '1', '007', ''),
      fc.constantFrom('', '.', '.5'),
      fc.constantFrom('', 'e', 'e4', 'E-400', 'e401', 'e+12', 'e0400', 'e399', 'e040', 'e999'),
    )
    .map((parts) => parts.join('')),
}

describe('the patterns of formats', () => {
  it.each(Object.keys(formatPatterns))('REP-4: the pattern of %s matches exactly what the library accepts', (name) => {
    const pattern = new RegExp(formatPatterns[name] as string, 'u')
    const text = fc.oneof(near[name] as fc.Arbitrary<string>, fc.string())
    fc.assert(
      fc.property(text, (given) => pattern.test(given) === (valueFormats.get(name)?.canonical(given) !== undefined)),
      { numRuns: 1_000 },
    )
  })

  it('REP-4: the pattern matches a date from 1800 to 2200 if and only if the library accepts the date', () => {
    const pattern = new RegExp(formatPatterns['local-date-time'] as string, 'u')
    const canonical = valueFormats.get('local-date-time')?.canonical
    for (let year = 1800; year <= 2200; year++) {
      for (const day of ['02-28', '02-29', '02-30', '04-30', '04-31', '12-31', '00-01', '01-00']) {
        const text = `${String(year)}-${day}T00:00:00`
        expect(pattern.test(text), text).toBe(canonical?.(text) !== undefined)
      }
    }
  })
})

describe('bounded()', () => {
  it('REP-8: an integer gets bounds within which a double represents every integer', () => {
    expect(bounded({ type: 'integer' })).toEqual({
      type: 'integer',
      format: 'int64',
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
    })
    expect(bounded({ type: ['integer', 'null'], minimum: 1 })).toEqual({
      type: ['integer', 'null'],
      format: 'int64',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
    })
  })

  it('does not change a schema that has its own bounds, values or pattern, or that needs none of them', () => {
    for (const schema of [
      { type: 'integer', enum: [1, 2] },
      { type: 'integer', format: 'int32', exclusiveMinimum: 0, exclusiveMaximum: 9 },
      { type: 'number' },
      { type: ['integer', 'number'] },
      { type: ['string', 'integer'], minimum: 1, maximum: 9 },
      { type: 'string', format: 'local-time', pattern: '^1' },
      { type: 'string', format: 'date-time' },
      { type: 'string', const: 'x', format: 'decimal' },
      { format: 'local-time' },
    ]) {
      expect(bounded(schema)).toEqual(schema)
    }
  })
})

describe('addressable()', () => {
  it('PATH-11: the schema of an id excludes the empty string and the dot segments', () => {
    const { minLength, pattern } = addressable({ type: 'string' }) as { minLength: number; pattern: string }
    expect(minLength).toBe(1)
    const fits = new RegExp(pattern, 'u')
    expect(['.', '..'].filter((text) => fits.test(text))).toEqual([])
    expect(['...', '.a', 'a', '\n', '.\n'].filter((text) => !fits.test(text))).toEqual([])
  })

  it('leaves integers unchanged, and keeps declared formats, enums, patterns and lengths', () => {
    for (const schema of [{ type: 'integer' }, { type: 'string', format: 'uuid' }, { type: 'string', enum: ['a'] }]) {
      expect(addressable(schema)).toEqual(schema)
    }
    expect(addressable({ type: 'string', pattern: '^x$', minLength: 3 })).toEqual({
      type: 'string',
      pattern: '^x$',
      minLength: 3,
    })
  })
})

describe('the pattern of header field values', () => {
  it('excludes control characters except the tab, and characters above U+00FF', () => {
    const fits = new RegExp(String(fieldValue.pattern), 'u')
    expect(['', 'a b', '\t', '"é"', 'ÿ'].filter((text) => !fits.test(text))).toEqual([])
    expect(['\0', '\n', '\u007f', 'Ā'].filter((text) => fits.test(text))).toEqual([])
  })
})
