/** The PostgreSQL types that hold numbers. */
import { canonicalDecimal, canonicalInt64, digitsOf } from '../../../http/decimal.js'
import type { Scalar } from '../../contract.js'
import { asText, type ColumnType } from './column-type.js'
import { comparedRounded, infiniteFrom } from './rounded.js'
import { valueTexts } from './value-texts.js'

/**
 * The double that a string represents. Null if the double is NaN or infinite. `+ 0` removes the
 * sign of a negative zero, which JSON does not show.
 */
const finite = (text: string): number | null => (Number.isFinite(Number(text)) ? Number(text) + 0 : null)
const notFinite = (sql: string): string => `${sql} IN ('NaN', 'Infinity', '-Infinity')`
const notANumber = (sql: string): string => `${sql} = 'NaN'`

/** The number as a decimal string for SQL. Zero has no sign. */
const digits = (value: Scalar): string => String(Object.is(value, -0) ? 0 : value)

const beyondDouble = (sql: string): string =>
  `${sql} NOT BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER}`

export function wholeNumbers(cast: string, bound: number): ColumnType {
  const lowest = Math.max(-bound, Number.MIN_SAFE_INTEGER)
  const fits = (value: Scalar): boolean =>
    Number.isInteger(value) && (value as number) >= lowest && (value as number) < bound
  return {
    cast,
    holds: ['integer', 'number'],
    samples: [0, 1],
    inJson: true,
    read: asText,
    // A number outside the safe-integer range might be shown as a different number. So such a
    // number is shown as null.
    decode: (text) => (Number.isSafeInteger(Number(text)) ? Number(text) : null),
    faithful: (text) => Number.isSafeInteger(Number(text)),
    ...(bound > 2 ** 31 ? { inexact: beyondDouble, unshown: beyondDouble } : {}),
    encode: digits,
    fault: (value) => (fits(value) ? undefined : `must be a whole number from ${lowest} to ${bound - 1}`),
    compare(op, value) {
      const number = value as number
      // The value is cast to an integer type, so that an index on the column can be used. A value
      // between two integers is replaced by the lower integer. If the absolute value is larger than
      // `bound`, the comparison matches either all numbers from `-bound` up, or none.
      if (Number.isSafeInteger(number)) return { op, text: digits(number), cast: 'bigint' }
      if (op === '=') return 'never'
      const upwards = op === '>' || op === '>='
      if (Math.abs(number) > bound)
        return number < 0 === upwards ? { op: '>=', text: String(-bound), cast: 'bigint' } : 'never'
      return { op: upwards ? '>' : '<=', text: digits(Math.floor(number)), cast: 'bigint' }
    },
  }
}

export function decimals([precision, scale = 0]: readonly number[]): ColumnType {
  return {
    cast: 'numeric',
    holds: ['integer', 'number'],
    samples: [0, 1],
    inJson: true,
    read: asText,
    decode: finite,
    faithful: (text) => Number.isFinite(Number(text)) && plainDigits(Number(text)).join('.') === plainText(text),
    // A decimal of up to 15 significant digits survives the conversion to a double and back.
    inexact: (sql) =>
      precision !== undefined && precision <= 15
        ? notANumber(sql)
        : `NOT (abs(${sql}) < 1000000000 AND ${sql} = round(${sql}, 6))`,
    encode: digits,
    fault: (value) =>
      precision === undefined ? undefined : digitsFault(plainDigits(value as number), precision, scale),
    compare: (op, value) => ({ op, text: digits(value), cast: 'numeric' }),
    ...(precision !== undefined && precision <= 15
      ? {}
      : { compareShown: (op, value) => comparedRounded(op, value as number, 'numeric') }),
    // A column with at most 308 digits before the point holds no number that becomes infinite as a
    // double. Other columns are compared with the smallest number that becomes infinite as a
    // double. They are not compared with 'Infinity', because servers before PostgreSQL 14 do not
    // accept 'Infinity' as a `numeric`.
    unshown: (sql) =>
      precision !== undefined && precision - scale <= 308
        ? notANumber(sql)
        : `${sql} >= ${infiniteFrom} OR ${sql} <= -${infiniteFrom}`,
  }
}

/**
 * The digits before and after the point, without an exponent, and without leading or trailing
 * zeros.
 */
function plainDigits(value: number): readonly [whole: string, fraction: string] {
  const [mantissa = '', exponent = '0'] = Math.abs(value).toExponential().split('e')
  const all = mantissa.replace('.', '')
  const point = 1 + Number(exponent)
  const whole = point <= 0 ? '' : all.slice(0, point).padEnd(point, '0')
  const fraction = point <= 0 ? '0'.repeat(-point) + all : all.slice(point)
  return [whole.replace(/^0+/, ''), fraction.replace(/0+$/, '')]
}

/**
 * The digits of a decimal as the database outputs it, without the sign and without leading or
 * trailing zeros: `-12.50` becomes `12.5`.
 */
function plainText(text: string): string {
  const [whole = '', fraction = ''] = text.replace(/^-/, '').split('.')
  return `${whole.replace(/^0+/, '')}.${fraction.replace(/0+$/, '')}`
}

