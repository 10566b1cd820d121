import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { httpDate, structuredDate, timeOfDate } from '../../src/http/dates.js'

const ms = fc.integer({ min: Date.parse('0000-01-01T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59.999Z') })

describe('dates', () => {
  it('VER-3: Sunset is an IMF-fixdate (RFC 9110 5.6.7)', () => {
    expect(httpDate(784111777999)).toBe('Sun, 06 Nov 1994 08:49:37 GMT')
    expect(httpDate(Date.parse('0001-02-03T04:05:06Z'))).toBe('Sat, 03 Feb 0001 04:05:06 GMT')
    fc.assert(
      fc.property(ms, (time) => {
        expect(httpDate(time)).toMatch(/^[SMTWF][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/)
        expect(httpDate(time)).toBe(new Date(time).toUTCString())
      }),
    )
  })

  it('VER-3: Deprecation is a structured date (RFC 9745, RFC 9651 3.3.7)', () => {
    expect([structuredDate(1688169599999), structuredDate(0), structuredDate(-1)]).toEqual(['@1688169599', '@0', '@-1'])
    fc.assert(fc.property(ms, (time) => Number(structuredDate(time).slice(1)) === Math.floor(time / 1000)))
  })

  it('VER-3: httpDate and structuredDate throw for a time that no header field can express', () => {
    for (const time of [Number.NaN, Number.POSITIVE_INFINITY, Date.parse('9999-12-31T23:59:59.999Z') + 1]) {
      expect(() => httpDate(time)).toThrow(RangeError)
      expect(() => structuredDate(time)).toThrow(RangeError)
    }
  })
})

describe('dates in options', () => {
  it.each([
    ['2027-06-30', '2027-06-30T00:00:00.000Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
    ['2027-06-30T18:00:00Z', '2027-06-30T18:00:00.000Z'],
    ['2027-06-30T18:00:00.5-03:00', '2027-06-30T21:00:00.500Z'],
  ])('VER-3: the date "%s" means %s', (text, time) => {
    expect(new Date(timeOfDate(text) ?? 0).toISOString()).toBe(time)
  })

  it.each([
    '2027-6-30',
    '2027/06/30',
    '2027-06-30T18:00',
    '2027-06-30T18:00:00',
    '06/07/2027',
    '2027-02-30',
    '2027-02-29',
    '2027-02-30T00:00:00Z',
    '2027-06-30T25:00:00Z',
    '2027-06-30T18:00:00+25:00',
    '7',
    '',
    'June 30, 2027',
  ])('VER-3: "%s" is not an accepted date', (text) => expect(timeOfDate(text)).toBeUndefined())
})
