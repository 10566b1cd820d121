/**
 * Finds JSON numbers in a JSON text, and tests whether a double can represent them (RFC 8259 6, RFC
 * 7493 2.2).
 */

const minus = 0x2d
const plus = 0x2b
const point = 0x2e
const zero = 0x30

/**
 * The index after the JSON number that starts at `from`; `from` itself if no number starts there.
 */
export function numberEnd(text: string, from: number): number {
  const start = text.charCodeAt(from) === minus ? from + 1 : from
  let end = text.charCodeAt(start) === zero ? start + 1 : digitsEnd(text, start)
  if (end === start) return from
  if (text.charCodeAt(end) === point) end = someDigitsEnd(text, end, end + 1)
  if (isExponentMark(text.charCodeAt(end))) {
    const sign = text.charCodeAt(end + 1)
    end = someDigitsEnd(text, end, sign === plus || sign === minus ? end + 2 : end + 1)
  }
  return end
}

/** The index after the digits that start at `from`; `fallback` if there are no digits. */
function someDigitsEnd(text: string, fallback: number, from: number): number {
  const end = digitsEnd(text, from)
  return end === from ? fallback : end
}

function digitsEnd(text: string, from: number): number {
  let at = from
  for (;;) {
    const code = text.charCodeAt(at)
    if (!(code >= zero && code <= zero + 9)) return at
    at++
  }
}

function isExponentMark(code: number): boolean {
  return code === 0x45 || code === 0x65
}

/**
 * Whether a number needs a closer check before it is read as a double. A number of at most 15
 * characters without an exponent needs no check, unless it starts with `-0`. Up to 15 digits
 * survive the conversion to a double and back.
 */
export function needsCheck(text: string, start: number, end: number): boolean {
  if (end - start > 15 || (text.charCodeAt(start) === minus && text.charCodeAt(start + 1) === zero)) return true
  for (let at = start + 1; at < end; at++) {
    if (isExponentMark(text.charCodeAt(at))) return true
  }
  return false
}

/**
 * A decimal number as `digits * 10 ** scale`, without its sign. The digits have no leading or
 * trailing zeros, so zero has no digits at all.
 */
interface Decimal {
  readonly digits: string
  readonly scale: number
}

/**
 * Whether an integer literal silently becomes another integer when it is read as a double. For
 * example, 9007199254740993 becomes 9007199254740992. The result is false for literals that are not
 * integers, because fractions are expected to be rounded.
 *
 * The result is also false if `JSON.stringify` would write the double with the digits of the
 * literal. For example, it writes 2 ** 60 as 1152921504606847000, although the exact integer is
 * 1152921504606846976. So every integer that `JSON.stringify` writes can be read back.
 *
 * @param literal a JSON number that is finite as a double
 */
export function integerChanges(literal: string): boolean {
  const value = Number(literal)
  if (Number.isSafeInteger(value)) return false
  const written = decimal(literal)
  if (written.scale < 0) return false
  const read = decimal(String(value))
  if (written.digits === read.digits && written.scale === read.scale) return false
  // A finite double has at most 309 digits before the point. So this `BigInt` stays small, even if
  // the literal is long.
  return BigInt(written.digits + '0'.repeat(written.scale)) !== BigInt(Math.abs(value))
}

function decimal(literal: string): Decimal {
  const mark = literal.search(/e/i)
  const mantissa = literal.slice(literal.startsWith('-') ? 1 : 0, mark < 0 ? literal.length : mark)
  const dot = mantissa.indexOf('.')
  const digits = dot < 0 ? mantissa : mantissa.slice(0, dot) + mantissa.slice(dot + 1)
  // This is a loop, because the pattern /0+$/ would take quadratic time on a hostile literal.
  let start = 0
  while (digits[start] === '0') start++
  let end = digits.length
  while (end > start && digits[end - 1] === '0') end--
  const exponent = mark < 0 ? 0 : Number(literal.slice(mark + 1))
  const fraction = dot < 0 ? 0 : mantissa.length - dot - 1
  return { digits: digits.slice(start, end), scale: exponent - fraction + (digits.length - end) }
}
