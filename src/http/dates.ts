/** Formats dates for header fields (RFC 9110 5.6.7, RFC 9651 3.3.7; VER-3). */

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
