/** Kinds of columns that hold dates, times and instants. */
import fc from 'fast-check'
import type { Kind } from './kinds.js'

const pad = (value: number, width = 2): string => String(value).padStart(width, '0')
const dates = fc
  .oneof(
    fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }),
    fc.date({ min: new Date('2026-10-20T00:00:00Z'), max: new Date('2026-11-02T23:59:59Z'), noInvalidDate: true }),
  )
  .map((date) => {
    const year = date.getUTCFullYear()
    return `${pad(year, 4)}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`
  })
const clocks = fc
  .record({
    h: fc.integer({ min: 0, max: 23 }),
    m: fc.integer({ min: 0, max: 59 }),
    s: fc.integer({ min: 0, max: 59 }),
  })
  .map(({ h, m, s }) => `${pad(h)}:${pad(m)}:${pad(s)}`)
const fractions = (maxDigits: number) =>
  fc.constantFrom('', '.5', '.123', '.123456', '.000001', '.1000000').filter((text) => text.length - 1 <= maxDigits)
const offsets = fc.constantFrom('Z', '+00:00', '-00:00', '+02:00', '-05:30', '+14:00', 'z')

/** A string that is equal for all spellings of the same instant. */
const sameInstant = (value: unknown): string => {
  const text = String(value).toUpperCase()
  const found = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/.exec(text)
  if (found === null) return text
  const seconds = Date.parse(`${found[1]}${found[3]}`)
  return `${seconds}:${(found[2] ?? '').replace(/0+$/, '')}`
}

const instantSpellings = (value: unknown): readonly string[] => {
  const text = String(value)
  const found = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z$/.exec(text)
  if (found === null) return []
  const [, moment = '', fraction = ''] = found
  const shifted = (minutes: number): string =>
    new Date(Date.parse(`${moment}Z`) + minutes * 60_000).toISOString().slice(0, 19)
  const spelled = [
    `${moment}${fraction}+00:00`,
    `${moment}${fraction}-00:00`,
    text.toLowerCase(),
    `${moment}${fraction || '.'}000Z`,
  ]
  if (moment >= '0002' && moment < '9999')
    spelled.push(`${shifted(120)}${fraction}+02:00`, `${shifted(-330)}${fraction}-05:30`)
  return [...spelled, text.replace('T', ' '), text.replace(/Z$/, '')]
}

/** A string that is equal for all spellings of the same clock time or local date-time. */
const sameClock = (value: unknown): string => {
  const [clock = '', fraction = ''] = String(value).split('.')
  return `${clock.length === 5 ? `${clock}:00` : clock}.${fraction.replace(/0+$/, '')}`
}