export function floats(cast: string, stored: (value: number) => number): ColumnType {
  return {
    cast,
    holds: ['integer', 'number'],
    samples: [0, 1],
    inJson: true,
    read: asText,
    decode: finite,
    faithful: (text) => Number.isFinite(Number(text)),
    inexact: notFinite,
    unshown: notFinite,
    encode: digits,
    fault: (value) =>
      stored(value as number) === value ? undefined : 'must be a number that single precision can hold',
    compare(op, value) {
      if (stored(value as number) === value) return { op, text: digits(value), cast }
      return op === '=' ? 'never' : { op, text: digits(value), cast: 'double precision' }
    },
  }
}

/**
 * The value that a `real` column outputs after this number was stored in it: the shortest decimal
 * that rounds to the same single-precision number.
 */
export function shortestSingle(value: number): number {
  const single = Math.fround(value)
  for (let precision = 1; precision < 10; precision++) {
    const short = Number(single.toPrecision(precision))
    if (Math.fround(short) === single) return short
  }
  return Number.NaN
}

/**
 * Whole numbers as strings (format `int64`), because a double can't represent all of them exactly.
 */
export function wholeNumberTexts(cast: string, bits: number): ColumnType {
  const [min, max] = [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n]
  return valueTexts({
    cast,
    samples: ['0', '1'],
    formats: ['int64', 'decimal'],
    counts: true,
    expects: 'a whole number as text, such as "42"',
    canonical: canonicalInt64,
    columnFault: (text) => (BigInt(text) < min || BigInt(text) > max ? `must be from ${min} to ${max}` : undefined),
    // The string is cast to an integer type, so that an index on the column can be used.
    compareUnheld: (op, text) => ({ op, text, cast: 'bigint' }),
  })
}

/**
 * The maximum numbers of digits before and after the point, for a `numeric` without a precision.
 */
const numericLimits = [131_072, 16_383] as const

/**
 * Decimals as strings (format `decimal`), which show a `numeric` exactly, without trailing zeros.
 * NaN and infinity are not decimals. They are shown as null, as they are in a member of type
 * number.
 */
export function decimalTexts([precision, scale = 0]: readonly number[]): ColumnType {
  const [whole, fraction] = precision === undefined ? numericLimits : [precision - scale, scale]
  const isWhole = precision !== undefined && scale === 0 && precision <= 18
  const type = valueTexts({
    cast: 'numeric',
    samples: ['0', '1'],
    formats: isWhole ? ['decimal', 'int64'] : ['decimal'],
    expects: 'a decimal number as text, such as "1234.56"',
    canonical: canonicalDecimal,
    columnFault(text) {
      const [before, after] = digitsOf(text)
      if (precision !== undefined) return digitsFault([before, after], precision, scale)
      return before.length <= whole && after.length <= fraction ? undefined : digitsMessage(whole, fraction)
    },
    compareUnheld: (op, text) => (tooManyDigits(text) ? 'never' : { op, text, cast: 'numeric' }),
  })
  return {
    ...type,
    plain: false,
    decode: (text) => canonicalDecimal(text) ?? null,
    faithful: (text) => canonicalDecimal(text) !== undefined,
    // A column with a precision holds no infinity. Other columns are compared as text, because
    // servers before PostgreSQL 14 do not accept 'Infinity' as a `numeric`.
    inexact: (sql) => (precision === undefined ? notFinite(`${sql}::text`) : notANumber(sql)),
    // NaN counts as larger than every number, so `NOT BETWEEN` is true for NaN too. `NOT BETWEEN`
    // comes first, because it can use an index.
    unshown: (sql) =>
      precision === undefined
        ? `${sql} NOT BETWEEN -1e131071 AND 1e131071 AND ${notFinite(`${sql}::text`)}`
        : notANumber(sql),
  }
}

const tooManyDigits = (text: string): boolean => {
  const [before, after] = digitsOf(text)
  return before.length > numericLimits[0] || after.length > numericLimits[1]
}

/**
 * Why a `numeric(precision, scale)` can't hold a decimal with these digits before and after the
 * point.
 */
function digitsFault([before, after]: readonly [string, string], precision: number, scale: number): string | undefined {
  // With a negative scale, digits before the point are rounded. With a scale above the precision,
  // the first digits after the point must be zeros.
  const isUsual = scale >= 0 && scale <= precision
  const isHeld = isUsual
    ? before.length <= precision - scale && after.length <= scale
    : fitsOddScale(before, after, precision, scale)
  if (isHeld) return undefined
  if (scale < 0)
    return (
      `must be a multiple of 1${'0'.repeat(-scale)} with at most ${precision - scale} digits before the ` +
      'decimal point'
    )
  if (scale > precision)
    return (
      `must have ${scale - precision} zeros directly after the decimal point, and at most ${scale} digits after it ` +
      'in total'
    )
  return digitsMessage(precision - scale, scale)
}

const digitsMessage = (whole: number, fraction: number): string =>
  `must have at most ${Math.max(whole, 0)} digits before and ${Math.max(fraction, 0)} after the decimal point`

/**
 * Whether a `numeric(precision, scale)` can hold these digits, for a scale that is negative or
 * above the precision.
 */
function fitsOddScale(before: string, after: string, precision: number, scale: number): boolean {
  if (after.length > Math.max(scale, 0)) return false
  if (scale < 0 && !new RegExp(`^$|0{${-scale}}$`).test(before)) return false
  const digits = (before + after.padEnd(Math.max(scale, 0), '0')).replace(/^0+/, '')
  return digits.length - Math.max(-scale, 0) <= precision
}
