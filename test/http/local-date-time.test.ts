import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalLocalDateTime } from '../../src/http/local-date-time.js'

const moment = fc.date({
  min: new Date('0000-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59Z'),
  noInvalidDate: true,
})
const fraction = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 7 })
const seconds = (date: Date): string => date.toISOString().slice(0, 19)

describe('canonicalLocalDateTime', () => {
  it('REP-4: accepts 0 to 7 fractional digits, and writes 7', () => {
    expect(canonicalLocalDateTime('2024-02-29T23:59:59')).toBe('2024-02-29T23:59:59.0000000')
    expect(canonicalLocalDateTime('2024-02-29T23:59:59.5')).toBe('2024-02-29T23:59:59.5000000')
    expect(canonicalLocalDateTime('2024-02-29T23:59:59.1234567')).toBe('2024-02-29T23:59:59.1234567')
  })

  it('REP-4: refuses strings that are not local date-times or do not exist in the calendar', () => {
    const shapes = [
      '',
      '2024-02-29',
      '2024-02-29T10:00',
      '2024-02-29t10:00:00',
      '2024-02-29 10:00:00',
      '2024-02-29T10:00:00.',
    ]
    const zones = ['2024-02-29T10:00:00Z', '2024-02-29T10:00:00+01:00', '2024-02-29T10:00:00.5Z']
    const ranges = [
      '2024-02-29T24:00:00',
      '2024-02-29T10:60:00',
      '2024-02-29T10:00:60',
      '2024-00-01T10:00:00',
      '2024-13-01T10:00:00',
    ]
    const days = [
      '2023-02-29T10:00:00',
      '1900-02-29T10:00:00',
      '2024-02-30T10:00:00',
      '2024-04-31T10:00:00',
      '2024-01-00T10:00:00',
      '2024-01-32T10:00:00',
    ]
    const others = [
      '2024-02-29T10:00:00.12345678',
      '02024-02-29T10:00:00',
      '-2024-02-29T10:00:00',
      '2024-02-29T10:00:00\n',
      '٢٠٢٤-02-29T10:00:00',
    ]
    for (const text of [...shapes, ...zones, ...ranges, ...days, ...others])
      expect(canonicalLocalDateTime(text), text).toBeUndefined()
    for (const text of ['2000-02-29T00:00:00', '0000-02-29T00:00:00', '9999-12-31T23:59:59'])
      expect(canonicalLocalDateTime(text)).toBe(`${text}.0000000`)
  })

  it('REP-4: loses no digit, and keeps canonical strings unchanged', () => {
    fc.assert(
      fc.property(moment, fraction, (date, digits) => {
        const canonical = canonicalLocalDateTime(`${seconds(date)}${digits === '' ? '' : `.${digits}`}`)
        expect(canonical).toBe(`${seconds(date)}.${digits}${'0'.repeat(7 - digits.length)}`)
        expect(canonicalLocalDateTime(canonical ?? '')).toBe(canonical)
      }),
    )
  })

  it('REP-4: accepts exactly the dates that exist in the calendar', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9999 }),
        fc.integer({ min: 0, max: 14 }),
        fc.integer({ min: 0, max: 33 }),
        (year, month, day) => {
          const text = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}T00:00:00`
          const date = new Date(`${text}Z`)
          const real = !Number.isNaN(date.getTime()) && seconds(date) === text
          expect(canonicalLocalDateTime(text) !== undefined).toBe(real)
        },
      ),
    )
  })

  it('REP-4: canonical strings are ordered like the times that they stand for', () => {
    fc.assert(
      fc.property(moment, moment, (a, b) => {
        const [first = '', second = ''] = [canonicalLocalDateTime(seconds(a)), canonicalLocalDateTime(seconds(b))]
        expect(first < second).toBe(Math.floor(a.getTime() / 1000) < Math.floor(b.getTime() / 1000))
      }),
    )
  })
})
