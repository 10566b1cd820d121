/** JSON numbers, and the test whether a double can represent them (RFC 8259 6, RFC 7493 2.2). */

const minus = 0x2d
const plus = 0x2b
const point = 0x2e
const zero = 0x30

/** The index after the JSON number that starts here; `from` itself if there is none. */
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

/** The index after the digits that start here; `otherwise` if there are none. */
function someDigitsEnd(text: string, otherwise: number, from: number): number {
  const end = digitsEnd(text, from)
  return end === from ? otherwise : end
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
 * Whether a number may change when it is read: if it has more than the 15 digits that are always
 * safe, an exponent, or is negative zero.
 */
export function needsCheck(text: string, start: number, end: number): boolean {
  if (end - start > 15 || (text.charCodeAt(start) === minus && text.charCodeAt(start + 1) === zero)) return true
  for (let at = start + 1; at < end; at++) {
    if (isExponentMark(text.charCodeAt(at))) return true
  }
  return false
}

/**
 * A decimal as `digits * 10 ** scale`, without sign and without leading or trailing zeros in the
 * digits. Zero has no digits.
 */
interface Decimal {
  readonly digits: string
  readonly scale: number
}

/**
 * Whether reading a literal as a double silently changes it to another integer, as for
 * 9007199254740993. It does not if the double is exactly that integer, or if the literal is the
 * double's own text (2 ** 60 is 1152921504606847000, 1e23 is 1e23): everything that
 * `JSON.stringify` writes can be read back. Literals that are not integers are rounded as usual.
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
  // A finite double has at most 309 digits before the point, so this stays small for literals of
  // any length.
  return BigInt(written.digits + '0'.repeat(written.scale)) !== BigInt(Math.abs(value))
}

function decimal(literal: string): Decimal {
  const mark = literal.search(/e/i)
  const mantissa = literal.slice(literal.startsWith('-') ? 1 : 0, mark < 0 ? literal.length : mark)
  const dot = mantissa.indexOf('.')
  const digits = dot < 0 ? mantissa : mantissa.slice(0, dot) + mantissa.slice(dot + 1)
  // A loop, because /0+$/ would take quadratic time on a hostile literal.
  let start = 0
  while (digits[start] === '0') start++
  let end = digits.length
  while (end > start && digits[end - 1] === '0') end--
  const exponent = mark < 0 ? 0 : Number(literal.slice(mark + 1))
  const fraction = dot < 0 ? 0 : mantissa.length - dot - 1
  return { digits: digits.slice(start, end), scale: exponent - fraction + (digits.length - end) }
}
