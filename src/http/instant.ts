/**
 * RFC 3339 date-times (5.6, `date-time`) and times of day. The shorter offsets `+02` and `+0200`,
 * which RFC 3339 does not allow, are accepted too. An instant has many spellings, but only one
 * canonical string. The canonical string is in UTC, with `T` and `Z`. It has three fractional
 * digits, or six, nine and so on if the instant is more precise.
 */
import { isDay } from './calendar.js'
import { withoutTrailingZeros } from './decimal.js'

const shape =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)$/
const canonicalShape = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.(?:\d{3})+Z$/

/**
 * The canonical string of an instant in the years 0001 to 9999 (UTC); `undefined` for an invalid
 * string. A leap second (`23:59:60`) is invalid: POSIX time, which all stores of the library use,
 * can't represent it.
 *
 * @example canonicalInstant('2026-11-21T00:00:00+02:00') // '2026-11-20T22:00:00.000Z'
 */
export function canonicalInstant(text: string): string | undefined {
  // Fast path: most strings from stores and clients are canonical already.
  if (canonicalShape.test(text) && (text.length === 24 || !text.endsWith('000Z'))) {
    return isDay(Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10))) &&
      !text.startsWith('0000')
      ? text
      : undefined
  }
  const found = shape.exec(text)
  if (found === null) return undefined
  const [, year, month, day, hours, minutes, seconds, fraction = '', sign, offsetHours = 0, offsetMinutes = 0] = found
  if (!isDay(Number(year), Number(month), Number(day))) return undefined
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -1 : 1)
  const moment = new Date(0)
  moment.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  moment.setUTCHours(Number(hours), Number(minutes) - offset, Number(seconds))
  if (moment.getUTCFullYear() < 1 || moment.getUTCFullYear() > 9999) return undefined
  return `${moment.toISOString().slice(0, 19)}.${inThrees(fraction)}Z`
}

/**
 * Removes the trailing zeros of fractional digits, and then pads the rest with zeros to three, six,
 * nine digits and so on.
 */
function inThrees(fraction: string): string {
  const digits = withoutTrailingZeros(fraction)
  return digits.padEnd(Math.max(3, Math.ceil(digits.length / 3) * 3), '0')
}

/** Compares two canonical instants by time. The result is negative, zero or positive. */
export function compareInstants(a: string, b: string): number {
  const [one, other] = [a.slice(0, -1), b.slice(0, -1)]
  return one < other ? -1 : one > other ? 1 : 0
}

const timeShape = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3])(?::?([0-5]\d))?)$/

/**
 * The canonical string of a time of day with an offset (RFC 3339 5.6, `full-time`); `undefined` for
 * an invalid string. The canonical string has no trailing zeros after the decimal point, and `Z`
 * for a zero offset. Other offsets are kept, because without a date, `23:30:00-05:00` and
 * `04:30:00Z` are different values.
 *
 * @example canonicalTime('10:00:00.50+00:00') // '10:00:00.5Z'
 */
export function canonicalTime(text: string): string | undefined {
  const found = timeShape.exec(text)
  if (found === null) return undefined
  const [, hours, minutes, seconds, fraction = '', sign, offsetHours = '00', offsetMinutes = '00'] = found
  const zone = `${offsetHours}:${offsetMinutes}`
  return `${hours}:${minutes}:${seconds}${fractionText(fraction)}${zone === '00:00' ? 'Z' : sign + zone}`
}

/**
 * Compares two canonical times as PostgreSQL does: by the time of day in UTC, and then by the
 * offset. The offset that is further east comes first.
 */
export function compareTimes(a: string, b: string): number {
  const [one, other] = [timeParts(a), timeParts(b)]
  return one.seconds - other.seconds || compareText(one.fraction, other.fraction) || other.offset - one.offset
}

function timeParts(text: string): { readonly seconds: number; readonly fraction: string; readonly offset: number } {
  const [, hours, minutes, seconds, fraction = '', sign, offsetHours = 0, offsetMinutes = 0] =
    timeShape.exec(text) ?? []
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -1 : 1)
  return { seconds: Number(hours) * 3600 + (Number(minutes) - offset) * 60 + Number(seconds), fraction, offset }
}

const localTimeShape = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.(\d+))?$/

/**
 * The canonical string of a time of day without a zone; `undefined` for an invalid string. The
 * canonical string has no trailing zeros after the decimal point. If canonical strings are sorted
 * as strings, they are in chronological order.
 *
 * @example canonicalLocalTime('10:00:00.50') // '10:00:00.5'
 */
export function canonicalLocalTime(text: string): string | undefined {
  const found = localTimeShape.exec(text)
  return found === null ? undefined : text.slice(0, 8) + fractionText(found[1] ?? '')
}

function fractionText(fraction: string): string {
  const digits = withoutTrailingZeros(fraction)
  return digits === '' ? '' : `.${digits}`
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
