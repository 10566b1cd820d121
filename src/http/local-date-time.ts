/**
 * Date-times without a zone, in the format that the conventions require (REP-4): ISO 8601 with
 * seven fractional digits.
 */
import { isDay } from './calendar.js'

const shape = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,7})?$/

/**
 * The canonical string of a local date-time, with exactly seven fractional digits. The result is
 * `undefined` if `text` is not a valid date and time. If canonical strings are sorted as strings,
 * they are in chronological order.
 *
 * @param text `YYYY-MM-DDTHH:MM:SS`, with up to 7 fractional digits
 * @example canonicalLocalDateTime('2024-02-29T23:59:59.5') // '2024-02-29T23:59:59.5000000'
 */
export function canonicalLocalDateTime(text: string): string | undefined {
  if (!shape.test(text)) return undefined
  if (twoDigits(text, 11) > 23 || twoDigits(text, 14) > 59 || twoDigits(text, 17) > 59) return undefined
  if (!isDay(twoDigits(text, 0) * 100 + twoDigits(text, 2), twoDigits(text, 5), twoDigits(text, 8))) return undefined
  if (text.length === 27) return text
  return (text.length === 19 ? `${text}.` : text).padEnd(27, '0')
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48
}
