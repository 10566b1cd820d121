/**
 * ISO 8601 durations in the format of RFC 3339 appendix A, extended by fractional seconds, signs,
 * and any combination of units (ISO 8601-2).
 */

const shape =
  /^([+-]?)P(?=[\d+T-])(?:([+-]?\d{1,9})Y)?(?:([+-]?\d{1,9})M)?(?:([+-]?\d{1,9})W)?(?:([+-]?\d{1,9})D)?(?:T(?=[\d+-])(?:([+-]?\d{1,12})H)?(?:([+-]?\d{1,12})M)?(?:([+-]?)(\d{1,12})(?:\.(\d{1,9}))?S)?)?$/

/**
 * The months, days and nanoseconds of a duration. These units can't be converted to each other
 * exactly, because the lengths of months and days vary.
 */
interface Parts {
  readonly months: number
  readonly days: number
  readonly nanoseconds: bigint
}

/** The parts of a canonical duration. */
export const durationParts = (canonical: string): Parts => partsOf(canonical) ?? { months: 0, days: 0, nanoseconds: 0n }

function partsOf(text: string): Parts | undefined {
  const found = shape.exec(text)
  if (found === null) return undefined
  const [
    ,
    sign,
    years = 0,
    months = 0,
    weeks = 0,
    days = 0,
    hours = 0,
    minutes = 0,
    negative,
    seconds = 0,
    fraction = '',
  ] = found
  const factor = sign === '-' ? -1 : 1
  const small = (BigInt(seconds) * 1_000_000_000n + BigInt(fraction.padEnd(9, '0'))) * (negative === '-' ? -1n : 1n)
  return {
    months: (Number(years) * 12 + Number(months)) * factor,
    days: (Number(weeks) * 7 + Number(days)) * factor,
    nanoseconds: ((BigInt(hours) * 60n + BigInt(minutes)) * 60_000_000_000n + small) * BigInt(factor),
  }
}

/**
 * The canonical string of a duration; `undefined` for an invalid string. 12 months become a year, a
 * week becomes 7 days, 60 seconds become a minute, and 60 minutes become an hour. No other units
 * are converted. Each part of the result has its own sign.
 *
 * @example canonicalDuration('P1W') // 'P7D'
 * @example canonicalDuration('PT90M') // 'PT1H30M'
 */
export function canonicalDuration(text: string): string | undefined {
  const parts = partsOf(text)
  if (parts === undefined) return undefined
  const { months, days, nanoseconds } = parts
  const part = (value: number | bigint, unit: string): string => (value === 0 || value === 0n ? '' : `${value}${unit}`)
  const minute = 60_000_000_000n
  const rest = nanoseconds % minute
  const minutes = nanoseconds / minute
  const date = part(Math.trunc(months / 12), 'Y') + part(months % 12, 'M') + part(days, 'D')
  const time = part(minutes / 60n, 'H') + part(minutes % 60n, 'M') + secondsOf(rest)
  if (date === '' && time === '') return 'PT0S'
  return `P${date}${time === '' ? '' : `T${time}`}`
}

function secondsOf(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return ''
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds
  const fraction = String(size % 1_000_000_000n)
    .padStart(9, '0')
    .replace(/0+$/, '')
  return `${nanoseconds < 0n ? '-' : ''}${size / 1_000_000_000n}${fraction === '' ? '' : `.${fraction}`}S`
}

/**
 * Compares canonical durations as PostgreSQL does: a month counts as 30 days and a day as 24 hours.
 * Durations of equal length are compared as strings.
 */
export function compareDurations(a: string, b: string): number {
  const [one, other] = [lengthOf(a), lengthOf(b)]
  if (one !== other) return one < other ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

function lengthOf(text: string): bigint {
  const { months = 0, days = 0, nanoseconds = 0n } = partsOf(text) ?? {}
  return (BigInt(months) * 30n + BigInt(days)) * 86_400_000_000_000n + nanoseconds
}