export const timeKinds: readonly Kind[] = [
  {
    name: 'date',
    type: 'date',
    schema: { type: 'string', format: 'date' },
    values: dates,
    odd: fc.constantFrom('2023-02-29', '0000-01-01', 'infinity', 'today', '2024-1-1', '', '99999-01-01'),
    spellings: (value) => [`${value}T00:00:00`, ` ${value}`, String(value).replaceAll('-', '')],
    compares: 'all',
    keyable: true,
    foreign: [`'0001-01-01'`, `'9999-12-31'`],
    inexact: [`'infinity'`, `'-infinity'`, `'0044-03-15 BC'`, `'12345-01-01'`],
  },
  {
    name: 'time',
    type: 'time',
    schema: { type: 'string' },
    values: fc.tuple(clocks, fc.constantFrom('', '.5', '.123456', '.000001')).map((parts) => parts.join('')),
    odd: fc.constantFrom('24:00:00', '23:59:59.1234567', '1:00', '10:00', '10:00:00.100', 'noon', '23:59:60', ''),
    means: sameClock,
    spellings: (value) => [
      `${value}${String(value).includes('.') ? '' : '.'}0`,
      ` ${value}`,
      String(value).replace(/:00$/, ''),
    ],
    compares: 'all',
    keyable: true,
    foreign: [`'00:00:00.1'`, `'23:59:59.999999'`],
    inexact: [`'24:00:00'`],
  },
  {
    name: 'timestamp',
    type: 'timestamp',
    schema: { type: 'string', format: 'local-date-time' },
    values: fc.tuple(dates, clocks, fractions(6)).map(([date, clock, fraction]) => `${date}T${clock}${fraction}`),
    odd: fc.constantFrom('2024-01-01T00:00:00.1234567', '0000-01-01T00:00:00', '2024-01-01T00:00:00Z', 'now', ''),
    means: sameClock,
    spellings: (value) => [
      `${value}${String(value).includes('.') ? '' : '.'}0`,
      String(value).replace('T', ' '),
      `${value}Z`,
    ],
    compares: 'all',
    keyable: true,
    foreign: [`'2024-01-01 00:00:00.1'`, `'0001-01-01'`],
    inexact: [`'infinity'`, `'-infinity'`, `'0044-03-15 BC'`, `'12345-01-01'`],
  },
  {
    name: 'timestamp(3)',
    type: 'timestamp(3)',
    schema: { type: 'string', format: 'local-date-time' },
    values: fc.tuple(dates, clocks, fractions(3)).map(([date, clock, fraction]) => `${date}T${clock}${fraction}`),
    odd: fc.constantFrom('2024-01-01T00:00:00.1234', '2024-01-01T00:00:00.9999'),
    means: sameClock,
    compares: 'all',
    keyable: true,
  },
  {
    name: 'timestamptz',
    type: 'timestamptz',
    schema: { type: 'string', format: 'date-time' },
    values: fc.tuple(dates, clocks, fractions(6)).map(([date, clock, fraction]) => `${date}T${clock}${fraction}Z`),
    odd: fc.oneof(
      fc
        .tuple(dates, clocks, fractions(7), offsets)
        .map(([date, clock, fraction, offset]) => `${date}T${clock}${fraction}${offset}`),
      fc.constantFrom(
        '2024-01-01T00:00:00',
        '2024-01-01T00:00:00.1234567Z',
        '2016-12-31T23:59:60Z',
        '0001-01-01T00:00:00+02:00',
        'now',
        '',
      ),
    ),
    means: sameInstant,
    spellings: instantSpellings,
    compares: 'all',
    keyable: true,
    foreign: [`'2024-06-01 12:00:00.1+02'`, `'0001-01-01 00:00:00+00'`, `'9999-12-31 23:59:59.999999+00'`],
    inexact: [`'infinity'`, `'-infinity'`, `'0044-03-15 00:00:00+00 BC'`, `'12345-01-01 00:00:00+00'`],
  },
  {
    name: 'timestamptz(0)',
    type: 'timestamptz(0)',
    schema: { type: 'string', format: 'date-time' },
    values: fc.tuple(dates, clocks).map(([date, clock]) => `${date}T${clock}Z`),
    odd: fc.constantFrom('2024-01-01T00:00:00.5Z', '2024-01-01T00:00:00.4Z'),
    means: sameInstant,
    spellings: instantSpellings,
    compares: 'all',
    keyable: true,
  },
  {
    name: 'timestamp as date-time',
    type: 'timestamp',
    schema: { type: 'string', format: 'date-time' },
    values: fc.tuple(dates, clocks).map(([date, clock]) => `${date}T${clock}Z`),
    means: sameInstant,
    compares: 'all',
    keyable: false,
    optional: true,
  },
  {
    name: 'local-time',
    type: 'time',
    schema: { type: 'string', format: 'local-time' },
    values: fc.tuple(clocks, fc.constantFrom('', '.5', '.123456', '.1230', '.000000')).map((parts) => parts.join('')),
    odd: fc.constantFrom('24:00:00', '23:59:59.1234567', '1:00', '10:00', 'noon', '23:59:60', '', '10:00:00Z'),
    means: sameClock,
    spellings: (value) => [`${value}${String(value).includes('.') ? '' : '.'}0`, ` ${value}`],
    compares: 'all',
    keyable: true,
    foreign: [`'00:00:00.1'`, `'23:59:59.999999'`],
    inexact: [`'24:00:00'`],
  },
  {
    name: 'text of an instant',
    type: 'text',
    schema: { type: 'string', format: 'date-time' },
    values: fc.tuple(dates, clocks, fractions(6)).map(([date, clock, fraction]) => `${date}T${clock}${fraction}Z`),
    odd: fc
      .tuple(dates, clocks, fractions(7), offsets)
      .map(([date, clock, fraction, offset]) => `${date}T${clock}${fraction}${offset}`),
    means: sameInstant,
    spellings: instantSpellings,
    compares: 'all',
    keyable: true,
  },
  {
    name: 'timetz',
    type: 'timetz',
    schema: { type: 'string', format: 'time' },
    values: fc.tuple(clocks, fc.constantFrom('Z', '+02:00', '-05:30')).map((parts) => parts.join('')),
    odd: fc.constantFrom('10:00:00', '24:00:00Z', '10:00:00+02', ''),
    means: (value) =>
      String(value)
        .replace(/Z$/i, '+00:00')
        .replace(/[+-]\d\d$/, '$&:00')
        .replace(/\.?0+(?=[+-])/, (zeros) => (zeros.startsWith('.') ? '' : zeros)),
    compares: 'equality',
    keyable: false,
    foreign: [`'10:00:00+02'`, `'10:00:00.5-03:30'`],
  },
  {
    name: 'interval',
    type: 'interval',
    schema: { type: 'string', format: 'duration' },
    values: fc.constantFrom('P1D', 'PT1H', 'P1Y2M3DT4H5M6S', 'PT0S'),
    odd: fc.constantFrom('1 day', 'P1W', '', 'PT36H', 'PT60M', 'P1Y2M3DT4H5M6.1234567S'),
    means: (value) => ({ PT60M: 'PT1H', P1W: 'P7D' })[String(value)] ?? String(value),
    compares: 'equality',
    keyable: false,
    foreign: [`'1 day'`, `'36 hours'`],
    inexact: [`'-3 hours 0.5 seconds'`, `'1 mon -1 day'`],
  },
]
