/** The PostgreSQL types that hold dates, times, date-times and durations. */
import { canonicalDuration, durationParts } from '../../../http/duration.js'
import { canonicalInstant, canonicalLocalTime, canonicalTime } from '../../../http/instant.js'
import { canonicalLocalDateTime } from '../../../http/local-date-time.js'
import type { ColumnType } from './column-type.js'
import { between, valueTexts } from './value-texts.js'

/**
 * SQL that reads a date or date-time as text, regardless of the session's DateStyle and TimeZone. A
 * date before year 1 is shown with `BC` at the end, and an infinite date is shown as the word
 * `infinity` or `-infinity`.
 */
const dated = (sql: string, shown: string, first = '0001-01-01'): string =>
  `CASE WHEN NOT isfinite(${sql}) THEN ${sql}::text WHEN ${sql} < '${first}' THEN ${shown} || ' BC' ELSE ${shown} END`

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !text.startsWith('0000') && canonicalLocalDateTime(`${text}T00:00:00`) !== undefined

export const dates: ColumnType = valueTexts({
  cast: 'date',
  samples: ['2000-01-01', '2000-01-02'],
  formats: ['date'],
  width: [10, 10],
  expects: 'a date from 0001-01-01 on, YYYY-MM-DD',
  canonical: (text) => (isDay(text) ? text : undefined),
  // The text of a date depends on the session's DateStyle.
  read: (sql) => dated(sql, `to_char(${sql}, 'YYYY-MM-DD')`),
})

/** The fractional digits of a canonical string, without trailing zeros. */
const fractionOf = (text: string): string => /\.(\d*?)0*(?:\D|$)/.exec(text)?.[1] ?? ''
const digitsBeyond = (text: string, precision: number): string | undefined =>
  fractionOf(text).length > precision ? `must have at most ${precision} digits after the decimal point` : undefined
/** Truncates a time or date-time to this number of fractional digits. */
const truncated = (text: string, precision: number): string =>
  text.replace(/\.\d+/, (fraction) => (precision === 0 ? '' : fraction.slice(0, precision + 1)))

/**
 * Times of day without a time zone. `24:00:00`, which PostgreSQL supports, is shown but not
 * accepted from clients.
 */
export const times = (precision = 6): ColumnType =>
  valueTexts({
    cast: 'time',
    samples: ['00:00:00', '00:00:01'],
    formats: ['local-time', 'iso-time'],
    width: [8, 15],
    expects: 'a time, HH:MM:SS, without a zone',
    canonical: canonicalLocalTime,
    columnFault: (text) => digitsBeyond(text, precision),
    compareUnheld: (op, text) => between(op, truncated(text, precision), 'time'),
  })

/** Times of day with an offset from UTC. */
export const timesWithOffset = (precision = 6): ColumnType =>
  valueTexts({
    cast: 'timetz',
    samples: ['00:00:00Z', '00:00:01Z'],
    formats: ['time', 'iso-time'],
    width: [9, 21],
    expects: 'a time with an offset, such as 09:30:00Z or 10:30:00+01:00',
    canonical: canonicalTime,
    shown: (text) => canonicalTime(text) ?? text,
    columnFault: (text) => digitsBeyond(text, precision),
    compareUnheld: (op, text) => between(op, truncated(text, precision), 'timetz'),
  })

/** Local date-times in a `timestamp`, which holds up to six fractional digits. */
export function timestamps(precision = 6): ColumnType {
  const isBefore = (text: string): boolean => text.startsWith('0000')
  return valueTexts({
    cast: 'timestamp',
    samples: ['2000-01-01T00:00:00.0000000', '2000-01-02T00:00:00.0000000'],
    formats: ['local-date-time', 'iso-date-time'],
    width: [27, 27],
    expects: 'a local date-time such as 2024-01-31T08:30:00, without a zone',
    canonical: canonicalLocalDateTime,
    read: (sql) => dated(sql, `to_char(${sql}, 'YYYY-MM-DD"T"HH24:MI:SS.US"0"')`),
    columnFault: (text) => (isBefore(text) ? 'must have the year 0001 or a later year' : digitsBeyond(text, precision)),
    sent: (text) => text.slice(0, 26),
    compareUnheld(op, text) {
      if (!isBefore(text)) return between(op, truncated(text, precision), 'timestamp')
      return op === '>' || op === '>=' ? { op: '>=', text: '0001-01-01T00:00:00', cast: 'timestamp' } : 'never'
    },
  })
}

/**
 * Date-times with a time zone in a `timestamptz`. They are shown in UTC, with three fractional
 * digits, or with six if three are not enough.
 */
export const instants = (precision = 6): ColumnType =>
  valueTexts({
    cast: 'timestamptz',
    samples: ['2000-01-01T00:00:00.000Z', '2000-01-02T00:00:00.000Z'],
    formats: ['date-time', 'iso-date-time'],
    width: [24, 27],
    expects: 'a date-time with an offset, such as 2026-01-31T09:30:00.000Z or 2026-01-31T10:30:00+01:00',
    canonical: canonicalInstant,
    read: (sql) => inUtc(sql),
    columnFault: (text) => digitsBeyond(text, precision),
    compareUnheld: (op, text) => between(op, `${truncated(text.slice(0, -1), precision)}Z`, 'timestamptz'),
  })

/**
 * SQL that reads a `timestamptz` as text in UTC, regardless of the session's TimeZone. Date-times
 * before the start of year 1, in UTC, end in `BC`.
 */
const inUtc = (sql: string): string =>
  dated(
    sql,
    `regexp_replace(to_char(${sql} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '000$', '') || 'Z'`,
    '0001-01-01T00:00:00Z',
  )

const maxMonths = 2 ** 31 - 1
const maxMicroseconds = 2n ** 63n - 1n

/**
 * Durations in an `interval`, as ISO 8601 strings, regardless of the session's IntervalStyle.
 * Equality follows the rules of PostgreSQL: 24 hours equal a day, and 30 days equal a month.
 */
export const durations = (precision = 6): ColumnType =>
  valueTexts({
    cast: 'interval',
    samples: ['PT0S', 'P1D'],
    formats: ['duration'],
    expects: 'a duration such as P1Y2M10DT2H30M',
    canonical: canonicalDuration,
    read: (sql) =>
      `CASE WHEN isfinite(${sql}) THEN ` +
      `concat(${durationFields
        .map(([before, field, after]) => `'${before}', extract(${field} FROM ` + `${sql}), '${after}'`)
        .join(', ')}) ELSE ${sql}::text END`,
    shown: (text) => canonicalDuration(text) ?? text,
    // The texts are compared, because PostgreSQL treats the intervals "30 days" and "1 month" as
    // equal. Their texts differ in every IntervalStyle.
    shownAs: (sql, text) => `${sql}::text = ${text}::interval::text`,
    columnFault(text) {
      const { months, days, nanoseconds } = durationParts(text)
      if (fractionOf(text).length > precision) return digitsBeyond(text, precision)
      const size = (nanoseconds < 0n ? -nanoseconds : nanoseconds) / 1000n
      const isTooLong = Math.abs(months) > maxMonths || Math.abs(days) > maxMonths || size > maxMicroseconds
      return isTooLong ? 'is too long a duration' : undefined
    },
    compareUnheld: () => 'never',
  })

const durationFields = [
  ['P', 'year', 'Y'],
  ['', 'month', 'M'],
  ['', 'day', 'DT'],
  ['', 'hour', 'H'],
  ['', 'minute', 'M'],
  ['', 'second', 'S'],
] as const
