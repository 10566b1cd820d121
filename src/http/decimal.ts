/**
 * Numbers that are written as strings, because a double can't represent all of them exactly:
 * decimals of any size, and 64-bit integers.
 */

const shape = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/
/**
 * The largest absolute value of an exponent that is accepted. JavaScript and PostgreSQL never write
 * a larger one. A larger exponent would expand a short string to a very long string.
 */
const largestExponent = 400

/**
 * The canonical string of a decimal number. It has no exponent, no `+` and no redundant zeros, and
 * `-0` becomes `0`. The result is `undefined` for a string that is not a number, and for exponents
 * above 400 or below -400.
 *
 * @example canonicalDecimal('+012.50e1') // '125'
 */
export function canonicalDecimal(text: string): string | undefined {
  const found = shape.exec(text)
  if (found === null) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = found
  const shift = Number(exponent)
  if (Math.abs(shift) > largestExponent) return undefined
  const digits = whole + fraction
  const point = whole.length + shift
  const before = point <= 0 ? '' : digits.slice(0, point).padEnd(point, '0')
  const behind = point <= 0 ? '0'.repeat(-point) + digits : digits.slice(point)
  const left = withoutLeadingZeros(before)
  const right = withoutTrailingZeros(behind)
  const size = right === '' ? left || '0' : `${left || '0'}.${right}`
  return sign === '-' && size !== '0' ? `-${size}` : size
}

/** Compares two canonical decimals. The result is negative, zero or positive. */
export function compareDecimals(a: string, b: string): number {
  if (a === b) return 0
  const negative = a.startsWith('-')
  if (negative !== b.startsWith('-')) return negative ? -1 : 1
  return negative ? compareSizes(b.slice(1), a.slice(1)) : compareSizes(a, b)
}

function compareSizes(a: string, b: string): number {
  const [whole, other] = [wholeLength(a), wholeLength(b)]
  if (whole !== other) return whole - other
  return a < b ? -1 : a > b ? 1 : 0
}

function wholeLength(text: string): number {
  const point = text.indexOf('.')
  return point === -1 ? text.length : point
}

/**
 * The digits before and after the decimal point of a canonical decimal. A single zero before the
 * point is left out.
 */
export function digitsOf(text: string): readonly [before: string, behind: string] {
  const [before = '', behind = ''] = text.replace('-', '').split('.')
  return [before === '0' ? '' : before, behind]
}

const int64Limit = 2n ** 63n

/**
 * The canonical string of an integer from -2^63 to 2^63-1: digits with an optional `-`. The result
 * is `undefined` for other strings.
 *
 * @example canonicalInt64('+007') // '7'
 */
export function canonicalInt64(text: string): string | undefined {
  const found = /^([+-]?)0*(\d{1,19})$/.exec(text)
  if (found === null) return undefined
  const [, sign, digits = ''] = found
  const value = sign === '-' ? -BigInt(digits) : BigInt(digits)
  return value < -int64Limit || value >= int64Limit ? undefined : String(value)
}

function withoutLeadingZeros(digits: string): string {
  let start = 0
  while (digits.charCodeAt(start) === 0x30) start++
  return digits.slice(start)
}

/** Removes the trailing zeros of a string of digits. */
export function withoutTrailingZeros(digits: string): string {
  let end = digits.length
  while (digits.charCodeAt(end - 1) === 0x30) end--
  return digits.slice(0, end)
}
