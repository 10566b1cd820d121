/**
 * Reads the dates in options, and formats dates for header fields (RFC 9110 5.6.7, RFC 9651 3.3.7;
 * VER-3).
 */
import { isDay } from './calendar.js'
import { canonicalInstant } from './instant.js'

/**
 * An IMF-fixdate (RFC 9110 5.6.7), the format of `Sunset` (RFC 8594).
 *
 * @param ms milliseconds since 1970
 * @throws RangeError for a date outside the years 0 to 9999
 * @example httpDate(784111777000) // 'Sun, 06 Nov 1994 08:49:37 GMT'
 */
export function httpDate(ms: number): string {
  return new Date(wholeSeconds(ms) * 1000).toUTCString()
}

/**
 * A structured date (RFC 9651 3.3.7), the format of `Deprecation` (RFC 9745).
 *
 * @param ms milliseconds since 1970
 * @throws RangeError for a date outside the years 0 to 9999
 * @example structuredDate(784111777000) // '@784111777'
 */
export function structuredDate(ms: number): string {
  return `@${wholeSeconds(ms)}`
}

const earliest = Date.parse('0000-01-01T00:00:00.000Z')
const latest = Date.parse('9999-12-31T23:59:59.999Z')

function wholeSeconds(ms: number): number {
  if (!(ms >= earliest && ms <= latest)) throw new RangeError(`${ms} is not a time that a header field can express`)
  return Math.floor(ms / 1000)
}

/**
 * The time of the first moment of a day (UTC), in milliseconds since 1970; `undefined` if the
 * string is not a calendar date.
 *
 * @example timeOfDay('2027-01-31')
 */
export function timeOfDay(text: string): number | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  return isDay(Number(year), Number(month), Number(day)) ? Date.parse(`${text}T00:00:00.000Z`) : undefined
}

/**
 * The time that a date in an option means, in milliseconds since 1970: the first moment of a day
 * (UTC), or a date-time with a zone (RFC 3339 5.6, but the seconds may be absent). Returns
 * `undefined` for any other string. `new Date()` would read some of these strings in the zone of
 * the process, and others as a different day.
 *
 * @example timeOfDate('2027-01-31T18:00:00-03:00')
 */
export function timeOfDate(text: string): number | undefined {
  const [, minute, seconds = ':00', zone] = dateTime.exec(text) ?? []
  if (minute === undefined) return timeOfDay(text)
  const instant = canonicalInstant(`${minute}${seconds}${zone}`)
  return instant === undefined ? undefined : Date.parse(instant)
}

const dateTime = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

/** The allowed dates, for messages. */
export const dateExamples = 'a string such as "2027-01-31" or "2027-01-31T18:00:00Z"'
