import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { valueFormats } from '../../src/definition/value-formats.js'
import { canonicalDecimal, canonicalInt64, compareDecimals } from '../../src/http/decimal.js'
import { canonicalInstant, compareInstants } from '../../src/http/instant.js'

describe('value formats', () => {
  it('REP-4: the canonical form of a canonical string is the string itself', () => {
    const text = fc.oneof(
      fc.string(),
      fc.stringMatching(/^[-+]?\d{0,25}(\.\d{1,9})?(e[-+]?\d{1,3})?$/),
      fc.stringMatching(/^-?P(\d{1,3}Y)?(\d{1,3}M)?(\d{1,3}D)?(T\d{1,4}H-?\d{1,4}M)?$/),
    )
    fc.assert(
      fc.property(text, (one) => {
        for (const { name, canonical } of valueFormats.values()) {
          const found = canonical(one)
          if (found !== undefined) expect(canonical(found), `${name} of ${one}`).toBe(found)
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('QUERY-1: an instant has the same canonical string in every offset, and instants are ordered by time', () => {
    const time = fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(9999, 11, 30) })
    const offset = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 })
    const two = (value: number): string => String(value).padStart(2, '0')
    fc.assert(
      fc.property(time, offset, time, (moment, minutes, other) => {
        const local = new Date(moment + minutes * 60_000).toISOString().slice(0, -1)
        const size = Math.abs(minutes)
        const spelled = `${local}${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
        expect(canonicalInstant(spelled)).toBe(new Date(moment).toISOString())
        expect(Math.sign(compareInstants(new Date(moment).toISOString(), new Date(other).toISOString()))).toBe(
          Math.sign(moment - other),
        )
      }),
    )
  })

  it('QUERY-2: decimals are ordered as numbers, and only 64-bit integers have a canonical int64 string', () => {
    const whole = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    fc.assert(
      fc.property(whole, whole, fc.nat(9), (a, b, scale) => {
        expect(canonicalInt64(String(a))).toBe(String(a))
        const shown = (value: bigint): string => canonicalDecimal(`${value}e-${scale}`) as string
        expect(Math.sign(compareDecimals(shown(a), shown(b)))).toBe(a < b ? -1 : a > b ? 1 : 0)
      }),
    )
    for (const beyond of ['9223372036854775808', '-9223372036854775809', '1e3', ''])
      expect(canonicalInt64(beyond)).toBeUndefined()
  })

  it('REP-4: a leap second, a year outside 0001 to 9999, and a huge exponent have no canonical string', () => {
    for (const none of [
      '2016-12-31T23:59:60Z',
      '0001-01-01T00:00:00+00:01',
      '9999-12-31T23:59:59-00:01',
      '0000-01-01T00:00:00Z',
    ])
      expect(canonicalInstant(none), none).toBeUndefined()
    expect(canonicalDecimal('1e401')).toBeUndefined()
    expect(canonicalDecimal('1e400')).toHaveLength(401)
  })
})
